"""Sums of outer products that a backward loop adds, row by row, to what it does not read are added behind the loop."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, hvp, jvp, value_and_grad

N = 5
A = np.cos(np.arange(1.0, 26.0)).reshape(N, N) + 3.0 * np.eye(N)
B = np.sin(np.arange(1.0, 6.0))


def forward_substitution(L, b, n):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x @ x


def back_substitution(U, b, n):
    x = b.copy()
    for i in range(len(b) - 1, -1, -1):
        x[i] = (x[i] - U[i, i + 1 :] @ x[i + 1 :]) / U[i, i]
    return np.sin(x) @ x


def by_columns(L, b, n):
    x = b.copy()
    for j in range(len(b)):
        x[j] /= L[j, j]
        x[j + 1 :] -= x[j] * L[j + 1 :, j]
    return x @ x


def crout(A, b, n):
    A = A.copy()
    for i in range(len(A)):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, len(A)):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A * A)


def whole_rows(W, b, n):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = np.tanh(W[i] @ b + 0.5 * x[i - 1])
    return x @ x


def in_a_loop(L, b, n):
    x, s = np.zeros_like(b), 0.0
    for k in range(n):
        for i in range(len(b)):
            x[i] = (b[i] + s - L[i, :i] @ x[:i]) / L[i, i]
        s += x @ x
    return s


def read_in_a_later_iteration(A, b, n):
    A = A.copy()
    for i in range(1, len(b)):
        A[i, :i] = A[i - 1, 0] * b[:i] + A[i, :i] ** 2
    return np.sum(A * A)


def of_an_argument(L, b, n):
    x = np.zeros_like(b)
    for i in range(n):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x @ x


def stops(L, b, n):
    x = np.zeros_like(b)
    for i in range(len(b)):
        if i == n:
            break
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x @ x


def in_steps(L, b, n):
    x = np.ones_like(b)
    for i in range(0, len(b), 2):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x @ x


def number_overwritten(L, b, n):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[0] = (b[i] - L[i, :i] @ b[:i]) / (L[i, i] + x[0] ** 2)
    return x @ x


def of_another_size(L, b, n):
    c, x = b[:3], np.zeros(3)
    for i in range(3):
        x[i] = (c[i] - L[i, :i] @ x[:i]) / L[i, 3]
    return x @ x


MOVED = (forward_substitution, back_substitution, by_columns, crout, whole_rows)
OTHERS = (in_a_loop, of_an_argument, read_in_a_later_iteration, stops, in_steps, number_overwritten, of_another_size)


@pytest.mark.parametrize("f", (*MOVED, *OTHERS), ids=lambda f: f.__name__)
def test_distributed(f: Callable[..., Any]) -> None:
    for n in (N, 2, 0):
        agrees(f, A, B, n)


def test_moved() -> None:
    for f in MOVED:
        derivative = grad(f)
        derivative(A, B, N)
        assert "np.outer" in derivative.source, f.__name__
    derivative = grad(forward_substitution, argnums=(0, 1))
    derivative(A, B, N)
    assert "tril(np.outer(" in derivative.source
    for f in (in_a_loop, of_an_argument, read_in_a_later_iteration, stops, in_steps, of_another_size):
        derivative = grad(f)
        derivative(A, B, N)
        assert "np.outer" not in derivative.source, f.__name__


@pytest.mark.parametrize("f", (forward_substitution, crout), ids=lambda f: f.__name__)
def test_modes(f: Callable[..., Any]) -> None:
    v = np.sin(A)
    gradient = grad(f)(A, B, N)
    np.testing.assert_allclose(jvp(lambda x: f(x, B, N), (A,), (v,))[1], np.sum(gradient * v), rtol=1e-9)
    ends = [grad(f)(A + h * v, B, N) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(hvp(lambda x: f(x, B, N), (A,), (v,)), (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-7)
    single = grad(f)(A.astype(np.float32), B.astype(np.float32), N)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, gradient, rtol=1e-3, atol=1e-4)


def test_nan_outside_of_the_triangle() -> None:
    b = B.copy()
    b[-1] = np.nan
    gradient = grad(forward_substitution)(A, b, N)
    assert not np.any(np.isnan(np.triu(gradient, 1)))
    assert np.all(np.isfinite(grad(forward_substitution)(A[:1, :1], B[:1], 1)))
    assert grad(by_columns)(A[:0, :0], B[:0], 0).shape == (0, 0)


def by_the_third_row(L, y):
    x = np.zeros(L.shape[0])
    for i in range(L.shape[0] - 2):
        x[i + 1] = L[i] @ y[2] + np.sin(x[i])
    return np.sum(x * x) + np.sum(L)


def test_no_row_is_read_behind_a_loop_without_iterations():
    L, y = np.sin(np.arange(20.0)).reshape(5, 4), np.cos(np.arange(20.0)).reshape(5, 4)
    derivative = value_and_grad(by_the_third_row, argnums=(0, 1))
    agrees(by_the_third_row, L, y)
    derivative(L, y)
    value, (dL, dy) = derivative(L[:2], y[:2])
    assert value == by_the_third_row(L[:2], y[:2]) and np.all(dL == 1.0) and np.all(dy == 0.0)
