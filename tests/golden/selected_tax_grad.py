import numpy as np


def selected_tax_grad(income, low, middle):
    # income: f64[n], low: float, middle: float
    t = income < 10.0
    t1 = income < 40.0
    t2 = np.where(~t & t1, income * income, 0.0)
    dmiddle = np.sum(t2)
    dlow = np.sum(np.where(t, income, 0.0))
    dincome = np.where(t, low, np.where(t1, 2.0 * (middle * income), 0.5))
    return dincome, dlow, dmiddle
