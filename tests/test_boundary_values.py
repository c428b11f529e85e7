"""Grids with boundary values: the cotangent of a grid is one buffer, and a step changes only parts of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, jvp, value_and_grad
from sct.ir.affine import LinearTerm, term_of
from sct.ir.array_accesses import access, never_meet
from sct.ir.core import Lit, Value
from sct.ir.types import INT


def walls(p, n):
    for _ in range(n):
        q = p.copy()
        p[1:-1, 1:-1] = 0.25 * (q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1]) * q[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return np.sum(p * p)


def ends(u, n):
    for _ in range(n):
        u[1:-1] = u[1:-1] * u[1:-1] + 0.1 * (u[2:] - u[:-2])
        u[0] = u[1]
        u[-1] = u[-2]
    return np.sum(u**2)


def periodic(u, n):
    for _ in range(n):
        u[0] = u[-2]
        u[-1] = u[1]
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


def elements(u, n):
    for _ in range(n):
        u[0] = 2.0 * u[1]
        u[2] = u[0] * u[1]
    return np.sum(u**2)


def from_both_ends(u, n):
    for _ in range(n):
        u[-1] = u[-2] * u[0]
        u[1] = u[-1] + u[0] * u[1]
        u[:-1] = np.sin(u[:-1])
        u[0] = u[-1]
    return np.sum(u**3)


def shifted(u, n):
    for _ in range(n):
        u[1:] = u[:-1] * 1.5
        u[:2] = u[-2:]
        u[-3:-1] = u[1:3] * u[0]
    return np.sum(np.sin(u))


def of_a_copy(u, n):
    for _ in range(n):
        before = u.copy()
        u[0] = 0.0
        u[1:] = before[1:] + 0.3 * before[:-1] * before[1:]
        u[[0, 2, 0]] = before[[1, 1, 2]] * before[0]
    return np.sum(u**2)


def of_rows_and_columns(p, n):
    for _ in range(n):
        q = p.copy()
        p[1:, 1:] = q[:-1, :-1] * q[1:, 1:]
        p[0] = q[-1] * q[0]
        p[:, 0] += q[0, 1] * q[:, -1]
    return np.sum(p * p)


OF_VECTORS = [ends, periodic, elements, from_both_ends, shifted, of_a_copy]
OF_MATRICES = [walls, of_rows_and_columns]


def cases() -> list[Any]:
    r = np.random.default_rng(3)
    return [*(pytest.param(f, r.uniform(0.3, 1.1, m), id=f"{f.__name__}-{m}") for f in OF_VECTORS for m in (3, 4, 7)),
            *(pytest.param(f, r.uniform(0.3, 1.1, m), id=f"{f.__name__}-{m[0]}x{m[1]}")
              for f in OF_MATRICES for m in ((2, 2), (3, 5), (6, 4)))]


@pytest.mark.parametrize(("f", "u"), cases())
def test_derivatives(f: Callable[[Any, int], float], u: np.ndarray) -> None:
    kept, direction = u.copy(), np.cos(np.arange(float(u.size))).reshape(u.shape)
    for n in (3, 0, 1):
        value, gradient = value_and_grad(f)(u, n)
        assert value == f(u.copy(), n)
        slopes = [(f(u + e.reshape(u.shape), n) - f(u - e.reshape(u.shape), n)) / 2e-6 for e in 1e-6 * np.eye(u.size)]
        np.testing.assert_allclose(gradient.ravel(), slopes, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(jvp(f, (u, n), (direction,))[1], np.sum(gradient * direction), rtol=1e-11)
        second = (grad(f)(u + 1e-6 * direction, n) - grad(f)(u - 1e-6 * direction, n)) / 2e-6
        np.testing.assert_allclose(hvp(f, (u, n), (direction,)), second, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(u, kept)


@pytest.mark.parametrize("f", [walls, ends, periodic, elements, of_rows_and_columns])
def test_no_iteration_copies_the_cotangent(f: Callable[[Any, int], float]) -> None:
    derivative = grad(f)
    derivative(np.ones((5, 5)) if f in OF_MATRICES else np.ones(5), 2)
    backward = derivative.source[derivative.source.rindex(" for _ in "):]
    assert "copy(d" not in backward and "zeros" not in backward


def test_rows_are_moved_by_two_statements() -> None:
    derivative = grad(walls)
    derivative(np.ones((4, 4)), 2)
    lines = [line.strip() for line in derivative.source.splitlines()]
    for to, source in ((":, 1", ":, 0"), ("1, :", "0, :"), (":, -2", ":, -1")):
        k = lines.index(f"dp[{to}] += dp[{source}]")
        assert lines[k + 1] == f"dp[{source}] = 0.0"


def part(subscript: Any) -> tuple[str, tuple[Any, ...]]:
    """The kind and the operands of a subscript."""
    if not isinstance(subscript, slice):
        return "i", (subscript if isinstance(subscript, Value) else Lit(subscript),)
    bounds = (subscript.start, subscript.stop, subscript.step)
    return "s" + "".join("01"[b is not None] for b in bounds), tuple(Lit(b) for b in bounds if b is not None)


@pytest.mark.parametrize(("a", "b", "apart"), [
    (0, 1, True), (0, 0, False), (-1, -2, True), (-1, -1, False), (0, -1, False), (1, -2, False),
    (0, slice(1, -1), True), (-1, slice(1, -1), True), (1, slice(1, -1), False), (-2, slice(1, -1), False),
    (slice(None, 2), slice(2, None), True), (slice(None, -2), slice(-2, None), True),
    (slice(None, 2), slice(-2, None), False), (slice(None, -1), slice(-2, None), False),
    (slice(-3, -1), -1, True), (slice(-3, -1), -2, False), (slice(None), -1, False),
    (slice(5, 2, -1), 3, False), (slice(None, None, -1), 0, False), (slice(-1, None, 2), -2, False),
], ids=str)
def test_parts_that_are_apart(a: Any, b: Any, apart: bool) -> None:
    first, second = (access((kind,), operands, (), lambda x: term_of(x, lambda _: None))
                     for kind, operands in map(part, (a, b)))
    assert never_meet(first, second, 0) is never_meet(second, first, 0) is apart
    for size in range(1, 7):
        touched = [set(np.atleast_1d(np.arange(size)[x])) if isinstance(x, slice) or -size <= x < size else set()
                   for x in (a, b)]
        assert not apart or touched[0].isdisjoint(touched[1])


def test_a_lower_bound_of_an_index_does_not_count_from_the_end() -> None:
    unknown = Value(INT, "i")
    first = access(("i",), (unknown,), (), lambda x: None, lambda x: LinearTerm(-1))
    second = access(("i",), (Lit(-2),), (), lambda x: term_of(x, lambda _: None))
    assert not never_meet(first, second, 0)
