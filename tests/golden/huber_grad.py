import numpy as np


def huber_grad(w, X, y, width):
    # w: f64[n], X: f64[m, n], y: f64[m], width: float
    X_w_minus_y = X @ w - y
    r = np.abs(X_w_minus_y)
    dw_factor = np.where(r < width, X_w_minus_y, width * np.sign(X_w_minus_y))
    dw = X.T @ dw_factor
    return dw
