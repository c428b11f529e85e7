import math

import numpy as np


def recurrence_grad(a, x0):
    # a: f64[n], x0: float
    n = len(a)
    x = x0
    tape = []
    for i in range(n):
        tape.append(x)
        x = math.tanh(a[i] * x)
    da = np.zeros_like(a)
    dx = 1.0
    for i in reversed(range(n)):
        x_prev = tape.pop()
        # x = math.tanh(a[i] * x)
        dx_factor = dx * (1.0 - x * x)
        dx = dx_factor * a[i]
        da[i] = dx_factor * x_prev
        x = x_prev
    return da, dx
