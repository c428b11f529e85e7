import math

import numpy as np


def recurrence_hessian(a, x0):
    # a: f64[n], x0: float
    n = len(a)
    x = x0
    tape = []
    x_tape = []
    for i in range(n):
        x_tape.append(x)
        x = math.tanh(a[i] * x)
        tape.append(x)
    dx = 1.0
    dx_tape = []
    for i in reversed(range(n)):
        x_prev = tape[i]
        # x = math.tanh(a[i] * x)
        one_minus_x_sq = 1.0 - x_prev * x_prev
        dx_tape.append((dx, one_minus_x_sq))
        dx = dx * one_minus_x_sq * a[i]
    hess = np.empty((n, n))
    for i in range(n):
        da = np.zeros_like(a)
        da[i] = 1.0
        dx = 0.0
        tape1 = []
        for j in range(n):
            x_prev = x_tape[j]
            x1 = tape[j]
            tape1.append(dx)
            # x = math.tanh(a[i] * x)
            dx = (da[j] * x_prev + dx * a[j]) * (1.0 - x1 * x1)
        dda = np.zeros_like(a)
        ddx = 0.0
        x_now = x
        for j, (dx1, one_minus_x_sq) in zip(reversed(range(n)), dx_tape):
            x_prev = x_tape[j]
            dx_prev = tape1.pop()
            # x = math.tanh(a[i] * x)
            ddx_factor = dx1 * one_minus_x_sq
            ddx_factor1 = ddx * one_minus_x_sq - 2.0 * dx * x_now * dx1
            ddx = ddx_factor1 * a[j] + da[j] * ddx_factor
            dda[j] = ddx_factor1 * x_prev + dx_prev * ddx_factor
            dx = dx_prev
            x_now = x_prev
        hess[:, i] = dda
    return hess
