import numpy as np


def determinant_grad(A):
    # A: f64[n, n]
    U = A.copy()
    n = U.shape[0]
    value = 1.0
    tape = []
    tape1 = []
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(U[i, k]) > abs(U[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                t = U[k, j]
                U[k, j] = U[pivot, j]
                U[pivot, j] = t
            value = -value
        t = U[k, k]
        tape.append((pivot, value, t))
        value *= t
        for i in range(k + 1, n):
            t = U[k, k]
            factor = U[i, k] / t
            t1 = U[k, k:]
            tape1.append((t, factor, np.copy(t1)))
            U[i, k:] -= factor * t1
    dU = np.zeros_like(U)
    dvalue = 1.0
    for k in reversed(range(n)):
        pivot, value, t = tape.pop()
        for i in reversed(range(k + 1, n)):
            t2, factor, t1 = tape1.pop()
            # U[i, k:] -= factor * U[k, k:]
            t3 = dU[i, k:]
            t4 = t3 @ t1
            dU[k, k:] -= factor * t3
            # factor = U[i, k] / U[k, k]
            t2 = t4 / t2
            dU[k, k] += factor * t2
            dU[i, k] -= t2
        # value *= U[k, k]
        dvalue1 = dvalue * t
        dU[k, k] += dvalue * value
        if pivot != k:
            # value = -value
            dvalue1 = -dvalue1
            for j in reversed(range(n)):
                # U[k, j], U[pivot, j] = U[pivot, j], U[k, j]
                t = dU[pivot, j]
                dU[pivot, j] = 0.0
                t2 = dU[k, j]
                dU[k, j] = t
                dU[pivot, j] += t2
        dvalue = dvalue1
    return dU
