import numpy as np


def ridge_grad(X, y, penalty):
    # X: f64[n, m], y: f64[n], penalty: float
    t = X.T
    t1 = np.eye(X.shape[1])
    t2 = t @ X + penalty * t1
    w = np.linalg.solve(t2, t @ y)
    r = y - X @ w
    # return r @ r + penalty * np.linalg.norm(w) ** 2
    dr = 2.0 * r
    # r = y - X @ w
    t = X.T
    dw = 2.0 * penalty * w - t @ dr
    # w = np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T @ y)
    t2 = np.linalg.solve(t2.T, dw)
    t3 = np.outer(t2, w)
    dpenalty = np.linalg.norm(w) ** 2 - np.sum(t3 * t1)
    dX = (np.outer(t2, y) - t3 @ t).T
    dX -= np.outer(dr, w) + X @ t3
    return dX, dpenalty
