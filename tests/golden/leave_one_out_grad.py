import numpy as np


def leave_one_out_grad(X, y, penalty):
    # X: f64[n, m], y: f64[n], penalty: float
    X_T = X.T
    H_eye = np.eye(X.shape[1])
    H_inv = np.linalg.inv(X_T @ X + penalty * H_eye)
    H = X @ H_inv @ X_T
    one_minus_einsum_H = 1.0 - np.einsum("ii->i", H)
    t = (y - H @ y) / one_minus_einsum_H
    dH_factor = 2.0 / X.shape[0] * t / one_minus_einsum_H
    dH = np.diag(t * dH_factor) - np.outer(dH_factor, y)
    # H = X @ np.linalg.inv(X.T @ X + penalty * np.eye(X.shape[1])) @ X.T
    dpenalty_factor = H_inv.T
    dpenalty_factor = dpenalty_factor @ (X.T @ (dH @ X)) @ dpenalty_factor
    dpenalty = -np.sum(dpenalty_factor * H_eye)
    return dpenalty
