import numpy as np


def rnn_grad(W, xs, h):
    # W: f64[n, n], xs: f64[m, n], h: f64[n]
    m = len(xs)
    tape = []
    for t in range(m):
        tape.append(h)
        h = np.tanh(W @ h + xs[t])
    # return h @ h
    dh = 2.0 * h
    dW = np.zeros_like(W)
    for _ in reversed(range(m)):
        h1 = tape.pop()
        # h = np.tanh(W @ h + xs[t])
        t1 = (1.0 - h * h) * dh
        dh = W.T @ t1
        dW += np.outer(t1, h1)
        h = h1
    return dW
