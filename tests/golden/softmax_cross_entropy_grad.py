import numpy as np


def softmax_cross_entropy_grad(W, b, inputs, labels):
    # W: f64[n, m], b: f64[m], inputs: f64[k, n], labels: i64[k]
    scores = inputs @ W + b
    t = np.max(scores, axis=1, keepdims=True)
    scores1 = scores - t
    t1 = np.exp(scores1)
    # return -np.mean(logs[np.arange(len(labels)), labels])
    k = inputs.shape[0]
    dlogs = np.zeros((k, W.shape[1]))
    dlogs[np.arange(len(labels)), labels] = -1.0 / k
    # logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    t2 = np.sum(dlogs, axis=1, keepdims=True)
    t1 *= t2 / np.sum(t1, axis=1, keepdims=True)
    dscores = dlogs - t1
    # scores = scores - np.max(scores, axis=1, keepdims=True)
    t1 = np.sum(dscores, axis=1, keepdims=True)
    t3 = scores == t
    t = np.where(t3, t1 / np.sum(t3, axis=1, keepdims=True), 0.0)
    dscores -= t
    # scores = inputs @ W + b
    db = np.sum(dscores, axis=0)
    dW = inputs.T @ dscores
    return dW, db
