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
        tape.append((exp_alpha_minus_m, alpha_arg))
        alpha = np.log(alpha_arg) + m + loglik[t]
    m = np.max(alpha)
    exp_alpha_minus_m = np.exp(alpha - m)
    dalpha = exp_alpha_minus_m / np.sum(exp_alpha_minus_m)
    dlogA = np.zeros_like(exp_logA)
    for _ in reversed(range(1, m1)):
        exp_alpha_minus_m, alpha_arg = tape.pop()
        # alpha = np.log(np.exp(alpha - m) @ np.exp(logA)) + m + loglik[t]
        dlogA_factor = dalpha / alpha_arg
        dlogA += np.outer(exp_alpha_minus_m, dlogA_factor)
        dalpha = exp_logA @ dlogA_factor * exp_alpha_minus_m
    dlogA *= exp_logA
    return dlogA, dalpha
