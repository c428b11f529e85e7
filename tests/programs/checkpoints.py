"""Loops of which the backward pass keeps few states, and runs the rest again."""

import itertools
import math

import numpy as np

from sct import checkpoint, checkpointed


def heat(u, k, n):
    for _ in checkpointed(range(n)):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


def logistic(x, r, n):
    for _ in checkpointed(range(n)):
        x = r * x * (1.0 - x)
    return x


def leapfrog(q, p, dt, n):
    for _ in checkpointed(range(n), slots=3):
        p = p - 0.5 * dt * np.sin(q)
        q = q + dt * p
        p = p - 0.5 * dt * np.sin(q)
    return np.sum(q * q) + np.sum(p * p)


def recurrent(params, xs):
    """A recurrent network over time, with its weights in a dict."""
    h = np.zeros(3)
    loss = 0.0
    for x in checkpointed(xs):
        h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
        loss += np.sum(h * h)
    return loss


def lorenz(x, y, z, sigma, n):
    """The range has a start and a step."""
    for _ in checkpointed(range(2, n, 3)):
        dx = sigma * (y - x)
        dy = x * (28.0 - z) - y
        dz = x * y - 8.0 / 3.0 * z
        x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
    return x * y + z


def backwards(x, n):
    for i in checkpointed(range(n, 0, -2), 3):
        x = x * math.cos(x / i)
    return x


def in_each_other(x, n, m):
    for i in checkpointed(range(n)):
        for j in checkpointed(range(m)):
            x = x + 0.1 * np.sin(x * (i + 1.0)) / (j + 1.0)
    return np.sum(x)


def inside(x, n, m):
    s = 0.0
    for i in range(n):
        y = x * i
        for j in checkpointed(range(m)):
            y = y + 0.1 * np.sin(y * (i + 1.0)) / (j + 1.0)
        s += np.sum(y * x)
    return s


def until_large(x, n):
    for i in checkpointed(range(n)):
        x = x * 1.1 + 0.01 * x * x
        if x > 10.0:
            return x * i
        if i == 7:
            continue
        x = x + 0.1
    return x * x


def half_life(x, rate):
    """How many iterations there are is known only at the end."""
    for i in checkpointed(itertools.count(1)):
        x = x * (1.0 - rate) - 0.01 * x * x
        if x < 0.5:
            break
    return x * i


def _settled(x, n):
    for _ in checkpointed(range(n)):
        x = x + 0.1 * np.sin(x)
    return x


def settled_twice(x, n):
    return np.sum(_settled(_settled(x, n) * 2.0, n + 3))


def appended(x, n):
    xs = [x]
    for i in checkpointed(range(n)):
        xs.append(xs[-1] * 1.01 + 0.1 * xs[i] * xs[i])
    return sum(xs)


def rooted(x, n):
    for _ in checkpointed(range(n)):
        if x < 0.0:
            raise ValueError("negative")
        x = math.sqrt(x) * 1.2
    return x


def trajectory(x, n):
    out = np.zeros((n, 2))
    y = np.array([x, 1.0])
    for i in checkpointed(range(n)):
        y = y + 0.1 * np.array([y[1], -np.sin(y[0])])
        out[i] = y
    return np.sum(out**2)


def with_positions(xs, ws):
    s = 1.0
    for i, (x, w) in checkpointed(enumerate(zip(xs, ws))):
        s = s * x + w * np.exp(-s) / (i + 1)
    return s


@checkpoint
def _layer(W, h):
    a = W @ h
    b = np.tanh(a)
    return b * np.sin(b) + h


def layers(W, h, n):
    for _ in range(n):
        h = _layer(W, h)
    return np.sum(_layer(W, h) ** 2)


@checkpoint
def _two_layers(W, h):
    return _layer(W, _layer(W, h)) * 0.9


def layers_in_layers(W, h, n):
    for _ in checkpointed(range(n)):
        h = _two_layers(W, h)
    return np.sum(h * h)


@checkpoint
def _flow(u, k):
    u[1:-1] += k * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


def flows_in_place(u, k, n):
    """The function writes into its argument."""
    s = 0.0
    for _ in range(n):
        s += _flow(u, k)
    return s + np.sum(u**3)


def enclosed(x, k):
    c = x * k

    @checkpoint
    def wave(y):
        return math.sin(y * c) * y

    return wave(wave(x)) + wave(k)


@checkpoint
def _parts(params, x):
    if x[0] > 0.0:
        return {"y": params["w"] * x, "z": params["b"] + x}
    return {"y": params["w"] * x * x, "z": params["b"] - x}


def parts_of_dicts(params, x):
    for _ in range(3):
        parts = _parts(params, x)
        x = parts["y"] + 0.1 * parts["z"]
    return np.sum(x)


@checkpoint
def _checked(x):
    if x < 0.0:
        raise ValueError("negative")
    return math.sqrt(x) * x


def checked(x):
    return _checked(_checked(x)) + _checked(x)


INPUTS = {
    "heat": lambda rng: (rng.uniform(size=9), 0.1, 11),
    "logistic": lambda rng: (0.3, 3.2, 10),
    "leapfrog": lambda rng: (rng.normal(size=4), rng.normal(size=4), 0.1, 11),
    "recurrent": lambda rng: (
        {"W": rng.normal(size=(3, 3)), "U": rng.normal(size=(3, 2)), "b": rng.normal(size=3)},
        rng.normal(size=(7, 2)),
    ),
    "lorenz": lambda rng: (1.0, 2.0, 3.0, 10.0, 30),
    "backwards": lambda rng: (0.7, 12),
    "in_each_other": lambda rng: (rng.normal(size=4), 4, 5),
    "inside": lambda rng: (rng.normal(size=4), 3, 5),
    "until_large": lambda rng: (0.5, 100),
    "half_life": lambda rng: (3.0, 0.1),
    "settled_twice": lambda rng: (rng.normal(size=4), 6),
    "appended": lambda rng: (0.3, 6),
    "rooted": lambda rng: (0.3, 7),
    "trajectory": lambda rng: (0.4, 8),
    "layers": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3), 3),
    "layers_in_layers": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3), 5),
    "flows_in_place": lambda rng: (rng.normal(size=6), 0.1, 3),
    "enclosed": lambda rng: (0.3, 0.7),
    "parts_of_dicts": lambda rng: ({"w": rng.normal(size=2), "b": rng.normal(size=2)}, rng.normal(size=2)),
    "checked": lambda rng: (0.7,),
    "with_positions": lambda rng: (rng.uniform(0.5, 1.0, size=7), rng.normal(size=7)),
}
