"""Recursive functions that read lists of two to four items by an index that is known only at run time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from oracle import Programs, agrees_in_every_mode

PROGRAMS = program = Programs()
WEIGHTS = [0.3, 0.7, 1.1]
PAIRS = [("a", 1.5), ("b", 2.0)]
ITEMS = [{"w": 2, "v": 3.0}, {"w": 1, "v": 1.5}]
X, Y = [0.8, 0.4], [-0.6, 1.3]


@program((X, 4), (Y, 7), (X, 0))
def of_a_global(x: Any, n: int) -> Any:
    def price(i: int) -> Any:
        if i == n:
            return x[0]
        return price(i + 1) * WEIGHTS[i % 3] + x[1] * x[1]

    return price(0)


@program((X, 4), (Y, 7))
def of_global_pairs(x: Any, n: int) -> Any:
    def price(i: int) -> Any:
        if i == n:
            return x[0]
        name, weight = PAIRS[i % 2]
        return weight * price(i + 1) + (x[0] * x[1] if name == "a" else x[1])

    return price(0)


def _product(xs: list[Any], n: int) -> Any:
    if n == 0:
        return xs[0]
    return xs[n % len(xs)] * _product(xs, n - 1)


@program((X, 4), (Y, 7))
def of_an_argument(x: Any, n: int) -> Any:
    return _product([x[0], x[0] * x[0], 2.0 * x[1]], n) + _product([x[1], 1.5], n)


def _folded(layers: list[dict[str, Any]], n: int) -> Any:
    if n == 0:
        return 1.0
    return layers[n % 2]["a"] * _folded(layers, n - 1) + layers[n % 2]["b"]


@program((X, 3), (Y, 6))
def of_dicts(x: Any, n: int) -> Any:
    return _folded([{"a": x[0], "b": 1.0}, {"a": x[0] * x[1], "b": x[1]}], n)


@program((X, 3), (Y, 2))
def of_global_dicts(x: Any, capacity: int) -> Any:
    def best(i: int, left: int) -> Any:
        if i < 0:
            return x[1]
        skipped = best(i - 1, left)
        if ITEMS[i]["w"] > left:
            return skipped
        return max(skipped, x[0] * ITEMS[i]["v"] * x[1] + best(i - 1, left - int(ITEMS[i]["w"])))

    return best(len(ITEMS) - 1, capacity)


@dataclass
class Layer:
    w: Any
    b: Any


@program((X, 4), (Y, 5))
def of_records(x: Any, n: int) -> Any:
    layers = [Layer(x[0], 1.0), Layer(x[0] * x[0], 0.5), Layer(2.0, x[1])]

    def value(i: int, v: Any) -> Any:
        if i == n:
            return v
        layer = layers[i % 3]
        return value(i + 1, math.tanh(layer.w * v + layer.b))

    return value(0, 0.3)


def _alternating(k: int, functions: list[Any], x: Any) -> Any:
    if k == 0:
        return x[0]
    return functions[k % len(functions)](_alternating(k - 1, functions, x))


@program((X, 4), (Y, 5))
def of_functions(x: Any, n: int) -> Any:
    return _alternating(n, [math.sin, lambda v: v * v + 0.2], x) * x[1]


def _hanoi(n: int, a: int, b: int, c: int, cost: list[list[Any]]) -> Any:
    if n == 0:
        return 0.0
    return _hanoi(n - 1, a, c, b, cost) + cost[a][b] + _hanoi(n - 1, c, b, a, cost)


@program((X, 3), (Y, 4))
def of_lists(x: Any, n: int) -> Any:
    return _hanoi(n, 0, 1, 2, [[0.0, x[0], 2.0], [x[0] * x[1], 0.0, 1.0], [1.0, x[1], 0.0]]) ** 2


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)
