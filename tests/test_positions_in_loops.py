"""Items of short lists and tuples at positions of run time, in loops of many iterations: the loop stays a loop."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, jvp, value_and_grad

KNOTS = (0.1, 0.2, 0.5)


def volatility(vols, price, knots):
    s = 0.23
    for _ in range(30):
        i = max(0, min(bisect.bisect(knots, s) - 1, len(knots) - 2))
        w = (s - knots[i]) / (knots[i + 1] - knots[i])
        v = vols[i] * (1 - w) + vols[i + 1] * w
        err = v * s - price
        if abs(err) < 1e-13:
            break
        s -= err / (v + 0.4)
    return s


def by_own_search(vols, price, knots):
    s = 0.23
    for _ in range(30):
        low, high = 0, len(knots)
        for _ in range(8):
            if low >= high:
                break
            middle = (low + high) // 2
            if knots[middle] < s:
                low = middle + 1
            else:
                high = middle
        i = max(0, min(low - 1, len(knots) - 2))
        w = (s - knots[i]) / (knots[i + 1] - knots[i])
        s -= ((vols[i] * (1 - w) + vols[i + 1] * w) * s - price) / 0.8
    return s


def ring(x):
    buffer = [x[0], x[1], x[2]]
    for i in range(30):
        buffer[i % 3] = math.sin(buffer[(i + 1) % 3]) + 0.5 * buffer[(i + 2) % 3]
    return buffer[0] + buffer[1]


def two_grids(x):
    grids = [x.copy(), x.copy()]
    old, new = 0, 1
    for _ in range(20):
        grids[new][1:-1] = 0.5 * (grids[old][:-2] + grids[old][2:])
        old, new = new, old
    return np.sum(grids[old] ** 2)


def reversed_halfway(x):
    items, out = [x[0], x[1], x[2]], []
    for i in range(12):
        out.append(items[i % 3] * items[0] * i)
        if i == 5:
            items = items[::-1]
    return sum(out) * items[0]


def shapes_by_turns(x):
    shapes, total = ((2, 2), (4, 1)), 0.0
    for i in range(12):
        total += np.reshape(x * x, shapes[i % 2])[1, 0] * i
    return total


def axes_by_turns(x):
    axes, total = (0, 1, 0), 0.0
    for i in range(12):
        total += np.sum(np.sum(np.outer(x, x), axis=axes[i % 3]) ** 2)
    return total


def functions_by_turns(x):
    functions = [np.sin, np.cosh]
    for i in range(10):
        x = functions[i % 2](x)
    return np.sum(x)


def views_by_turns(x):
    parts = (x * 1.0, x * 2.0)
    total = 0.0
    for i in range(12):
        part = parts[i & 1]
        part[0] += 0.5 * part[1]
        total += np.sum(part**2)
    return total + parts[0][0] * parts[1][0]


def slopes(f: Callable[[Any], float], x: np.ndarray) -> np.ndarray:
    return np.array([(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(len(x))])


@pytest.mark.parametrize("f", [ring, two_grids, reversed_halfway, shapes_by_turns, axes_by_turns, functions_by_turns,
                               views_by_turns], ids=lambda f: f.__name__)
def test_derivatives(f: Callable[[Any], float]) -> None:
    for x in (np.array([0.3, 0.7, 1.1, 1.6]), np.array([-0.2, 0.4, 0.9, 0.1])):
        kept = x.copy()
        value, gradient = value_and_grad(f)(x)
        np.testing.assert_allclose(gradient, slopes(f, x), rtol=2e-6, atol=1e-7)
        direction = np.array([1.0, -0.5, 0.25, 2.0])
        assert value == f(x)
        np.testing.assert_allclose(jvp(f, (x,), (direction,))[1], gradient @ direction, rtol=1e-11)
        second = (grad(f)(x + 1e-6 * direction) - grad(f)(x - 1e-6 * direction)) / 2e-6
        np.testing.assert_allclose(hvp(f, (x,), (direction,)), second, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize("f", [volatility, by_own_search])
def test_searches_in_iterations(f: Callable[..., float]) -> None:
    derivative = value_and_grad(f)
    for vols, price in (([0.2, 0.3, 0.4], 0.1), ([0.5, 0.3, 0.4], 0.07), ([1.0, 1.1, 0.9], 0.17)):
        value, gradient = derivative(vols, price, KNOTS)
        assert value == f(vols, price, KNOTS)
        expected = slopes(lambda v, at=price: f(list(v), at, KNOTS), np.array(vols))
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-8)
    assert len(derivative.source.splitlines()) < 90


def test_their_text_does_not_grow_with_the_iterations() -> None:
    def of(count: int) -> Callable[[Any], float]:
        def f(x):
            items, s = (x[0], x[1], x[2]), 0.0
            for i in range(count):
                s += items[i % 3] ** 2 * i
            return s

        return f

    lines = []
    for count in (9, 60, 65):
        derivative = grad(of(count))
        x = np.array([0.3, 0.7, 1.1])
        np.testing.assert_allclose(derivative(x), slopes(of(count), x), rtol=1e-6)
        lines.append(len(derivative.source.splitlines()))
    assert len(set(lines)) == 1


def written(vols, x, knots):
    for i in range(12):
        vols[i % 3] = vols[(i + 1) % 3] * knots[i % 3] + math.sin(vols[i % 3])
        x += vols[i % 2]
    return x * vols[0]


def kept(vols, x, knots):
    first, out = vols, []
    for i in range(12):
        out.append(first[i % 3] * x)
        out = out[-4:]
    return sum(out) * knots[len(out) - 2]


def beyond(vols, x, knots):
    items = list(knots)
    for i in range(12):
        x += items[i] * vols[0]
    return x


def test_arguments_are_read_as_they_are() -> None:
    derivative = value_and_grad(volatility)
    derivative([0.2, 0.3, 0.4], 0.1, KNOTS)
    body = derivative.source.split("\n    s = ")[1]
    assert "knots[" in body and "vols[" in body and "knots_0" not in derivative.source, derivative.source


@pytest.mark.parametrize("f", [written, kept])
def test_arguments_that_are_written_or_go_on(f: Callable[..., float]) -> None:
    derivative = value_and_grad(f)
    for vols in ([0.2, 0.3, 0.4], [1.0, -0.5, 0.3]):
        before = list(vols)
        value, gradient = derivative(vols, 0.7, KNOTS)
        assert vols == before and value == f(list(vols), 0.7, KNOTS)
        expected = slopes(lambda v: f(list(v), 0.7, KNOTS), np.array(vols))
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


def test_a_position_beyond_the_end_raises_what_python_raises() -> None:
    with pytest.raises(IndexError) as by_python:
        beyond([0.2], 0.5, KNOTS)
    with pytest.raises(IndexError) as by_derivative:
        value_and_grad(beyond)([0.2], 0.5, KNOTS)
    assert str(by_derivative.value) == str(by_python.value)
