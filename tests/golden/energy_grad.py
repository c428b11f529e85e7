import numpy as np


def energy_grad(lower, diagonal, upper, right):
    # lower: f64[n], diagonal: f64[n], upper: f64[n], right: f64[n]
    x = right.copy()
    t = diagonal.copy()
    n = len(x)
    for i in range(1, n):
        w = lower[i] / t[i - 1]
        t[i] -= w * upper[i - 1]
        x[i] -= w * x[i - 1]
    t1 = n - 1
    t2 = t[t1]
    t3 = x[t1] / t2
    x1 = np.copy(x)
    x1[t1] = t3
    for i in range(t1 - 1, -1, -1):
        x1[i] = (x1[i] - upper[i] * x1[i + 1]) / t[i]
    # return x @ x
    dx = 2.0 * x1
    ddiagonal = np.zeros_like(t)
    for i in reversed(range(t1 - 1, -1, -1)):
        # right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i]
        t4 = dx[i] / t[i]
        ddiagonal[i] = -x1[i] * t4
        dx[i] = t4
        dx[i + 1] -= t4 * upper[i]
    # right[n - 1] /= diagonal[n - 1]
    t2 = dx[t1] / t2
    ddiagonal[t1] -= t3 * t2
    dx[t1] = t2
    for i in reversed(range(1, n)):
        # w = lower[i] / diagonal[i - 1]
        t2 = t[i - 1]
        w = lower[i] / t2
        # right[i] -= w * right[i - 1]
        t3 = dx[i]
        dx[i - 1] -= t3 * w
        # diagonal[i] -= w * upper[i - 1]
        t3 = t3 * x[i - 1] + ddiagonal[i] * upper[i - 1]
        # w = lower[i] / diagonal[i - 1]
        ddiagonal[i - 1] += w * (t3 / t2)
    return ddiagonal, dx
