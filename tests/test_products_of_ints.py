"""A derivative is computed in floats also where it is a product of the user's numbers that are ints at run time.

NumPy's ints wrap around above 2**63.  Which items of a list are ints, and what a loop carries, is known only when the
derivative runs: `k` of these programs is an int of NumPy, of Python, or a float.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sct import grad, hessian, hvp, jacfwd, jvp, value_and_grad
from tests.oracle import same_value
from tests.programs.physics import projectile_range

Program = Callable[..., Any]
X = np.array([0.3, 0.4])


def mixed(k, n):
    return [k if i % 2 else 1.5 for i in range(n)]


def items_of_a_list(x, k, n):
    s = 0.0
    for v in mixed(k, n):
        s = s + x[1] * v * v * v * v
    return s


def rows_of_a_list(x, k, n):
    s = 0.0
    for v, i in [(k if i % 2 else 1.5, i) for i in range(n)]:
        s = s + x[0] * x[1] * v * v * v * v * (i + 1)
    return s


def values_of_a_dict(x, k, n):
    values = {}
    for i in range(n):
        values[i] = k if i % 2 else 1.5
    s = 0.0
    for i in values:
        s = s + x[0] * values[i] * values[i] * values[i] * values[i] * x[1]
    return s


def popped(x, k, n):
    values, s = mixed(k, n), 0.0
    while values:
        v = values.pop()
        if v > 2:
            s = s + x[0] * v * v * v * v
    return s * x[1]


def of_order(x, k, n):
    values, s = sorted(mixed(k, n)), 0.0
    v = max(values)
    for w in values:
        s = s + x[0] * w * w * v * v
    return s


@dataclass
class Point:
    w: float


def attributes(x, k, n):
    points = [Point(k if i % 2 else 1.5) for i in range(n)]
    s = 0.0
    for p in points:
        s = s + x[1] * p.w * p.w * p.w * p.w
    return s


def carried(x, k, n):
    c = k if n > 2 else 1.5
    s = 0.0
    for i in range(n):
        s = s + x[1] * c * c * c * c
        c = k if i > 2 else c
    return s


def in_an_inner_loop(x, k, n):
    values, s = mixed(k, n), 0.0
    for _ in range(3):
        for v in values:
            s = s + x[0] * v * v * v * v * x[1]
    return s


def of_a_recursive_function(x, k, n):
    def last(m, v):
        return v if m == 0 else last(m - 1, v if m % 2 else 1.5)

    v = last(n, k)
    return x[0] * v * v * v * v * x[1]


def in_a_recursive_function(x, k, n):
    def power(y, m, v):
        return y if m == 0 else power(y * v * v * v * 1e-30, m - 1, v if m % 2 else 1)

    return power(x[0] * x[1], n, k)


def before_a_float(x, k, n):
    v = mixed(k, n)[1]
    return (v * x[0]) * (v * x[1]) * (v * v)


def times_an_array_of_ints(x, k, n):
    v = mixed(k, n)[-1]
    return np.sum(x[0] * v * np.arange(n) * 10**12)


PROGRAMS = [items_of_a_list, rows_of_a_list, values_of_a_dict, popped, of_order, attributes, carried, in_an_inner_loop,
            of_a_recursive_function, in_a_recursive_function, before_a_float, times_an_array_of_ints]


@pytest.mark.parametrize("k", [np.int64(3_000_000_019), 3_000_000_019, 3_000_000_019.0, np.float64(3_000_000_019)])
@pytest.mark.parametrize("f", PROGRAMS)
def test_a_product_of_ints_is_one_of_floats(f: Program, k: Any) -> None:
    """Each program is linear in each of the two numbers."""
    n = 4
    floats = f(np.array([1.3, 0.4]), float(k), n), f(np.array([0.3, 1.4]), float(k), n)
    value, slope = value_and_grad(f)(X, k, n)
    assert same_value(value, f(X, k, n))
    np.testing.assert_allclose(slope, np.array(floats) - f(X, float(k), n), rtol=1e-9, atol=abs(value) * 1e-12)
    np.testing.assert_allclose(slope, grad(f)(X, float(k), n), rtol=1e-12)
    np.testing.assert_allclose(grad(f)(X, k, n), slope, rtol=1e-12)
    np.testing.assert_allclose(jacfwd(f)(X, k, n), slope, rtol=1e-12)
    direction = np.array([0.5, -0.25])
    np.testing.assert_allclose(jvp(f, (X, k, n), (direction,))[1], slope @ direction, rtol=1e-12)
    curvature = hessian(f)(X, k, n)
    np.testing.assert_allclose(curvature, hessian(f)(X, float(k), n), rtol=1e-12)
    np.testing.assert_allclose(hvp(f, (X, k, n), (direction,)), curvature @ direction, rtol=1e-12)
    assert same_value(X, np.array([0.3, 0.4]))


def test_a_variable_that_is_not_assigned_before_a_loop_is_no_int() -> None:
    """Its tangent is not converted to NumPy's floats: the tangent of a program of floats is a float."""
    result = jvp(projectile_range, (12.0, 0.7, 0.02), (1.0, -0.5, 0.3))
    assert all(type(number) is float for number in result)
