import numpy as np


def softmax_cross_entropy_grad(W, b, inputs, labels):
    # W: f64[n, m], b: f64[m], inputs: f64[k, n], labels: i64[k]
    scores = inputs @ W + b
    t = np.max(scores, axis=1, keepdims=True)
    scores1 = scores - t
    t1 = np.exp(scores1)
    t2 = np.arange(len(labels))
    k = inputs.shape[0]
    t3 = -1.0 / k
    dlogs = np.zeros((k, W.shape[1]))
    np.add.at(dlogs, (t2, labels), t3)
    # logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    t4 = np.sum(dlogs, axis=1, keepdims=True)
    t1 *= t4 / np.sum(t1, axis=1, keepdims=True)
    # scores = scores - np.max(scores, axis=1, keepdims=True)
    t4 = np.sum(t1 - dlogs, axis=1, keepdims=True)
    t5 = scores == t
    dscores = np.where(t5, t4 / np.sum(t5, axis=1, keepdims=True), 0.0)
    np.add.at(dscores, (t2, labels), t3)
    dscores -= t1
    # scores = inputs @ W + b
    db = np.sum(dscores, axis=0)
    dW = inputs.T @ dscores
    return dW, db
