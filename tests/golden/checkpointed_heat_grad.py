import math

import numpy as np


def heat_grad(u, k, n):
    # u: f64[n], k: float, n: int
    segment = math.isqrt(abs(n)) + 1
    u = np.copy(u)
    tape = []
    for first in range(0, n, segment):
        tape.append(np.copy(u))
        last = min(first + segment, n)
        for _ in range(first, last):
            u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    # return np.sum(u**2)
    du = 2.0 * u
    dk = 0.0
    for first in reversed(range(0, n, segment)):
        u = tape.pop()
        last = min(first + segment, n)
        tape1 = []
        u_inner = u[1:-1]
        for _ in range(first, last):
            u_factor = u[2:] - 2.0 * u_inner + u[:-2]
            u_factor1 = k * u_factor
            tape1.append((np.copy(u_inner), u_factor, u_factor1))
            u[1:-1] += u_factor1 * u_inner
        for _ in reversed(range(first, last)):
            copy_u_inner, u_factor, u_factor1 = tape1.pop()
            # u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
            du_factor = du[1:-1] * copy_u_inner
            du_term = du[1:-1] * u_factor1
            du_part = k * du_factor
            dk += du_factor @ u_factor
            du[:-2] += du_part
            du[2:] += du_part
            du_part *= 2.0
            du[1:-1] += du_term - du_part
    return du, dk
