import numpy as np


def conv1d_grad(x, w, target):
    # x: f64[k + m - 1], w: f64[m], target: f64[k]
    m = len(w)
    n = len(x) - m + 1
    y = np.zeros(n)
    for j in range(m):
        y += w[j] * x[j:j + n]
    # return np.sum((y - target) ** 2)
    t = 2.0 * (y - target)
    dtarget = -t
    dw = np.zeros_like(w)
    dx = np.zeros_like(x)
    for j in reversed(range(m)):
        t1 = j + n
        dx[j:t1] += w[j] * t
        dw[j] = t @ x[j:t1]
    return dx, dw, dtarget
