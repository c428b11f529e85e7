import numpy as np


def log_determinant_grad(A):
    # A: f64[n, n]
    factors = A.copy()
    n = factors.shape[0]
    for k in range(n):
        t = k + 1
        for i in range(t, n):
            factors[i, k] /= factors[k, k]
            for j in range(t, n):
                factors[i, j] -= factors[i, k] * factors[k, j]
    dfactors = np.zeros_like(factors)
    for k in reversed(range(A.shape[0])):
        # total += math.log(abs(factors[k, k]))
        t1 = factors[k, k]
        dfactors[k, k] = np.sign(t1) / abs(t1)
    for k in reversed(range(n)):
        t = k + 1
        for i in reversed(range(t, n)):
            t1 = factors[i, k]
            for j in reversed(range(t, n)):
                # A[i, j] -= A[i, k] * A[k, j]
                t2 = dfactors[i, j]
                dfactors[k, j] -= t2 * t1
                dfactors[i, k] -= t2 * factors[k, j]
            # A[i, k] /= A[k, k]
            t2 = dfactors[i, k] / factors[k, k]
            dfactors[i, k] = t2
            dfactors[k, k] -= t1 * t2
    return dfactors
