"""Combinations, reductions and keys of lists whose length is not known: the code does not grow with the list."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import value_and_grad


def multiples(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        xs.append(x * i)
    return xs


def pairs(x: Any, n: int) -> Any:
    xs, total = multiples(x, n), 0.0
    for p, q in itertools.combinations(xs, 2):
        if p > 2.6:
            break
        total += p * q * q
        xs.append(p)  # the combinations are those of before
    return total + len(xs)


def tuples(x: Any, n: int) -> Any:
    points, total = [(x * i, i) for i in range(n)], 0.0
    points.append((x, 3))
    for (a, i), (b, j) in itertools.combinations(points, 2):
        total += (a - b) ** 2 * (i - j)
    return total


def products(x: Any, n: int) -> Any:
    xs, total = multiples(x, n), 0.0
    for p, q in itertools.product(xs, multiples(x + 1.0, n)):
        total += p * q * q
    for p, k in itertools.product(xs, range(3)):
        total += p * k
    return total


def arrays(x: Any, n: int) -> Any:
    xs, total = [], 0.0
    for i in range(n):
        xs.append(np.array([x, x * i]))
    for p, q in itertools.combinations_with_replacement(xs, 2):
        total += p @ q
    return total


def triples(x: Any, n: int) -> Any:
    return sum(a * b * c for a, b, c in itertools.combinations(multiples(x, n), 3))


def kept(x: Any, n: int) -> Any:
    chosen = list(itertools.combinations(multiples(x, n), 2))
    return len(chosen) * chosen[0][1]


def words(x: Any, n: int) -> Any:
    total = 0.0
    for a, b in itertools.combinations([f"w{i}" for i in range(n)], 2):
        total += x * x if a < b else x
    return total


def reduced(x: Any, n: int) -> Any:
    scales = [x, x * x, 2.0 * x]
    return functools.reduce(lambda total, pair: total * pair[0] + pair[1], zip(scales, multiples(x, n)), 1.0)


def keyed(x: Any, n: int) -> Any:
    edges: dict[int, list[float]] = {}
    for i in range(n):
        edges.setdefault(i % 4, []).append(x * i)
    degrees = dict.fromkeys(edges, 0.5)
    for node, weights in edges.items():
        degrees[node] += sum(weights) * x
    return sum(d * d for d in degrees.values()) + len(dict.fromkeys(multiples(1.0, n)))


class Body:
    def __init__(self, mass: float, at: Any, force: Any = 0.0) -> None:
        self.mass, self.at, self.speed, self.force = mass, at, 0.0, force

    def pull(self, other: Body) -> Any:
        d = other.at - self.at
        return self.mass * other.mass * d / (1.0 + d * d)


def bodies_of(x: Any, n: int) -> list[Body]:
    return [Body(1.0 + 0.1 * i, x * i) for i in range(n)]


def forces(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    for _ in range(3):
        for b in bodies:
            b.force = 0.0
        for a, b in itertools.combinations(bodies, 2):
            f = a.pull(b)
            a.force += f
            b.force -= f * x
        for b in bodies:
            b.speed += 0.1 * b.force / b.mass
            b.at += 0.1 * b.speed
    return sum(b.at ** 2 for b in bodies)


class World:
    def __init__(self, bodies: list[Body]) -> None:
        self.bodies, self.energy = bodies, 0.0

    def step(self) -> None:
        for a, b in itertools.combinations(self.bodies, 2):
            f = a.pull(b)
            a.speed, b.speed = a.speed + f, b.speed - f
            self.energy += f * f
        for b in self.bodies:
            b.at += 0.1 * b.speed


def of_an_object(x: Any, n: int) -> Any:
    world = World(bodies_of(x, n))
    for _ in range(3):
        world.step()
    return sum(b.at ** 2 for b in world.bodies) + world.energy


def vectors(x: Any, n: int) -> Any:
    bodies = [Body(1.0, np.array([x, x * i]), np.zeros(2)) for i in range(n)]
    for a, b in itertools.combinations(bodies, 2):
        d = a.at - b.at
        a.force += d / (1.0 + d @ d)
        b.force -= d * x
    return sum(np.sum(b.force ** 2) for b in bodies)


def three_objects(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    for a, b, c in itertools.combinations(bodies, 3):
        d = a.at + b.at + c.at
        a.force += d
        b.force -= 0.5 * d
        c.force += 0.01 * a.force * d
        if d > 9.1:
            break
    return sum(b.force ** 2 for b in bodies)


def products_of_objects(x: Any, n: int) -> Any:
    bodies, others = bodies_of(x, n), bodies_of(x * x, 3)
    for a, b in itertools.product(bodies, repeat=2):
        if a is not b:
            a.force += b.at
            b.speed -= a.force
    for a, b in itertools.product(bodies, others):
        a.force += b.at
        b.speed += a.force
    for a, b in itertools.combinations_with_replacement(bodies, 2):
        a.force += b.at
        b.force *= 0.9
    return sum(b.force ** 2 + b.speed for b in bodies) + sum(b.speed for b in others) * 0.01


def all_pairs(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    return sum((a.at - b.at) ** 2 * a.mass for a, b in itertools.combinations(bodies, 2)) + x


def nested_keys(x: Any, n: int) -> Any:
    items = [((x * (i % 4), i), 0.5 * i) for i in range(n)]
    total = x
    for k, (w, _) in enumerate(sorted(items, key=lambda p: ((p[0][1] % 2, -p[0][0]), -p[1]))):
        total += k * w[0]
    items.sort()
    return total + sum(k * w * v for k, ((w, _), v) in enumerate(items))


OF_OBJECTS = [forces, of_an_object, vectors, three_objects, products_of_objects, all_pairs, nested_keys]


@pytest.mark.parametrize("f", OF_OBJECTS, ids=lambda f: f.__name__)
def test_lists_of_objects(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for n in (6, 3, 9):
        agrees(f, 0.5, n, derivative=derivative)
    agrees_in_second_order(f, 0.5, 6)


def of_arguments(bodies: list[dict[str, float]], n: int) -> Any:
    for _ in range(n):
        for a, b in itertools.combinations(bodies, 2):
            f = b["p"] - a["p"]
            a["f"] += f
            b["f"] -= f
        for b in bodies:
            b["p"] += 0.01 * b["f"]
    return sum(b["p"] ** 2 for b in bodies)


def test_objects_of_arguments() -> None:
    agrees(of_arguments, [{"p": 1.0 * i, "f": 0.1} for i in range(7)], 3)


def replaced(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    for a, b in itertools.combinations(bodies, 2):
        a.force += b.at
        bodies[0] = Body(2.0, x)
    return sum(b.force for b in bodies)


def longer(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    for a, b in itertools.combinations(bodies, 2):
        a.force += b.at
        bodies.append(Body(2.0, x))
    return sum(b.force for b in bodies)


def in_another_order(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    for a, b in itertools.combinations(bodies, 2):
        a.force += b.at
        bodies.sort(key=lambda body: -body.at)
    return sum(b.force for b in bodies)


def later(x: Any, n: int) -> Any:
    bodies = bodies_of(x, n)
    pairs = itertools.combinations(bodies, 2)
    bodies.append(Body(2.0, x))
    for a, b in pairs:
        a.force += b.at
    return sum(b.force for b in bodies)


@pytest.mark.parametrize("f", [replaced, longer, in_another_order, later], ids=lambda f: f.__name__)
def test_the_objects_are_those_of_before(f: Callable[..., Any]) -> None:
    refuses(f, 0.5, 20, code="SCT306")


PROGRAMS = [reduced, keyed, pairs, tuples, products, arrays, triples, kept, words]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_lists(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for n in (6, 1, 0, 9):
        agrees(f, 0.5, n, derivative=derivative)
    assert len(derivative.sources) == 1
    agrees_in_second_order(f, 0.5, 6)
