import numpy as np


def leaky_net_grad(W, b, v, x, y):
    # W: f64[n, m], b: f64[m], v: f64[m], x: f64[k, n], y: f64[k]
    z = x @ W + b
    z_positive = z > 0.0
    h = np.where(z_positive, z, 0.01 * z)
    # return np.mean((h @ v - y) ** 2)
    dv_factor = 2.0 / x.shape[0] * (h @ v - y)
    dz_part = np.outer(dv_factor, v)
    dv = h.T @ dv_factor
    # h = np.where(z > 0.0, z, 0.01 * z)
    dz = np.where(z_positive, dz_part, 0.01 * dz_part)
    # z = x @ W + b
    db = np.sum(dz, axis=0)
    dW = x.T @ dz
    return dW, db, dv
