import numpy as np


def smoothed_rows_grad(A, xs):
    # A: f64[n, n], xs: f64[m, n]
    y = np.zeros(A.shape[0])
    m = len(xs)
    t = np.exp(A)
    t1 = np.cos(A)
    tape = []
    for x in xs:
        y = np.tanh(t @ x + 0.5 * y)
        tape.append(y)
    dy = np.zeros_like(y)
    dxs = np.zeros_like(xs)
    t2 = np.zeros_like(t1)
    rows = np.empty((m, A.shape[0]))
    for i in reversed(range(m)):
        y = tape.pop()
        # s += y @ np.cos(A)[0]
        dy += t1[0]
        t2[0] += y
        # y = np.tanh(np.exp(A) @ x + 0.5 * y)
        t3 = (1.0 - y * y) * dy
        rows[i] = t3
        dy = 0.5 * t3
        dxs[i] = t.T @ t3
    # s += y @ np.cos(A)[0]
    t2 *= np.sin(A)
    # y = np.tanh(np.exp(A) @ x + 0.5 * y)
    dA = rows.T @ xs * t - t2
    return dA, dxs
