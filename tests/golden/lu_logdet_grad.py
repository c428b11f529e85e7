import numpy as np


def lu_logdet_grad(A):
    # A: f64[n, n]
    A = A.copy()
    n = len(A)
    for k in range(n):
        t = k + 1
        for i in range(t, n):
            A[i, k] /= A[k, k]
            A[i, t:] -= A[i, k] * A[k, t:]
    dA = np.zeros_like(A)
    for k in reversed(range(n)):
        t = k + 1
        t1 = A[k, k]
        for i in reversed(range(t, n)):
            t2 = A[i, k]
            # A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
            t3 = dA[i, t:]
            t4 = t3 @ A[k, t:]
            dA[k, t:] -= t2 * t3
            # A[i, k] /= A[k, k]
            t4 = (dA[i, k] - t4) / t1
            dA[i, k] = t4
            dA[k, k] -= t2 * t4
        # total += math.log(abs(A[k, k]))
        dA[k, k] += np.sign(t1) / abs(t1)
    return dA
