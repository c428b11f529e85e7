import numpy as np


def meta_rate_grad(rate, w, xs, ys):
    # rate: float, w: f64[n], xs: f64[m, n], ys: f64[m]
    m = len(ys)
    tape = []
    for k in range(m):
        t = xs[k]
        # loss = lambda w, x, y: (w @ x - y) ** 2
        t = 2.0 * (w @ t - ys[k]) * t
        tape.append(t)
        w = w - rate * t
    tape1 = []
    for k in range(m):
        tape1.append(w @ xs[k] - ys[k])
    dw = np.zeros_like(w)
    for k in reversed(range(m)):
        t1 = tape1.pop()
        # loss = lambda w, x, y: (w @ x - y) ** 2
        dw += 2.0 * t1 * xs[k]
    drate = 0.0
    for k in reversed(range(m)):
        t = tape.pop()
        # w = w - rate * slope(w, xs[k], ys[k])
        t2 = xs[k]
        drate -= dw @ t
        # loss = lambda w, x, y: (w @ x - y) ** 2
        dw -= 2.0 * (rate * dw @ t2) * t2
    return drate
