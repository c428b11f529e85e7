"""What loops keep for their backward pass, seen from outside: no trips, exceptions, prints, memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from programs import tapes

from sct import check_grads, grad, value_and_grad, vjp


def scaled(a, x, k):
    for _ in range(k):
        x = math.sin(math.exp(a) * x)
    return x


def told(A, xs):
    """What is printed comes before what is raised."""
    s = 0.0
    for x in xs:
        print("trip")
        s += x @ np.linalg.inv(A) @ x
    return s


def quiet(A, xs):
    s = 0.0
    for i in range(len(xs)):
        s += np.linalg.inv(A) @ xs[i] @ xs[i]
    return s


def late(A, xs, k):
    """The power of an array that nothing needs before it is reached."""
    s = 0.0
    for x in xs:
        if x[0] > k:
            s += np.sum(np.exp(A) * x)
        s += x[1]
    return s


def in_arm(a, x, k):
    for i in range(k):
        if x > 0.1:
            x = math.sin(math.exp(a) * x)
    return x


def parts(u, i, k):
    """Of a view of a view an element, from the front or from the back."""
    total = 0.0
    for _ in range(k):
        v = u[1:-1][1:]
        total += v[0] * v[-1] + v[i] * u[:-2][-1]
        u = np.sin(u)
    return total


def test_a_loop_without_trips() -> None:
    W, x, _ = tapes.INPUTS["mixed"](np.random.default_rng(0))
    with np.errstate(all="raise"):
        value, (dW, dx) = value_and_grad(tapes.mixed, (0, 1))(W + 1e4, x, 0)
    assert value == x.sum() and not dW.any() and (dx == 1.0).all()
    assert value_and_grad(tapes.selected, 1)(np.zeros((2, 2)), np.ones((2, 2)), 0)[0] == 4.0
    assert grad(scaled, (0, 1))(1e4, 0.5, 0) == (0.0, 1.0)
    assert grad(tapes.mixed_twice, 1)(W, x, 2, 0).tolist() == [1.0] * 3


def test_what_raises_raises_in_a_trip() -> None:
    for f in (grad(scaled, (0, 1)), grad(in_arm, (0, 1))):
        with pytest.raises(OverflowError):
            f(1e4, 0.5, 1)


def test_a_pullback_reads_the_last_trip_again() -> None:
    value, pullback = vjp(lambda a, x: scaled(a, x, 3), 0.2, 0.4)
    vjp(lambda a, x: scaled(a, x, 3), 1.2, 0.4)
    assert value == scaled(0.2, 0.4, 3)
    assert pullback(1.0) == pullback(1.0) == grad(scaled, (0, 1))(0.2, 0.4, 3)


def test_prints_stand_before_exceptions(capsys: pytest.CaptureFixture[str]) -> None:
    xs = np.ones((3, 2))
    for f, printed in ((told, "trip\n"), (quiet, "")):
        for g in (f, grad(f), value_and_grad(f)):
            with pytest.raises(np.linalg.LinAlgError):
                g(np.zeros((2, 2)), xs)
            assert capsys.readouterr().out == printed
    assert "inv" in before_loop(grad(quiet), np.eye(2), xs)
    assert "inv" not in before_loop(grad(told), np.eye(2), xs)


def before_loop(derivative: Any, *args: Any) -> str:
    derivative(*args)
    text: str = derivative.source
    return text.partition("    for ")[0]


def test_no_warning_is_new() -> None:
    with np.errstate(all="raise"):
        value, dA = value_and_grad(late)(np.full(2, 1e4), np.ones((3, 2)), 2.0)
    assert value == 3.0 and not dA.any()


@pytest.mark.parametrize("name", ["relaxed", "scattered_views"])
def test_nothing_is_copied_in_a_trip(name: str) -> None:
    derivative = grad(getattr(tapes, name))
    derivative(*tapes.INPUTS[name](np.random.default_rng(0)))
    assert all("copy" not in line for line in derivative.source.splitlines() if line.startswith(" " * 8))


@pytest.mark.parametrize("i", [0, 2, -1, -3])
def test_elements_of_views(i: int) -> None:
    check_grads(parts, (np.linspace(0.1, 0.9, 7), i, 3), order=2)


def test_the_inverse_is_computed_once() -> None:
    derivative = grad(tapes.gaussian_scores, (0, 1))
    derivative(*tapes.INPUTS["gaussian_scores"](np.random.default_rng(0)))
    code = [line for line in derivative.source.splitlines() if not line.strip().startswith("#")]
    assert "\n".join(code).count("linalg.inv") == 1


def total(x: np.ndarray, a: float) -> float:
    return sum(a * v * v for v in x)


def filtered_mean(x: np.ndarray, a: float) -> float:
    kept = []
    for v in x:
        if v > a:
            kept.append(v * a)
    return sum(kept) / len(kept) if len(kept) > 0 else a


def rows_of_sums(x: np.ndarray, a: float) -> float:
    return sum([sum([a * v ** k for v in x]) for k in range(1, 4)])


def popped_in_the_middle(x: np.ndarray, a: float) -> float:
    xs = []
    for v in x:
        xs.append(v * a)
        if len(xs) > 2:
            xs.pop()
    return sum(xs) * a


def two_cotangents(x: np.ndarray, a: float) -> float:
    xs = [v * a for v in x]
    return sum(xs) + xs[0] * a


@pytest.mark.parametrize("f", [total, filtered_mean, rows_of_sums, popped_in_the_middle, two_cotangents])
def test_the_cotangent_of_a_sum_of_a_list(f: Any) -> None:
    """Each item of the cotangent of `sum(xs)` is one number: no list is filled with it where that can be seen."""
    args = (np.array([0.5, -1.2, 2.0, 0.8]), 0.3)
    assert value_and_grad(f, argnums=(0, 1))(*args)[0] == f(*args)
    check_grads(f, args, order=2)


@pytest.mark.parametrize("f", [total, filtered_mean, rows_of_sums])
def test_no_list_is_filled_with_one_cotangent(f: Any) -> None:
    gradient = grad(f, argnums=(0, 1))
    gradient(np.array([0.5, -1.2, 2.0, 0.8]), 0.3)
    assert "] * " not in gradient.source, gradient.source


def present_value(c: float, r: float, n: int) -> float:
    return sum(c / (1.0 + r) ** t for t in range(1, n + 1)) + 100.0 / (1.0 + r) ** n


def backwards(c: float, r: float, n: int) -> float:
    s = 0.0
    for t in range(n, 0, -1):
        s += c * r ** t
        if s > 50.0:
            break
    return s


def triangle(c: float, r: float, n: int) -> float:
    s = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            s += c * r ** (j - i) + r ** (i - j)
    return s


def from_zero(c: float, r: float, n: int) -> float:
    s = 0.0
    for t in range(n):
        s += c * r ** t + max(t - 2, 0) * r
    return s


@pytest.mark.parametrize("f", [present_value, backwards, triangle, from_zero])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_exponents_that_count(f: Any, n: int) -> None:
    """The range of a loop index decides which derivative an integer power has."""
    for r in (0.7, -1.3):
        assert value_and_grad(f, argnums=(0, 1))(2.0, r, n)[0] == f(2.0, r, n)
        check_grads(f, (2.0, r, n), argnums=(0, 1), order=2)


def annuity(c: float, r: float, n: int) -> float:
    return sum(c / (1.0 + r) ** t for t in range(1, n + 1))


def descending(c: float, r: float, n: int) -> float:
    s = c
    for t in range(n, 0, -1):
        s += c * r ** t
    return s


def test_the_derivative_of_a_power_at_zero() -> None:
    assert grad(descending, argnums=1)(2.0, 0.0, 4) == 2.0
    assert grad(from_zero, argnums=1)(2.0, 0.0, 4) == 2.0 + 1.0


@pytest.mark.parametrize("f", [annuity, descending])
def test_a_positive_exponent_needs_no_question(f: Any) -> None:
    gradient = grad(f, argnums=1)
    gradient(2.0, 0.7, 4)
    assert "max(" not in gradient.source, gradient.source


def until_not_finite(x):
    s = 0.0
    for v in x:
        y = np.log(v)
        t = not np.isfinite(y) or y > 3.0
        if t:
            y = 0.0
        if not np.isfinite(y * y):
            return s
        s += y * y
    return s


def test_a_negation_is_not_negated_again():
    x = np.array([1.5, 2.0, 0.0, 3.0])
    derivative = grad(until_not_finite)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(derivative(x), [2.0 * np.log(v) / v if v else 0.0 for v in x])
    assert "not not" not in derivative.source and "if isfinite_y_sq and not t:" in derivative.source
