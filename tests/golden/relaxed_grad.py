import numpy as np


def relaxed_grad(u, k):
    # u: f64[n], k: int
    u = np.copy(u)
    tape = []
    inner = u[1:-1]
    for i in range(k):
        u[1:-1] += 0.1 * (u[2:] - 2 * inner + u[:-2])
        if i == 2:
            u[0] = inner[0] * 0.5
            inner_part = inner[-2]
            inner_second = inner[1]
            tape.append((inner_part, inner_second))
            u[-1] = inner_part * inner_second
    # return (u**2).sum()
    du = 2.0 * u
    for i in reversed(range(k)):
        if i == 2:
            inner_part, inner_second = tape.pop()
            # u[-1] = inner[-2] * inner[1]
            du_last = du[-1]
            du[-1] = 0.0
            du[2] += du_last * inner_part
            du[-3] += du_last * inner_second
            # u[0] = inner[0] * 0.5
            half_du_first = 0.5 * du[0]
            du[0] = 0.0
            du[1] += half_du_first
        # inner += 0.1 * (u[2:] - 2 * inner + u[:-2])
        scaled_du_inner = 0.1 * du[1:-1]
        du[1:-1] *= 0.8
        du[:-2] += scaled_du_inner
        du[2:] += scaled_du_inner
    return du
