import numpy as np


def rnn_grad(W, xs, h):
    # W: f64[n, n], xs: f64[m, n], h: f64[n]
    m = len(xs)
    hs = np.empty((m, W.shape[0]))
    for t in range(m):
        hs[t] = h
        h = np.tanh(W @ h + xs[t])
    # return h @ h
    dh = 2.0 * h
    rows = np.empty((m, W.shape[0]))
    for t in reversed(range(m)):
        # h = np.tanh(W @ h + xs[t])
        rows_part = (1.0 - h * h) * dh
        rows[t] = rows_part
        dh = W.T @ rows_part
        h = hs[t]
    dW = rows.T @ hs
    return dW
