import numpy as np


def misfit_value_and_grad(start, observed, steps):
    # start: f64[n], observed: f64[n], steps: int
    previous = start.copy()
    current = start.copy()
    following = np.zeros_like(start)
    for _ in range(steps):
        t = 2.0 * current[1:-1]
        following[1:-1] = t - previous[1:-1]
        following[1:-1] += 0.25 * (current[2:] - t + current[:-2])
        previous, current, following = current, following, previous
    dfollowing = current - observed
    value = np.sum(dfollowing ** 2)
    dfollowing *= 2.0
    dcurrent = np.zeros_like(previous)
    dprevious = np.zeros_like(following)
    for _ in range(steps):
        # following[1:-1] += 0.25 * (current[2:] - 2.0 * current[1:-1] + ...
        t = dfollowing[1:-1]
        t1 = 0.25 * t
        dcurrent[:-2] += t1
        dcurrent[2:] += t1
        # following[1:-1] = 2.0 * current[1:-1] - previous[1:-1]
        dprevious[1:-1] -= t
        t = 1.5 * t
        dfollowing[1:-1] = 0.0
        dcurrent[1:-1] += t
        dcurrent, dfollowing, dprevious = dprevious, dcurrent, dfollowing
    # previous = start.copy()
    dstart = dfollowing + dcurrent
    return value, dstart
