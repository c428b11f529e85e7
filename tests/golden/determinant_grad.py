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
                U_k_j = U[k, j]
                U[k, j] = U[pivot, j]
                U[pivot, j] = U_k_j
            value = -value
        U_k_k = U[k, k]
        tape.append((pivot, value, U_k_k))
        value *= U_k_k
        for i in range(k + 1, n):
            U_k_k = U[k, k]
            factor = U[i, k] / U_k_k
            U_k_from_k = U[k, k:]
            tape1.append((U_k_k, factor, np.copy(U_k_from_k)))
            U[i, k:] -= factor * U_k_from_k
    dU = np.zeros_like(U)
    dvalue = 1.0
    for k in reversed(range(n)):
        pivot, value, U_k_k = tape.pop()
        for i in reversed(range(k + 1, n)):
            U_k_k1, factor, copy_U_k_from_k = tape1.pop()
            # U[i, k:] -= factor * U[k, k:]
            dU_i_from_k = dU[i, k:]
            dU_factor = dU_i_from_k @ copy_U_k_from_k
            dU[k, k:] -= factor * dU_i_from_k
            # factor = U[i, k] / U[k, k]
            dU_part = dU_factor / U_k_k1
            dU[k, k] += factor * dU_part
            dU[i, k] -= dU_part
        # value *= U[k, k]
        dvalue_now = dvalue * U_k_k
        dU[k, k] += dvalue * value
        if pivot != k:
            # value = -value
            dvalue_now = -dvalue_now
            for j in reversed(range(n)):
                # U[k, j], U[pivot, j] = U[pivot, j], U[k, j]
                dU_pivot_j = dU[pivot, j]
                dU[pivot, j] = 0.0
                dU_k_j = dU[k, j]
                dU[k, j] = dU_pivot_j
                dU[pivot, j] += dU_k_j
        dvalue = dvalue_now
    return dU
