"""Results: a list, a dict, a set or an array that stands at several places of a result is one object there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, hvp, jvp, value_and_grad, vjp

Function = Callable[..., Any]

LISTED, ARRAY = [1.0, 2.0], np.array([1.0, 2.0])


@dataclass
class Pair:
    a: Any
    b: Any


def form(x: Any, numbers: dict[int, int] | None = None) -> Any:
    """The structure of a result: what can be changed has the number of its first place."""
    numbers = {} if numbers is None else numbers
    if not isinstance(x, (list, dict, set, np.ndarray, tuple, Pair)):
        return type(x).__name__
    number = None if isinstance(x, tuple) else numbers.setdefault(id(x), len(numbers))
    parts = [*x.values()] if isinstance(x, dict) else [x.a, x.b] if isinstance(x, Pair) else x
    return type(x).__name__, number, *(form(part, numbers) for part in parts if not isinstance(x, (np.ndarray, set)))


def repeated(x: Any, u: Any) -> Any:
    row = [x, 2.0 * x]
    return [row] * 3


def of_arrays(x: Any, u: Any) -> Any:
    a, s = np.array([1.0, 2.0]) * x, {1, 2}
    return {"a": a, "b": (a, s), "c": [a, a * 1.0, s]}


def nested(x: Any, u: Any) -> Any:
    row, entries = [x], {"k": x}
    return row, [row, (row, entries)], {"row": row, "entries": entries}


def arguments(x: Any, u: Any) -> Any:
    return u, [u, u], (LISTED, LISTED), ARRAY, ARRAY


def computed_at_the_end(x: Any, u: Any) -> Any:
    rows = [[x * x, np.sin(x)]]
    return rows + rows, (y := np.cos(u) * x, y)


def of_a_loop(x: Any, u: Any) -> Any:
    rows = []
    row = [x]
    for _ in range(3):
        rows.append(row)
    return rows, row


def of_a_long_loop(x: Any, u: Any) -> Any:
    rows = []
    for k in range(len(u)):
        rows.append(x * k)
    return rows, {"rows": rows}


def of_branches(x: Any, u: Any) -> Any:
    row, shared = [x, x], u * x
    if x > 1.0:
        return [row, row], (shared, shared)
    return [row, row], (shared, shared)


def objects(x: Any, u: Any) -> Any:
    pair = Pair(x, [x, u])
    return pair, [pair, pair.b], Pair(pair, pair)


RESULTS = (repeated, of_arrays, nested, arguments, computed_at_the_end, of_a_loop, of_a_long_loop, of_branches, objects)


@pytest.mark.parametrize(("f", "backend"), [
    *((f, "numpy") for f in RESULTS), (repeated, "numba"), (nested, "numba"), (arguments, "numba")])
def test_what_is_one_object_is_one_object(f: Function, backend: str) -> None:
    def beside(x: Any, u: Any) -> Any:
        return x * x, f(x, u)

    u = np.array([0.5, 1.5])
    expected = form(f(1.5, u))
    assert form(value_and_grad(beside, has_aux=True, backend=backend)(1.5, u)[0][1]) == expected
    assert form(grad(beside, has_aux=True, backend=backend)(1.5, u)[1]) == expected


@pytest.mark.parametrize("f", (repeated, of_arrays, nested, computed_at_the_end, of_a_loop, of_branches))
def test_values_of_vjp_and_jvp(f: Function) -> None:
    u = np.array([0.5, 1.5])
    expected = form(f(1.5, u))

    def g(x: Any) -> Any:
        return f(x, u)

    value, pullback = vjp(g, 1.5)
    assert form(value) == expected
    assert form(jvp(g, (1.5,), (1.0,))[0]) == expected
    tangent = jvp(g, (1.5,), (1.0,))[1]
    assert isinstance(pullback(tangent)[0], float)


def test_cotangents_of_one_array_at_two_places_add_up() -> None:
    def g(x: Any) -> Any:
        y = x * x
        return y, [y, y]

    (_, (one, two)), pullback = vjp(g, np.array([2.0, 3.0]))
    assert one is two
    seeds = np.array([1.0, 0.0]), [np.array([0.0, 1.0]), np.array([1.0, 1.0])]
    np.testing.assert_allclose(pullback(seeds)[0], [8.0, 12.0])


def test_gradients_are_objects_of_their_own() -> None:
    da, db = grad(lambda a, b: np.sum(a + b), argnums=(0, 1))(np.ones(2), np.ones(2))
    assert da is not db
    assert not np.shares_memory(da, db)
    assert hvp(lambda a: np.sum(a * a), (np.ones(2),), (np.ones(2),)).shape == (2,)


def row_of_an_inner_derivative(x: Any) -> Any:
    def inner(y: Any) -> Any:
        row = [y]
        return y * y, [row, row]

    (value, rows), slope = value_and_grad(inner, has_aux=True)(x)
    rows[0].append(3.0 * x)
    return value * slope + sum(rows[1])


def array_of_an_inner_derivative(x: Any) -> Any:
    def inner(y: Any) -> Any:
        a = np.array([y, 2.0 * y])
        return y * y, (a, {"a": a})

    (value, (a, entries)), _ = value_and_grad(inner, has_aux=True)(x)
    a[0] = 7.0 * x * x
    return value + np.sum(entries["a"])


def result_of_an_inner_jvp(x: Any) -> Any:
    def inner(y: Any) -> Any:
        row = [y, y * y]
        return [row] * 2

    rows, slopes = jvp(inner, (x,), (1.0,))
    rows[0][0] = x * x * x
    slopes[0][0] = 5.0 * x
    return rows[1][0] + slopes[1][1] * slopes[1][0]


def result_of_an_inner_vjp(x: Any) -> Any:
    def inner(y: Any) -> Any:
        a = np.array([y, y * y])
        return a, a

    (a, b), pullback = vjp(inner, x)
    a *= x
    return np.sum(b) * pullback((np.ones(2), np.ones(2)))[0]


@pytest.mark.parametrize("f", (row_of_an_inner_derivative, array_of_an_inner_derivative, result_of_an_inner_jvp,
                               result_of_an_inner_vjp))
def test_results_of_inner_derivatives(f: Function) -> None:
    agrees(f, 1.5)
