import numpy as np


def loss_value_and_grad(weights, inputs, labels):
    # weights: f64[n], inputs: f64[m, n - 1], labels: f64[m]
    weights_tail = weights[1:]
    margins = labels * (inputs @ weights_tail + weights[0])
    neg_margins = -margins
    value_logaddexp = np.logaddexp(0.0, neg_margins)
    value = np.mean(value_logaddexp) + 0.001 * np.sum(weights_tail**2)
    # margins = labels * (inputs @ weights[1:] + weights[0])
    dweights_part = np.exp(neg_margins - value_logaddexp) / inputs.shape[0] * labels
    dweights = np.zeros_like(weights)
    dweights[0] = -np.sum(dweights_part)
    dweights[1:] += 0.002 * weights_tail - inputs.T @ dweights_part
    return value, dweights
