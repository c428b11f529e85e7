import numpy as np


def welford_grad(xs):
    # xs: f64[n]
    n = len(xs)
    mean = 0.0
    tape = []
    for i in range(n):
        k = i + 1
        x = xs[i]
        delta = x - mean
        mean += delta / k
        tape.append((delta, x - mean))
    n_prev = n - 1
    dxs = np.zeros_like(xs)
    dmean = 0.0
    for i in reversed(range(n)):
        delta, x_minus_mean = tape.pop()
        k = i + 1
        # m2 += delta * (x - mean)
        delta_over_n_prev = delta / n_prev
        dmean -= delta_over_n_prev
        # mean += delta / k
        ddelta = x_minus_mean / n_prev + dmean / k
        # delta = x - mean
        dmean -= ddelta
        dxs[i] = delta_over_n_prev + ddelta
    return dxs
