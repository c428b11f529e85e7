import numpy as np


def curvature_grad(x, v):
    # x: f64[n], v: f64[n]
    exp_x = np.exp(x)
    v_times_exp_x = v * exp_x
    sum_x_sq = np.sum(x * x)
    dx_factor = 2.0 * np.sum(v_times_exp_x) + 2.0 * (v @ exp_x)
    dv_factor = sum_x_sq * v + 2.0 * (v @ x) + 2.0 * v @ x
    dv_term = dx_factor * x + 4.0 * np.sum(exp_x) * v + sum_x_sq * v_times_exp_x
    dv = exp_x * dv_factor + dv_term
    dv_factor *= v
    dx_term = (dv_factor + 2.0 * (v @ v)) * exp_x
    dx = dx_factor * v + 2.0 * (v @ v_times_exp_x) * x + dx_term
    return dx, dv
