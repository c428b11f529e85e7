import numpy as np


def portfolio_grad(weights, returns):
    # weights: f64[n], returns: f64[n, m]
    cov_returns = np.cov(returns)
    dweights_part = weights[None]
    dweights_factor = dweights_part - np.mean(dweights_part, axis=1, keepdims=True)
    dweights = np.squeeze(2.0 / weights.shape[0] * dweights_factor, axis=0)
    weights_weights = np.outer(weights, weights)
    dweights = dweights + weights @ cov_returns + cov_returns @ weights
    dreturns_factor = returns - np.mean(returns, axis=1, keepdims=True)
    dreturns = (
        (weights_weights + weights_weights.T) @ dreturns_factor / (returns.shape[1] - 1)
    )
    return dweights, dreturns
