import numpy as np


def gini_value_and_grad(income):
    # income: f64[n]
    x = np.sort(income)
    n = x.size
    ranks = np.arange(1, n + 1)
    n_times_sum_x = n * np.sum(x)
    value_term = 2.0 * np.sum(ranks * x) / n_times_sum_x
    dx = 2.0 / n_times_sum_x * ranks - value_term / n_times_sum_x * n
    dincome = np.zeros_like(income)
    dincome[np.argsort(income, kind="stable")] = dx
    return value_term - (n + 1.0) / n, dincome
