import math

import numpy as np


def attention_grad(query, key, value):
    # query: f64[n, m], key: f64[k, m], value: f64[k, n]
    scores_sqrt = math.sqrt(query.shape[1])
    scores = query @ key.T / scores_sqrt
    max_scores = np.max(scores, axis=-1, keepdims=True)
    scores1 = np.exp(scores - max_scores)
    sum_scores = np.sum(scores1, axis=-1, keepdims=True)
    weights = scores1 / sum_scores
    # return np.sum((weights @ value) ** 2)
    dvalue_factor = 2.0 * (weights @ value)
    dvalue = weights.T @ dvalue_factor
    # weights = scores / np.sum(scores, axis=-1, keepdims=True)
    dscores = dvalue_factor @ value.T / sum_scores
    dscores -= np.sum(weights * dscores, axis=1, keepdims=True)
    # scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    dscores = dscores * scores1
    sum_dscores = np.sum(dscores, axis=1, keepdims=True)
    dscores_mask = scores == max_scores
    dscores_term = np.where(
        dscores_mask, sum_dscores / np.sum(dscores_mask, axis=-1, keepdims=True), 0.0
    )
    dscores -= dscores_term
    # scores = query @ key.T / math.sqrt(query.shape[1])
    dkey_part = dscores / scores_sqrt
    dkey = dkey_part.T @ query
    return dkey_part @ key, dkey, dvalue
