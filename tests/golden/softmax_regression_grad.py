import numpy as np


def softmax_regression_grad(W, X, Y, reg):
    # W: f64[n, m], X: f64[k, n], Y: f64[k, m], reg: float
    scores = X @ W
    t = scores.max(axis=1, keepdims=True)
    shifted = scores - t
    e = np.exp(shifted)
    t1 = e.sum(axis=1, keepdims=True)
    p = e / t1
    t1 = Y / len(X) / p / t1
    de = np.sum(p * t1, axis=1, keepdims=True) - t1
    # e = np.exp(shifted)
    dshifted = de * e
    # shifted = scores - scores.max(axis=1, keepdims=True)
    t1 = np.sum(dshifted, axis=1, keepdims=True)
    t2 = scores == t
    t = np.where(t2, t1 / np.sum(t2, axis=1, keepdims=True), 0.0)
    dscores = dshifted - t
    # scores = X @ W
    dW = 2.0 * reg * W + X.T @ dscores
    return dW
