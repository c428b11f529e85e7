import numpy as np


def filled_grad(x, v, w):
    # x: f64[n], v: f64[n], w: float
    y = x * w
    m = x > 0.0
    t = v[m]
    y[m] = t * w
    # return np.sum(y * y)
    dy = 2.0 * y
    # y[m] = v[m] * w
    t1 = dy[m]
    dv = np.zeros_like(v)
    dv[m] = w * t1
    # y = x * w
    dw = t1 @ t + np.sum(np.where(m, 0.0, dy * x))
    return np.where(m, 0.0, w * dy), dv, dw
