import numpy as np


def canonical_polyadic_grad(A, B, C, target):
    # A: f64[n, m], B: f64[k, m], C: f64[m, m], target: f64[n, k, m]
    # return np.sum((np.einsum("ir,jr,kr->ijk", A, B, C) - target) ** 2)
    t = 2.0 * (np.einsum("ir,jr,kr->ijk", A, B, C) - target)
    t1 = np.einsum("ijk,jr,kr->ir", t, B, C)
    dC = np.einsum("ijk,ir,jr->kr", t, A, B)
    return t1, np.einsum("ijk,ir,kr->jr", t, A, C), dC
