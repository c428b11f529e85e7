"""Functions and classes that an ordered dict, a default dict or a view of a dict from outside names."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from oracle import Programs, agrees_in_every_mode

from sct import value_and_grad

PROGRAMS = program = Programs()
X, Y = [0.7, 1.2], [0.4, -0.9]


def rectified(v: Any) -> Any:
    return max(v, 0.0)


def squared(v: Any) -> Any:
    return v * v


class Scaled:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __call__(self, v: Any) -> Any:
        return self.k * v * v


class Moved:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __call__(self, v: Any) -> Any:
        return v + self.k


ACTIVATIONS = OrderedDict([("relu", rectified), ("square", squared), ("tanh", math.tanh)])
LAYERS = OrderedDict(scaled=Scaled, moved=Moved)
VIEW = MappingProxyType({"relu": rectified, "square": squared})
OTHERS = defaultdict(lambda: squared, {"sin": math.sin})


@program((X, ["relu", "square", "tanh", "square", "relu"]), (Y, ["square", "tanh"]), (X, []))
def by_name(x: Any, names: list[str]) -> Any:
    v = x[0]
    for name in names:
        v = ACTIVATIONS[name](v) * x[1]
    return v


@program((X, [("scaled", 0.5), ("moved", 1.0), ("scaled", 0.3), ("moved", 2.0), ("scaled", 0.1)]), (Y, [("moved", .2)]))
def classes_by_name(x: Any, specification: list[tuple[str, float]]) -> Any:
    v = x[0]
    for name, k in specification:
        v = LAYERS[name](k * x[1])(v)
    return v


@program((X, ["relu", "square", "square", "relu", "square"]), (Y, ["square"]))
def by_a_view(x: Any, names: list[str]) -> Any:
    v = x[0]
    for name in names:
        v = VIEW[name](v) + 0.1 * x[1]
    return v


@program((X, ["relu", "other", "square", "tanh", "relu"]), (Y, ["none", "tanh"]))
def asked_for(x: Any, names: list[str]) -> Any:
    v = x[0]
    for name in names:
        v = ACTIVATIONS[name](v) if name in ACTIVATIONS else x[1] * v
    return v * len(ACTIVATIONS)


@program((X, 1), (Y, 2))
def all_of_them(x: Any, n: int) -> Any:
    s = OTHERS["sin"](x[0] * n)
    for name, f in ACTIVATIONS.items():
        s += f(x[1]) * len(name)
    return s + sum(f(x[0]) for f in ACTIVATIONS.values())


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


TABLE = OrderedDict(one=squared, two=rectified)


def of_the_table(x: float, names: list[str]) -> float:
    for name in names:
        x = TABLE[name](x) * 3.0
    return x


def test_another_function_by_the_same_name_is_noticed() -> None:
    derivative, names = value_and_grad(of_the_table), ["one", "two", "one", "two", "one"]
    assert derivative(0.5, names)[0] == of_the_table(0.5, names)
    TABLE["two"] = math.sin
    try:
        assert derivative(0.5, names)[0] == of_the_table(0.5, names)
    finally:
        TABLE["two"] = rectified
