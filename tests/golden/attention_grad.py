import math

import numpy as np


def attention_grad(query, key, value):
    # query: f64[n, m], key: f64[k, m], value: f64[k, n]
    t = math.sqrt(query.shape[1])
    scores = query @ key.T / t
    t1 = np.max(scores, axis=-1, keepdims=True)
    scores1 = np.exp(scores - t1)
    t2 = np.sum(scores1, axis=-1, keepdims=True)
    weights = scores1 / t2
    # return np.sum((weights @ value) ** 2)
    t3 = 2.0 * (weights @ value)
    dvalue = weights.T @ t3
    # weights = scores / np.sum(scores, axis=-1, keepdims=True)
    dscores = t3 @ value.T / t2
    dscores -= np.sum(weights * dscores, axis=1, keepdims=True)
    # scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    dscores = dscores * scores1
    t2 = np.sum(dscores, axis=1, keepdims=True)
    t4 = scores == t1
    t1 = np.where(t4, t2 / np.sum(t4, axis=-1, keepdims=True), 0.0)
    dscores -= t1
    # scores = query @ key.T / math.sqrt(query.shape[1])
    t1 = dscores / t
    dkey = t1.T @ query
    return t1 @ key, dkey, dvalue
