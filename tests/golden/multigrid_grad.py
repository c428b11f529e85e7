import numpy as np


def multigrid_grad(u, f, cycles):
    # u: f64[n], f: f64[n], cycles: int
    u = u.copy()
    n = len(u)
    f_inner = f[1:-1]
    for _ in range(cycles):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + f_inner)
        residual = f_inner + u[:-2] - 2.0 * u[1:-1] + u[2:]
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
        half_dcoarse_inner = 0.5 * dcoarse[1:-1]
        dcoarse[2:] += half_dcoarse_inner
        dcoarse[:-2] += half_dcoarse_inner
        # coarse[1:-1] = residual[1::2]
        dcoarse_inner = dcoarse[1:-1]
        dresidual = np.zeros_like(du[2:])
        dresidual[1::2] = dcoarse_inner
        # residual = f[1:-1] + u[:-2] - 2.0 * u[1:-1] + u[2:]
        du[2:] += dresidual
        du[1:-1] -= 2.0 * dresidual
        du[:-2] += dresidual
        # u[1:-1] = 0.5 * (u[:-2] + u[2:] + f[1:-1])
        half_du_inner = 0.5 * du[1:-1]
        du[1:-1] = 0.0
        copy_half_du_inner = np.copy(half_du_inner)
        copy_half_du_inner[1::2] += dcoarse_inner
        df[1:-1] += copy_half_du_inner
        du[2:] += half_du_inner
        du[:-2] += half_du_inner
    return du, df
