import numpy as np


def misfit_value_and_grad(start, observed, steps):
    # start: f64[n], observed: f64[n], steps: int
    end = start.copy()
    for _ in range(steps):
        end[1:-1] += 0.4 * (end[:-2] - 2.0 * end[1:-1] + end[2:])
    end_minus_observed = end - observed
    value_part = start[1:] - start[:-1]
    value = np.sum(end_minus_observed**2) + 1e-05 * np.sum(value_part**2)
    dstart_part = 2e-05 * value_part
    dstart = np.zeros_like(start)
    dstart[:-1] = -dstart_part
    dstart[1:] += dstart_part
    dstart_part = 2.0 * end_minus_observed
    for _ in range(steps):
        # u[1:-1] += 0.4 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        dstart_part1 = 0.4 * dstart_part[1:-1]
        dstart_part[1:-1] = 0.2 * dstart_part[1:-1]
        dstart_part[2:] += dstart_part1
        dstart_part[:-2] += dstart_part1
    # end = diffuse(start.copy(), steps)
    dstart += dstart_part
    return value, dstart
