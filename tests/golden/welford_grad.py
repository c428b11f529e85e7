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
    t = n - 1
    dxs = np.zeros_like(xs)
    dmean = 0.0
    for i in reversed(range(n)):
        delta, t1 = tape.pop()
        k = i + 1
        # m2 += delta * (x - mean)
        t2 = delta / t
        dmean -= t2
        # mean += delta / k
        ddelta = t1 / t + dmean / k
        # delta = x - mean
        dmean -= ddelta
        dxs[i] = t2 + ddelta
    return dxs
