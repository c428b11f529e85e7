import numpy as np


def soft_threshold_grad(x, A, b, step, penalty):
    # x: f64[n], A: f64[m, n], b: f64[m], step: float, penalty: float
    z = x - step * (A.T @ (A @ x - b))
    t = np.sign(z)
    t1 = np.abs(z) - step * penalty
    s = t * np.maximum(t1, 0.0)
    # return np.sum(s * s)
    ds = 2.0 * s
    # s = np.sign(z) * np.maximum(np.abs(z) - step * penalty, 0.0)
    t2 = ds * t
    t3 = t1 >= 0.0
    t1 = np.where(t1 == 0.0, 0.5 * t2, t2)
    dpenalty = -np.sum(np.where(t3, t1, 0.0)) * step
    t1 *= t
    dz = np.where(t3, t1, 0.0)
    # z = x - step * (A.T @ (A @ x - b))
    t1 *= step
    dx = A.T @ (A @ np.where(t3, -t1, 0.0)) + dz
    return dx, dpenalty
