import numpy as np


def gini_value_and_grad(income):
    # income: f64[n]
    x = np.sort(income)
    n = x.size
    ranks = np.arange(1, n + 1)
    t = n * np.sum(x)
    t1 = 2.0 * np.sum(ranks * x) / t
    dx = 2.0 / t * ranks - t1 / t * n
    dincome = np.zeros_like(income)
    dincome[np.argsort(income, kind="stable")] = dx
    return t1 - (n + 1.0) / n, dincome
