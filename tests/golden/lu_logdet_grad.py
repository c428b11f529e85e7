import numpy as np


def lu_logdet_grad(A):
    # A: f64[n, n]
    A = A.copy()
    n = len(A)
    tape = []
    for k in range(n):
        t = k + 1
        for i in range(t, n):
            A[i, k] /= A[k, k]
            t1 = A[i, t:]
            t2 = A[i, k] * A[k, t:]
            t1 = t1 - t2
            tape.append((t1, t2))
            A[i, t:] = t1
    dA = np.zeros_like(A)
    for k in reversed(range(n)):
        t = k + 1
        t3 = A[k, k]
        for i in reversed(range(t, n)):
            t1, t2 = tape.pop()
            t4 = A[i, k]
            t5 = dA[i, t:]
            t1 = np.sum(t5, keepdims=True) if t1.size == 1 else t5
            t5 = -t1
            t2 = np.sum(t5, keepdims=True) if t2.size == 1 else t5
            t5 = t2 * A[k, t:]
            t2 *= t4
            dA[i, t:] = t1
            dA[k, t:] += t2
            dA1 = np.copy(dA)
            dA1[i, k] += np.sum(t5)
            t6 = dA1[i, k] / t3
            dA[i, k] = t6
            dA[k, k] -= t4 * t6
        dA[k, k] += np.sign(t3) / abs(t3)
    return dA
