import numpy as np


def logistic_loss_grad(w, X, y):
    # w: f64[n], X: f64[m, n], y: f64[m]
    t = -y
    dw = 0.02 * w
    t1 = np.minimum(-(t * (X @ w)), 709.0)
    t1 = np.exp(t1)
    t1 += 1.0
    t1 = 1.0 / t1
    t1 /= X.shape[0]
    t1 *= t
    dw += X.T @ t1
    return dw
