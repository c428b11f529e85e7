import numpy as np


def gaussian_process_grad(log_scale, log_noise, x, y):
    # log_scale: float, log_noise: float, x: f64[n], y: f64[n]
    t = np.exp(log_scale)
    d = (x[:, None] - x) / t
    t1 = np.exp(-0.5 * d ** 2)
    t2 = np.exp(log_noise)
    t3 = np.eye(len(x))
    K = t1 + t2 * t3
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, y)
    t4 = L.T
    t5 = np.outer(np.linalg.solve(t4, z), z)
    dL = np.diag(1.0 / np.diag(L)) - t5
    # L = np.linalg.cholesky(K)
    t5 = t4 @ dL
    t5 = 0.5 * (np.tril(t5) + np.tril(t5, -1))
    t5 = np.linalg.solve(t4, t5 + t5.T).T
    t4 = np.linalg.solve(t4, t5)
    t4 = np.tril(t4) + np.tril(t4, -1)
    dK = 0.5 * t4
    # K = np.exp(-0.5 * d**2) + np.exp(log_noise) * np.eye(len(x))
    dlog_noise = np.sum(dK * t3) * t2
    t4 *= -0.5
    dd = t4 * t1 * d
    # d = (x[:, None] - x) / np.exp(log_scale)
    t *= np.sum(d * (dd / t))
    dlog_scale = -t
    return dlog_scale, dlog_noise
