import numpy as np


def seidel_grad(u, f, sweeps):
    # u: f64[n], f: f64[n], sweeps: int
    n = len(u)
    u = u.copy()
    tape = []
    for _ in range(sweeps):
        for i in range(1, n - 1):
            u_i = u[i]
            tape.append(u_i)
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] - 0.1 * u_i**3)
    # return u @ u
    du = 2.0 * u
    df = np.zeros_like(f)
    for _ in reversed(range(sweeps)):
        for i in reversed(range(1, n - 1)):
            u_i = tape.pop()
            # u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] - 0.1 * u[i] ** 3)
            du_i = du[i]
            half_du_i = 0.5 * du_i
            du[i] = -0.15 * du_i * u_i * u_i
            df[i] += half_du_i
            du[i + 1] += half_du_i
            du[i - 1] += half_du_i
    return du, df
