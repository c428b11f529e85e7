import math

import numpy as np


def kmeans_loss_grad(centers, points):
    # centers: f64[n, m], points: f64[k, m]
    k = len(points)
    tape = []
    for p in points:
        best = math.inf
        for c in centers:
            t = p - c
            d = np.sum(t ** 2)
            t1 = d < best
            tape.append((t, t1))
            if t1:
                best = d
    # return total / len(points)
    t2 = 1.0 / k
    dcenters = np.zeros_like(centers)
    for _ in reversed(range(k)):
        dbest = t2
        for i in reversed(range(len(centers))):
            t, t1 = tape.pop()
            if t1:
                # d = np.sum((p - c) ** 2)
                dcenters[i] -= 2.0 * dbest * t
                dbest = 0.0
    return dcenters
