import numpy as np


def hmm_grad(logA, logpi, loglik):
    # logA: f64[n, n], logpi: f64[n], loglik: f64[m, n]
    alpha = logpi + loglik[0]
    m1 = len(loglik)
    t1 = np.exp(logA)
    tape = []
    for t in range(1, m1):
        m = np.max(alpha)
        t2 = np.exp(alpha - m)
        t3 = t2 @ t1
        tape.append((alpha, m, t2, t3))
        alpha = np.log(t3) + m + loglik[t]
    m = np.max(alpha)
    dalpha = np.exp(alpha - m)
    dalpha /= np.sum(dalpha)
    dm = 1.0 - np.sum(dalpha)
    # m = np.max(alpha)
    t4 = alpha == m
    dalpha += np.where(t4, dm / np.sum(t4), 0.0)
    dlogA = np.zeros_like(t1)
    for _ in reversed(range(1, m1)):
        alpha, m, t2, t3 = tape.pop()
        # alpha = np.log(np.exp(alpha - m) @ np.exp(logA)) + m + loglik[t]
        t3 = dalpha / t3
        dlogA += np.outer(t2, t3)
        dalpha1 = t1 @ t3 * t2
        dm = np.sum(dalpha) - np.sum(dalpha1)
        # m = np.max(alpha)
        t4 = alpha == m
        dalpha1 += np.where(t4, dm / np.sum(t4), 0.0)
        dalpha = dalpha1
    # alpha = np.log(np.exp(alpha - m) @ np.exp(logA)) + m + loglik[t]
    dlogA *= t1
    return dlogA, dalpha
