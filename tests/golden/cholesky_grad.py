import numpy as np


def cholesky_grad(A):
    # A: f64[n, n]
    L = A.copy()
    n = len(L)
    for j in range(n):
        for k in range(j):
            L[j:, j] -= L[j, k] * L[j:, k]
        L[j, j] = np.sqrt(L[j, j])
        L[j + 1 :, j] /= L[j, j]
    dL = np.zeros_like(L)
    for j in reversed(range(n)):
        L_j_j = L[j, j]
        # total += 2.0 * np.log(L[j, j])
        dL[j, j] += 2.0 / L_j_j
        # L[j + 1 :, j] /= L[j, j]
        dL_part = dL[j + 1 :, j] / L_j_j
        dL[j + 1 :, j] = dL_part
        # L[j, j] = np.sqrt(L[j, j])
        dL_part1 = (dL[j, j] - L[j + 1 :, j] @ dL_part) * (0.5 / L_j_j)
        dL[j, j] = dL_part1
        for k in reversed(range(j)):
            # L[j:, j] -= L[j, k] * L[j:, k]
            dL_from_j_j = dL[j:, j]
            dL_part1 = -(dL_from_j_j @ L[j:, k])
            dL[j:, k] -= L[j, k] * dL_from_j_j
            dL[j, k] += dL_part1
    return dL
