import numpy as np


def huber_grad(w, X, y, width):
    # w: f64[n], X: f64[m, n], y: f64[m], width: float
    t = X @ w - y
    r = np.abs(t)
    t1 = r < width
    dr = np.where(t1, 0.0, width) + 2.0 * np.where(t1, 0.5 * r, 0.0)
    # r = np.abs(X @ w - y)
    dw = X.T @ (np.sign(t) * dr)
    return dw
