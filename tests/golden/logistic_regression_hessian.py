import numpy as np


def loss_hessian(weights, inputs, labels):
    # weights: f64[n], inputs: f64[m, n - 1], labels: f64[m]
    margins = labels * (inputs @ weights[1:] + weights[0])
    # return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * ...
    m = inputs.shape[0]
    ddweights_den = np.exp(np.minimum(margins, 709.0)) + 1.0
    # margins = labels * (inputs @ weights[1:] + weights[0])
    inputs_T = inputs.T
    n = weights.shape[0]
    hess = np.empty((n, n))
    for i in range(n):
        dweights = np.zeros_like(weights)
        dweights[i] = 1.0
        # margins = labels * (inputs @ weights[1:] + weights[0])
        dweights_tail = dweights[1:]
        dmargins = (inputs @ dweights_tail + dweights[0]) * labels
        # return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * ...
        dweights_tail *= 0.002
        # margins = labels * (inputs @ weights[1:] + weights[0])
        ddweights_part = (
            (dmargins / ddweights_den - dmargins) / ddweights_den / m * labels
        )
        ddweights = np.zeros_like(weights)
        ddweights[0] = -np.sum(ddweights_part)
        ddweights[1:] += dweights_tail - inputs_T @ ddweights_part
        hess[:, i] = ddweights
    return hess
