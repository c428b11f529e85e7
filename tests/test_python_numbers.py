"""Python numbers and those of NumPy: where one raises and the other does not, and bools that are ints."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome, same_value

from sct import grad, jvp, value_and_grad

INF = math.inf


# -- what raised nothing raises nothing in the derivative ---------------------------------------


def element(x: np.ndarray, c: float) -> float:
    return x[0] / c


def by_literal(x: np.ndarray) -> float:
    return x[0] / 0.0


def total(x: np.ndarray, c: float) -> float:
    return np.sum(x) / c


def mean_by_hand(x: np.ndarray) -> float:
    return np.sum(x) / len(x)


def several(x: np.ndarray, c: float) -> float:
    return np.log(x[0]) / len(x) / c


def scaled(x: np.ndarray, c: float) -> float:
    return x[0] / (2.0 * c)


def in_a_loop(x: np.ndarray, c: float) -> float:
    s = 0.0
    for v in x:
        s = s + v / c
    return s


def by_the_index(x: np.ndarray) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] / i
    return s


def in_a_branch(x: np.ndarray, c: float) -> float:
    s = x[0]
    if s > 0.5:
        s = s / c
    return s


def of_either_kind(x: np.ndarray, c: float) -> float:
    s = x[0] if x[0] > 0.0 else 1.0
    return s / c


def before_it_is_known(x: np.ndarray, c: float) -> float:
    s = x[0] / c
    return s if c else s + 1.0


@pytest.mark.parametrize("f, args, expected", [
    (element, (np.ones(2), 0.0), [INF, 0.0]),
    (element, (np.ones(2), -0.0), [-INF, 0.0]),
    (element, (np.ones(2), 0), [INF, 0.0]),
    (element, (np.ones(2), False), [INF, 0.0]),
    (element, (np.ones(2, "f4"), 0.0), [INF, 0.0]),
    (element, (np.ones(2), 2.0), [0.5, 0.0]),
    (by_literal, (np.ones(2),), [INF, 0.0]),
    (total, (np.ones(2), 0.0), [INF, INF]),
    (total, (np.ones(2, "f4"), 0.0), [INF, INF]),
    (mean_by_hand, (np.ones(0),), []),
    (several, (np.full(2, 2.0), 0.0), [INF, 0.0]),
    (scaled, (np.ones(2), 0.0), [INF, 0.0]),
    (in_a_loop, (np.ones(2), 0.0), [INF, INF]),
    (by_the_index, (np.ones(3),), [INF, 1.0, 0.5]),
    (in_a_branch, (np.ones(2), 0.0), [INF, 0.0]),
    (in_a_branch, (np.zeros(2), 0.0), [1.0, 0.0]),
    (of_either_kind, (np.ones(2), 0.0), [INF, 0.0]),
    (before_it_is_known, (np.ones(2), 0.0), [INF, 0.0]),
])
def test_numpy_numbers_are_divided_by_python_zeros(f: Callable[..., Any], args: tuple[Any, ...],
                                                   expected: list[float]) -> None:
    value, gradient = calm(value_and_grad(f), args)
    assert same_value(value, calm(f, args))
    np.testing.assert_array_equal(gradient, np.array(expected, args[0].dtype), strict=True)
    np.testing.assert_array_equal(calm(grad(f), args), gradient)


def sine(c: float) -> float:
    return np.sin(c)


def cosine(c: float) -> float:
    return np.cos(c)


def tangent(c: float) -> float:
    return np.tan(c)


def hyperbolic_sine(c: float) -> float:
    return np.sinh(c)


def hyperbolic_cosine(c: float) -> float:
    return np.cosh(c)


def exponential(c: float) -> float:
    return np.exp(c)


def arc_sine(c: float) -> float:
    return np.arcsin(c)


def arc_hyperbolic(c: float) -> float:
    return np.arccosh(c)


def arc_tangent(c: float) -> float:
    return np.arctanh(c)


def logarithm(c: float) -> float:
    return np.log(c)


def power(c: float, e: float) -> float:
    return np.power(c, e)


def power_in_double(c: float, e: float) -> float:
    return np.float_power(c, e)


def power_of_literal(c: float) -> float:
    return np.power(c, 2.5)


def remainder(c: float, e: float) -> float:
    return np.mod(c, e)


def quotient(c: float, e: float) -> float:
    return np.divide(c, e)


def inverse(c: float) -> float:
    return np.reciprocal(c)


FUNCTIONS: list[tuple[Callable[..., Any], tuple[float, ...]]] = [
    (sine, (INF,)), (cosine, (INF,)), (tangent, (-INF,)), (hyperbolic_sine, (1e3,)), (hyperbolic_cosine, (-1e3,)),
    (exponential, (1e3,)), (arc_sine, (2.0,)), (arc_hyperbolic, (0.5,)), (arc_tangent, (1.0,)), (arc_tangent, (2.0,)),
    (logarithm, (0.0,)), (logarithm, (-1.0,)), (power, (0.0, 0.5)), (power, (0.0, -0.5)), (power, (-8.0, 1 / 3)),
    (power, (1e300, 3.0)), (power, (0.0, 0.0)), (power_in_double, (0.0, 0.5)), (power_in_double, (-8.0, 0.3)),
    (power_of_literal, (-1.0,)), (power_of_literal, (1e250,)), (remainder, (1.0, 0.0)), (quotient, (1.0, 0.0)),
    (quotient, (0.0, 0.0)), (inverse, (0.0,)),
]


@pytest.mark.parametrize("f, args", FUNCTIONS)
def test_functions_of_numpy_raise_nothing_in_their_derivatives(f: Callable[..., Any], args: tuple[float, ...]) -> None:
    every = tuple(range(len(args)))
    plain = calm(f, args)
    assert same_value(calm(value_and_grad(f, argnums=every), args)[0], plain)
    assert same_value(calm(lambda *xs: jvp(f, xs, (1.0,) * len(xs))[0], args), plain)
    calm(grad(grad(f)), args)


def both_in_python(c: float, e: float) -> float:
    return np.float64(1.0) * c + c / e


def a_logarithm_first(x: np.ndarray, c: float) -> float:
    return x[0] / c + math.log(3.0 * c)


@pytest.mark.parametrize("f, args", [
    (both_in_python, (1.0, 0.0)), (both_in_python, (1.0, 2.0)),
    (a_logarithm_first, (np.ones(2), 0.5)),
])
def test_what_raises_in_python_raises(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_what_was_divided_by_in_python_is_not_zero() -> None:
    """There the derivative divides Python numbers."""
    made = value_and_grad(a_logarithm_first)
    made(np.ones(2), 0.5)
    assert "1.0 / c" in made.source
    assert "float64" not in made.source


def calm(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the call gives; it warns of nothing, and raises nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = outcome(f, args)
    assert result.error is None, result.error
    return result.value
