import math

import numpy as np


def kmeans_loss_grad(centers, points):
    # centers: f64[n, m], points: f64[k, m]
    k = len(points)
    tape = []
    for p in points:
        best = math.inf
        for c in centers:
            p_minus_c = p - c
            d = np.sum(p_minus_c**2)
            d_below_best = d < best
            tape.append((p_minus_c, d_below_best))
            if d_below_best:
                best = d
    # return total / len(points)
    inv_k = 1.0 / k
    dcenters = np.zeros_like(centers)
    for _ in reversed(range(k)):
        dbest = inv_k
        for i in reversed(range(len(centers))):
            p_minus_c, d_below_best = tape.pop()
            if d_below_best:
                # d = np.sum((p - c) ** 2)
                dcenters[i] -= 2.0 * dbest * p_minus_c
                dbest = 0.0
    return dcenters
