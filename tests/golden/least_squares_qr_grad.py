import numpy as np


def least_squares_qr_grad(X, y):
    # X: f64[n, m], y: f64[n]
    Q, R = np.linalg.qr(X)
    t = np.linalg.solve(R, Q.T @ y)
    t1 = np.linalg.solve(R.T, 2.0 * t)
    t2 = np.outer(t1, y)
    dy = Q @ t1
    dQ = t2.T
    # Q, R = np.linalg.qr(X)
    t = R @ np.outer(t1, t).T + t2 @ Q
    t = -t
    t = Q @ (np.tril(t) + np.tril(t, -1).T)
    dX = np.linalg.solve(R, (t + dQ).T).T
    return dX, dy
