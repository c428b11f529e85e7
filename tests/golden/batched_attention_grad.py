import numpy as np


def batched_attention_grad(query, key, value):
    # query: f64[n, n, m, k], key: f64[n, n, p, k], value: f64[n, n, p, m]
    scores_sqrt = np.sqrt(query.shape[3])
    scores = np.einsum("bhqd,bhkd->bhqk", query, key) / scores_sqrt
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    sum_weights = np.sum(weights, axis=-1, keepdims=True)
    weights1 = weights / sum_weights
    # return np.sum(np.einsum("...qk,...kd->...qd", weights, value) ** 2)
    dvalue_part = 2.0 * np.einsum("...qk,...kd->...qd", weights1, value)
    dvalue = np.einsum("...qd,...qk->...kd", dvalue_part, weights1)
    # weights = weights / np.sum(weights, axis=-1, keepdims=True)
    dweights = np.einsum("...qd,...kd->...qk", dvalue_part, value) / sum_weights
    dweights -= np.sum(weights1 * dweights, axis=3, keepdims=True)
    # scores = np.einsum("bhqd,bhkd->bhqk", query, key) / ...
    dkey_part = dweights * weights / scores_sqrt
    dkey = np.swapaxes(dkey_part, -1, -2) @ query
    return dkey_part @ key, dkey, dvalue
