import numpy as np


def damped_grad(x, A, steps):
    # x: f64[n], A: f64[n, n], steps: int
    y = x.copy()
    ys = np.empty((max(steps, 0), x.shape[0]))
    tape = []
    for i in range(steps):
        ys[i] = y
        y = A @ y
        y_negative = y < 0
        tape.append(y_negative)
        y[y_negative] *= 0.1
    # return np.sum(y * y)
    dy = 2.0 * y
    dys = np.empty((max(steps, 0), x.shape[0]))
    for i in reversed(range(steps)):
        y_negative = tape.pop()
        # y[y < 0] *= 0.1
        dy[y_negative] *= 0.1
        dys[i] = dy
        # y = A @ y
        dy = A.T @ dy
    dA = dys.T @ ys
    return dy, dA
