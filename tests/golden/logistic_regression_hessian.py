import numpy as np


def loss_hessian(weights, inputs, labels):
    # weights: f64[n], inputs: f64[m, k], labels: f64[m]
    t = weights[1:]
    margins = labels * (inputs @ t + weights[0])
    # return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * ...
    m = inputs.shape[0]
    t1 = np.exp(np.minimum(margins, 709.0)) + 1.0
    # margins = labels * (inputs @ weights[1:] + weights[0])
    t2 = inputs.T
    t3 = -(t2 @ (1.0 / t1 / m * labels))
    t = 0.002 * t + (np.sum(t3, keepdims=True) if t.size == 1 else t3)
    n = weights.shape[0]
    hess = np.empty((n, n))
    for i in range(n):
        dweights = np.zeros_like(weights)
        dweights[i] = 1.0
        # margins = labels * (inputs @ weights[1:] + weights[0])
        t3 = dweights[1:]
        dmargins = (inputs @ t3 + dweights[0]) * labels
        # return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * ...
        t3 *= 0.002
        # margins = labels * (inputs @ weights[1:] + weights[0])
        t4 = (dmargins / t1 - dmargins) / t1 / m * labels
        ddweights = np.zeros_like(weights)
        ddweights[0] = -np.sum(t4)
        t4 = -(t2 @ t4)
        t3 += np.sum(t4, keepdims=True) if t.size == 1 else t4
        ddweights[1:] += t3
        hess[:, i] = ddweights
    return hess
