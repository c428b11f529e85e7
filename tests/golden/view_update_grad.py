import numpy as np


def view_update_grad(x):
    # x: f64[n]
    y = x.copy()
    y[1:] *= 2.0
    t = np.copy(y[1:])
    t[::2] = y[1:][::2] + x[0]
    y[1:] = t
    # return np.sum(y**2)
    dx = 2.0 * y
    # w += x[0]
    t1 = np.sum(dx[1:][::2])
    # v = y[1:]
    dx[1:] = 2.0 * dx[1:]
    # y = x.copy()
    dx[0] += t1
    return dx
