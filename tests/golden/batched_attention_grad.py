import numpy as np


def batched_attention_grad(query, key, value):
    # query: f64[n, n, m, k], key: f64[n, n, p, k], value: f64[n, n, p, m]
    scores_sqrt = np.sqrt(query.shape[3])
    scores = np.einsum("bhqd,bhkd->bhqk", query, key) / scores_sqrt
    max_scores = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - max_scores)
    sum_weights = np.sum(weights, axis=-1, keepdims=True)
    weights1 = weights / sum_weights
    # return np.sum(np.einsum("...qk,...kd->...qd", weights, value) ** 2)
    dvalue_part = 2.0 * np.einsum("...qk,...kd->...qd", weights1, value)
    dvalue = np.einsum("...qd,...qk->...kd", dvalue_part, weights1)
    # weights = weights / np.sum(weights, axis=-1, keepdims=True)
    dweights = np.einsum("...qd,...kd->...qk", dvalue_part, value) / sum_weights
    dweights -= np.sum(weights1 * dweights, axis=3, keepdims=True)
    # weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    dscores = dweights * weights
    sum_dscores = np.sum(dscores, axis=3, keepdims=True)
    dscores_mask = scores == max_scores
    dscores_term = np.where(
        dscores_mask, sum_dscores / np.sum(dscores_mask, axis=-1, keepdims=True), 0.0
    )
    dscores -= dscores_term
    # scores = np.einsum("bhqd,bhkd->bhqk", query, key) / ...
    dkey_part = dscores / scores_sqrt
    dkey = np.einsum("bhqk,bhqd->bhkd", dkey_part, query)
    return np.einsum("bhqk,bhkd->bhqd", dkey_part, key), dkey, dvalue
