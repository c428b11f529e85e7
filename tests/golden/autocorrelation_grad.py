import numpy as np


def autocorrelation_grad(x, lags):
    # x: f64[n], lags: int
    tape = []
    for k in range(1, lags):
        tape.append(np.sum(x[:-k] * x[k:]))
    dx = np.zeros_like(x)
    for k in reversed(range(1, lags)):
        t = tape.pop()
        t1 = -k
        t *= 2.0
        dx[k:] += t * x[:t1]
        dx[:t1] += t * x[k:]
    return dx
