import numpy as np


def softmax_regression_grad(W, X, Y, reg):
    # W: f64[n, m], X: f64[k, n], Y: f64[k, m], reg: float
    scores = X @ W
    max_scores = scores.max(axis=1, keepdims=True)
    shifted = scores - max_scores
    e = np.exp(shifted)
    sum_e = e.sum(axis=1, keepdims=True)
    p = e / sum_e
    de_part = Y / len(X) / p / sum_e
    de = np.sum(p * de_part, axis=1, keepdims=True) - de_part
    # e = np.exp(shifted)
    dshifted = de * e
    # shifted = scores - scores.max(axis=1, keepdims=True)
    sum_dshifted = np.sum(dshifted, axis=1, keepdims=True)
    dscores_mask = scores == max_scores
    dscores_term = np.where(
        dscores_mask, sum_dshifted / np.sum(dscores_mask, axis=1, keepdims=True), 0.0
    )
    dscores = dshifted - dscores_term
    # scores = X @ W
    dW = 2.0 * reg * W + X.T @ dscores
    return dW
