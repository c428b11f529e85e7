import numpy as np


def leaky_net_grad(W, b, v, x, y):
    # W: f64[n, m], b: f64[m], v: f64[m], x: f64[k, n], y: f64[k]
    z = x @ W + b
    t = z > 0.0
    h = np.where(t, z, 0.01 * z)
    # return np.mean((h @ v - y) ** 2)
    t1 = 2.0 / x.shape[0] * (h @ v - y)
    t2 = np.outer(t1, v)
    dv = h.T @ t1
    # h = np.where(z > 0.0, z, 0.01 * z)
    dz = np.where(t, t2, 0.01 * t2)
    # z = x @ W + b
    db = np.sum(dz, axis=0)
    dW = x.T @ dz
    return dW, db, dv
