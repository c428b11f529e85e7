import numpy as np


def window_sums_grad(x, w):
    # x: f64[n], w: f64[m]
    k = len(w)
    t = len(x) - k
    tape = []
    for i in range(t + 1):
        t1 = np.tanh(np.sum(x[i:i + k] * w))
        tape.append(t1)
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    for i in reversed(range(t + 1)):
        t1 = tape.pop()
        t = i + k
        t1 = 1.0 - t1 * t1
        dw += t1 * x[i:t]
        dx[i:t] += t1 * w
    return dx, dw
