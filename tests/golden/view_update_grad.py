import numpy as np


def view_update_grad(x):
    # x: f64[n]
    y = x.copy()
    y[1:] *= 2.0
    v = y[1:]
    v[::2] += x[0]
    # return np.sum(y**2)
    dx = 2.0 * y
    # w += x[0]
    sum_dx_tail_part = np.sum(dx[1:][::2])
    # v = y[1:]
    dx[1:] *= 2.0
    # y = x.copy()
    dx[0] += sum_dx_tail_part
    return dx
