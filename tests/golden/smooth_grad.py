import numpy as np


def smooth_grad(x, width):
    # x: f64[n], width: int
    x = x.copy()
    n_minus_width = len(x) - width
    for i in range(width, n_minus_width):
        x[i] = np.sum(x[i - width : i + width + 1]) / (2 * width + 1)
    # return np.sum(x**4)
    dx = 4.0 * x**3
    for i in reversed(range(width, n_minus_width)):
        # x[i] = np.sum(x[i - width : i + width + 1]) / (2 * width + 1)
        dx_part = dx[i] / (2 * width + 1)
        dx[i] = 0.0
        dx[i - width : i + width + 1] += dx_part
    return dx
