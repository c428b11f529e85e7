import numpy as np


def least_squares_qr_grad(X, y):
    # X: f64[n, m], y: f64[n]
    Q, R = np.linalg.qr(X)
    solve_R = np.linalg.solve(R, Q.T @ y)
    solve_R_T = np.linalg.solve(R.T, 2.0 * solve_R)
    solve_R_T_y = np.outer(solve_R_T, y)
    dy = Q @ solve_R_T
    dQ = solve_R_T_y.T
    # Q, R = np.linalg.qr(X)
    dX_part = R @ np.outer(solve_R_T, solve_R).T + solve_R_T_y @ Q
    dX_part = -dX_part
    dX_term = Q @ (np.tril(dX_part) + np.tril(dX_part, -1).T)
    dX = np.linalg.solve(R, (dX_term + dQ).T).T
    return dX, dy
