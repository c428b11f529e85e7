import numpy as np


def view_update_grad(x):
    # x: f64[n]
    y = x.copy()
    y[1:] *= 2.0
    v = y[1:]
    w = v[::2]
    v = np.copy(v)
    v[::2] = w + x[0]
    y[1:] = v
    # return np.sum(y**2)
    dx = 2.0 * y
    # w += x[0]
    sum_dx_tail_part = np.sum(dx[1:][::2])
    # v = y[1:]
    dx[1:] = 2.0 * dx[1:]
    # y = x.copy()
    dx[0] += sum_dx_tail_part
    return dx
