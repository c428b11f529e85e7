import numpy as np


def canonical_polyadic_grad(A, B, C, target):
    # A: f64[n, m], B: f64[k, m], C: f64[m, m], target: f64[n, k, m]
    # return np.sum((np.einsum("ir,jr,kr->ijk", A, B, C) - target) ** 2)
    dC_part = 2.0 * (np.einsum("ir,jr,kr->ijk", A, B, C) - target)
    t = np.einsum("ijk,jr,kr->ir", dC_part, B, C)
    dC = np.einsum("ijk,ir,jr->kr", dC_part, A, B)
    return t, np.einsum("ijk,ir,kr->jr", dC_part, A, C), dC
