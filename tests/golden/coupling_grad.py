import numpy as np


def coupling_grad(x, W, V):
    # x: f64[2 * m], W: f64[m, m], V: f64[m, m]
    n = len(x) // 2
    a = x[:n]
    b = x[n:]
    s = np.tanh(W @ a)
    t = np.exp(s)
    y = np.concatenate((a, b * t + V @ a))
    # return np.sum(y**2) - np.sum(s)
    dy = 2.0 * y
    # y = np.concatenate((a, b * np.exp(s) + V @ a))
    m = W.shape[0]
    t1 = dy[m:]
    t2 = np.outer(t1, a)
    da = V.T @ t1 + dy[:m]
    t1 *= t
    ds = t1 * b - 1.0
    # s = np.tanh(W @ a)
    t = (1.0 - s * s) * ds
    dx = np.zeros_like(x)
    dx[n:] = t1
    dx[:n] += da + W.T @ t
    return dx, np.outer(t, a), t2
