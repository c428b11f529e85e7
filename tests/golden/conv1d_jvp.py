import numpy as np


def conv1d_jvp(x, w, target, dx, dw, dtarget):
    # x: f64[k + m - 1], w: f64[m], target: f64[k], dx: f64[k + m - 1], dw: f64[m],
    # dtarget: f64[k]
    m = len(w)
    n = len(x) - m + 1
    y = np.zeros(n)
    dy = np.zeros_like(y)
    for j in range(m):
        w_j = w[j]
        j_plus_n = j + n
        x_from_j = x[j:j_plus_n]
        dy = dw[j] * x_from_j + w_j * dx[j:j_plus_n] + dy
        y += w_j * x_from_j
    y_minus_target = y - target
    return np.sum(y_minus_target**2), (dy - dtarget) @ (2.0 * y_minus_target)
