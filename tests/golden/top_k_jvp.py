import numpy as np


def top_k_jvp(scores, values, k, dscores, dvalues, dk):
    # scores: f64[n], values: f64[n], k: int, dscores: f64[n], dvalues: f64[n]
    best = np.argsort(scores)[::-1][:k]
    weights = np.exp(scores[best])
    dweights = dscores[best] * weights
    values_best = values[best]
    t = np.sum(dweights * values_best + dvalues[best] * weights)
    sum_weights = np.sum(weights)
    value = np.sum(weights * values_best) / sum_weights
    t = (t - value * np.sum(dweights)) / sum_weights
    return value, t
