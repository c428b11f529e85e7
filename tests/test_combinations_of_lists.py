"""Combinations, reductions and keys of lists whose length is not known: the code does not grow with the list."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

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


PROGRAMS = [reduced, keyed, pairs, tuples, products, arrays, triples, kept, words]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_lists(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for n in (6, 1, 0, 9):
        agrees(f, 0.5, n, derivative=derivative)
    assert len(derivative.sources) == 1
    agrees_in_second_order(f, 0.5, 6)
