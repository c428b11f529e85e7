"""Interpolants with slopes that follow from the data, roots of matrices, banded systems and histograms, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from oracle import agrees, refuses
from scipy.interpolate import Akima1DInterpolator, PchipInterpolator

from sct import check_grads, grad

T = np.array([0.0, 1.0, 1.5, 2.5, 3.0, 4.2, 5.0, 6.0])
Y = np.array([0.3, 1.2, 0.7, 2.1, 2.5, 2.9, 3.9, 0.4])
X = np.array([0.33, 1.2, 2.0, 4.4, 5.9])
A = np.array([[4.0, 1.0, 0.3], [0.5, 3.0, 0.2], [0.1, -0.4, 2.0]])


def monotone(y):
    f = PchipInterpolator(list(T), np.cumsum(y))
    total = np.sum(f(X) ** 2) + f.derivative()(2.2) * f(0.3) + np.sum(f(y[:2] + 0.05, nu=2))
    return total if isinstance(f, PchipInterpolator) else 0.0


def by_positions(t):
    f = PchipInterpolator(t, Y)
    return np.sum(f(X) ** 2) + np.sum(f.derivative(2)(t[:3] + 0.1)) + np.sum(Akima1DInterpolator(t, Y)(X) ** 2)


def akima(y):
    f = Akima1DInterpolator(T, y**2, extrapolate=True)
    return np.sum(f(X) ** 2) + np.sum(f(y[:2], 1)) + f(7.0)


def banded(k):
    n = len(k)
    ab = np.zeros((3, n))
    ab[0, 1:] = -k[1:]
    ab[1] = 9.0 + k
    ab[2, :-1] = -k[:-1]
    u = scipy.linalg.solve_banded((1, 1), ab, np.sin(k))
    upper = np.vstack([np.r_[0.0, -0.3 * k[1:]], 2.0 + k])
    v = scipy.linalg.solveh_banded(upper[::-1], k, lower=True)
    return u @ u + scipy.linalg.solveh_banded(upper, u).sum() + v @ k


def root(a):
    r = scipy.linalg.sqrtm(a)
    return np.trace(r) + r[0, 1] ** 2 * np.sum(r @ a)


def weighed(w):
    h, edges = np.histogram(T, bins=4, range=(0.0, 5.0), weights=w)
    middle = 0.5 * (edges[1:] + edges[:-1])
    fine, _ = np.histogram(T, [0.0, 1.0, 4.5], weights=w * w, density=True)
    return np.sum(h * middle**2) / np.sum(h) + np.sum(fine**2)


PROGRAMS = [(monotone, Y), (by_positions, T), (akima, Y), (banded, Y), (root, A), (weighed, Y)]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program(f: Callable[..., Any], x: np.ndarray) -> None:
    agrees(f, x)
    check_grads(f, (x,), order=2 if f is root else 1)


def test_flat_data() -> None:
    y = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 1.0, 1.0])
    with np.errstate(all="raise"):
        slope = grad(lambda y: np.sum(PchipInterpolator(T, y)(X)))(y)
    assert np.all(np.isfinite(slope)) and np.isclose(np.sum(slope), len(X))


def test_refused() -> None:
    refuses(lambda y: np.sum(PchipInterpolator(T, y).c), Y, code="SCT203")
    refuses(lambda y: np.sum(PchipInterpolator(T, np.stack([y, y], 1))(X)), Y, code="SCT402")
    refuses(lambda y: np.sum(np.histogram(y, 3, weights=y)[0]), Y, code="SCT402")
    with pytest.raises(Exception, match="must be real"):
        grad(lambda a: np.sum(np.abs(scipy.linalg.sqrtm(a))))(-A)
