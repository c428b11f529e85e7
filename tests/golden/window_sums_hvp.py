import numpy as np


def window_sums_grad_jvp(x, w, dx, dw):
    # x: f64[n], w: f64[m], dx: f64[n], dw: f64[m]
    k = len(w)
    n_minus_k = len(x) - k
    tape = []
    for i in range(n_minus_k + 1):
        i_plus_k = i + k
        x_from_i = x[i:i_plus_k]
        t = np.tanh(np.sum(x_from_i * w))
        t1 = np.sum(dx[i:i_plus_k] * w + dw * x_from_i) * (1.0 - t * t)
        tape.append((t, t1))
    dx_now = np.zeros_like(x)
    ddx = np.zeros_like(dx_now)
    for i in reversed(range(n_minus_k + 1)):
        t, t1 = tape.pop()
        # total += np.tanh(np.sum(x[i : i + k] * w))
        dx_factor = 1.0 - t * t
        i_plus_k = i + k
        dx_now[i:i_plus_k] += dx_factor * w
        ddx[i:i_plus_k] += dx_factor * dw - 2.0 * (t1 * t) * w
    return dx_now, ddx
