import numpy as np


def unpacked_layers_grad(p, X, target, hidden):
    # p: f64[2 * hidden + prod(hidden, k) + 1], X: f64[m, k], target: f64[m],
    # hidden: int
    d = X.shape[1]
    t = d * hidden
    t1 = p[:t]
    W = t1.reshape(d, hidden)
    t2 = t + hidden
    b = p[t:t2]
    v = p[t2:-1]
    t3 = np.tanh(X @ W + b)
    t4 = 2.0 / X.shape[0] * (t3 @ v + p[-1] - target)
    dp = np.zeros_like(p)
    dp[-1] = np.sum(t4)
    t5 = np.outer(t4, v) * (1.0 - t3 * t3)
    dW = X.T @ t5
    # v = p[d * hidden + hidden : -1]
    dp[t2:-1] += t3.T @ t4
    # b = p[d * hidden : d * hidden + hidden]
    dp[t:t2] += np.sum(t5, axis=0)
    # W = p[: d * hidden].reshape(d, hidden)
    dp[:t] += np.reshape(dW, t1.shape)
    return dp
