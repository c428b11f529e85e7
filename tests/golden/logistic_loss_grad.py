import numpy as np


def logistic_loss_grad(w, X, y):
    # w: f64[n], X: f64[m, n], y: f64[m]
    neg_y = -y
    dw_term = np.exp(np.minimum(-neg_y * (X @ w), 709.0))
    dw = 0.02 * w + X.T @ (1.0 / (dw_term + 1.0) / X.shape[0] * neg_y)
    return dw
