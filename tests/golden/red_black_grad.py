import numpy as np


def red_black_grad(u, f, sweeps):
    # u: f64[n], f: f64[n], sweeps: int
    u = u.copy()
    for _ in range(sweeps):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2] - f[1:-1:2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] - f[2:-1:2])
    # return np.sum(u**2)
    du = 2.0 * u
    df = np.zeros_like(f)
    for _ in range(sweeps):
        # u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] - f[2:-1:2])
        half_du_part = 0.5 * du[2:-1:2]
        du[2:-1:2] = 0.0
        df[2:-1:2] -= half_du_part
        du[3::2] += half_du_part
        du[1:-2:2] += half_du_part
        # u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2] - f[1:-1:2])
        half_du_part = 0.5 * du[1:-1:2]
        du[1:-1:2] = 0.0
        df[1:-1:2] -= half_du_part
        du[2::2] += half_du_part
        du[:-2:2] += half_du_part
    return du, df
