import numpy as np


def misfit_value_and_grad(start, observed, steps):
    # start: f64[n], observed: f64[n], steps: int
    end = start.copy()
    for _ in range(steps):
        end[1:-1] += 0.4 * (end[:-2] - 2.0 * end[1:-1] + end[2:])
    t = end - observed
    t1 = start[1:] - start[:-1]
    value = np.sum(t ** 2) + 1e-05 * np.sum(t1 ** 2)
    t1 *= 2e-05
    dstart = np.zeros_like(start)
    dstart[:-1] = -t1
    dstart[1:] += t1
    t *= 2.0
    for _ in range(steps):
        # u[1:-1] += 0.4 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        t1 = 0.4 * t[1:-1]
        t[1:-1] = 0.2 * t[1:-1]
        t[2:] += t1
        t[:-2] += t1
    # end = diffuse(start.copy(), steps)
    dstart += t
    return value, dstart
