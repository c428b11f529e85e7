import math

import numpy as np


def attention_grad(query, key, value):
    # query: f64[n, m], key: f64[k, m], value: f64[k, n]
    scores_sqrt = math.sqrt(query.shape[1])
    scores = query @ key.T / scores_sqrt
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    sum_scores = np.sum(scores, axis=-1, keepdims=True)
    weights = scores / sum_scores
    # return np.sum((weights @ value) ** 2)
    dvalue_factor = 2.0 * (weights @ value)
    dvalue = weights.T @ dvalue_factor
    # weights = scores / np.sum(scores, axis=-1, keepdims=True)
    dscores = dvalue_factor @ value.T / sum_scores
    dscores -= np.sum(weights * dscores, axis=1, keepdims=True)
    # scores = query @ key.T / math.sqrt(query.shape[1])
    dkey_part = dscores * scores / scores_sqrt
    dkey = dkey_part.T @ query
    return dkey_part @ key, dkey, dvalue
