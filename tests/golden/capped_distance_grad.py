import numpy as np


def capped_distance_grad(x, y):
    # x: f64[n], y: f64[n]
    dx = np.zeros_like(x)
    dy = np.zeros_like(y)
    for i in reversed(range(len(x))):
        x_i_minus_y_i = x[i] - y[i]
        if not 1.0 < abs(x_i_minus_y_i):
            # total += min(abs(x[i] - y[i]), 1.0)
            sign_x_i_minus_y_i = np.sign(x_i_minus_y_i)
            dy[i] = -sign_x_i_minus_y_i
            dx[i] = sign_x_i_minus_y_i
    return dx, dy
