import numpy as np


def loss_hessian(weights, inputs, labels):
    # weights: f64[n], inputs: f64[m, n - 1], labels: f64[m]
    margins = labels * (inputs @ weights[1:] + weights[0])
    # return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * ...
    m = inputs.shape[0]
    t = np.exp(np.minimum(margins, 709.0)) + 1.0
    # margins = labels * (inputs @ weights[1:] + weights[0])
    t1 = inputs.T
    n = weights.shape[0]
    hess = np.empty((n, n))
    for i in range(n):
        dweights = np.zeros_like(weights)
        dweights[i] = 1.0
        # margins = labels * (inputs @ weights[1:] + weights[0])
        t2 = dweights[1:]
        dmargins = (inputs @ t2 + dweights[0]) * labels
        # return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * ...
        t2 *= 0.002
        # margins = labels * (inputs @ weights[1:] + weights[0])
        t3 = (dmargins / t - dmargins) / t / m * labels
        ddweights = np.zeros_like(weights)
        ddweights[0] = -np.sum(t3)
        ddweights[1:] += t2 - t1 @ t3
        hess[:, i] = ddweights
    return hess
