"""A branch guards against what has no derivative: on the path that does not use it, the gradient is exact."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, jacrev, jvp, vjp


def early_return(x: Any) -> Any:
    r = np.sqrt(np.sum(x * x))
    if r < 1e-12:
        return np.sum(x) * 2.0
    return np.sum(x / r)


def conditional_expression(x: Any) -> Any:
    r = np.sqrt(x @ x)
    return np.sum(x / r if r > 0.0 else 2.0 * x)


def logarithm(x: Any) -> Any:
    s = np.log(np.sum(x))
    if not np.isfinite(s):
        return np.sum(2.0 * x)
    return s


def reciprocal(x: Any) -> Any:
    s = 1.0 / np.sum(x)
    return 2.0 * np.sum(x) if np.isinf(s) else s


def whole_array(x: Any) -> Any:
    y = np.sqrt(x)
    if np.any(y == 0.0):
        return 2.0 * np.sum(x)
    return np.sum(y)


def nested_branches(x: Any) -> Any:
    r = np.sqrt(np.sum(x))
    y = np.log(r + x)
    if x[0] < 1.0:
        if r > 0.5:
            return np.sum(y) * r
        return np.sum(x * 2.0)
    return np.sum(x)


def loop_before(x: Any) -> Any:
    y = x + 2.0
    for _ in range(12):
        y = y * y * 10.0
    if x[0] < 1.0:
        return np.sum(2.0 * x)
    return np.sum(y)


def early_return_of_a_loop(x: Any) -> Any:
    r = np.sqrt(x)
    for k in range(3):
        if k > 1 and x[0] < 1.0:
            return 2.0 * np.sum(x)
    return np.sum(r)


def a_write_into_what_was_read(x: Any) -> Any:
    r = np.sqrt(x)
    y = 2.0 * x
    if x[0] > 1.0:
        y[0] = r[0]
        y[1] += np.sum(r)
    return np.sum(y)


def helper_with_several_results(x: Any) -> Any:
    q, r = np.linalg.qr(np.outer(x, x))
    if x[0] > 1.0:
        return np.sum(q @ r)
    return 2.0 * np.sum(x)


GUARDS = [early_return, conditional_expression, logarithm, reciprocal, whole_array, nested_branches, loop_before,
          early_return_of_a_loop, a_write_into_what_was_read, helper_with_several_results]


@pytest.mark.parametrize("f", GUARDS)
def test_the_path_taken_alone_counts(f: Callable[..., Any]) -> None:
    x, ones = np.zeros(2), np.ones(2)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(grad(f)(x), 2.0 * ones)
        np.testing.assert_array_equal(vjp(f, x)[1](1.0)[0], 2.0 * ones)
        np.testing.assert_array_equal(jacrev(f)(x), 2.0 * ones)
        assert jvp(f, (x,), (ones,))[1] == 4.0


@pytest.mark.parametrize("f", [f for f in GUARDS if f not in (loop_before, helper_with_several_results)])
def test_the_other_path_is_differentiated(f: Callable[..., Any]) -> None:
    agrees(f, np.array([1.5, 0.7]))


def element_of_a_choice_in_a_choice(x: Any) -> Any:
    a = x[1] if x[0] > 0.0 else None
    b = a or 1.5
    return x[0] * x[1] + b


@pytest.mark.parametrize("x", [[1.5, 0.7], [1.5, -0.7], [-1.5, 0.7]])
def test_an_element_that_a_choice_in_a_choice_reads(x: list[float]) -> None:
    agrees(element_of_a_choice_in_a_choice, np.array(x))


def pairs(X: Any) -> Any:
    """A potential of pairs, which points at one place do not have."""
    e = 0.0
    for i in range(len(X)):
        for j in range(i):
            d = X[i] - X[j]
            r = np.sqrt(d @ d)
            if r > 0.0:
                e += 1.0 / r
    return e


def rows(X: Any) -> Any:
    total = 0.0
    for row in X:
        r = math.sqrt(row[0] ** 2 + row[1] ** 2)
        if r == 0.0:
            continue
        total += r
    return total


@pytest.mark.parametrize("f, expected", [
    (pairs, [[0.024, 0.032], [0.024, 0.032], [-0.048, -0.064]]), (rows, [[0.0, 0.0], [0.0, 0.0], [0.6, 0.8]])])
def test_in_a_loop(f: Callable[..., Any], expected: Any) -> None:
    with np.errstate(all="raise"):
        X = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]])
        np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-14)


@pytest.mark.parametrize("n", [0.5, 0.3, 2.0 / 3.0])
def test_a_power_has_an_infinite_slope_at_zero(n: float) -> None:
    def f(x: Any) -> Any:
        return np.sum(x ** 0.5) if n == 0.5 else np.sum(x ** 0.3) if n == 0.3 else np.sum(x ** (2.0 / 3.0))

    x = np.array([0.5, 0.0])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(grad(f)(x), n * x ** (n - 1.0), rtol=1e-14)
