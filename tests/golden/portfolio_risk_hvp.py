import numpy as np


def portfolio_risk_grad_jvp(
    weights, covariance, penalty, dweights, dcovariance, dpenalty
):
    # weights: f64[n], covariance: f64[n, n], penalty: float, dweights: f64[n],
    # dcovariance: f64[n, n], dpenalty: float
    weights = weights.copy()
    dweights_copy = np.copy(dweights)
    sum_weights = np.sum(weights)
    sum_dweights = np.sum(dweights_copy)
    weights /= sum_weights
    dweights_new = (dweights_copy - sum_dweights * weights) / sum_weights
    weights_covariance = weights @ covariance
    dvariance_factor = dweights_new @ covariance + weights @ dcovariance
    variance = weights_covariance @ weights
    dvariance = dvariance_factor @ weights + weights_covariance @ dweights_new
    sqrt_variance = np.sqrt(variance)
    dvariance_new = 0.5 / sqrt_variance
    dweights_factor = np.sign(weights - 1.0 / len(weights))
    dweights_term = penalty * dweights_factor
    dweights_factor *= dpenalty
    ddvariance = -dvariance_new * dvariance * dvariance_new / sqrt_variance
    # variance = weights @ covariance @ weights
    dweights_factor1 = dvariance_new * weights
    dvariance_factor *= dvariance_new
    ddweights_term = covariance @ (ddvariance * weights + dvariance_new * dweights_new)
    dweights1 = (
        dweights_term
        + dvariance_new * weights_covariance
        + covariance @ dweights_factor1
    )
    ddweights = (
        dweights_factor
        + (ddvariance * weights_covariance + dvariance_factor)
        + (dcovariance @ dweights_factor1 + ddweights_term)
    )
    # weights /= np.sum(weights)
    dweights1 = dweights1 / sum_weights
    ddweights = (ddweights - sum_dweights * dweights1) / sum_weights
    ddweights_term1 = np.sum(dweights_new * dweights1 + ddweights * weights)
    dweights1 -= weights @ dweights1
    ddweights -= ddweights_term1
    return dweights1, ddweights
