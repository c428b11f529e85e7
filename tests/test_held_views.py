"""Named views of arrays that are written in place: the derivative takes them once, as the user did."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, jvp, value_and_grad
from sct.codegen.python.held_views import hold_views


def leapfrog(state, n):
    q, p = state[:2], state[2:]
    for _ in range(n):
        p -= 0.05 * np.sin(q)
        q += 0.1 * p
        p -= 0.05 * np.sin(q)
    return np.sum(state**2) + q[0] * p[0]


def of_run_time_bounds(state, n):
    half = len(state) // 2
    q, p = state[:half], state[half:]
    for k in range(n):
        q[:] = q * np.cos(p[:half])
        if k % 2:
            p *= 1.1
            p[0] += q[0] * q[-1]
    return np.sum(p * p) + np.sum(q)


def swapped(state, n):
    old, new = state.copy(), np.zeros_like(state)
    for _ in range(n):
        inner = old[1:-1]
        new[1:-1] = np.sin(inner) + old[2:] * inner
        old, new = new, old
        ends = old[::3]
        new[:1] = ends[:1] * 2.0
    return np.sum(old**2) + np.sum(new)


def on_one_path(state, n):
    head = state[:2]
    for k in range(n):
        head *= 0.9
        if head[0] > 0.2:
            state = state * 1.5
            head = state[:2]
        state[1:] += 0.1 * np.sum(head)
        head[0] = 0.3 * state[-1] * head[1]
    return np.sum(state * state) + head[1]


def levinson(state, n):
    y = np.empty_like(state)
    alpha = y[0] = -state[0]
    for k in range(1, len(state)):
        alpha = -(state[k] + np.dot(np.flip(state[:k]), y[:k])) / (1.0 + alpha * alpha)
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y @ y


def moving_bounds(state, n):
    for k in range(n):
        part = state[k % 2 : 2 + k % 2]
        part *= np.sum(state)
        part = state[:2]
        state[2:] += 0.1 * part
    return np.sum(np.sin(state))


def nested_and_left(state, n):
    first, second = state[:1], state[1:3]
    total = 0.0
    for k in range(n):
        for j in range(3):
            second += 0.1 * first * j
            first *= 1.05
            if second[0] > 2.0:
                break
            total += first[0] * second[1]
        else:
            state[-1] += second[0]
    return total + np.sum(state**2)


def until(state, n):
    tail, count = state[1:], 0
    while tail[0] < 3.0 and count < n:
        state[:2] += 0.3 * tail[:2] ** 2
        tail += state[0]
        count += 1
    return np.sum(tail * tail) * state[0]


def old_values(state, n):
    view = state[:2]
    for _ in range(n):
        kept = view * 1.0
        before = view.copy()
        view += state[2:]
        state[2:] = kept * before
        view = state[:2]
        state[0] += view[1]
    return np.sum(state**2)


def smoothed(u, axis):
    inner = u[1:-1]
    inner += 0.1 * axis * (u[2:] - u[:-2])
    return inner


def in_a_function(state, n):
    for k in range(n):
        inner = smoothed(state, k)
        state[0] = inner[0] * inner[-1]
    return np.sum(state**2)


ALL = [leapfrog, of_run_time_bounds, swapped, on_one_path, moving_bounds, nested_and_left, until, old_values,
       in_a_function, levinson]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[[Any, int], float]) -> None:
    derivative = value_and_grad(f)
    for x, n in (([0.3, 0.8, 0.5, 1.1], 3), ([0.9, -0.4, 0.2, 0.6], 4), ([0.3, 0.8, 0.5, 1.1], 0), ([0.1] * 4, 1)):
        state = np.array(x)
        kept, direction = state.copy(), np.array([1.0, -0.5, 0.25, 2.0])
        value, gradient = derivative(state, n)
        assert value == f(state.copy(), n)
        np.testing.assert_array_equal(state, kept)
        slopes = [(f(state + e, n) - f(state - e, n)) / 2e-6 for e in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(jvp(f, (state, n), (direction,))[1], gradient @ direction, rtol=1e-11)
        second = (grad(f)(state + 1e-6 * direction, n) - grad(f)(state - 1e-6 * direction, n)) / 2e-6
        np.testing.assert_allclose(hvp(f, (state, n), (direction,)), second, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("f", "views"), [(leapfrog, ("q = state[:2]", "p = state[2:]")),
                                          (nested_and_left, ("first = state[:1]", "second = state[1:3]"))])
def test_no_iteration_takes_the_views(f: Callable[[Any, int], float], views: tuple[str, ...]) -> None:
    derivative = value_and_grad(f)
    derivative(np.array([0.3, 0.8, 0.5, 1.1]), 3)
    lines = derivative.source.splitlines()
    loop = next(k for k, line in enumerate(lines) if line.startswith("    for "))
    for view in views:
        assert [k < loop for k, line in enumerate(lines) if line.strip() == view] == [True]


@pytest.mark.parametrize(("before", "after"), [
    ("for i in n:\n    q = x[:2]\n    x[0] = q[1]\n    q = x[:2]\n    f(q)",
     "q = x[:2]\nfor i in n:\n    x[0] = q[1]\n    f(q)"),
    ("for i in n:\n    if i:\n        q = x.T\n    else:\n        q = x.T\n    f(q)", None),
    ("for i in n:\n    q = x.T\n    while i:\n        p = q\n        q = x.T",
     "q = x.T\nfor i in n:\n    while i:\n        p = q"),
    # behind the loop it is taken again, or needs not be
    ("for i in n:\n    q = x[1:]\n    f(q)\nq = x[1:]\nf(q)", "q = x[1:]\nfor i in n:\n    f(q)\nf(q)"),
    ("for i in n:\n    q = x[1:]\n    f(q)\nx = y * 2\nq = x[1:]\nf(q)",
     "q = x[1:]\nfor i in n:\n    f(q)\nx = y * 2\nq = x[1:]\nf(q)"),
    ("for i in n:\n    q = x[1:]\n    f(q)\nf(q)", None),
    # another array, other bounds, a number, an index that may be out of bounds, another value of the name
    ("for i in n:\n    q = x[1:]\n    x = f(q)", None),
    ("for i in n:\n    q = x[1:]\n    x += q", None),
    ("for i in n:\n    q = x[i:]\n    f(q)", None),
    ("for i in n:\n    q = k[1:]\n    f(q)", None),
    ("for i in n:\n    q = x[:, 0]\n    f(q)", None),
    ("q = x * 2\nfor i in n:\n    q = x[1:]\n    f(q)", None),
    ("for i in n:\n    q = x[1:]\n    q *= 2", None),
    ("for i in n:\n    f(q)\n    q = x[1:]", None),
    ("y = None\nif n:\n    y = x * 1\nfor i in n:\n    q = y[1:]\n    f(q)", None),
    ("if n:\n    y = x * 1\nfor i in n:\n    q = y[1:]\n    f(q)", None),
    # an update of the same part
    ("q = x[:k]\nx[:k] += f(q)\nx += 1\nx[:k] -= q", "q = x[:k]\nq += f(q)\nx += 1\nq -= q"),
    ("for i in n:\n    q = x[i:, :2]\n    x[i:, :2] *= f(q)", "for i in n:\n    q = x[i:, :2]\n    q *= f(q)"),
    # of another part, of another array, of an element, behind another value of a name, in another block
    ("q = x[:k]\nx[k:] += f(q)\ny[:k] += f(q)", None),
    ("q = x[k]\nx[k] += f(q)", None),
    ("q = x[:k]\nk += 1\nx[:k] += f(q)", None),
    ("q = x[:k]\nx = f(q)\nx[:k] += f(q)", None),
    ("q = x[:k]\nq = f(q)\nx[:k] += q", None),
    ("q = x[:k]\nfor k in n:\n    x[:k] += q\nx[:k] += q", None),
    ("q = n[:k]\nn[:k] += f(q)", None),
])
def test_where_views_are_taken(before: str, after: str | None) -> None:
    function = ast.parse(f"def f(x, n, k):\n{textwrap.indent(before, '    ')}").body[0]
    assert isinstance(function, ast.FunctionDef)
    body = hold_views(function.body, {"x", "y", "p", "q"}, function.args)
    assert ast.unparse(ast.Module(body, [])) == (after or before)
