import numpy as np


def logistic_loss_grad(w, X, y):
    # w: f64[n], X: f64[m, n], y: f64[m]
    t = -y
    t1 = t * (X @ w)
    t2 = np.logaddexp(0.0, t1)
    dw = 0.02 * w
    t1 -= t2
    t1 = np.exp(t1)
    t1 /= t2.shape[0]
    t1 *= t
    dw += X.T @ t1
    return dw
