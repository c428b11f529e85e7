import numpy as np


def mergesum_forward(x, lo, hi):
    t = hi - lo == 1
    if t:
        t1 = x[lo]
        mid = None
        residuals = None
        residuals1 = None
    else:
        mid = (lo + hi) // 2
        residuals1 = mergesum_forward(x, lo, mid)
        residuals = mergesum_forward(x, mid, hi)
        t1 = None
    residuals = t, t1, mid, residuals, residuals1
    return residuals


def mergesum_backward(lo, residuals, dvalue, dx):
    t, t1, mid, residuals, residuals1 = residuals
    if t:
        dx[lo] += 2.0 * dvalue * t1
        return dx
    dx = mergesum_backward(mid, residuals, dvalue, dx)
    dx = mergesum_backward(lo, residuals1, 0.5 * dvalue, dx)
    return dx


def mergesum_grad(x, lo, hi):
    # x: f64[n], lo: int, hi: int
    residuals = mergesum_forward(x, lo, hi)
    dx = mergesum_backward(lo, residuals, 1.0, np.zeros_like(x))
    return dx
