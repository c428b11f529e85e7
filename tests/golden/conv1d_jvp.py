import numpy as np


def conv1d_jvp(x, w, target, dx, dw, dtarget):
    # x: f64[k + m - 1], w: f64[m], target: f64[k], dx: f64[k + m - 1], dw: f64[m],
    # dtarget: f64[k]
    m = len(w)
    n = len(x) - m + 1
    y = np.zeros(n)
    dy = np.zeros_like(y)
    for j in range(m):
        t = w[j]
        t1 = j + n
        t2 = x[j:t1]
        dy = dw[j] * t2 + t * dx[j:t1] + dy
        y += t * t2
    t2 = y - target
    t3 = t2 ** 2
    t2 *= 2.0
    return np.sum(t3), (dy - dtarget) @ t2
