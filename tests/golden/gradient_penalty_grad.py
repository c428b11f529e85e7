import numpy as np


def gradient_penalty_grad(w, x):
    # w: f64[n, m], x: f64[m]
    tanh_w_x = np.tanh(w @ x)
    dx_factor = 1.0 - tanh_w_x * tanh_w_x
    dx = w.T @ dx_factor
    sqrt_sum_dx_sq = np.sqrt(np.sum(dx**2))
    ddx = 2.0 * ((sqrt_sum_dx_sq - 1.0) / sqrt_sum_dx_sq) * dx
    # return np.sum(np.tanh(w @ x))
    dw_factor = (1.0 - 2.0 * (w @ ddx) * tanh_w_x) * dx_factor
    dw = np.outer(ddx, dx_factor).T + np.outer(dw_factor, x)
    return dw
