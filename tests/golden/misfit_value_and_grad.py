import numpy as np


def misfit_value_and_grad(start, observed, steps):
    # start: f64[n], observed: f64[n], steps: int
    u = start.copy()
    for _ in range(steps):
        u[1:-1] += 0.4 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    u_minus_observed = u - observed
    value_part = start[1:] - start[:-1]
    value = np.sum(u_minus_observed**2) + 1e-05 * np.sum(value_part**2)
    dstart_part = 2e-05 * value_part
    dstart = np.zeros_like(start)
    dstart[:-1] = -dstart_part
    dstart[1:] += dstart_part
    du = 2.0 * u_minus_observed
    for _ in range(steps):
        # u[1:-1] += 0.4 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        scaled_du_inner = 0.4 * du[1:-1]
        du[1:-1] *= 0.2
        du[2:] += scaled_du_inner
        du[:-2] += scaled_du_inner
    # end = diffuse(start.copy(), steps)
    dstart += du
    return value, dstart
