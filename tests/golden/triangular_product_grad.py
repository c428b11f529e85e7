import numpy as np


def triangular_product_grad(alpha, A, B):
    # alpha: float, A: f64[n, n], B: f64[n, m]
    m = B.shape[1]
    B_now = B.copy()
    n = B_now.shape[0]
    for i in range(n):
        for j in range(m):
            B_now[i, j] += np.dot(A[i + 1 :, i], B_now[i + 1 :, j])
    B_now *= alpha
    dB = 2.0 * alpha * B_now
    dA = np.zeros_like(A)
    for i in reversed(range(n)):
        # B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
        dB_i = dB[i, :]
        dA[i + 1 :, i] = B[i + 1 :, :] @ dB_i
        dB[i + 1 :, :] += np.outer(A[i + 1 :, i], dB_i)
    return dA, dB
