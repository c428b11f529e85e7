import numpy as np


def conv1d_grad(x, w, target):
    # x: f64[k + m - 1], w: f64[m], target: f64[k]
    m = len(w)
    n = len(x) - m + 1
    y = np.zeros(n)
    for j in range(m):
        y += w[j] * x[j : j + n]
    # return np.sum((y - target) ** 2)
    dtarget_part = 2.0 * (y - target)
    dtarget = -dtarget_part
    dw = np.zeros_like(w)
    dx = np.zeros_like(x)
    for j in reversed(range(m)):
        j_plus_n = j + n
        dx[j:j_plus_n] += w[j] * dtarget_part
        dw[j] = dtarget_part @ x[j:j_plus_n]
    return dx, dw, dtarget
