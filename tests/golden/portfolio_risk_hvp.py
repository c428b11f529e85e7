import numpy as np


def portfolio_risk_grad_jvp(weights, covariance, penalty, dweights, dcovariance,
    dpenalty):
    # weights: f64[n], covariance: f64[n, n], penalty: float, dweights: f64[n],
    # dcovariance: f64[n, n], dpenalty: float
    weights = weights.copy()
    dweights1 = np.copy(dweights)
    t = np.sum(weights)
    t1 = np.sum(dweights1)
    weights = weights / t
    dweights1 = (dweights1 - t1 * weights) / t
    t2 = weights @ covariance
    t3 = dweights1 @ covariance + weights @ dcovariance
    variance = t2 @ weights
    dvariance = t3 @ weights + t2 @ dweights1
    t4 = np.sqrt(variance)
    dvariance1 = 0.5 / t4
    t5 = np.sign(weights - 1.0 / len(weights))
    t6 = penalty * t5
    t5 *= dpenalty
    ddvariance = -dvariance1 * dvariance * dvariance1 / t4
    # variance = weights @ covariance @ weights
    t7 = dvariance1 * weights
    t8 = dvariance1 * t2
    t2 *= ddvariance
    t3 *= dvariance1
    t9 = covariance @ (ddvariance * weights + dvariance1 * dweights1)
    dweights2 = t6 + t8 + covariance @ t7
    ddweights = t5 + (t2 + t3) + (dcovariance @ t7 + t9)
    # weights /= np.sum(weights)
    dweights2 = dweights2 / t
    ddweights = (ddweights - t1 * dweights2) / t
    t = np.sum(dweights1 * dweights2 + ddweights * weights)
    dweights2 -= weights @ dweights2
    ddweights -= t
    return dweights2, ddweights
