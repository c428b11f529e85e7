"""Functions called twice with an object that each evaluation makes anew: a set, a slice, `itemgetter`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import grad

DATA = [{"car": 1.5, "bus": 0.5, "rail": 2.0}, {"car": 0.5, "bus": 1.5, "rail": 0.7}]


def utilities(of: Any, x: Any, data: Any) -> Any:
    u = dict.fromkeys(data, 0.0)
    for members in of.values():
        c = x * x + 1.0
        for a in u:
            if members is None:
                u[a] += c * np.sin(x * data[a])
            elif a in members:
                u[a] += c * np.cos(x)
    return u


def weighted(take: Callable[[Any], Any], x: Any, data: Any) -> Any:
    y = x
    for _ in range(3):
        for a in data:
            y = y * 0.9 + np.sin(x * data[a]) + np.cos(y) * take([x, data[a], x * x])
            if y > 100:
                y -= x
    return y


def part(of: slice, x: Any, data: Any) -> Any:
    y = x
    for _ in range(3):
        for a in data:
            y = y * 0.9 + np.sin(x * data[a]) * (np.array([1.0, 2.0, 3.0]) * x)[of].sum() + np.cos(y)
            if y > 100:
                y -= x
    return y


def sets(x: Any, data: Any) -> Any:
    of = {"all": None, "some": {"bus", "rail"}, "frozen": frozenset(["car"])}
    return sum(utilities(of, x, row)["bus"] * x for row in data)


def sets_of_each_call(x: Any, data: Any) -> Any:
    return sum(utilities({"all": None, "some": {"bus"}}, x, row)["bus"] * x for row in data)


def two_sets(x: Any, data: Any) -> Any:
    one, other = {"some": {"bus"}}, {"some": {"car"}}
    return sum(utilities(one, x, row)["bus"] + 3.0 * utilities(other, x, row)["bus"] for row in data)


def getters(x: Any, data: Any) -> Any:
    return sum(weighted(operator.itemgetter(k), x, row) for row in data for k in range(3))


def slices(x: Any, data: Any) -> Any:
    return sum(part(of, x, row) for row in data for of in (slice(0, 2), slice(1, 2), slice(0, 2)))


@pytest.mark.parametrize("f", [sets, sets_of_each_call, two_sets, getters, slices], ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, DATA)
    agrees(f, 1.3, DATA[::-1])
    agrees_in_second_order(f, 0.7, DATA)


def test_one_set_is_passed_to_one_function() -> None:
    derivative = grad(sets)
    derivative(0.7, tuple(DATA))
    assert derivative.source.count("def utilities_forward(") == 1
