import numpy as np


def income_tax_grad(income, low, middle, high):
    # income: f64[n], low: float, middle: float, high: float
    income_below = income < 10.0
    income_below1 = income < 40.0
    dincome_mask = ~income_below & income_below1
    dhigh_part_mask = income_below | income_below1
    dhigh_part = np.where(dhigh_part_mask, 0.0, 1.0)
    # high_part = low * 10.0 + middle * 30.0 + high * (income - 40.0)
    sum_dhigh_part = np.sum(dhigh_part)
    dhigh = np.sum(np.where(dhigh_part_mask, 0.0, income - 40.0))
    dincome = np.where(income_below, low, 0.0) + np.where(dhigh_part_mask, 0.0, high)
    # middle_part = low * 10.0 + middle * (income - 10.0)
    dmiddle_term = np.sum(np.where(dincome_mask, income - 10.0, 0.0))
    dmiddle = 30.0 * sum_dhigh_part + dmiddle_term
    dincome += np.where(dincome_mask, middle, 0.0)
    dlow_term = 10.0 * (sum_dhigh_part + np.sum(np.where(dincome_mask, 1.0, 0.0)))
    dlow = np.sum(np.where(income_below, income, 0.0)) + dlow_term
    return dincome, dlow, dmiddle, dhigh
