import math

import numpy as np


def pairs_value_and_grad(x, y):
    # x: f64[n], y: f64[n]
    s = 0.0
    tape = []
    for v, w in zip(x, y):
        sin_v_times_w = math.sin(v * w)
        tape.append((s, sin_v_times_w))
        s += sin_v_times_w * s + w
    dy = np.zeros_like(y)
    ds = 1.0
    for i in reversed(range(len(x))):
        s_prev, sin_v_times_w = tape.pop()
        w = y[i]
        v = x[i]
        # s += math.sin(v * w) * s + w
        dw = ds + ds * s_prev * math.cos(v * w) * v
        dy[i] = dw
        ds += ds * sin_v_times_w
    return s, dy
