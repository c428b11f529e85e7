import numpy as np


def capped_distance_grad(x, y):
    # x: f64[n], y: f64[n]
    dx = np.zeros_like(x)
    dy = np.zeros_like(y)
    for i in reversed(range(len(x))):
        t = x[i] - y[i]
        if not 1.0 < abs(t):
            # total += min(abs(x[i] - y[i]), 1.0)
            t = np.sign(t)
            dy[i] = -t
            dx[i] = t
    return dx, dy
