"""Programs that differentiate inside themselves."""

import math

import numpy as np

from sct import grad, hvp, jvp, stop_gradient, value_and_grad, vjp


def fitted(start, target, rate, steps):
    """The loss after an inner gradient descent: its derivative goes through every step."""

    def loss(w):
        return np.sum((np.tanh(w) - target) ** 2)

    w = start
    for _ in range(steps):
        w = w - rate * grad(loss)(w)
    return loss(w)


def newton_minimum(a, b):
    """Newton's method by two derivatives of a closure."""

    def cost(x):
        return math.exp(a * x) - b * x

    slope = grad(cost)
    curvature = grad(slope)
    x = 0.0
    while abs(slope(x)) > 1e-12:
        x -= slope(x) / curvature(x)
    return x


def newton_minimum_slopes(a, b):
    # The minimum is log(b / a) / a.
    return {0: -(math.log(b / a) + 1.0) / a**2, 1: 1.0 / (a * b)}


def gradient_penalty(w, x):
    """A loss on the gradient of a network with respect to its input."""

    def network(x):
        return np.sum(np.tanh(w @ x))

    value, slope = value_and_grad(network)(x)
    return value + (np.sqrt(np.sum(slope**2)) - 1.0) ** 2


def hamiltonian(q, p, steps):
    """Leapfrog whose force is the gradient of the energy."""

    def potential(q):
        return 0.5 * q @ q + 0.25 * np.sum(q**4)

    force = grad(potential)
    for _ in range(steps):
        p = p - 0.05 * force(q)
        q = q + 0.1 * p
        p = p - 0.05 * force(q)
    return potential(q) + 0.5 * p @ p


def confused(x):
    """Perturbations must not be confused: x * d/dy (x * y)."""
    return x * grad(lambda y: x * y)(2.0)


def deeply_confused(x):
    """D (x * D (x + y)), twice over."""

    def inner(y):
        return x * y * grad(lambda z: x * y * z * z)(y)

    return x * grad(inner)(x)


def forward_in_reverse(x, v):
    """The derivative of a directional derivative."""

    def f(x):
        return np.sum(np.sin(x) * x)

    return jvp(f, (x,), (v,))[1]


def curvature(x, v):
    """A quadratic form of a Hessian that is never formed."""

    def f(x):
        return np.sum(np.exp(x)) * np.sum(x * x)

    return v @ hvp(f, (x,), (v,))


def pullback_twice(x, y):
    """One pullback, used with two cotangents."""

    def f(a, b):
        return a * b, a / b

    (product, quotient), back = vjp(f, x, y)
    a, b = back((1.0, quotient))
    c, d = back((product, 0.5))
    return a * d + b * c


def physics_informed(weights, points):
    """The residual of u'' = -u for a small network in one variable."""

    def u(t):
        total = 0.0
        for k in range(weights.shape[0]):
            total += weights[k, 0] * math.tanh(weights[k, 1] * t + weights[k, 2])
        return total

    second = grad(grad(u))
    loss = 0.0
    for t in points:
        loss += (second(t) + u(t)) ** 2
    return loss


def detached_target(w, x):
    """A bootstrapped target that is not differentiated."""
    value = np.tanh(w @ x)
    target = stop_gradient(0.9 * value + 0.1)
    return (value - target) ** 2 + w @ w


def detached_target_gradient(w, x):
    value = math.tanh(w @ x)
    slope = 2.0 * (0.1 * value - 0.1) * (1.0 - value * value)
    return {0: slope * x + 2.0 * w, 1: slope * w}


def sensitivity_of_loop(x, n):
    """The derivative of a loop, in a loop."""

    def chain(x):
        for _ in range(n):
            x = math.sin(x) + 0.5 * x
        return x

    slope = grad(chain)
    total = 0.0
    for k in range(3):
        total += slope(x + 0.1 * k) ** 2
    return total


def meta_rate(rate, w, xs, ys):
    """A learning rate judged by the loss after a pass over the data, one point a step."""
    loss = lambda w, x, y: (w @ x - y) ** 2
    slope = grad(loss)
    for k in range(len(ys)):
        w = w - rate * slope(w, xs[k], ys[k])
    total = 0.0
    for k in range(len(ys)):
        total += loss(w, xs[k], ys[k])
    return total


INPUTS = {
    "fitted": lambda rng: (rng.normal(size=3), 0.5 * rng.normal(size=3), 0.3, 4),
    "newton_minimum": lambda rng: (0.8, 1.7),
    "gradient_penalty": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=2)),
    "hamiltonian": lambda rng: (rng.normal(size=3), rng.normal(size=3), 4),
    "confused": lambda rng: (1.3,),
    "deeply_confused": lambda rng: (1.3,),
    "forward_in_reverse": lambda rng: (rng.normal(size=3), rng.normal(size=3)),
    "curvature": lambda rng: (rng.normal(size=3), rng.normal(size=3)),
    "pullback_twice": lambda rng: (1.3, 0.7),
    "physics_informed": lambda rng: (rng.normal(size=(3, 3)), np.array([0.1, 0.5, 0.8])),
    "detached_target": lambda rng: (rng.normal(size=3), rng.normal(size=3)),
    "sensitivity_of_loop": lambda rng: (0.4, 3),
    "meta_rate": lambda rng: (0.1, rng.normal(size=2), rng.normal(size=(4, 2)), rng.normal(size=4)),
}

# Differences see through stop_gradient: its program is held to the closed form alone.
NOT_BY_DIFFERENCES = {"detached_target"}

GRADIENTS = {
    "newton_minimum": newton_minimum_slopes,
    "confused": lambda x: {0: 2.0 * x},
    "detached_target": detached_target_gradient,
    # inner(y) = 2 x^2 y^3, so the whole is 6 x^5.
    "deeply_confused": lambda x: {0: 30.0 * x**4},
}
