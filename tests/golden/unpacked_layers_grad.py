import numpy as np


def unpacked_layers_grad(p, X, target, hidden):
    # p: f64[2 * hidden + prod(hidden, k) + 1], X: f64[m, k], target: f64[m],
    # hidden: int
    d = X.shape[1]
    d_times_hidden = d * hidden
    W = p[:d_times_hidden].reshape(d, hidden)
    p_end = d_times_hidden + hidden
    b = p[d_times_hidden:p_end]
    v = p[p_end:-1]
    tanh_X_W_plus_b = np.tanh(X @ W + b)
    dv_part = 2.0 / X.shape[0] * (tanh_X_W_plus_b @ v + p[-1] - target)
    dp = np.zeros_like(p)
    dp[-1] = np.sum(dv_part)
    dW_part = np.outer(dv_part, v) * (1.0 - tanh_X_W_plus_b * tanh_X_W_plus_b)
    dW = X.T @ dW_part
    # v = p[d * hidden + hidden : -1]
    dp[p_end:-1] += tanh_X_W_plus_b.T @ dv_part
    # b = p[d * hidden : d * hidden + hidden]
    dp[d_times_hidden:p_end] += np.sum(dW_part, axis=0)
    # W = p[: d * hidden].reshape(d, hidden)
    dp[:d_times_hidden] += dW.reshape(-1)
    return dp
