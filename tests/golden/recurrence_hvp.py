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
        a_i = a[i]
        x1 = math.tanh(a_i * x)
        dx = (da[i] * x + dx * a_i) * (1.0 - x1 * x1)
        x = x1
    da_now = np.zeros_like(a)
    dda = np.zeros_like(da_now)
    dx_now = 1.0
    ddx = 0.0
    for i in reversed(range(n)):
        x_prev, dx_prev = tape.pop()
        # x = math.tanh(a[i] * x)
        one_minus_x_sq = 1.0 - x * x
        a_i = a[i]
        dx_factor = dx_now * one_minus_x_sq
        ddx_factor = ddx * one_minus_x_sq - 2.0 * (dx * x) * dx_now
        dx_now = dx_factor * a_i
        ddx = ddx_factor * a_i + da[i] * dx_factor
        da_now[i] = dx_factor * x_prev
        dda[i] = ddx_factor * x_prev + dx_prev * dx_factor
        dx = dx_prev
        x = x_prev
    return da_now, dda
