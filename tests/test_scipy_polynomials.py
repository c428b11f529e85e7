"""Polynomials of scipy.interpolate that are made of differentiated numbers, and cubics whose slopes follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from scipy import interpolate
from scipy.interpolate import Akima1DInterpolator, KroghInterpolator, PPoly

from sct import check_grads, grad

C = np.cos(np.arange(12.0) ** 2).reshape(3, 4)
T = np.array([0.0, 0.8, 1.5, 2.9, 3.3])
AT = np.array([-0.4, 0.3, 0.9, 2.0, 2.95, 3.7])
Y = np.array([0.31, 1.57, 0.83, 1.21, 0.47, 1.73])


def pieces(x, t, c):
    p = PPoly(c, t)
    return np.sum(p(x) ** 2) + np.sum(p(x, 1) * p(x[::-1], nu=2)) + p(x[3]) * isinstance(p, PPoly)


def derived_pieces(x, t, c):
    """The coefficients are differentiated in any case."""
    p = PPoly(c + 0.0 * x[0], t, extrapolate=True)
    return np.sum(p.derivative()(x) * p.antiderivative()(x)) + np.sum(p.antiderivative(2).derivative(2)(x) ** 2) + \
        np.sum(p.derivative(3)(x))


def integrals_of_pieces(x, t, c):
    p = PPoly(c + 0.0 * x[0], t)
    return p.integrate(x[1], x[3]) * p.integrate(x[2], 0.2) + p.antiderivative().integrate(0, x[-1])


def through_points(x, t, c):
    p = KroghInterpolator(t, c[:5, 0])
    return np.sum(p(x) ** 2) + np.sum(p.derivative(x) * p.derivative(x, 2)) + p(x[0]) + p.derivative(x[2], 4) \
        + np.sum(interpolate.krogh_interpolate(t, c[:5, 1] + 0.0 * x[0], x, 1))


def akima(x, t, c):
    y = c[:5, 0] + 0.0 * x[0]
    p = Akima1DInterpolator(t, y, method="makima", extrapolate=True)
    return np.sum(p(x) ** 2) + np.sum(p.derivative()(x) ** 2) + np.sum(p(x, 2)) + np.sum(
        interpolate.pchip_interpolate(t, y, x, axis=0))


@pytest.mark.parametrize("f", [pieces, derived_pieces, integrals_of_pieces, through_points, akima],
                         ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    c = np.cos(np.arange(15.0) ** 2).reshape(5, 3) if f in (through_points, akima) else C
    agrees(f, AT.copy(), T.copy(), c.copy())
    agrees(lambda c, x, t: f(x, t, c), c.copy(), AT.copy(), T.copy())
    agrees(lambda t, x, c: f(x, t, c), T.copy(), AT.copy(), c.copy())
    check_grads(f, (AT, T, c), order=2)


def test_the_integral_by_the_breakpoints_is_the_gap() -> None:
    """Of a constant 2 up to the breakpoint, and 5 from there on: its derivative by the breakpoint is 2 - 5."""
    f = lambda t: PPoly(np.array([[2.0, 5.0]]), np.array([0.0, t, 3.0])).integrate(0.5, 2.5) * 1.0
    assert grad(f)(1.2) == -3.0


def test_krogh_is_the_polynomial() -> None:
    """Through six points of t**3 there is only t**3: 3 t**2 by the place, and no change by where the points are."""
    f = lambda x, t: KroghInterpolator(t, t**3)(x) * 1.0
    dx, dt = grad(f, (0, 1))(0.7, Y)
    np.testing.assert_allclose(dx, 3.0 * 0.7**2, rtol=1e-12)
    np.testing.assert_allclose(dt, 0.0, atol=1e-11)


def test_modified_akima_where_slopes_are_equal() -> None:
    """On a straight line every weight is defined, and the interpolant is the line."""
    f = lambda y: Akima1DInterpolator(np.arange(6.0), y, method="makima")(2.4) * 1.0
    np.testing.assert_allclose(grad(f)(3.0 * np.arange(6.0)) @ (3.0 * np.arange(6.0)), 3.0 * 2.4, rtol=1e-13)


def test_refused() -> None:
    assert "CubicHermiteSpline" in str(
        refuses(lambda y: KroghInterpolator([0.0, 0.0, 1.0, 2.0, 3.0, 4.0], y)(0.5) * 1.0, Y, code="SCT402").hint)
    assert "left to right" in str(refuses(lambda c: PPoly(c, T[::-1])(0.5) * 1.0, C, code="SCT402").hint)
    refuses(lambda c: PPoly(c, T, extrapolate="periodic")(0.5) * 1.0, C, code="SCT402")
    refuses(lambda c: PPoly(c, T).roots()[0], C, code="SCT203")
