"""`x.flat`, the elements of an array in C order, `x.shape = ...`, and windows over arrays, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from oracle import agrees, refuses

from sct import check_grads, grad

X = np.array([0.3, 1.2, 0.7, 2.1, 1.5, 0.4])
M = X.reshape(2, 3)


def tridiagonal(k):
    n = len(k)
    a = np.zeros((n, n))
    a.flat[::n + 1] = 2.0 * k
    a.flat[1::n + 1] = -k[:-1]
    a.flat[n::n + 1] += -k[1:]
    return np.linalg.slogdet(a)[1]


def regularized(x):
    g = np.outer(x, x)
    g.flat[::len(x) + 1] += 0.1
    return np.linalg.inv(g).trace()


def one_by_one(x):
    n = len(x)
    a = np.zeros((n, n))
    for k in range(n * n):
        if k % 5 == 1:
            a.flat[k] = x[k % n] ** 2
    a.flat[-1] = x[0]
    return np.sum(a @ x) + a.flat[1] * a.flat[-2]


def run_over(m):
    """What is read of `flat` is a copy."""
    part, total = m.flat[2:4], 0.0
    part[0] = 5.0
    for v in m.flat:
        total = total + v * v
    return total + m.flat[1] ** 2 + part.sum() + len(m.flat) + sum(m.flat)


def not_in_c_order(m):
    y = (m * m).T
    y.flat[[0, 3]] = m[0, :2]
    y.flat[1] = 7.0
    z = m.copy()
    z.flat = m.T
    z.flat[z.flat[:] > 1.0] *= 2.0
    return np.sum(y**3) + np.sum(z**2 * m)


def every_other(m):
    m.flat[::2] *= 3.0
    return np.sum(m**2)


def shaped(x):
    """Each name of the array has the new shape, and a view of it has not."""
    y = x * 2
    pair, z, view = (y, 1), y, y[:]
    y.shape = 2, -1
    z[0, 0] = x[1] ** 2
    return (y @ pair[0].T).sum() + view[0] * view.ndim + z.shape[1]


def rolling(r):
    w = np.lib.stride_tricks.sliding_window_view(r, 3)
    return np.mean(w.std(axis=-1, ddof=1) / w.mean(axis=-1))


def pooled(m):
    k = len(m)
    w = sliding_window_view(m, (k, 2))
    return np.sum(w.max(axis=(2, 3)) * m[k - 1:, 1:]) + np.sum(sliding_window_view(m, 2, axis=0)[::2] @ X[:2])


PROGRAMS = [(tridiagonal, X), (regularized, X), (one_by_one, X), (run_over, M), (not_in_c_order, M), (every_other, M),
            (shaped, X), (rolling, X), (pooled, M)]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program(f: Callable[..., Any], x: np.ndarray) -> None:
    agrees(f, x)
    check_grads(lambda x: f(x.copy()), (x,), order=2 if f is pooled else 1)


def test_a_diagonal_is_written_by_its_positions() -> None:
    derivative = grad(regularized)
    derivative(X)
    assert "g[dg_index, dg_index] += 0.1" in derivative.source


def test_refused() -> None:
    def of_argument(x):
        x.shape = 2, 3
        return x.sum()

    def repeated(x):
        y = np.zeros((6, 6))
        y.flat[::7] = x[:2]
        return y.sum()

    def in_fortran_order(m):
        y = (m * 2).T
        y.shape = (6,)
        return y[0]

    def written_windows(x):
        w = sliding_window_view(x, 2, writeable=True)
        return w.sum()

    assert refuses(of_argument, X, code="SCT302").hint
    assert refuses(repeated, X, code="SCT205").hint
    assert refuses(in_fortran_order, M, code="SCT303").hint
    assert refuses(written_windows, X, code="SCT501").hint
