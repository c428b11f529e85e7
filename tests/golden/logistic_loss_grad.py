import numpy as np


def logistic_loss_grad(w, X, y):
    # w: f64[n], X: f64[m, n], y: f64[m]
    t = -y
    t1 = np.exp(np.minimum(-t * (X @ w), 709.0))
    dw = 0.02 * w + X.T @ (1.0 / (t1 + 1.0) / X.shape[0] * t)
    return dw
