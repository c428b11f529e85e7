import numpy as np


def chosen_parts_grad(u, m, k):
    # u: f64[n], m: i64[m], k: int
    tape = []
    for _ in range(k):
        v = u[1:-1]
        tape.append(v[m])
        u = u * 0.5
    du = np.zeros_like(u)
    for i in reversed(range(k)):
        v_m = tape.pop()
        # u = u * 0.5
        du = 0.5 * du
        dv = np.zeros_like(du[1:-1])
        dv[i] = 1.0
        np.add.at(dv, m, 2.0 * v_m)
        # v = u[1:-1]
        du[1:-1] += dv
    return du
