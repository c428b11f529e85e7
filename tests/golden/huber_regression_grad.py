import numpy as np


def huber_regression_grad(w, X, y, delta):
    # w: f64[n], X: f64[m, n], y: f64[m], delta: float
    r = X @ w - y
    t = np.abs(r)
    small = t <= delta
    # return np.mean(np.where(small, 0.5 * r**2, delta * (np.abs(r) - 0.5 ...
    m = X.shape[0]
    t = np.where(small, 0.0, (t - 0.5 * delta) / m)
    t1 = delta / m
    ddelta = np.sum(t) - 0.5 * np.sum(np.where(small, 0.0, t1))
    dr = np.where(small, r / m, t1 * np.sign(r))
    # r = X @ w - y
    dw = X.T @ dr
    return dw, ddelta
