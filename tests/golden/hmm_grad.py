import numpy as np


def hmm_grad(logA, logpi, loglik):
    # logA: f64[n, n], logpi: f64[n], loglik: f64[m, n]
    alpha = logpi + loglik[0]
    m1 = len(loglik)
    exp_logA = np.exp(logA)
    tape = []
    for t in range(1, m1):
        m = np.max(alpha)
        exp_alpha_minus_m = np.exp(alpha - m)
        alpha_arg = exp_alpha_minus_m @ exp_logA
        tape.append((alpha, m, exp_alpha_minus_m, alpha_arg))
        alpha = np.log(alpha_arg) + m + loglik[t]
    m = np.max(alpha)
    dalpha = np.exp(alpha - m)
    dalpha /= np.sum(dalpha)
    dm = 1.0 - np.sum(dalpha)
    # m = np.max(alpha)
    alpha_equals_m = alpha == m
    dalpha += np.where(alpha_equals_m, dm / np.sum(alpha_equals_m), 0.0)
    dlogA = np.zeros_like(exp_logA)
    for _ in reversed(range(1, m1)):
        alpha, m, exp_alpha_minus_m, alpha_arg = tape.pop()
        # alpha = np.log(np.exp(alpha - m) @ np.exp(logA)) + m + loglik[t]
        dlogA_factor = dalpha / alpha_arg
        dlogA += np.outer(exp_alpha_minus_m, dlogA_factor)
        dalpha_new = exp_logA @ dlogA_factor * exp_alpha_minus_m
        dm = np.sum(dalpha) - np.sum(dalpha_new)
        # m = np.max(alpha)
        alpha_equals_m = alpha == m
        dalpha_new += np.where(alpha_equals_m, dm / np.sum(alpha_equals_m), 0.0)
        dalpha = dalpha_new
    # alpha = np.log(np.exp(alpha - m) @ np.exp(logA)) + m + loglik[t]
    dlogA *= exp_logA
    return dlogA, dalpha
