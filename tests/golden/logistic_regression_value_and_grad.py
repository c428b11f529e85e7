import numpy as np


def loss_value_and_grad(weights, inputs, labels):
    # weights: f64[n], inputs: f64[m, n - 1], labels: f64[m]
    t = weights[1:]
    margins = labels * (inputs @ t + weights[0])
    t1 = -margins
    t2 = np.logaddexp(0.0, t1)
    value = np.mean(t2) + 0.001 * np.sum(t ** 2)
    t1 -= t2
    # margins = labels * (inputs @ weights[1:] + weights[0])
    t1 = np.exp(t1) / inputs.shape[0] * labels
    dweights = np.zeros_like(weights)
    dweights[0] = -np.sum(t1)
    dweights[1:] += 0.002 * t - inputs.T @ t1
    return value, dweights
