import numpy as np


def cholesky_grad(A):
    # A: f64[n, n]
    L = A.copy()
    n = len(L)
    tape = []
    for j in range(n):
        for k in range(j):
            L[j:, j] -= L[j, k] * L[j:, k]
        L[j, j] = np.sqrt(L[j, j])
        t = L[j + 1:, j] / L[j, j]
        tape.append(t)
        L[j + 1:, j] = t
    dL = np.zeros_like(L)
    for j in reversed(range(n)):
        t = tape.pop()
        t1 = L[j, j]
        # total += 2.0 * np.log(L[j, j])
        dL[j, j] += 2.0 / t1
        # L[j + 1 :, j] /= L[j, j]
        t2 = dL[j + 1:, j] / t1
        dL[j + 1:, j] = t2
        # L[j, j] = np.sqrt(L[j, j])
        dL[j, j] = (dL[j, j] - t @ t2) * (0.5 / t1)
        for k in reversed(range(j)):
            # L[j:, j] -= L[j, k] * L[j:, k]
            t = dL[j:, j]
            t1 = -(t @ L[j:, k])
            dL[j:, k] -= L[j, k] * t
            dL[j, k] += t1
    return dL
