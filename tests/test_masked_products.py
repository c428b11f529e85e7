"""Numbers that are nan and left out contribute exactly 0, below products of matrices as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hessian, jvp, value_and_grad

X = np.array([[1.0, 2.0], [np.nan, 1.0], [2.0, 3.0], [0.5, -1.0]])
Y = np.array([1.0, np.nan, 2.0, -0.3])
B, W = np.array([1.0, -0.7]), np.array([[0.3, -0.8], [1.1, 0.4]])


def complete_cases(b):
    r = Y - X @ b
    return np.sum(r[np.isfinite(r)] ** 2)


def by_outcome(b):
    r = Y - X.dot(b)
    return np.sum(np.where(~np.isnan(Y), r, 0.0) ** 2)


def by_rows(w):
    R = X @ w
    return np.sum(R[np.isfinite(X).all(axis=1)] ** 2)


def by_positions(b):
    r = X @ b
    return np.sum(r[np.flatnonzero(~np.isnan(r))] ** 3)


def layers(w):
    r = Y - np.tanh(X @ w) @ B
    return np.nanmean(r ** 2)


def second_layer(b):
    return np.nansum((Y - np.tanh(X @ W) @ b) ** 2)


def reconstruction(w):
    return np.nanmean((X - X @ w @ w.T) ** 2)


def from_the_left(w):
    return np.nansum((w @ X.T) ** 2)


def stacks(w):
    return np.nansum((np.stack([X, 2.0 * X]) @ w) ** 2)


def three_factors(w):
    r = np.einsum("ij,jk,k->i", X, w, B)
    return np.sum(np.where(np.isfinite(r), r, 0.0) ** 2)


def outer_product(b):
    return np.nansum(np.outer(X[:, 0], b) ** 2)


def over_axes(w):
    return np.nansum(np.tensordot(w, X, axes=(0, 1)) ** 2) + np.nansum(np.inner(X, w) ** 2)


def of_sums(b):
    r = Y - np.sum(X * b, axis=1)
    return np.sum(r[~np.isnan(r)] ** 2)


def columns(b):
    r = (X @ np.stack([b, 2.0 * b], axis=1))[:, 0].reshape(2, 2)
    return np.nansum(r ** 2)


PROGRAMS = [(f, W if "w" in f.__code__.co_varnames[:1] else B) for f in (
    complete_cases, by_outcome, by_rows, by_positions, layers, second_layer, reconstruction, from_the_left, stacks,
    three_factors, outer_product, over_axes, of_sums, columns)]


def central(f: Callable[..., Any], x: Any) -> Any:
    steps = 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)
    return np.stack([(f(x + e) - f(x - e)) / 2e-6 for e in steps], axis=-1)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_what_is_nan_and_left_out_contributes_nothing(f: Callable[..., Any], x: Any) -> None:
    before = X.copy()
    value, gradient = value_and_grad(f)(x)
    assert value == f(x) and np.array_equal(X, before, equal_nan=True)
    np.testing.assert_allclose(gradient.ravel(), central(f, x), rtol=1e-6, atol=1e-8)
    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    np.testing.assert_allclose(jvp(f, (x,), (direction,))[1], np.sum(gradient * direction), rtol=1e-12)
    second = hessian(f)(x).reshape(x.size, x.size)
    np.testing.assert_allclose(second, central(lambda z: grad(f)(z).ravel(), x), rtol=1e-5, atol=1e-6)


def test_the_matrix_has_a_gradient_as_well() -> None:
    def loss(x, b):
        r = Y - x @ b
        return np.sum(r[np.isfinite(r)] ** 2)

    kept = np.isfinite(Y)
    by_hand = np.zeros_like(X)
    by_hand[kept] = -2.0 * np.outer(Y[kept] - X[kept] @ B, B)
    np.testing.assert_allclose(grad(loss)(X, B), by_hand, rtol=1e-14)


def test_a_residual_that_is_zero_keeps_its_row_in_the_hessian() -> None:
    def loss(b):
        r = Y - Z @ b
        return np.sum(r[np.isfinite(r)] ** 2)

    Z = np.where(np.isnan(X), np.nan, X)
    kept = np.isfinite(Y)
    Z[kept, 0] = (Y[kept] - Z[kept, 1] * B[1]) / B[0]
    np.testing.assert_allclose(hessian(loss)(B), 2.0 * Z[kept].T @ Z[kept], rtol=1e-12)


def test_the_products_of_other_masks_stay_as_they_are() -> None:
    derivative = grad(lambda w: np.sum(np.maximum(X @ w, 0.0)))
    derivative(W)
    assert "X.T @ np.where(" in derivative.source and derivative.source.count("where") == 1
