import numpy as np


def heat_jacrev(u, steps, c):
    # u: f64[n], steps: int, c: float
    u = np.copy(u)
    for _ in range(steps):
        u[1:-1] += c * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    # return np.sum(u * u)
    du = 2.0 * u
    for _ in range(steps):
        # u[1:-1] += c * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        c_times_du_inner = c * du[1:-1]
        du[2:] += c_times_du_inner
        du[:-2] += c_times_du_inner
        du[1:-1] -= 2.0 * c_times_du_inner
    return du
