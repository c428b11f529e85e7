"""Statements of emitted code read as one writes them: updates in place, rows, displays, returns; and traps."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, jvp, value_and_grad, vjp
from sct.codegen.python.common_statements import return_directly
from tests.oracle import agrees, agrees_in_second_order


def source(function: Callable[..., Any], *args: Any) -> str:
    derivative = value_and_grad(function, argnums=tuple(k for k, x in enumerate(args) if not isinstance(x, int)))
    derivative(*args)
    return derivative.source


def holds(function: Callable[..., Any], *calls: tuple[Any, ...]) -> None:
    """Fail unless one derivative is right for all calls, and second order and forward mode for the first."""
    derivative = value_and_grad(function)
    for args in calls:
        agrees(function, *args, derivative=derivative)
    x, *others = calls[0]
    if isinstance(x, (float, np.ndarray)):
        agrees_in_second_order(function, x, *others)
        v = np.cos(np.arange(x.size)) if isinstance(x, np.ndarray) else 0.7
        assert jvp(function, (x, *others), (v,))[1] == pytest.approx(np.sum(derivative(x, *others)[1] * v), rel=1e-12)


X, W = np.array([0.3, -0.2, 0.5, 1.1]), np.array([1.2, 0.7, -0.4, 0.9])


# -- arithmetic in place ----------------------------------------------------------------------------


def moved(x: np.ndarray, v: np.ndarray, n: int) -> float:
    x = x.copy()
    v = v.copy()
    for k in range(n):
        x = x + 0.1 * v
        if k % 2:
            v = v * 0.5
    return float(x @ v)


def with_old(x: np.ndarray, w: np.ndarray, n: int) -> float:
    x = x * 1.0
    old = x
    s = 0.0
    for _ in range(n):
        old = x
        x = x + w * x
        s += float(x @ old)
    return s + float(old @ x)


def in_a_list(x: np.ndarray, w: np.ndarray, n: int) -> float:
    x = x * 1.0
    xs = []
    for _ in range(n):
        xs.append(x)
        x = x + w
    return float(x @ x) + sum([float(y @ w) for y in xs])


def with_a_view(x: np.ndarray, w: np.ndarray, n: int) -> float:
    x = x * 1.0
    v = x[1:]
    for _ in range(n):
        x = x * w
    return float(x @ w) + float(v @ v)


def of_itself(x: np.ndarray, w: np.ndarray, n: int) -> float:
    x = x * 1.0
    for _ in range(n):
        x = x + w * x[::-1]
    return float(x @ w)


def with_gaps(x: np.ndarray, w: np.ndarray, n: int) -> float:
    table = np.outer(x, w)
    x = table[:, 1]
    for _ in range(n):
        x = x + 0.1 * w
    return float(x @ w)


def exchanged(x: np.ndarray, w: np.ndarray, n: int) -> float:
    a = x * 1.0
    b = w * 1.0
    for _ in range(n):
        a = a + b
        a, b = b, a
    return float(a @ x) + float(b @ w)


def test_the_users_arithmetic_is_in_place_where_the_array_is_read_no_more() -> None:
    text = source(moved, X, W, 3)
    assert "x += 0.1 * v" in text and "v *= 0.5" in text


@pytest.mark.parametrize("function", [moved, with_old, in_a_list, with_a_view, of_itself, with_gaps, exchanged])
def test_values_that_are_read_again_stay_as_they_are(function: Callable[..., Any]) -> None:
    calls = [(X, W, n) for n in (3, 0, 1)]
    holds(function, *calls, *([] if function is with_gaps else [(X[:1], W[:1], 2)]))


def test_an_array_with_gaps_is_not_written_in_place() -> None:
    assert "x = x + 0.1 * w" in source(with_gaps, X, W, 3)


# -- slices -----------------------------------------------------------------------------------------


def relaxed(u: np.ndarray, k: float, n: int) -> float:
    for _ in range(n):
        mid = u[1:-1]
        change = k * (u[2:] - 2.0 * mid + u[:-2])
        mid += change
    return float(u @ u)


def damped(u: np.ndarray, k: float, n: int) -> float:
    for _ in range(n):
        u[1:-1] = u[1:-1] * k
    return float(u @ u)


def test_a_named_slice_is_updated_in_place() -> None:
    assert "u[1:-1] += change" in source(relaxed, X, 0.2, 3)
    assert "du[1:-1] *= k" in source(damped, X, 0.2, 3)
    for function in (relaxed, damped):
        holds(function, (X, 0.2, 3), (X, 0.3, 0), (X[:3], 0.4, 2))


# -- rows of lists ----------------------------------------------------------------------------------


def log_sums(rows: list, w: float) -> float:
    total = 0.0
    for row in rows:
        best = row[0]
        for v in row:
            if v > best:
                best = v
        for v in row:
            total += w * math.exp(v - best)
    return total


def changed_rows(rows: list, w: float) -> float:
    total = 0.0
    for row in rows:
        rows[0][0] = total
        row[-1] = row[-1] * w
        for v in row:
            total += v * v
    return total


ROWS = [[0.3, 1.0], [0.5], [1.5, -0.2, 0.3], [2.5, 0.1], [0.2], [0.9, 0.8]]


def test_rows_are_read_as_the_user_wrote_them() -> None:
    text = source(log_sums, ROWS, 0.7)
    assert "for row in rows:" in text and "best = row[0]" in text and "for v in row:" in text
    holds(log_sums, (ROWS, 0.7), (ROWS[::-1], 0.7), (ROWS[:5], -0.3))


def test_rows_that_are_written_are_read_at_their_place() -> None:
    assert "for row in rows" not in source(changed_rows, ROWS, 0.7).replace("for row in rows]", "")
    holds(changed_rows, (ROWS, 0.7), (ROWS[::-1], 0.7), (ROWS[:5], -0.3))


# -- displays, exits, returns, lists that shrink ----------------------------------------------------


def controlled(gains: np.ndarray, e: float, n: int) -> float:
    kp, ki, kd = gains
    total = 0.0
    for _ in range(n):
        total += kp * e + ki * total - kd * e * e
    return total


def test_a_few_numbers_are_a_display() -> None:
    gains = np.array([0.4, 0.2, 0.1])
    text = source(controlled, gains, 0.5, 3)
    assert "np.array([dkp, dki, dkd])" in text and "empty_like" not in text
    holds(controlled, (gains, 0.5, 3), (gains, 0.5, 0), (2.0 * gains, -0.5, 1))


def test_numbers_written_into_single_precision_stay_stores() -> None:
    gains = np.array([0.4, 0.2, 0.1], dtype=np.float32)
    derivative = value_and_grad(controlled)
    value, gradient = derivative(gains, 0.5, 3)
    assert gradient.dtype == np.float32 and value == controlled(gains, 0.5, 3)


def fixed_point(x: float, tolerance: float) -> float:
    steps = 0
    while True:
        new = 0.5 * (x + 2.0 / x)
        error = abs(new - x)
        x = new
        steps += 1
        if error < tolerance or steps > 20:
            break
    return x * steps


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
def test_a_variable_is_rebound_once_before_an_exit() -> None:
    text = source(fixed_point, 1.0, 1e-3)
    assert text.count("x = new") == 1
    holds(fixed_point, (1.0, 1e-3), (3.0, 10.0), (0.2, 1e-9))


def power(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * power(x, n - 1)


def test_a_call_is_returned_directly() -> None:
    derivative = grad(power)
    assert derivative(1.3, 4) == pytest.approx(4.0 * 1.3**3)
    assert "return power_backward(" in derivative.source


def priced(s: float, u: float, n: int) -> float:
    v = [max(2.0 - s * u ** (2 * j - n), 0.0) for j in range(n + 1)]
    for t in range(n - 1, -1, -1):
        for j in range(t + 1):
            v[j] = 0.6 * v[j + 1] + 0.4 * v[j]
    return v[0]


def test_a_list_that_shrinks_is_not_copied() -> None:
    text = source(priced, 1.0, 1.1, 4)
    assert "list(dv)" not in text and "dv.pop()" in text
    holds(priced, (1.0, 1.1, 4), (1.5, 1.2, 1), (1.9, 1.05, 6))


# -- names ------------------------------------------------------------------------------------------


def bisected(p: float, lo: float, hi: float) -> float:
    while hi - lo > 1e-2:
        mid = 0.5 * (lo + hi)
        if mid**3 - p > 0.0:
            hi = mid
        else:
            lo = mid
    x = 0.5 * (lo + hi)
    return x - (x**3 - p) / (3.0 * x * x)


def test_each_cotangent_has_the_name_of_its_variable() -> None:
    text = source(bisected, 2.0, 0.0, 4.0)
    assert "dhi = dlo" in text and "return x - " in text and text.rstrip().endswith("(dp, dlo, dhi)")
    assert "--" not in text and "if mid_is_above:" in text
    holds(bisected, (2.0, 0.0, 4.0), (3.0, 1.0, 1.001), (0.5, 0.1, 2.0))


def rolled(xs: list, w: float, n: int) -> float:
    a, b = xs[0], xs[1]
    for _ in range(n):
        a, b = math.tanh(a * w), math.tanh(b * w + a)
    return a * b


def test_a_value_from_a_tape_is_the_previous_one() -> None:
    text = source(rolled, [0.3, 0.4], 0.7, 3)
    assert "t = " not in text and "t1 = " not in text
    holds(rolled, ([0.3, 0.4], 0.7, 3), ([0.3, 0.4], 0.7, 0), ([1.3, -0.4], 0.2, 1))


def discounted(cash: np.ndarray, r: float) -> float:
    total = 0.0
    for t in range(len(cash)):
        total += cash[t] / (1.0 + r) ** (t + 1)
    return total


def test_an_exponent_is_not_counted_up_and_down() -> None:
    assert "+ 1 - 1" not in source(discounted, X, 0.1)
    holds(discounted, (X, 0.1), (X[:1], 0.1), (X[:0], 0.1))


@pytest.mark.parametrize("before, after", [
    ("a, b = f(x)\nreturn a, b", "return f(x)"),
    ("t = x + 1\nreturn t", "return x + 1"),
    ("t, t1 = x, y\nreturn t, t1", "return (x, y)"),
    ("a = f(x)\nreturn (a,)", None),
    ("(a,) = f(x)\nreturn a", None),
    ("a, b = f(x)\nreturn b, a", None),
    ("a, b = g(x)\nreturn a, b", None),
    ("t, t1 = g(x)\nreturn t, t1", None),
    ("a = x + 1\nreturn a", None),
])
def test_what_is_returned_directly(before: str, after: str | None) -> None:
    body = return_directly(ast.parse(before).body, {"f"}, {"t", "t1"}, {})
    assert ast.unparse(ast.Module(body, [])) == ast.unparse(ast.parse(after or before))


def test_a_record_of_one_value_is_returned_as_a_record() -> None:
    def nested(x: float, n: int) -> float:
        k = 3.0

        def go(y: float, m: int) -> float:
            return y * k if m <= 0 else go(y * x, m - 1) + y

        return go(x, n)

    def pulled(x: float, ct: float) -> float:
        return vjp(lambda x: nested(x, 3), x)[1](ct)[0]

    agrees(pulled, 0.7, 1.3)
    agrees_in_second_order(pulled, 0.7, 1.3)
