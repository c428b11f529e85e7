import numpy as np


def correlated_grad(x, w):
    # x: f64[n, m, k], w: f64[k, k, n]
    n = x.shape[1]
    k = w.shape[0]
    n_minus_k = n - k
    out = np.empty((x.shape[0], n_minus_k + 1, w.shape[2]))
    for i in range(n_minus_k + 1):
        out[:, i, :] = np.sum(x[:, i : i + k, :, None] * w[None, :, :, :], axis=(1, 2))
    # return np.sum(out * out)
    dout = 2.0 * out
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    for i in reversed(range(n_minus_k + 1)):
        i_plus_k = i + k
        dout_i = dout[:, i, :]
        dout_i_reshape_w_T = dout_i @ w.reshape(-1, w.shape[2]).T
        dw_part = x[:, i:i_plus_k, :].reshape(x.shape[0], -1).T @ dout_i
        dw += dw_part.reshape(w.shape)
        dx[:, i:i_plus_k, :] += dout_i_reshape_w_T.reshape(
            x.shape[0], w.shape[0], w.shape[1]
        )
    return dx, dw
