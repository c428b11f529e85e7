import numpy as np


def relaxed_forward(u, n):
    for _ in range(n):
        u[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        u[0] = 0.5 * (u[0] + u[1])
        u[-1] = 0.5 * (u[-1] + u[-2])
    return u


def relaxed_backward(n, du):
    for _ in range(n):
        # u[-1] = 0.5 * (u[-1] + u[-2])
        half_du_last = 0.5 * du[-1]
        du[-1] = half_du_last
        du[-2] += half_du_last
        # u[0] = 0.5 * (u[0] + u[1])
        half_du_first = 0.5 * du[0]
        du[0] = half_du_first
        du[1] += half_du_first
        # u[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        scaled_du_inner = 0.25 * du[1:-1]
        du[1:-1] *= 0.5
        du[2:] += scaled_du_inner
        du[:-2] += scaled_du_inner
    return du


def roughness_grad(u, v):
    # u: f64[n], v: f64[n]
    u = np.copy(u)
    u = relaxed_forward(u, 3)
    v = np.copy(v)
    v = relaxed_forward(v, 2)
    # return np.sum((a - b) ** 2)
    du = 2.0 * (u - v)
    # b = relaxed(v, 2)
    dv = relaxed_backward(2, -du)
    # a = relaxed(u, 3)
    du = relaxed_backward(3, du)
    return du, dv
