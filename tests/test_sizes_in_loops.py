"""Arrays whose size is linear in the index of the loop that carries them: they grow or shrink in each iteration.

The derivative needs no shapes at run time: nothing is summed over axes that are found then, and no array is on a tape
for its shape alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, jvp, value_and_grad
from tests.oracle import same_value

X, E = np.array([0.3, 0.7, -0.4]), np.eye(3)


def bordered(x: Any, n: int) -> Any:
    P = np.array([[x[0], 1.0 - x[0]], [1.0 - x[1], x[1]]])
    for i in range(3, n + 1):
        Q = np.zeros((i, i))
        Q[:-1, :-1] += x[0] * P
        Q[:-1, 1:] += (1.0 - x[0]) * P
        Q[1:, :-1] += (1.0 - x[1]) * P
        Q[1:, 1:] += x[1] * P
        Q[1:-1, :] /= 2.0
        P = Q
    return np.sum(P * P * P)


def appended(x: Any, n: int) -> Any:
    y = x * x
    for _ in range(n):
        y = np.append(y, np.sum(y)) * np.append(1.0, y)
    return np.sum(np.sin(y))


def from_one(x: Any, n: int) -> Any:
    row = np.ones(1) * x[2]
    for k in range(n, 0, -2):
        new = np.zeros(len(row) + 2)
        new[:-2] += row * x[0]
        new[2:] += row * x[1] * k
        row = new
    return np.sum(row * row) * x[1]


def differences(x: Any, n: int) -> Any:
    y, total = np.append(x, x[:n] * x[:n]), 0.0
    for _ in range(1, len(y)):
        y = np.diff(y) * y[1:]
        total += np.sum(y * y)
    return total


def in_an_outer_loop(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(1, n + 1):
        y = x[:1] * i
        for _ in range(i):
            y = np.append(y, x[1] * y[-1])
        total += np.sum(y * y)
    return total


def of_another_size_on_one_path(x: Any, n: int) -> Any:
    y = x
    for i in range(n):
        z = np.append(y, x[0])
        if i != 2:
            y = z * x[1]
    return np.sum(y * y)


def left_early(x: Any, n: int) -> Any:
    y = x
    for _ in range(n):
        y = np.append(y, x[0] * x[1])
        if len(y) > 5:
            break
    return np.sum(y**3)


def repeated_to_one(x: Any, n: int) -> Any:
    """A part of one row is added to all rows."""
    P = x[None, :1] * np.ones((1, 2))
    for i in range(2, n + 1):
        Q = np.zeros((i, 2))
        Q += P[:1] * x[1]
        Q[1:] += P * x[2]
        P = Q
    return np.sum(P * P)


PROGRAMS = [bordered, appended, from_one, differences, in_an_outer_loop, of_another_size_on_one_path, left_early,
            repeated_to_one]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_derivatives(f: Callable[..., Any], n: int) -> None:
    x, e = X.copy(), 1e-6
    value, slope = value_and_grad(f)(x, n)
    assert same_value(value, f(x.copy(), n))
    np.testing.assert_array_equal(x, X)
    numeric = [(f(x + d, n) - f(x - d, n)) / (2.0 * e) for d in e * E]
    np.testing.assert_allclose(slope, numeric, rtol=2e-6, atol=1e-8)
    v = np.array([1.0, -0.5, 0.25])
    np.testing.assert_allclose(jvp(lambda x: f(x, n), (x,), (v,))[1], slope @ v, rtol=1e-10, atol=1e-12)
    central = (grad(f)(x + e * v, n) - grad(f)(x - e * v, n)) / (2.0 * e)
    np.testing.assert_allclose(hvp(lambda x: f(x, n), (x,), (v,)), central, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("f", [bordered, appended])
def test_no_shapes_at_run_time(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    derivative(X, 6)
    assert ".shape)" not in derivative.source and "np.copy" not in derivative.source
