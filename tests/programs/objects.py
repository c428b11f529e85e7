"""Models as classes: dataclasses and named tuples of parameters, methods, operators, objects that change."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np


@dataclass
class Net:
    """A perceptron of two layers."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: float
    name: str = "net"

    def predict(self, x):
        return np.tanh(x @ self.W1 + self.b1) @ self.W2 + self.b2


def net_loss(net, x, y):
    """The gradient is a `Net` of gradients."""
    e = net.predict(x) - y
    return np.mean(e**2) + 1e-3 * np.sum(net.W1**2)


class Body(NamedTuple):
    x: np.ndarray
    v: np.ndarray
    m: float


def moved_on(body, force, dt):
    v = body.v + dt * force / body.m
    return body._replace(x=body.x + dt * v, v=v)


def orbit(body, mu, steps):
    """A body round the origin; each step makes a new one."""
    for _ in range(steps):
        body = moved_on(body, -mu * body.m * body.x / np.sum(body.x**2) ** 1.5, 0.05)
    return 0.5 * body.m * np.sum(body.v**2) - mu * body.m / np.sqrt(np.sum(body.x**2))


@dataclass
class Ball:
    height: float
    speed: float

    def fall(self, drag, dt):
        self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
        self.height += dt * self.speed


def drop(ball, drag, steps):
    """The ball that is passed is written to: the caller's stays as it was."""
    for _ in range(steps):
        ball.fall(drag, 0.01)
    return ball.height * ball.height


class Spring:
    rest = 1.0

    def __init__(self, k):
        self.k = k

    @property
    def stiffness(self):
        return 0.5 * self.k

    def energy(self, length):
        return self.stiffness * self.stretch(length) ** 2

    def stretch(self, length):
        return length - self.rest


class Hardening(Spring):
    def __init__(self, k, c):
        super().__init__(k)
        self.c = c

    def energy(self, length):
        return super().energy(length) + self.c * self.stretch(length) ** 4


def chain_energy(x, k, c):
    """Springs of two kinds, made inside, asked through one method."""
    springs = [Spring(k), Hardening(k, c), Hardening(2.0 * k, c)]
    total = 0.0
    for i, spring in enumerate(springs):
        total += spring.energy(x[i + 1] - x[i])
    return total


class Pendulum:
    g = 9.81

    def __init__(self, length, damping):
        self.length, self.damping = length, damping

    def acceleration(self, angle, speed):
        return -self.g / self.length * np.sin(angle) - self.damping * speed

    def swing(self, angle, steps):
        speed = 0.0
        for _ in range(steps):
            speed += 0.01 * self.acceleration(angle, speed)
            angle += 0.01 * speed
        return angle


swing = Pendulum(1.2, 0.1).swing


@dataclass(frozen=True)
class Dual:
    """Numbers with a slope: forward differentiation, differentiated."""

    value: float
    slope: float = 0.0

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def sin(self):
        return Dual(np.sin(self.value), np.cos(self.value) * self.slope)


def slope_of_slope(x):
    t = Dual(x, 1.0)
    y = (t * t + t).sin() * t
    return replace(y, value=0.0).slope


class Mover:
    """Its arrays are its own, and are written in place."""

    def __init__(self, x):
        self.x = x.copy()
        self.v = np.zeros_like(x)

    def push(self, f):
        self.v += f

    def drift(self, dt):
        self.x += dt * self.v


def gravity(X, n):
    """Bodies that pull each other; `is not` of two objects of a list."""
    bodies = [Mover(x) for x in X]
    for _ in range(n):
        for b in bodies:
            acc = np.zeros(2)
            for o in bodies:
                if o is not b:
                    d = o.x - b.x
                    acc += d / (d @ d + 0.1) ** 1.5
            b.push(0.1 * acc)
        for b in bodies:
            b.drift(0.1)
    return sum(0.5 * b.v @ b.v for b in bodies)


def parts_of_arrays(X, n):
    """Elements and slices of arrays of objects of a list, also by names of the arrays."""
    bodies = [Mover(x) for x in X]
    for i, b in enumerate(bodies):
        b.v[0] = b.x[1] * i
        b.v[1:] -= 0.3
        x = b.x
        x *= 2.0
        if i % 2:
            bodies[i].x[:] = 0.5 * b.v
    return sum(b.x @ b.v for b in bodies) * n


def layers_in_dicts(X, n):
    layers = [{"W": np.outer(x, x), "b": np.zeros(2)} for x in X]
    for _ in range(n):
        for layer in layers:
            g = np.tanh(layer["W"] @ np.ones(2) + layer["b"])
            layer["W"] -= 0.1 * np.outer(g, g)
            layer["b"] -= 0.1 * g
    return sum(np.sum(layer["W"]) + layer["b"] @ layer["b"] for layer in layers)


def vectors_and_steps(rng):
    return rng.uniform(0.1, 1.5, (6, 2)), 3


def falling(balls, dt, steps):
    """Objects whose number is known only at run time, with attributes that change."""
    for _ in range(steps):
        for ball in balls:
            ball.fall(0.05, dt)
    return sum(ball.height**2 for ball in balls)


INPUTS = {
    "falling": lambda rng: ([Ball(10.0 + k, 1.0) for k in range(6)], 0.05, 3),
    **dict.fromkeys(("gravity", "parts_of_arrays", "layers_in_dicts"), vectors_and_steps),
    "net_loss": lambda rng: (Net(rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=4), 0.3),
                             rng.normal(size=(5, 3)), rng.normal(size=5)),
    "orbit": lambda rng: (Body(np.array([1.0, 0.1]), np.array([0.0, 1.1]), 1.5), 1.0, 12),
    "drop": lambda rng: (Ball(10.0, 1.0), 0.05, 15),
    "chain_energy": lambda rng: (np.array([0.0, 1.3, 2.1, 3.6]), 2.0, 0.5),
    "swing": lambda rng: (0.5, 30),
    "slope_of_slope": lambda rng: (0.7,),
}

GRADIENTS = {
    "slope_of_slope": lambda x: {0: 2.0 * np.cos(x * x + x) * (2.0 * x + 1.0) + x * 2.0 * np.cos(x * x + x)
                                 - x * np.sin(x * x + x) * (2.0 * x + 1.0) ** 2},
}
