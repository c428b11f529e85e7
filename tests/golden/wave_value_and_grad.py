import numpy as np


def misfit_value_and_grad(start, observed, steps):
    # start: f64[n], observed: f64[n], steps: int
    previous = start.copy()
    current = start.copy()
    following = np.zeros_like(start)
    for _ in range(steps):
        following_term = 2.0 * current[1:-1]
        following[1:-1] = following_term - previous[1:-1]
        following[1:-1] += 0.25 * (current[2:] - following_term + current[:-2])
        previous, current, following = current, following, previous
    value_part = current - observed
    dfollowing = 2.0 * value_part
    dcurrent = np.zeros_like(previous)
    dprevious = np.zeros_like(following)
    for _ in range(steps):
        # following[1:-1] += 0.25 * (current[2:] - 2.0 * current[1:-1] + ...
        dfollowing_inner = dfollowing[1:-1]
        dcurrent_part = 0.25 * dfollowing_inner
        dcurrent[:-2] += dcurrent_part
        dcurrent[2:] += dcurrent_part
        # following[1:-1] = 2.0 * current[1:-1] - previous[1:-1]
        dprevious[1:-1] -= dfollowing_inner
        dcurrent_part = 1.5 * dfollowing_inner
        dfollowing[1:-1] = 0.0
        dcurrent[1:-1] += dcurrent_part
        dcurrent, dfollowing, dprevious = dprevious, dcurrent, dfollowing
    # previous = start.copy()
    dstart = dfollowing + dcurrent
    return np.sum(value_part**2), dstart
