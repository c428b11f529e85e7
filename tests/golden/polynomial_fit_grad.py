import numpy as np


def polynomial_fit_grad(p, x, y):
    # p: f64[n], x: f64[m], y: f64[m]
    # return np.mean((np.polyval(p, x) - y) ** 2) + np.polyval(p, 0.5) ** 2
    n = p.shape[0]
    dp_factor = 0.5 ** np.arange(n - 1, -1, -1)
    dp_factor1 = 2.0 / x.shape[0] * (np.polyval(p, x) - y)
    dp = 2.0 * np.polyval(p, 0.5) * dp_factor + dp_factor1 @ np.vander(x, n)
    return dp
