import numpy as np


def heat_jvp(u, steps, c, du, dsteps, dc):
    # u: f64[n], steps: int, c: float, du: f64[n], dc: float
    u = np.copy(u)
    du = np.copy(du)
    for _ in range(steps):
        t1 = u[1:-1]
        t2 = u[:-2] - 2.0 * t1 + u[2:]
        t3 = du[:-2] + du[2:]
        t3 -= 2.0 * du[1:-1]
        t4 = c * t2
        t2 *= dc
        t3 *= c
        t2 += t3
        u[1:-1] = t1 + t4
        du[1:-1] += t2
    t1 = 2.0 * du
    t1 *= u
    return np.sum(u * u), np.sum(t1)
