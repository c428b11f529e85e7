import numpy as np


def multigrid_grad(u, f, cycles):
    # u: f64[n], f: f64[n], cycles: int
    u = u.copy()
    n = len(u)
    for _ in range(cycles):
        t = f[1:-1]
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + t)
        residual = t + u[:-2] - 2.0 * u[1:-1] + u[2:]
        coarse = np.zeros(n // 2 + 1)
        coarse[1:-1] = residual[1::2]
        coarse[1:-1] = 0.5 * (coarse[:-2] + coarse[2:]) + coarse[1:-1]
        u[::2] += 0.5 * coarse
    # return u @ u
    du = 2.0 * u
    df = np.zeros_like(f)
    for _ in range(cycles):
        # u[::2] += 0.5 * coarse
        dcoarse = 0.5 * du[::2]
        # coarse[1:-1] = 0.5 * (coarse[:-2] + coarse[2:]) + coarse[1:-1]
        t = 0.5 * dcoarse[1:-1]
        dcoarse[2:] += t
        dcoarse[:-2] += t
        # coarse[1:-1] = residual[1::2]
        t = dcoarse[1:-1]
        dresidual = np.zeros_like(du[2:])
        dresidual[1::2] = t
        # residual = f[1:-1] + u[:-2] - 2.0 * u[1:-1] + u[2:]
        du[2:] += dresidual
        du[1:-1] -= 2.0 * dresidual
        du[:-2] += dresidual
        # u[1:-1] = 0.5 * (u[:-2] + u[2:] + f[1:-1])
        t1 = 0.5 * du[1:-1]
        du[1:-1] = 0.0
        t2 = np.copy(t1)
        t2[1::2] += t
        df[1:-1] += t2
        du[2:] += t1
        du[:-2] += t1
    return du, df
