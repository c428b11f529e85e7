import numpy as np


def relaxed_grad(u, k):
    # u: f64[n], k: int
    u = np.copy(u)
    tape = []
    for i in range(k):
        inner = u[1:-1]
        u[1:-1] = inner + 0.1 * (u[2:] - 2 * inner + u[:-2])
        if i == 2:
            inner = u[1:-1]
            u[0] = inner[0] * 0.5
            inner = u[1:-1]
            t = inner[-2]
            t1 = inner[1]
            tape.append((t, t1))
            u[-1] = t * t1
    # return (u**2).sum()
    du = 2.0 * u
    for i in reversed(range(k)):
        if i == 2:
            t3, t2 = tape.pop()
            # u[-1] = inner[-2] * inner[1]
            t = du[-1]
            du[-1] = 0.0
            du[2] += t * t3
            du[-3] += t * t2
            # u[0] = inner[0] * 0.5
            t = 0.5 * du[0]
            du[0] = 0.0
            du[1] += t
        # inner += 0.1 * (u[2:] - 2 * inner + u[:-2])
        t4 = 0.1 * du[1:-1]
        du[1:-1] = 0.8 * du[1:-1]
        du[:-2] += t4
        du[2:] += t4
    return du
