import numpy as np


def coupling_grad(x, W, V):
    # x: f64[2 * m], W: f64[m, m], V: f64[m, m]
    n = len(x) // 2
    a = x[:n]
    b = x[n:]
    s = np.tanh(W @ a)
    exp_s = np.exp(s)
    y = np.concatenate((a, b * exp_s + V @ a))
    # return np.sum(y**2) - np.sum(s)
    dy = 2.0 * y
    # y = np.concatenate((a, b * np.exp(s) + V @ a))
    m = W.shape[0]
    dy_from_m = dy[m:]
    dy_from_m_a = np.outer(dy_from_m, a)
    da = V.T @ dy_from_m + dy[:m]
    dy_from_m *= exp_s
    ds = dy_from_m * b - 1.0
    # s = np.tanh(W @ a)
    da_factor = (1.0 - s * s) * ds
    dx = np.zeros_like(x)
    dx[n:] = dy_from_m
    dx[:n] += da + W.T @ da_factor
    return dx, np.outer(da_factor, a), dy_from_m_a
