import numpy as np


def huber_grad(w, X, y, width):
    # w: f64[n], X: f64[m, n], y: f64[m], width: float
    X_w_minus_y = X @ w - y
    r = np.abs(X_w_minus_y)
    # return np.sum(np.where(r < width, 0.5 * r * r, width * (r - 0.5 * ...
    dr = np.where(r < width, r, width)
    # r = np.abs(X @ w - y)
    dw = X.T @ (np.sign(X_w_minus_y) * dr)
    return dw
