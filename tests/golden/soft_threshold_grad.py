import numpy as np


def soft_threshold_grad(x, A, b, step, penalty):
    # x: f64[n], A: f64[m, n], b: f64[m], step: float, penalty: float
    z = x - step * (A.T @ (A @ x - b))
    sign_z = np.sign(z)
    s_arg = np.abs(z) - step * penalty
    s = sign_z * np.maximum(s_arg, 0.0)
    # return np.sum(s * s)
    ds = 2.0 * s
    # s = np.sign(z) * np.maximum(np.abs(z) - step * penalty, 0.0)
    ds_times_sign_z = ds * sign_z
    dz_mask = s_arg >= 0.0
    dpenalty = -np.sum(np.where(dz_mask, ds_times_sign_z, 0.0)) * step
    ds_times_sign_z *= sign_z
    dz = np.where(dz_mask, ds_times_sign_z, 0.0)
    # z = x - step * (A.T @ (A @ x - b))
    ds_times_sign_z *= step
    dx = dz - A.T @ (A @ np.where(dz_mask, ds_times_sign_z, 0.0))
    return dx, dpenalty
