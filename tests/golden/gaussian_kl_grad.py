import numpy as np


def gaussian_kl_grad(m0, L0, m1, L1):
    # m0: f64[n], L0: f64[n, n], m1: f64[n], L1: f64[n, n]
    S0 = L0 @ L0.T
    S1 = L1 @ L1.T
    d = m1 - m0
    # return 0.5 * (np.trace(np.linalg.solve(S1, S0)) + d @ ...
    dd = 0.5 * np.linalg.solve(S1, d)
    S1_T = S1.T
    dd += np.linalg.solve(S1_T, 0.5 * d)
    dS0 = np.linalg.solve(S1_T, 0.5 * np.eye(m0.shape[0]))
    # logs = np.linalg.slogdet(S1)[1] - np.linalg.slogdet(S0)[1]
    dS0 -= 0.5 * np.linalg.inv(S0).T
    # d = m1 - m0
    dm0 = -dd
    # S0, S1 = L0 @ L0.T, L1 @ L1.T
    dL0 = (dS0 + dS0.T) @ L0
    return dm0, dL0
