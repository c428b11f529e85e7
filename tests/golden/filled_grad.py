import numpy as np


def filled_grad(x, v, w):
    # x: f64[n], v: f64[n], w: float
    y = x * w
    m = x > 0.0
    v_m = v[m]
    y[m] = v_m * w
    # return np.sum(y * y)
    dy = 2.0 * y
    # y[m] = v[m] * w
    dy_m = dy[m]
    dv = np.zeros_like(v)
    dv[m] = w * dy_m
    # y = x * w
    dw = dy_m @ v_m + np.sum(np.where(m, 0.0, dy * x))
    return np.where(m, 0.0, w * dy), dv, dw
