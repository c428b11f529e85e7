import numpy as np


def income_tax_grad(income, low, middle, high):
    # income: f64[n], low: float, middle: float, high: float
    t = income < 10.0
    t1 = income < 40.0
    t2 = ~t & t1
    t1 = t | t1
    dhigh_part = np.where(t1, 0.0, 1.0)
    # high_part = low * 10.0 + middle * 30.0 + high * (income - 40.0)
    t3 = np.sum(dhigh_part)
    dhigh = np.sum(np.where(t1, 0.0, income - 40.0))
    dincome = np.where(t, low, 0.0) + np.where(t1, 0.0, high)
    # middle_part = low * 10.0 + middle * (income - 10.0)
    t4 = np.sum(np.where(t2, income - 10.0, 0.0))
    dmiddle = 30.0 * t3 + t4
    dincome += np.where(t2, middle, 0.0)
    t3 = 10.0 * (t3 + np.sum(np.where(t2, 1.0, 0.0)))
    dlow = np.sum(np.where(t, income, 0.0)) + t3
    return dincome, dlow, dmiddle, dhigh
