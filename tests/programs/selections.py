"""Choices: max and min of numbers, masks, clipping, tables of brackets."""

import math

import numpy as np


def american_tree(spot, strike, rate, sigma, steps):
    """An American put on a binomial tree, node by node."""
    dt = 1.0 / steps
    up = math.exp(sigma * math.sqrt(dt))
    down = 1.0 / up
    p = (math.exp(rate * dt) - down) / (up - down)
    discount = math.exp(-rate * dt)
    v = np.zeros(steps + 1)
    for j in range(steps + 1):
        v[j] = max(strike - spot * up ** (steps - 2 * j), 0.0)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
            exercise = strike - spot * up ** (i - 2 * j)
            v[j] = max(hold, exercise)
    return v[0]


def american_levels(spot, strike, rate, sigma, steps):
    """The same, level by level."""
    dt = 1.0 / steps
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    v = np.maximum(strike - spot * up ** (steps - 2.0 * np.arange(steps + 1)), 0.0)
    for i in range(steps - 1, -1, -1):
        hold = np.exp(-rate * dt) * (p * v[:-1] + (1.0 - p) * v[1:])
        v = np.maximum(hold, strike - spot * up ** (i - 2.0 * np.arange(i + 1)))
    return v[0]


def clipped_control(gain, x, steps):
    """A controller with a bounded force, and a bounded reward."""
    total = 0.0
    for _ in range(steps):
        force = max(-1.0, min(1.0, -gain * x))
        x = x + 0.1 * (x + force)
        total += max(-2.0, min(0.5, 1.0 - x * x))
    return total


def leaky_net(W, b, v, x, y):
    z = x @ W + b
    h = np.where(z > 0.0, z, 0.01 * z)
    return np.mean((h @ v - y) ** 2)


def huber_regression(w, X, y, delta):
    r = X @ w - y
    small = np.abs(r) <= delta
    return np.mean(np.where(small, 0.5 * r**2, delta * (np.abs(r) - 0.5 * delta)))


def hinge(w, X, y, ridge):
    margins = 1.0 - y * (X @ w)
    return np.sum(np.maximum(margins, 0.0)) + ridge * np.sum(w * w)


def damped(x, A, steps):
    """What is negative is damped in place, step by step."""
    y = x.copy()
    for _ in range(steps):
        y = A @ y
        y[y < 0] *= 0.1
    return np.sum(y * y)


def exposed(image, gain, bias, target):
    out = gain * image + bias
    out[out < 0.0] = 0.0
    out[out > 1.0] = 1.0
    return np.sum((out - target) ** 2)


def filled(x, v, w):
    """Elements replaced under a mask."""
    y = x * w
    m = x > 0.0
    y[m] = v[m] * w
    return np.sum(y * y)


def winsorised(x, low, high):
    y = np.clip(x, low, high)
    return np.sum(y * y)


def prospect(x, reference, aversion, alpha):
    """Gains and losses are valued differently."""
    gain = x - reference
    return np.mean(np.where(gain >= 0.0, np.abs(gain) ** alpha, -aversion * np.abs(gain) ** alpha))


def soft_threshold(x, A, b, step, penalty):
    z = x - step * (A.T @ (A @ x - b))
    s = np.sign(z) * np.maximum(np.abs(z) - step * penalty, 0.0)
    return np.sum(s * s)


def income_tax(income, low, middle, high):
    middle_part = low * 10.0 + middle * (income - 10.0)
    high_part = low * 10.0 + middle * 30.0 + high * (income - 40.0)
    return np.sum(np.where(income < 10.0, low * income, np.where(income < 40.0, middle_part, high_part)))


def selected_tax(income, low, middle):
    return np.sum(np.select([income < 10.0, income < 40.0], [low * income, middle * income * income], 0.5 * income))


def marginal_tax(income, rates):
    """A loop that is unrolled returns from one of its iterations."""
    tax, low = 0.0, 0.0
    for high, rate in zip((1.0, 3.0, 7.0), rates):
        if income <= high:
            return tax + rate * (income - low) ** 2
        tax += rate * (high - low)
        low = high
    return tax + rates[-1] * (income - low)


def activated(x, weights, names):
    """A function that is evaluated in line returns from a nested branch."""
    def activation(z, name):
        if name == "relu":
            return np.maximum(z, 0.0)
        elif name == "tanh":
            return np.tanh(z)
        return z

    for weight, name in zip(weights, names):
        x = activation(weight * x, name)
    return np.sum(x)


def capped_distance(x, y):
    total = 0.0
    for i in range(len(x)):
        total += min(abs(x[i] - y[i]), 1.0)
    return total


def pecking_order(a, b, c):
    return max(a * b, min(b * c, a + c)) * max(a, b, c)


def normal(rng, *shape):
    return rng.normal(size=shape)


INPUTS = {
    "american_tree": lambda rng: (100.0, 103.0, 0.05, 0.2, 6),
    "american_levels": lambda rng: (100.0, 103.0, 0.05, 0.2, 6),
    "clipped_control": lambda rng: (1.7, 0.9, 9),
    "leaky_net": lambda rng: (normal(rng, 3, 4), normal(rng, 4), normal(rng, 4), normal(rng, 5, 3), normal(rng, 5)),
    "huber_regression": lambda rng: (normal(rng, 3), normal(rng, 6, 3), normal(rng, 6), 0.7),
    "hinge": lambda rng: (normal(rng, 3), normal(rng, 6, 3), np.sign(normal(rng, 6)), 0.1),
    "damped": lambda rng: (normal(rng, 4), normal(rng, 4, 4), 3),
    "exposed": lambda rng: (normal(rng, 3, 4), 0.8, 0.3, normal(rng, 3, 4)),
    "filled": lambda rng: (normal(rng, 6), normal(rng, 6), 0.7),
    "winsorised": lambda rng: (normal(rng, 7), -0.4, 0.5),
    "prospect": lambda rng: (normal(rng, 7), 0.1, 2.25, 0.88),
    "soft_threshold": lambda rng: (normal(rng, 4), normal(rng, 5, 4), normal(rng, 5), 0.1, 1.5),
    "income_tax": lambda rng: (np.array([4.0, 18.0, 25.0, 60.0]), 0.1, 0.2, 0.4),
    "marginal_tax": lambda rng: (5.0, [0.1, 0.2, 0.3, 0.4]),
    "activated": lambda rng: (rng.normal(size=3), [1.5, -0.5], ["relu", "tanh"]),
    "selected_tax": lambda rng: (np.array([4.0, 18.0, 25.0, 60.0]), 0.1, 0.02),
    "capped_distance": lambda rng: (normal(rng, 6), normal(rng, 6)),
    "pecking_order": lambda rng: (1.5, 0.7, 1.1),
}
