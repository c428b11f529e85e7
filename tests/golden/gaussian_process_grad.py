import numpy as np


def gaussian_process_grad(log_scale, log_noise, x, y):
    # log_scale: float, log_noise: float, x: f64[n], y: f64[n]
    exp_log_scale = np.exp(log_scale)
    d = (x[:, None] - x) / exp_log_scale
    exp_scaled_d_sq = np.exp(-0.5 * d**2)
    exp_log_noise = np.exp(log_noise)
    K_eye = np.eye(len(x))
    K = exp_scaled_d_sq + exp_log_noise * K_eye
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, y)
    L_T = L.T
    L_T_inv_z_z = np.outer(np.linalg.solve(L_T, z), z)
    dL = np.diag(1.0 / np.diag(L)) - L_T_inv_z_z
    # L = np.linalg.cholesky(K)
    L_T_dL = L_T @ dL
    dK_part = 0.5 * (np.tril(L_T_dL) + np.tril(L_T_dL, -1))
    dK_part = np.linalg.solve(L_T, dK_part + dK_part.T).T
    dK_part = np.linalg.solve(L_T, dK_part)
    dK_factor = np.tril(dK_part) + np.tril(dK_part, -1)
    dK = 0.5 * dK_factor
    # K = np.exp(-0.5 * d**2) + np.exp(log_noise) * np.eye(len(x))
    dlog_noise = np.sum(dK * K_eye) * exp_log_noise
    dK_factor *= -0.5
    dd = dK_factor * exp_scaled_d_sq * d
    # d = (x[:, None] - x) / np.exp(log_scale)
    dlog_scale_part = np.sum(d * (dd / exp_log_scale)) * exp_log_scale
    dlog_scale = -dlog_scale_part
    return dlog_scale, dlog_noise
