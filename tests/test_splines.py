"""Splines of SciPy as constants, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    InterpolatedUnivariateSpline,
    PchipInterpolator,
    PPoly,
    UnivariateSpline,
    make_interp_spline,
)

from sct import check_grads, grad, hessian, jvp, value_and_grad

KNOTS, DATA = np.linspace(0.0, 1.0, 6), np.array([0.3, 0.8, 1.2, 0.5, 0.9, 1.4])
SPLINES = [CubicSpline(KNOTS, DATA), PchipInterpolator(KNOTS, DATA), Akima1DInterpolator(KNOTS, DATA),
           CubicHermiteSpline(KNOTS, DATA, DATA), make_interp_spline(KNOTS, DATA), UnivariateSpline(KNOTS, DATA),
           InterpolatedUnivariateSpline(KNOTS, DATA), PPoly(np.ones((4, 5)), KNOTS),
           CubicSpline(KNOTS, DATA, extrapolate=False)]
FORCE, VECTORS = SPLINES[0], CubicSpline(KNOTS, np.stack([DATA, DATA], 1))
X = np.array([0.33, 0.47, 0.91])


@pytest.mark.parametrize("spline", SPLINES, ids=lambda s: type(s).__name__)
def test_every_kind(spline: Any) -> None:
    for f, x in ((lambda x: np.sum(spline(x) ** 2), X), (lambda c: spline(c) * c, 0.33),
                 (lambda x: np.sum(spline(np.outer(x, x)) * spline(x, 1)), X),
                 (lambda c: float(spline(c, nu=1)) + spline(c), np.float64(0.47))):
        agrees(f, x)
        check_grads(f, (x,), order=2)
    np.testing.assert_allclose(hessian(lambda c: spline(c))(0.33), spline(0.33, 2))


def ballistics(p):
    """Steps in time, with forces from a table."""
    table = CubicSpline(KNOTS, DATA, bc_type="natural")
    x, v = p[0], p[1]
    for _ in range(8):
        v = v - 0.1 * table(x) - 0.02 * FORCE(x, 1)
        x = x + 0.1 * v
    return x ** 2 + v


def bisected(p):
    total = 0.0
    for x in p:
        if FORCE(x) > 0.7:
            total = total + FORCE(x) * x
        else:
            total -= FORCE(x, 1)
    return total


@pytest.mark.parametrize(("f", "x"), [(ballistics, np.array([0.43, 0.3])), (bisected, X)])
def test_program(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)
    check_grads(f, (x,), order=2)
    derivative = value_and_grad(f)
    for at in (x, 0.9 * x):
        value, slope = derivative(at)
        assert same_value(value, f(at))
        np.testing.assert_allclose(jvp(f, (at,), (x,))[1], slope @ x, rtol=1e-10)


def test_the_text() -> None:
    derivative = grad(lambda x: np.sum(FORCE(x)))
    derivative(X)
    assert "dx = FORCE(x, 1)\n" in derivative.source and "= FORCE(x)\n" not in derivative.source


def test_splines_of_vectors() -> None:
    refuses(lambda y: np.sum(VECTORS(y[:1])), DATA, code="SCT207")
    agrees(lambda y: np.sum(CubicSpline(KNOTS, VECTORS(KNOTS))(y[:1])), DATA)
