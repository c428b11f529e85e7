import numpy as np


def gradient_penalty_grad(w, x):
    # w: f64[n, m], x: f64[m]
    t = np.tanh(w @ x)
    t1 = 1.0 - t * t
    dx = w.T @ t1
    t2 = np.sqrt(np.sum(dx ** 2))
    ddx = 4.0 * (t2 - 1.0) * (0.5 / t2) * dx
    # return np.sum(np.tanh(w @ x))
    t = (1.0 - 2.0 * (w @ ddx) * t) * t1
    dw = np.outer(ddx, t1).T + np.outer(t, x)
    return dw
