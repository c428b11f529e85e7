"""Loops that are left in the middle: what an iteration keeps is on one tape, and the one that leaves keeps nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, jvp, value_and_grad


def root(x, a):
    for _ in range(30):
        f = x * x - a
        if abs(f) < 1e-9:
            break
        x = x - f / (2 * x)
    return x * x * x


def interpolated(x, a):
    knots = (0.0, 0.5, 1.0, 4.0)
    for _ in range(12):
        i = 0
        while i < 2 and x >= knots[i + 1]:
            i += 1
        w = (x - knots[i]) / (knots[i + 1] - knots[i])
        err = w * x - a
        if abs(err) < 1e-3:
            break
        x = x - 0.3 * err * a
    return x * a


def written_between(x, a):
    state = np.array([x, a, x * a])
    for _ in range(6):
        gap = state[0] * state[1]
        if gap > 4.0:
            break
        state[0] += 0.3 * np.sin(gap)
        rest = state[0] * state[2]
        state[1] *= 1.0 + 0.1 * rest
        x = x * rest + gap * a
    return state[2] * np.sum(state) + x


def left_twice(x, a):
    total = 0.0
    for k in range(8):
        y = x * a
        if y > 3.0:
            break
        z = y * y * x
        if z < -2.0:
            return total * x
        total += z * a
        x = x * 1.2 + 0.1 * k
    return total + x


ALL = [root, interpolated, written_between, left_twice]
ARGUMENTS = [(1.3, 2.0), (0.4, 0.7), (2.9, 1.7), (-0.3, 1.1), (1.1, 0.9)]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[[float, float], Any]) -> None:
    derivative, direction, e = value_and_grad(f, (0, 1)), (1.0, -0.7), 1e-6
    for x, a in ARGUMENTS:
        value, gradient = derivative(x, a)
        assert value == f(x, a)
        slopes = [(f(x + e, a) - f(x - e, a)) / (2 * e), (f(x, a + e) - f(x, a - e)) / (2 * e)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(jvp(f, (x, a), direction)[1], np.dot(gradient, direction), rtol=1e-11)
        second = (grad(f)(x + e, a - 0.7 * e) - grad(f)(x - e, a + 0.7 * e)) / (2 * e)
        np.testing.assert_allclose(hvp(f, (x, a), direction), second, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", [root, interpolated])
def test_an_iteration_appends_once(f: Callable[[float, float], Any]) -> None:
    derivative = grad(f)
    derivative(1.3, 2.0)
    lines = inspect.cleandoc(derivative.source).splitlines()
    (leaves,) = (k for k, line in enumerate(lines) if line.strip() == "break")
    (appends,) = (k for k, line in enumerate(lines) if "tape.append(" in line)
    (pops,) = (k for k, line in enumerate(lines) if "tape.pop()" in line)
    assert leaves < appends < pops and lines[pops - 1].strip() == "while tape:"
