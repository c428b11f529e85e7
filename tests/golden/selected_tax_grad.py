import numpy as np


def selected_tax_grad(income, low, middle):
    # income: f64[n], low: float, middle: float
    income_below = income < 10.0
    income_below1 = income < 40.0
    masked_income_sq = np.where(~income_below & income_below1, income * income, 0.0)
    dmiddle = np.sum(masked_income_sq)
    dlow = np.sum(np.where(income_below, income, 0.0))
    dincome = np.where(
        income_below, low, np.where(income_below1, 2.0 * (middle * income), 0.5)
    )
    return dincome, dlow, dmiddle
