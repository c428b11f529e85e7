import numpy as np


def log_determinant_grad(A):
    # A: f64[n, n]
    factors = A.copy()
    n = factors.shape[0]
    for k in range(n):
        k_next = k + 1
        for i in range(k_next, n):
            factors[i, k] /= factors[k, k]
            for j in range(k_next, n):
                factors[i, j] -= factors[i, k] * factors[k, j]
    dfactors = np.zeros_like(factors)
    for k in reversed(range(A.shape[0])):
        # total += math.log(abs(factors[k, k]))
        factors_k_k = factors[k, k]
        dfactors[k, k] = np.sign(factors_k_k) / abs(factors_k_k)
    for k in reversed(range(n)):
        k_next = k + 1
        for i in reversed(range(k_next, n)):
            factors_i_k = factors[i, k]
            for j in reversed(range(k_next, n)):
                # A[i, j] -= A[i, k] * A[k, j]
                dfactors_i_j = dfactors[i, j]
                dfactors[k, j] -= dfactors_i_j * factors_i_k
                dfactors[i, k] -= dfactors_i_j * factors[k, j]
            # A[i, k] /= A[k, k]
            dfactors_part = dfactors[i, k] / factors[k, k]
            dfactors[i, k] = dfactors_part
            dfactors[k, k] -= factors_i_k * dfactors_part
    return dfactors
