import numpy as np


def ridge_grad(X, y, penalty):
    # X: f64[n, m], y: f64[n], penalty: float
    X_T = X.T
    w_eye = np.eye(X.shape[1])
    w_arg = X_T @ X + penalty * w_eye
    w = np.linalg.solve(w_arg, X_T @ y)
    r = y - X @ w
    # return r @ r + penalty * np.linalg.norm(w) ** 2
    dr = 2.0 * r
    # r = y - X @ w
    dw = 2.0 * penalty * w - X_T @ dr
    # w = np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T @ y)
    dX_factor = np.linalg.solve(w_arg.T, dw)
    dpenalty_factor = np.outer(dX_factor, w)
    dpenalty = np.linalg.norm(w) ** 2 - np.sum(dpenalty_factor * w_eye)
    dX = (np.outer(dX_factor, y) - dpenalty_factor @ X_T).T
    dX -= np.outer(dr, w) + X @ dpenalty_factor
    return dX, dpenalty
