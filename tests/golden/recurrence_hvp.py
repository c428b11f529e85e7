import math

import numpy as np


def recurrence_grad_jvp(a, x0, da, dx0):
    # a: f64[n], x0: float, da: f64[n], dx0: float
    n = len(a)
    x = x0
    dx = dx0
    tape = []
    for i in range(n):
        tape.append((x, dx))
        t = a[i]
        x1 = math.tanh(t * x)
        dx = (da[i] * x + dx * t) * (1.0 - x1 * x1)
        x = x1
    da1 = np.zeros_like(a)
    dda = np.zeros_like(da1)
    dx1 = 1.0
    ddx = 0.0
    for i in reversed(range(n)):
        x1, dx2 = tape.pop()
        # x = math.tanh(a[i] * x)
        t = 1.0 - x * x
        t1 = a[i]
        t2 = dx1 * t
        t = ddx * t - 2.0 * (dx * x) * dx1
        dx1 = t2 * t1
        ddx = t * t1 + da[i] * t2
        da1[i] = t2 * x1
        dda[i] = t * x1 + dx2 * t2
        dx = dx2
        x = x1
    return da1, dda
