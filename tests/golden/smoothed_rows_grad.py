import numpy as np


def smoothed_rows_grad(A, xs):
    # A: f64[n, n], xs: f64[m, n]
    y = np.zeros(A.shape[0])
    m = len(xs)
    exp_A = np.exp(A)
    cos_A = np.cos(A)
    tape = []
    for x in xs:
        y = np.tanh(exp_A @ x + 0.5 * y)
        tape.append(y)
    dy = np.zeros_like(y)
    dxs = np.zeros_like(xs)
    dA_part = np.zeros_like(cos_A)
    rows = np.empty((m, A.shape[0]))
    for i in reversed(range(m)):
        y = tape.pop()
        # s += y @ np.cos(A)[0]
        dy += cos_A[0]
        dA_part[0] += y
        # y = np.tanh(np.exp(A) @ x + 0.5 * y)
        rows_part = (1.0 - y * y) * dy
        rows[i] = rows_part
        dy = 0.5 * rows_part
        dxs[i] = exp_A.T @ rows_part
    # s += y @ np.cos(A)[0]
    dA_part *= np.sin(A)
    # y = np.tanh(np.exp(A) @ x + 0.5 * y)
    dA = rows.T @ xs * exp_A - dA_part
    return dA, dxs
