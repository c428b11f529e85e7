import numpy as np


def portfolio_grad(weights, returns):
    # weights: f64[n], returns: f64[n, m]
    t = np.cov(returns)
    t1 = weights[None]
    t1 = t1 - np.mean(t1, axis=1, keepdims=True)
    dweights = np.squeeze(2.0 / weights.shape[0] * t1, axis=0)
    t1 = np.outer(weights, weights)
    dweights = dweights + weights @ t + t @ weights
    t = returns - np.mean(returns, axis=1, keepdims=True)
    dreturns = (t1 + t1.T) @ t / (returns.shape[1] - 1)
    return dweights, dreturns
