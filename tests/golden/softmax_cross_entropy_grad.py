import numpy as np


def softmax_cross_entropy_grad(W, b, inputs, labels):
    # W: f64[n, m], b: f64[m], inputs: f64[k, n], labels: i64[k]
    scores = inputs @ W + b
    scores = scores - np.max(scores, axis=1, keepdims=True)
    exp_scores = np.exp(scores)
    # return -np.mean(logs[np.arange(len(labels)), labels])
    k = inputs.shape[0]
    dlogs = np.zeros((k, W.shape[1]))
    dlogs[np.arange(len(labels)), labels] = -1.0 / k
    # logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    sum_dlogs = np.sum(dlogs, axis=1, keepdims=True)
    dscores = dlogs - sum_dlogs / np.sum(exp_scores, axis=1, keepdims=True) * exp_scores
    # scores = inputs @ W + b
    db = np.sum(dscores, axis=0)
    dW = inputs.T @ dscores
    return dW, db
