"""particle and saddle: gradient descent on functions that compute gradients, or descend gradients, themselves.

The letters of a function tell the modes of the outer and of the inner gradient: r for reverse, f for forward.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sct import grad, jacfwd

Gradient = Callable[..., Any]
GRADIENTS: dict[str, Gradient] = {"r": grad, "f": jacfwd}


def magnitude(x):
    return np.sqrt(np.sum(x * x))


def argmin(f, gradient, x):
    """Where `f` is least, by descent along its gradient, with steps that double or are halved."""
    fx, gx, eta, i = f(x), gradient(x), 1e-5, 0
    while magnitude(gx) > 1e-5:
        if i == 10:
            eta, i = 2.0 * eta, 0
            continue
        step = eta * gx
        if magnitude(step) <= 1e-5:
            break
        f_next = f(x - step)
        if f_next < fx:
            x = x - step
            fx, gx, i = f_next, gradient(x), i + 1
        else:
            eta, i = 0.5 * eta, 0
    return x


def potential(x, w):
    """Of charges at (10, 10 - w) and (10, 0)."""
    a = np.array([10.0, 10.0 - w])
    b = np.array([10.0, 0.0])
    return 1.0 / magnitude(x - a) + 1.0 / magnitude(x - b)


def euler(w, gradient):
    """The square of the place where the particle meets the axis, by Euler's method."""
    x, v, dt = np.array([0.0, 8.0]), np.array([0.75, 0.0]), 0.1
    while True:
        acceleration = -gradient(x, w)
        ahead = x + dt * v
        if ahead[1] <= 0.0:
            break
        x, v = ahead, v + dt * acceleration
    end = x - x[1] / v[1] * v
    return end[0] ** 2


def particle(outer: str, inner: str) -> Callable[[float], float]:
    gradient = GRADIENTS[inner](potential)

    def missed(w):
        return euler(w[0], gradient)

    slope = GRADIENTS[outer](missed)
    return lambda w: argmin(missed, slope, np.array([w]))[0]


def height(x, y):
    return np.sum(x * x) - np.sum(y * y)


def depth(y, x):
    return -height(x, y)


def saddle(outer: str, inner: str) -> Callable[[np.ndarray], np.ndarray]:
    inner_gradient = GRADIENTS[inner](depth)

    def most(x, start):
        y = argmin(lambda y: depth(y, x), lambda y: inner_gradient(y, x), start)
        return height(x, y)

    outer_gradient = GRADIENTS[outer](most)

    def solve(start):
        x = argmin(lambda x: most(x, start), lambda x: outer_gradient(x, start), start)
        y = argmin(lambda y: depth(y, x), lambda y: inner_gradient(y, x), start)
        return np.concatenate((x, y))

    return solve


MODES = ("rr", "rf", "fr", "ff")
EVALS = {
    "particle": {m: lambda fields, m=m: partial(particle(*m), float(fields["w"])) for m in MODES},
    "saddle": {m: lambda fields, m=m: partial(saddle(*m), np.array(fields["start"], float)) for m in MODES},
}
