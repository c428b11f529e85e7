import numpy as np


def top_k_jvp(scores, values, k, dscores, dvalues, dk):
    # scores: f64[n], values: f64[n], k: int, dscores: f64[n], dvalues: f64[n]
    best = np.argsort(scores)[::-1][:k]
    weights = np.exp(scores[best])
    dweights = dscores[best] * weights
    t = values[best]
    t1 = weights * t
    t *= dweights
    t2 = np.sum(t + dvalues[best] * weights)
    t3 = np.sum(weights)
    value = np.sum(t1) / t3
    t2 = (t2 - value * np.sum(dweights)) / t3
    return value, t2
