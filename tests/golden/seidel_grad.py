import numpy as np


def seidel_grad(u, f, sweeps):
    # u: f64[n], f: f64[n], sweeps: int
    n = len(u)
    u = u.copy()
    tape = []
    for _ in range(sweeps):
        for i in range(1, n - 1):
            t = u[i]
            tape.append(t)
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] - 0.1 * t ** 3)
    # return u @ u
    du = 2.0 * u
    df = np.zeros_like(f)
    for _ in reversed(range(sweeps)):
        for i in reversed(range(1, n - 1)):
            t = tape.pop()
            # u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] - 0.1 * u[i] ** 3)
            t1 = du[i]
            t2 = 0.5 * t1
            du[i] = -0.15 * t1 * t * t
            df[i] += t2
            du[i + 1] += t2
            du[i - 1] += t2
    return du, df
