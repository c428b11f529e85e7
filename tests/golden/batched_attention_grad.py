import numpy as np


def batched_attention_grad(query, key, value):
    # query: f64[n, n, m, k], key: f64[n, n, p, k], value: f64[n, n, p, m]
    t = np.sqrt(query.shape[3])
    scores = np.einsum("bhqd,bhkd->bhqk", query, key) / t
    t1 = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - t1)
    t2 = np.sum(weights, axis=-1, keepdims=True)
    weights1 = weights / t2
    # return np.sum(np.einsum("...qk,...kd->...qd", weights, value) ** 2)
    t3 = 2.0 * np.einsum("...qk,...kd->...qd", weights1, value)
    dvalue = np.einsum("...qd,...qk->...kd", t3, weights1)
    # weights = weights / np.sum(weights, axis=-1, keepdims=True)
    dweights = np.einsum("...qd,...kd->...qk", t3, value) / t2
    dweights -= np.sum(weights1 * dweights, axis=3, keepdims=True)
    # weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    dscores = dweights * weights
    t2 = np.sum(dscores, axis=3, keepdims=True)
    t4 = scores == t1
    t1 = np.where(t4, t2 / np.sum(t4, axis=-1, keepdims=True), 0.0)
    dscores -= t1
    # scores = np.einsum("bhqd,bhkd->bhqk", query, key) / ...
    t1 = dscores / t
    dkey = np.einsum("bhqk,bhqd->bhkd", t1, query)
    return np.einsum("bhqk,bhkd->bhqd", t1, key), dkey, dvalue
