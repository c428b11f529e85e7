import numpy as np


def huber_regression_grad(w, X, y, delta):
    # w: f64[n], X: f64[m, n], y: f64[m], delta: float
    r = X @ w - y
    abs_r = np.abs(r)
    small = abs_r <= delta
    # return np.mean(np.where(small, 0.5 * r**2, delta * (np.abs(r) - 0.5 ...
    m = X.shape[0]
    ddelta_part = np.where(small, 0.0, (abs_r - 0.5 * delta) / m)
    delta_over_m = delta / m
    ddelta = np.sum(ddelta_part) - 0.5 * np.sum(np.where(small, 0.0, delta_over_m))
    dr = np.where(small, r / m, delta_over_m * np.sign(r))
    # r = X @ w - y
    dw = X.T @ dr
    return dw, ddelta
