import numpy as np


def triangular_product_grad(alpha, A, B):
    # alpha: float, A: f64[n, n], B: f64[n, m]
    m = B.shape[1]
    B = B.copy()
    n = B.shape[0]
    tape = []
    for i in range(n):
        for j in range(m):
            B_from_i_next_j = B[i + 1 :, j]
            tape.append(np.copy(B_from_i_next_j))
            B[i, j] += np.dot(A[i + 1 :, i], B_from_i_next_j)
    B *= alpha
    dB = 2.0 * alpha * B
    dA = np.zeros_like(A)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            copy_B_from_i_next_j = tape.pop()
            # B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
            dB_i_j = dB[i, j]
            dA[i + 1 :, i] += dB_i_j * copy_B_from_i_next_j
            dB[i + 1 :, j] += dB_i_j * A[i + 1 :, i]
    return dA, dB
