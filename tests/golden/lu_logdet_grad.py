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
        for i in reversed(range(k_next, n)):
            A_i_k = A[i, k]
            # A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
            dA_i_from_k_next = dA[i, k_next:]
            dA_term = dA_i_from_k_next @ A[k, k_next:]
            dA[k, k_next:] -= A_i_k * dA_i_from_k_next
            # A[i, k] /= A[k, k]
            dA_part = (dA[i, k] - dA_term) / A_k_k
            dA[i, k] = dA_part
            dA[k, k] -= A_i_k * dA_part
        # total += math.log(abs(A[k, k]))
        dA[k, k] += np.sign(A_k_k) / abs(A_k_k)
    return dA
