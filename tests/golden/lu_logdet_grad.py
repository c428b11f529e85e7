import numpy as np


def lu_logdet_grad(A):
    # A: f64[n, n]
    A = A.copy()
    n = len(A)
    for k in range(n):
        k_next = k + 1
        for i in range(k_next, n):
            A[i, k] /= A[k, k]
            A[i, k_next:] -= A[i, k] * A[k, k_next:]
    dA = np.zeros_like(A)
    for k in reversed(range(n)):
        k_next = k + 1
        A_k_k = A[k, k]
        # A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
        dA_part = dA[k_next:, k_next:]
        dA_factor = np.copy(dA_part)
        A_from_k_next_k = A[k_next:, k]
        dA[k, k_next:] -= A_from_k_next_k @ dA_part
        # A[i, k] /= A[k, k]
        dA_part = (dA[k_next:, k] - dA_factor @ A[k, k_next:]) / A_k_k
        dA[k_next:, k] = dA_part
        dA[k, k] -= A_from_k_next_k @ dA_part
        # total += math.log(abs(A[k, k]))
        dA[k, k] += np.sign(A_k_k) / abs(A_k_k)
    return dA
