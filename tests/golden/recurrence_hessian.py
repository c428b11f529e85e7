import math

import numpy as np


def recurrence_hessian(a, x0):
    # a: f64[n], x0: float
    n = len(a)
    x = x0
    tape = []
    tape1 = []
    for i in range(n):
        tape1.append(x)
        x = math.tanh(a[i] * x)
        tape.append(x)
    dx = 1.0
    tape2 = []
    for i in reversed(range(n)):
        x1 = tape[i]
        # x = math.tanh(a[i] * x)
        t = 1.0 - x1 * x1
        tape2.append((dx, t))
        dx = dx * t * a[i]
    hess = np.empty((n, n))
    for i in range(n):
        da = np.zeros_like(a)
        da[i] = 1.0
        dx = 0.0
        tape3 = []
        for j in range(n):
            x1 = tape1[j]
            x2 = tape[j]
            tape3.append(dx)
            # x = math.tanh(a[i] * x)
            dx = (da[j] * x1 + dx * a[j]) * (1.0 - x2 * x2)
        dda = np.zeros_like(a)
        ddx = 0.0
        x1 = x
        for j, (dx1, t) in zip(reversed(range(n)), tape2):
            x2 = tape1[j]
            dx2 = tape3.pop()
            # x = math.tanh(a[i] * x)
            t1 = dx1 * t
            t = ddx * t - 2.0 * dx * x1 * dx1
            ddx = t * a[j] + da[j] * t1
            dda[j] = t * x2 + dx2 * t1
            dx = dx2
            x1 = x2
        hess[:, i] = dda
    return hess
