import numpy as np


def window_sums_grad_jvp(x, w, dx, dw):
    # x: f64[n], w: f64[m], dx: f64[n], dw: f64[m]
    k = len(w)
    t = len(x) - k
    tape = []
    for i in range(t + 1):
        t1 = i + k
        t2 = x[i:t1]
        t3 = np.tanh(np.sum(t2 * w))
        t4 = np.sum(dx[i:t1] * w + dw * t2) * (1.0 - t3 * t3)
        tape.append((t3, t4))
    dx1 = np.zeros_like(x)
    ddx = np.zeros_like(dx1)
    for i in reversed(range(t + 1)):
        t3, t4 = tape.pop()
        # total += np.tanh(np.sum(x[i : i + k] * w))
        t5 = 1.0 - t3 * t3
        t = i + k
        dx1[i:t] += t5 * w
        ddx[i:t] += t5 * dw - 2.0 * (t4 * t3) * w
    return dx1, ddx
