"""Writes that permute parts of an array, `A[[k, p]] = A[[p, k]]`, also where an index comes twice."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, hvp, jvp

X = np.arange(1.0, 17.0).reshape(4, 4) / 7.0
W = np.cos(np.arange(16.0).reshape(4, 4))


def rows(x, w, i, j, k):
    y = x * x
    y[[i, j]] = y[[j, i]]
    return np.sum(y * w * y)


def columns_in_a_loop(x, w, i, j, k):
    y = x * w
    for n in range(3):
        p = n + np.argmax(np.abs(y[n:, n]))
        if p != n:
            y[:, [n, p]] = y[:, [p, n]]
            y[[n, p]] = y[[p, n]]
        y[n + 1 :] -= 0.1 * y[n] * y[n + 1 :]
    return np.sum(y * y * w)


def elements(x, w, i, j, k):
    y = x * x
    y[[i, j], [j, k]] = y[[j, i], [k, j]]
    y[[i, j], k] = y[[j, i], k]
    return np.sum(y * w * y)


def cycle_of_literals(x, w, i, j, k):
    y = x * x
    y[[0, 1, 3]] = y[[1, 3, 0]]
    return np.sum(y * w * y)


def cycle_of_ints(x, w, i, j, k):
    y = x * x
    y[[i, j, k]] = y[[j, k, i]]
    return np.sum(y * w * y)


def literals_of_one_row(x, w, i, j, k):
    y = x * x
    y[[0, 3, -1]] = y[[3, -1, 0]]
    y[[1, 2]] = y[[1, 1]]
    y[[-1, -2]] = w[[-1, -2]] * y[[-2, -1]]
    return np.sum(y * w * y)


def from_another_version(x, w, i, j, k):
    y = x * x
    t = y[[j, i]]
    y[0] *= 3.0
    y[[i, j]] = t
    y[[i, j], 1:] = y[[j, i], :-1]
    return np.sum(y * w * y)


def by_the_order_of_a_vector(x, w, i, j, k):
    order = np.argsort(w[:, 0])
    y = np.empty_like(x)
    y[order[1:]] = x[order[:-1]] * w[0]
    y[order[:1]] = x[order[-1:]] ** 2
    return np.sum(y * y * w)


def by_the_orders_of_a_matrix(x, w, i, j, k):
    orders = np.argsort(w, axis=1)
    y = np.zeros(4)
    y[orders] = x * x
    return np.sum(y * w)


def in_float32(x, w, i, j, k):
    y = x.astype(np.float32)
    y[[i, j]] = y[[j, i]]
    return float(np.sum(y * w))


PROGRAMS = (rows, columns_in_a_loop, elements, cycle_of_literals, cycle_of_ints, literals_of_one_row,
            from_another_version, by_the_order_of_a_vector, by_the_orders_of_a_matrix)
PERMUTED = (rows, columns_in_a_loop, cycle_of_literals, in_float32)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_permuted(f: Callable[..., Any]) -> None:
    for positions in ((1, 3, 0), (2, 2, 2), (0, -4, 1), (1, 1, 2), (-1, 0, -1)):
        agrees(f, X, W, *positions)


@pytest.mark.parametrize("f", (*PROGRAMS[:5], in_float32), ids=lambda f: f.__name__)
def test_modes(f: Callable[..., Any]) -> None:
    rest, v = (W, 1, 3, 0), np.sin(X)
    gradient = grad(f)(X, *rest)
    np.testing.assert_allclose(jvp(lambda x: f(x, *rest), (X,), (v,))[1], np.sum(gradient * v), rtol=1e-6)
    ends = [grad(f)(X + h * v, *rest) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(hvp(lambda x: f(x, *rest), (X,), (v,)), (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-7)


def test_as_by_hand() -> None:
    """The transpose of a permutation is one, and the lists are those of the user."""
    derivative = grad(columns_in_a_loop)
    derivative(X, W, 0, 0, 0)
    assert "dy[[n, p]] = dy[[p, n]]" in derivative.source
    assert "dy[:, [n, p]] = dy[:, [p, n]]" in derivative.source
    for f in (*PERMUTED, elements):
        derivative = grad(f)
        derivative(X, W, 1, 3, 0)
        assert "add.at" not in derivative.source and "int64" not in derivative.source


def test_nan_stays_in_its_row() -> None:
    x = X.copy()
    x[3, 0] = np.nan
    gradient = grad(rows)(x, W, 1, 3, 0)
    assert np.isnan(gradient[3, 0]) and np.sum(np.isnan(gradient)) == 1
