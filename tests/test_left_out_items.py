"""Items that are nan and left out by positions, loops and comprehensions contribute exactly 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hessian, jacfwd, jacrev, jvp, value_and_grad
from tests.oracle import same_value

X = np.array([[1.0, 2.0], [np.nan, 1.0], [2.0, 3.0], [0.5, -1.0], [np.nan, np.nan]])
Y = np.array([1.0, 0.2, 2.0, -0.3, 1.1])
B = np.array([1.0, -0.7])


def skips(b):
    r = Y - X @ b
    s = 0.0
    for i in range(len(r)):
        if np.isnan(r[i]):
            continue
        s += r[i] ** 2
    return s


def iterates(b):
    s = 0.0
    for v in np.exp(X @ b):
        if v == v:
            s += v * v
    return s


def ends(b):
    r = Y - X @ b
    s = 0.0
    for i in range(len(r)):
        if math.isnan(r[i]):
            break
        s += r[i] ** 2
    return s


def rows_of_data(b):
    density = -0.5 * (Y - X @ b) ** 2
    s = 0.0
    for i in range(len(Y)):
        if np.isnan(X[i]).any():
            continue
        s += density[i]
    return s


def read_in_two_branches(b):
    s, t = 0.0, 0.0
    for i in range(len(Y)):
        v = Y[i] - X[i] @ b
        if not np.isnan(v):
            s += v * v
        if not np.isnan(v) and v < 2.0:
            t += np.sin(v)
    return s * t


def comprehension(b):
    r = [v for v in Y - X @ b if not math.isnan(v)]
    return sum(v * v for v in r) / len(r)


def positions_of_a_loop(b):
    r = np.tanh(X * b).sum(axis=1) / (1.0 + b @ b)
    rows = [i for i in range(len(r)) if np.isfinite(r[i])]
    return np.sum(r[rows] ** 3)


def replaced(b):
    r = Y - X @ b
    for i in range(len(r)):
        if np.isnan(r[i]):
            r[i] = 0.5
    return np.sum(r ** 2)


def replaced_at_positions(b):
    r = Y - X @ b
    r[np.flatnonzero(np.isnan(r))] = 0.5
    return np.sum(r ** 2)


def deleted(b):
    r = Y - X @ b
    return np.sum(np.delete(r, np.flatnonzero(np.isnan(r))) ** 2)


def taken(b):
    r = Y - X @ b
    return np.sum(np.take(r, np.flatnonzero(np.isfinite(r))) ** 2) + r[0]


def pairs(b):
    distances = ((X[:, None, :] - X[None, :, :]) ** 2) @ b ** 2
    s = 0.0
    for i in range(len(X)):
        for j in range(i):
            if not np.isnan(distances[i, j]):
                s += np.exp(-distances[i, j])
    return s


def differences(b):
    d = np.diff(Y - X[:, 1] * b[0] * b[1])
    return np.sum(d[np.isfinite(d)] ** 2)


def convolution(b):
    c = np.convolve(X[:, 1] * b[0], b)
    s = 0.0
    for v in c:
        if np.isfinite(v):
            s += v * v
    return s


def cross_products(b):
    c = np.cross(np.concatenate([X, X[:, 1:]], axis=1), np.array([b[0], b[1], b[0] * b[1]]))
    return sum(np.sum(row ** 2) for row in c if np.isfinite(row).all())


def positions_in_a_stack(b):
    r = np.stack([Y - X @ b, X @ b])
    i, j = np.nonzero(np.isfinite(r))
    return np.sum(r[i, j] ** 3)


def lengths_of_rows(b):
    s = 0.0
    for v in np.linalg.norm(X * b, axis=1):
        if not math.isnan(v):
            s += v * v * v
    return s


def products_and_extrema_of_rows(b):
    P = X * b
    p, m = np.prod(P, axis=1), np.max(P, axis=1, keepdims=True)
    s = 0.0
    for i in range(len(P)):
        if np.isfinite(p[i]):
            s += p[i] ** 2 * m[i, 0]
    return s


def collected_in_a_set(b):
    r = Y - X @ b
    finite = {i for i in range(len(r)) if np.isfinite(r[i])}
    s = 0.0
    for i in range(len(r)):
        if i in finite:
            s += r[i] ** 2
    return s


def left_out_by_a_set(b):
    r = Y - X @ b
    bad = set()
    for i in range(len(r)):
        if math.isnan(r[i]):
            bad.add(i)
    bad |= {i for i in range(len(r)) if r[i] != r[i]}
    return sum(r[i] ** 2 for i in range(len(r)) if i not in bad) / (len(r) - len(bad))


def filtered(b):
    r = Y - np.tanh(X) @ b
    return sum(v * v for v in filter(np.isfinite, r))


def filtered_list(b):
    r = list(filter(lambda v: not math.isnan(v), Y - X @ b))
    return sum(v * v * v for v in r) / len(r)


def filtered_positions(b):
    r = Y - X @ b
    at = list(filter(lambda i: np.isfinite(r[i]), range(len(r))))
    return np.sum(r[at] ** 2) * r[at[-1]]


def recursive(b):
    r = Y - X @ b

    def total(i):
        if i == len(r):
            return 0.0
        return total(i + 1) + (0.0 if np.isnan(r[i]) else r[i] ** 2)

    return total(0)


def recursive_by_halves(b):
    def total(r):
        if len(r) == 1:
            return r[0] ** 2 if np.isfinite(r[0]) else 0.0 * len(r)
        return total(r[:len(r) // 2]) + total(r[len(r) // 2:])

    return total(Y - X @ b)


def recursive_over_items(b):
    def total(i, s):
        if i == len(Y):
            return s
        v = Y[i] - X[i] @ np.sin(b)
        return total(i + 1, s if math.isnan(v) else s + v * v)

    return total(0, 0.0)


def two_layers(b):
    r = Y - np.tanh(X * b) @ np.cos(b)
    s = 0.0
    for i in range(len(r)):
        if not np.isnan(r[i]):
            s += r[i] ** 2
    return s


def layers_of_products(b):
    r = Y - np.tanh(X @ np.outer(b, b)) @ b
    s = 0.0
    for v in r:
        if np.isfinite(v):
            s += v ** 2
    return s


PROGRAMS = (skips, iterates, ends, rows_of_data, read_in_two_branches, comprehension, positions_of_a_loop, replaced,
            replaced_at_positions, deleted, taken, pairs, differences, convolution, cross_products,
            positions_in_a_stack, lengths_of_rows, products_and_extrema_of_rows, collected_in_a_set, left_out_by_a_set,
            filtered, filtered_list, filtered_positions, recursive, recursive_by_halves, recursive_over_items,
            two_layers, layers_of_products)
TWICE = (skips, iterates, read_in_two_branches, comprehension, collected_in_a_set, left_out_by_a_set, filtered,
         filtered_list, recursive, recursive_by_halves, recursive_over_items, two_layers, layers_of_products)


def central(f: Callable[..., Any]) -> Any:
    return np.stack([(f(B + e) - f(B - e)) / 2e-6 for e in 1e-6 * np.eye(2)], axis=-1)


@pytest.mark.parametrize("f", PROGRAMS, ids=[f.__name__ for f in PROGRAMS])
def test_items_left_out_contribute_nothing(f: Callable[..., Any]) -> None:
    before = X.copy()
    value, gradient = value_and_grad(f)(B)
    assert value == f(B) and np.array_equal(X, before, equal_nan=True)
    assert np.abs(gradient).max() > 0.0
    np.testing.assert_allclose(gradient, central(f), rtol=1e-6, atol=1e-8)
    direction = np.array([0.4, -1.3])
    np.testing.assert_allclose(jvp(f, (B,), (direction,))[1], gradient @ direction, rtol=1e-12)
    np.testing.assert_allclose(hessian(f)(B), central(grad(f)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", TWICE, ids=[f.__name__ for f in TWICE])
def test_items_left_out_contribute_nothing_to_reverse_mode_of_derivatives(f: Callable[..., Any]) -> None:
    for curvature in (jacrev(grad(f)), jacrev(jacfwd(f)), jacfwd(jacfwd(f))):
        np.testing.assert_allclose(curvature(B), central(grad(f)), rtol=1e-5, atol=1e-6)


def test_residuals_that_are_zero_keep_their_rows_in_the_hessian() -> None:
    exact = X @ B

    def loss(b):
        s = 0.0
        for v in exact - X @ b:
            if np.isfinite(v):
                s += v * v
        return s

    kept = X[np.isfinite(exact)]
    np.testing.assert_array_equal(grad(loss)(B), np.zeros(2))
    np.testing.assert_allclose(hessian(loss)(B), 2.0 * kept.T @ kept, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_a_comparison_of_a_number_with_itself_is_no_jump() -> None:
    np.testing.assert_allclose(grad(iterates)(B), central(iterates), rtol=1e-6)


def test_what_is_nan_and_not_left_out_remains_nan() -> None:
    def loss(b):
        r = Y - X @ b
        s = 0.0
        for i in range(len(r)):
            if np.isfinite(r[i]) or i == 1:
                s += r[i] ** 2
        return s

    assert np.isnan(grad(loss)(B)).any()


def guarded_by_an_exception(x, w):
    if not np.isfinite(x).all():
        raise ValueError("x")
    return selected(x, w)


def guarded_by_a_value(x, w):
    if np.any(np.isnan(x) | np.isinf(x)) or np.isnan(x @ w):
        return np.inf
    return selected(x, w)


def selected(x, w):
    s = 0.0
    for i in range(len(x)):
        if x[i] > w[i]:
            s += (x * w)[i] ** 2
    return s


@pytest.mark.parametrize("f", [guarded_by_an_exception, guarded_by_a_value])
def test_tests_of_all_elements_leave_the_code_as_it_is(f: Callable[..., Any]) -> None:
    derivative = grad(f, argnums=(0, 1))
    derivative(np.array([1.0, 2.0, 0.3]), np.array([0.5, 3.0, 0.1]))
    assert "where" not in derivative.source


def test_complex_factors_of_items_left_out() -> None:
    def f(b):
        z = (1.0 + 2.0j) * (X @ b)
        s = 0.0
        for v in z:
            if np.isfinite(v):
                s += np.abs(v) ** 2
        return s

    np.testing.assert_allclose(grad(f)(B), central(f), rtol=1e-6, atol=1e-8)


def level(x, m):
    if m <= 0:
        return 1.5
    y = level(0.5 * x, m - 1)
    return 1.5 if y != y else y * math.cos(x)


def handed_on_in_branches(x, n):
    if level(x, 2) > 9.0:
        x = 1.5 * x
    for b in (math.sin(x), x - 0.65, 1.5):
        if n:
            x, b = b, 1.5
    return x - 0.5 if n else x


@pytest.mark.parametrize("n", [0, 1])
def test_a_mask_is_computed_in_the_branch_that_reads_it(n: int) -> None:
    value, slope = value_and_grad(handed_on_in_branches)(0.3, n)
    assert same_value(value, handed_on_in_branches(0.3, n))
    assert slope == (0.0 if n else 1.0)
