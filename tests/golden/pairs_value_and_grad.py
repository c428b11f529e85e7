import math

import numpy as np


def pairs_value_and_grad(x, y):
    # x: f64[n], y: f64[n]
    s = 0.0
    tape = []
    for v, w in zip(x, y):
        t = math.sin(v * w)
        tape.append((s, t))
        s += t * s + w
    dy = np.zeros_like(y)
    ds = 1.0
    for i in reversed(range(len(x))):
        s1, t = tape.pop()
        w = y[i]
        v = x[i]
        # s += math.sin(v * w) * s + w
        dw = ds + ds * s1 * math.cos(v * w) * v
        dy[i] = dw
        ds += ds * t
    return s, dy
