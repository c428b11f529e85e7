"""The IR printed as code for Numba: the five programs of the spike, exits, `while`, second derivatives."""

import math
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from sct import grad
from sct.frontend import Transform
from sct.ir import interp

pytest.importorskip("numba")

from benchmarks.numba_spike import build
from benchmarks.numba_spike.emit import load
from benchmarks.numba_spike.programs import PROGRAMS, Program


def newton(a: float) -> float:
    x = a if a > 1.0 else 1.0
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def crossing(x: np.ndarray, level: float) -> float:
    total = 0.0
    for value in x:
        if value < 0.0:
            continue
        total += value * value
        if total > level:
            return math.sqrt(total)
    return total


def staircase(x: np.ndarray) -> float:
    """Tapes of two nested loops that end early, and of a branch in the inner one."""
    total = 1.0
    for i in range(len(x)):
        k = 0
        while k < i:
            k += 1
            if x[k] > 0.0:
                total = total * math.sin(total + x[k])
            if total * total < 0.01:
                break
        total = total * x[i] + 1.0
    return total


def repeated(a: float, n: int) -> float:
    """To be differentiated twice."""
    v = a
    for _ in range(n):
        v = math.sin(v) * a
    return v


CASES = (
    *((p.function, p.argnums, p.inputs(np.random.default_rng(1), p.small)) for p in PROGRAMS),
    (newton, 0, (7.0,)),
    (crossing, 0, (np.random.default_rng(0).normal(size=8), 1.0)),
    (crossing, 0, (np.random.default_rng(0).normal(size=8), 100.0)),
    (staircase, 0, (np.random.default_rng(3).normal(size=9),)),
)
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


@pytest.mark.parametrize(("function", "argnums", "args"), CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_gradient(function: Callable[..., Any], argnums: Any, args: tuple[Any, ...]) -> None:
    """The plain emitted code gives what the interpreter gives, Numba's to rounding; both agree with differences."""
    gradient = build.gradient(function, argnums, args)
    expected = interp.run(gradient.fn, deepcopy(args), inplace=True)
    plain = load(gradient.source, gradient.name)(*deepcopy(args))
    for got, want in zip(plain, expected, strict=True):
        np.testing.assert_array_equal(got, want)
    before = deepcopy(args)
    value, *gradients = gradient.compiled()(*args)
    for given, kept in zip(args, before, strict=True):
        np.testing.assert_array_equal(given, kept)
    np.testing.assert_allclose(value, function(*args), rtol=1e-12)
    for got, want, difference in zip(gradients, expected[1:], build.differences(function, argnums, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(got, difference, rtol=1e-5, atol=1e-7)


@every_program
def test_by_hand(program: Program) -> None:
    """What the table measures against is right too."""
    args = program.inputs(np.random.default_rng(2), program.small)
    _, *gradients = program.gradient(*args)
    for got, difference in zip(gradients, build.differences(program.function, program.argnums, args), strict=True):
        np.testing.assert_allclose(got, difference, rtol=1e-5, atol=1e-7)


@every_program
def test_primal(program: Program) -> None:
    """Not compiled, the emitted primal is the user's function bit for bit."""
    args = program.inputs(np.random.default_rng(1), program.small)
    primal = build.primal(program.function, args)
    (value,) = load(primal.source, primal.name)(*args)
    assert value == program.function(*args)


def test_more_trips_than_before() -> None:
    """The room for a tape is of the call, not of the specialisation."""
    logistic = next(p for p in PROGRAMS if p.name == "logistic_map")
    gradient = build.gradient(logistic.function, 0, (0.2, 3)).compiled()
    for n in (0, 1, 3, 40):
        np.testing.assert_allclose(gradient(0.2, n), logistic.gradient(0.2, n), rtol=1e-12)


def test_second_derivative() -> None:
    """Tapes of the backward loop too."""
    first = build.built(Transform("grad", repeated), "first", (0.7, 5)).compiled()
    second = build.built(Transform("grad", grad(repeated)), "second", (0.7, 5)).compiled()
    slope = (first(0.7 + 1e-5, 5)[0] - first(0.7 - 1e-5, 5)[0]) / 2e-5
    np.testing.assert_allclose(second(0.7, 5)[0], slope, rtol=1e-5)
