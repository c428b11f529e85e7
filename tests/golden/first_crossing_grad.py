import math

import numpy as np


def first_crossing_grad(x, level):
    # x: f64[n], level: float
    total = 0.0
    done = False
    iterations = 0
    for value in x:
        iterations += 1
        if value < 0.0:
            continue
        total += value * value
        if total > level:
            done = True
            break
    if done:
        sqrt_total = math.sqrt(total)
        dtotal = 0.5 / sqrt_total if sqrt_total else math.inf
    else:
        dtotal = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(iterations)):
        value = x[i]
        if not value < 0.0:
            # total += value * value
            dx[i] = 2.0 * dtotal * value
    return dx
