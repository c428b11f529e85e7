import numpy as np


def autocorrelation_grad(x, lags):
    # x: f64[n], lags: int
    tape = [np.sum(x[:-k] * x[k:]) for k in range(1, lags)]
    dx = np.zeros_like(x)
    for k in reversed(range(1, lags)):
        t = tape.pop()
        neg_k = -k
        dx_factor = 2.0 * t
        dx[k:] += dx_factor * x[:neg_k]
        dx[:neg_k] += dx_factor * x[k:]
    return dx
