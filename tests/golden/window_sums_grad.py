import numpy as np


def window_sums_grad(x, w):
    # x: f64[n], w: f64[m]
    k = len(w)
    n_minus_k = len(x) - k
    tape = []
    for i in range(n_minus_k + 1):
        t = np.tanh(np.sum(x[i : i + k] * w))
        tape.append(t)
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    for i in reversed(range(n_minus_k + 1)):
        t = tape.pop()
        i_plus_k = i + k
        dw_factor = 1.0 - t * t
        dw += dw_factor * x[i:i_plus_k]
        dx[i:i_plus_k] += dw_factor * w
    return dx, dw
