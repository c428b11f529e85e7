import numpy as np


def leave_one_out_grad(X, y, penalty):
    # X: f64[n, m], y: f64[n], penalty: float
    t = X.T
    t1 = np.eye(X.shape[1])
    t2 = np.linalg.inv(t @ X + penalty * t1)
    H = X @ t2 @ t
    t = 1.0 - np.einsum("ii->i", H)
    t3 = (y - H @ y) / t
    t = 2.0 / X.shape[0] * t3 / t
    t3 *= t
    dH = np.diag(t3) - np.outer(t, y)
    # H = X @ np.linalg.inv(X.T @ X + penalty * np.eye(X.shape[1])) @ X.T
    t = t2.T
    t = t @ (X.T @ (dH @ X)) @ t
    dpenalty = -np.sum(t * t1)
    return dpenalty
