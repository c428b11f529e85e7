import numpy as np


def least_squares_qr_grad(X, y):
    # X: f64[n, m], y: f64[n]
    Q, R = np.linalg.qr(X)
    R_inv_Q_T_y = np.linalg.solve(R, Q.T @ y)
    dy_factor = np.linalg.solve(R.T, 2.0 * R_inv_Q_T_y)
    dQ_part = np.outer(dy_factor, y)
    dy = Q @ dy_factor
    dQ = dQ_part.T
    # Q, R = np.linalg.qr(X)
    dX_part = R @ np.outer(dy_factor, R_inv_Q_T_y).T + dQ_part @ Q
    dX_part = -dX_part
    dX_term = Q @ (np.tril(dX_part) + np.tril(dX_part, -1).T)
    dX = np.linalg.solve(R, (dX_term + dQ).T).T
    return dX, dy
