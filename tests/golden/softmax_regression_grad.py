import numpy as np


def softmax_regression_grad(W, X, Y, reg):
    # W: f64[n, m], X: f64[k, n], Y: f64[k, m], reg: float
    scores = X @ W
    shifted = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    sum_e = e.sum(axis=1, keepdims=True)
    p = e / sum_e
    de_part = Y / len(X) / p / sum_e
    de = np.sum(p * de_part, axis=1, keepdims=True) - de_part
    # e = np.exp(shifted)
    dshifted = de * e
    # scores = X @ W
    dW = 2.0 * reg * W + X.T @ dshifted
    return dW
