"""Objects of `scipy.interpolate` that are made of differentiated data, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy.interpolate import (
    BSpline,
    CubicHermiteSpline,
    CubicSpline,
    InterpolatedUnivariateSpline,
    LinearNDInterpolator,
    NearestNDInterpolator,
    UnivariateSpline,
    griddata,
    interp1d,
    make_interp_spline,
    splev,
    splint,
    splrep,
)

from sct import check_grads, grad, hessian, jvp, value_and_grad, vjp

T, Y = np.linspace(0.0, 1.0, 7), np.array([0.3, 0.8, 1.2, 0.5, 0.9, 1.4, 0.7])
PAIRS = np.stack([Y, Y**2], 1)
KNOTS = np.array([0.0, 0, 0, 0, 0.3, 0.6, 1, 1, 1, 1])
X = np.array([0.33, 0.47, 0.91])

CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "values": (lambda y: np.sum(CubicSpline(T, y)(X) ** 2), Y),
    "a number": (lambda y: CubicSpline(T, y, bc_type="clamped")(0.3) ** 2, Y),
    "values at the ends": (lambda y: np.sum(CubicSpline(T, y, bc_type=((1, 0.5), (2, 0.1)))(y[:3] * 0.5) ** 2), Y),
    "slopes": (lambda y: np.sum(CubicSpline(T, y)(X, 1) * CubicSpline(T, y)(y[:3] * 0.5, nu=2)), Y),
    "two columns": (lambda y: np.sum(CubicSpline(T, y)(y[:, :1] * 0.4) ** 2), PAIRS),
    "integral": (lambda y: CubicSpline(T, y).integrate(0.1, y[0]) ** 2, Y),
    "integral of columns": (lambda y: np.sum(CubicSpline(T, y).integrate(0.1, y[0, 0]) ** 2), PAIRS),
    "derivative": (lambda y: np.sum(CubicSpline(T, y).derivative(2)(y * 0.3) ** 2) * 1e-3, Y),
    "antiderivative": (lambda y: np.sum(CubicSpline(T, y).antiderivative()(X * y[0]) ** 2), Y),
    "Hermite": (lambda y: np.sum(CubicHermiteSpline(T, y, np.sin(y))(X * y[0]) ** 2), Y),
    "interpolating": (lambda y: np.sum(make_interp_spline(T, y, k=5)(X * y[0]) ** 2), Y),
    "natural": (lambda y: np.sum(make_interp_spline(T, y, bc_type="natural")(X * y[0], 1) ** 2), Y),
    "B-spline": (lambda c: BSpline(KNOTS, c, 3)(c[1]) * BSpline(KNOTS, c, 3).integrate(0.1, 0.8), Y[:6]),
    "smoothness": (lambda c: np.sum(BSpline(KNOTS, c, 3).derivative(2)(X) ** 2) * 1e-3, Y[:6]),
    "table": (lambda y: np.sum(interp1d(T, y)(X * y[0]) ** 2), Y),
    "table beyond": (lambda y: np.sum(interp1d(T, y, fill_value="extrapolate")(X * 4 * y[0]) ** 2), Y),
    "filled": (lambda y: np.sum(interp1d(T, y, bounds_error=False, fill_value=(0.0, 2.0))(X * 4 * y[0]) ** 2), Y),
    "positions": (lambda t: float(interp1d(t, Y)(0.3)) * interp1d(t, Y)(0.6), T),
    "cubic": (lambda y: np.sum(interp1d(T, y, kind="cubic")(X * y[0]) ** 2), Y),
    "quadratic": (lambda y: np.sum(interp1d(T, y, kind="quadratic", fill_value="extrapolate")(X * 3 * y[0]) ** 2), Y),
    "nearest": (lambda y: np.sum(interp1d(T, y, kind="nearest")(X * y[0]) ** 2), Y),
    "previous": (lambda y: np.sum(interp1d(T, y, kind="previous")(X * y[0]) ** 2), Y),
    "constant table": (lambda x: np.sum(interp1d(T, Y)(x) ** 2), X),
    "FITPACK": (lambda y: np.sum(UnivariateSpline(T, y, s=0, k=2)(X * y[0]) ** 2), Y),
    "FITPACK's slopes": (lambda y: InterpolatedUnivariateSpline(T, y).derivative()(y[0]) * InterpolatedUnivariateSpline(
        T, y)(0.4, nu=2) * 1e-2, Y),
    "FITPACK's integral": (lambda y: InterpolatedUnivariateSpline(T, y).integral(-y[0], 0.8) ** 2, Y),
    "a tuple": (lambda y: np.sum(splev(X * y[0], splrep(T, y)) ** 2), Y),
    "parts of a tuple": (lambda y: (lambda t, c, k: np.sum(splev(X, (t, 2.0 * c, k), der=1) ** 2))(*splrep(
        T, y, k=4)), Y),
    "integral of a tuple": (lambda y: splint(0.1, y[0], splrep(T, y)) * splint(y[1], 0.2, splrep(T, T**2)), Y),
    "lists": (lambda y: CubicSpline(list(T), [2.0 * v for v in y])([0.3, 0.4])[1], Y),
}


@pytest.mark.parametrize("name", CASES)
def test_every_kind(name: str) -> None:
    f, x = CASES[name]
    agrees(f, x)
    check_grads(f, (x,), order=2)
    derivative = value_and_grad(f)
    for at in (x, 0.95 * x if name != "positions" else x):
        value, slope = derivative(at)
        assert same_value(value, f(at))
        np.testing.assert_allclose(jvp(f, (at,), (x,))[1], np.sum(slope * x), rtol=1e-9)


class Material:
    def __init__(self, values: Any) -> None:
        self.conductivity = CubicSpline(T, values, bc_type="natural")

    def flux(self, u: Any) -> Any:
        return self.conductivity(0.5 * (u[1:] + u[:-1])) * np.diff(u)


def heat(values):
    material, u = Material(values), np.linspace(0.1, 0.9, 6)
    for _ in range(10):
        u[1:-1] += 0.1 * np.diff(material.flux(u))
    return np.sum(u**2)


def smoothed(y):
    """A spline of the values of the one before."""
    s = CubicSpline(T, y)
    for _ in range(20):
        s = CubicSpline(T, 1.01 * s(T) + 0.01 * T)
    return s(0.4)


def march(y):
    """The number of steps depends on the spline."""
    s, x = CubicSpline(T, y), 0.0
    while s(x) < 1.0:
        x = x + 0.01 * y[0]
    return x * s(x)


def overwritten(y):
    """The spline keeps the data as they were."""
    s = CubicSpline(T, y)
    y[0] = 5.0
    return s(0.1) * y[0]


def recognized(y):
    s = CubicSpline(T, y)
    return s(0.3) if isinstance(s, CubicSpline) and type(s) is CubicSpline and callable(s) else 0.0


@pytest.mark.parametrize("f", [heat, smoothed, march, overwritten, recognized], ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, Y)
    check_grads(lambda y: f(y.copy()), (Y,), order=2)
    derivative = value_and_grad(f)
    for y in (Y, 0.9 * Y):
        value, slope = derivative(y)
        assert same_value(value, f(y.copy()))
        np.testing.assert_allclose(jvp(f, (y,), (Y,))[1], slope @ Y, rtol=1e-9)


def test_the_derivative_is_the_spline_of_unit_data() -> None:
    derivative = grad(lambda y: np.sum(CubicSpline(T, y)(X)))
    np.testing.assert_allclose(derivative(Y), CubicSpline(T, np.eye(7))(X).sum(axis=0))
    assert "np.sum(scipy.interpolate.CubicSpline(T, dy_part)(X), axis=0)" in derivative.source
    curved = hessian(lambda y: CubicSpline(T, y)(0.3) ** 2)(Y)
    weights = CubicSpline(T, np.eye(7))(0.3)
    np.testing.assert_allclose(curved, 2.0 * np.outer(weights, weights))


POINTS = np.random.default_rng(0).random((12, 2))
AT = np.array([[0.5, 0.52], [0.45, 0.6], [0.31, 0.47], [3.0, 0.0]])


def scattered(v):
    """Over triangles and of the nearest point; the last place is outside."""
    at = AT * (1.0 + 0.01 * v[0])
    near = NearestNDInterpolator(POINTS, v)(AT[:, 0], AT[:, 1]) * griddata(POINTS, v * v, AT, method="nearest")
    return np.sum(griddata((POINTS[:, 0], POINTS[:, 1]), v, at, fill_value=0.5) ** 2) + near @ LinearNDInterpolator(
        POINTS, np.sin(v), fill_value=1.0)(at)


def test_scattered_data() -> None:
    v = np.linspace(0.2, 1.7, 12)
    agrees(scattered, v)
    check_grads(scattered, (v,))
    plane = lambda x, c: np.sum(griddata(POINTS, POINTS @ c, x[None]))
    c = np.array([0.3, -1.2])
    np.testing.assert_allclose(grad(plane, (0, 1))(AT[0], c), [c, AT[0]], rtol=1e-12)


def test_values_that_are_no_numbers_outside_of_the_data() -> None:
    v = np.linspace(0.2, 1.7, 12)
    for outside in (np.nan, np.inf):
        agrees(lambda v: np.sum(np.nan_to_num(griddata(POINTS, v, AT, fill_value=outside), posinf=0.0)), v)
        agrees(lambda v: np.sum(np.nan_to_num(LinearNDInterpolator(POINTS, v, outside)(AT), posinf=0.0)), v)
    agrees(lambda y: np.nansum(interp1d(T, y, bounds_error=False, fill_value=np.nan)(np.array([0.3, 99.0]))), Y)


def test_the_tree_of_the_interpolant_is_asked_again() -> None:
    v = np.linspace(0.2, 1.7, 12)
    for interpolator in (NearestNDInterpolator, LinearNDInterpolator):
        gradient = grad(lambda v: np.sum(interpolator(POINTS, v)(AT[:3]) ** 2))
        gradient(v)
        assert "cKDTree" not in gradient.source and "Delaunay" not in gradient.source


@pytest.mark.parametrize(("f", "code"), [
    (lambda y: griddata(POINTS * y[0], np.ones(12), AT)[0], "SCT402"),
    (lambda t: CubicSpline(t, Y, bc_type="periodic")(0.3), "SCT402"),
    (lambda y: interp1d(T * y[0], y, kind="cubic")(0.3), "SCT402"),
    (lambda y: np.sum(CubicSpline(T, y).c), "SCT203"),
    (lambda y: CubicSpline(T, y)(1.3, extrapolate=False), "SCT205"),
    (lambda y: UnivariateSpline(T, y)(0.3), "SCT402"), (lambda t: splint(0.1, 0.2, splrep(t, Y)), "SCT402"),
    (lambda y: CubicSpline(T, y - y[-1] + y[0], bc_type="periodic")(0.3), "SCT402"),
    (lambda y: interp1d(T[::-1], y)(0.3), "SCT402"),
    (lambda y: np.sum(interp1d(T, PAIRS.T * y[0])(0.3)), "SCT205"),
    (lambda y: (CubicSpline(T, y) if y[0] > 0.2 else CubicSpline(T, 2.0 * y))(0.4), "SCT502")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, T if f.__code__.co_varnames[0] == "t" else Y, code=code)


def test_what_is_held_may_not_change() -> None:
    def held(c):
        s = BSpline(KNOTS, c, 3)
        c[0] = 5.0
        return s(0.1)

    def written(y):
        s = CubicSpline(T, y)
        s.extrapolate = False
        return s(1.3)

    def moved(y):
        t = np.linspace(0.0, 1.0, 7)
        s = CubicSpline(t, y)
        t[3] = 0.55
        return s(0.52)

    def not_copied(y):
        s = interp1d(T, y, copy=False)
        y[3] = 5.0
        return s(0.52)

    refuses(held, Y[:6], code="SCT307")
    refuses(moved, Y, code="SCT307")
    refuses(not_copied, Y, code="SCT307")
    refuses(written, Y, code="SCT303")
    with pytest.raises(Exception, match="SCT409"):
        vjp(lambda y: CubicSpline(T, y), Y)
