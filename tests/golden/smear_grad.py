import numpy as np


def smear_grad(x, k):
    # x: f64[n], k: float
    u = x.copy()
    n = len(u)
    tape = []
    for i in range(n):
        v = u[i]
        u[-1] += k * v
        tape.append((v, u[0]))
    du = np.zeros_like(u)
    dk = 0.0
    for i in reversed(range(n)):
        v, u_first = tape.pop()
        # s += v * v * u[0]
        du[0] += v * v
        # u[-1] += k * v
        du_last = du[-1]
        dk += du_last * v
        du[i] += 2.0 * u_first * v + du_last * k
    return du, dk
