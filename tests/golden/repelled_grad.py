import numpy as np


def repelled_grad(x, v, steps):
    # x: list[f64[3]], v: list[f64[3]], steps: int
    len_x = len(x)
    x = list(x)
    v = list(v)
    tape = []
    d_tape = []
    for _ in range(steps):
        forces = [np.zeros(3) for _ in range(len_x)]
        for i in range(len_x):
            for j in range(i):
                d = x[i] - x[j]
                d_dot_d = d @ d
                d_dot_d_power = d_dot_d**1.5
                force = d / d_dot_d_power
                d_tape.append((d, d_dot_d, d_dot_d_power, force))
                forces[i] = forces[i] + force
                forces[j] = forces[j] - force
        tape.append(forces)
        for i in range(len_x):
            v[i] = v[i] + 0.1 * forces[i]
            x[i] = x[i] + 0.1 * v[i]
    dv = [np.zeros_like(v_item) for v_item in v]
    for k in reversed(range(len(v))):
        u = v[k]
        dv[k] = 2.0 * u
    dx = [np.zeros_like(v) for v in x]
    for _ in reversed(range(steps)):
        forces = tape.pop()
        dforces = [np.zeros_like(v) for v in forces]
        for i in reversed(range(len_x)):
            # x[i] = x[i] + 0.1 * v[i]
            dv_part = 0.1 * dx[i] + dv[i]
            # v[i] = v[i] + 0.1 * forces[i]
            dforces[i] = 0.1 * dv_part
            dv[i] = dv_part
        for i in reversed(range(len_x)):
            for j in reversed(range(i)):
                d, d_dot_d, d_dot_d_power, force = d_tape.pop()
                # forces[i] = forces[i] + force
                dforce = dforces[i] - dforces[j]
                # force = d / (d @ d) ** 1.5
                dd = dforce / d_dot_d_power
                dd -= 3.0 * (force @ dd * d_dot_d**0.5) * d
                # d = x[i] - x[j]
                dx[j] = dx[j] - dd
                dx[i] = dx[i] + dd
    return dx, dv
