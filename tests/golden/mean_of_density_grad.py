import numpy as np


def mean_of_density_grad(logits, x):
    # logits: f64[n], x: f64[n]
    max_logits = np.max(logits)
    p = np.exp(logits - max_logits)
    p_times_x = p * x
    trapezoid_p_times_x = np.trapezoid(p_times_x, x)
    trapezoid_p = np.trapezoid(p, x)
    diff_x = np.diff(x)
    dp_part = -0.5 * (trapezoid_p_times_x / trapezoid_p / trapezoid_p) * diff_x
    dp = np.zeros_like(p)
    dp[1:] = dp_part
    dp[:-1] += dp_part
    diff_x *= 0.5 / trapezoid_p
    dp_times_x = np.zeros_like(p_times_x)
    dp_times_x[1:] = diff_x
    dp_times_x[:-1] += diff_x
    dp += dp_times_x * x
    # p = np.exp(logits - np.max(logits))
    dlogits = dp * p
    dlogits_mask = logits == max_logits
    dlogits_term = np.where(dlogits_mask, np.sum(dlogits) / np.sum(dlogits_mask), 0.0)
    dlogits -= dlogits_term
    return dlogits
