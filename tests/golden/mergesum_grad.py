import numpy as np


def mergesum_backward(x, lo, hi, dvalue, dx):
    if hi - lo == 1:
        dx[lo] += 2.0 * dvalue * x[lo]
        return dx
    mid = (lo + hi) // 2
    dx = mergesum_backward(x, mid, hi, dvalue, dx)
    return mergesum_backward(x, lo, mid, 0.5 * dvalue, dx)


def mergesum_grad(x, lo, hi):
    # x: f64[n], lo: int, hi: int
    return mergesum_backward(x, lo, hi, 1.0, np.zeros_like(x))
