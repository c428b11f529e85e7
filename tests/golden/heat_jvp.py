import numpy as np


def heat_jvp(u, steps, c, du, dsteps, dc):
    # u: f64[n], steps: int, c: float, du: f64[n], dc: float
    u = np.copy(u)
    du = np.copy(du)
    for _ in range(steps):
        t1 = u[:-2] - 2.0 * u[1:-1] + u[2:]
        t2 = c * t1
        t1 *= dc
        t3 = c * (du[:-2] + du[2:] - 2.0 * du[1:-1])
        u[1:-1] += t2
        du[1:-1] += t1 + t3
    return np.sum(u * u), 2.0 * du @ u
