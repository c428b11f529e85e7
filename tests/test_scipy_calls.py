"""Calls of SciPy in the forms of its documentation: bounds, brackets, coordinates, integrals of splines, counts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.stats
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicSpline,
    LinearNDInterpolator,
    NearestNDInterpolator,
    PchipInterpolator,
)
from scipy.optimize import Bounds, minimize, minimize_scalar

from sct import SctError, check_grads, grad, vjp

MU = np.array([0.1, 0.2, 1.4])
T, Y = np.array([0.0, 1.0, 2.2, 3.0, 4.0]), np.array([0.0, 1.0, 0.5, 2.0, 1.0])
POINTS = np.random.default_rng(0).normal(size=(12, 2))
VALUES = POINTS[:, 0] ** 2 + POINTS[:, 1]
IMAGE = np.random.default_rng(1).normal(size=(6, 5))


def distance(w, m):
    return np.sum((w - m) ** 2) + 0.1 * np.sum(w ** 4)


BOUNDS = {
    "of the size": lambda m: [(0, 1)] * len(m),
    "for each": lambda m: [(0.0, 1.0) for _ in m],
    "numbers": lambda m: Bounds(0, 1),
    "arrays": lambda m: Bounds(np.zeros(len(m)), np.ones(len(m))),
    "by name": lambda m: Bounds(ub=1.0, lb=[0.0, 0.0, 0.0]),
    "a matrix": lambda m: np.array([[0.0, 1.0]] * 3),
}


@pytest.mark.parametrize("method", [None, "SLSQP"])
@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name, method) -> None:
    """Each of the numbers is at its bound or solves an equation of its own."""
    def f(m):
        return minimize(distance, np.full(3, 0.5), args=(m,), method=method, bounds=BOUNDS[name](m), tol=1e-12).x

    value, pullback = vjp(f, MU)
    (ct,) = pullback(np.ones(3))
    assert np.array_equal(value, f(MU)) and value[2] == 1.0
    assert np.allclose(ct, [1.0 / (1.0 + 0.6 * value[0] ** 2), 1.0 / (1.0 + 0.6 * value[1] ** 2), 0.0])


def test_bounds_beside_constraints() -> None:
    def f(m):
        return minimize(distance, np.full(3, 0.5), args=(m,), method="SLSQP", bounds=Bounds(0.0, 1.0), tol=1e-12,
                        constraints=[{"type": "eq", "fun": lambda w: w[0] + w[1] - 0.5}]).x[0]

    with_pairs = grad(lambda m: minimize(
        distance, np.full(3, 0.5), args=(m,), method="SLSQP", bounds=[(0.0, 1.0)] * 3, tol=1e-12,
        constraints=[{"type": "eq", "fun": lambda w: w[0] + w[1] - 0.5}]).x[0])
    assert np.array_equal(grad(f)(MU), with_pairs(MU))


def test_a_bracket_is_a_start() -> None:
    def f(a):
        return minimize_scalar(lambda x: (x - a) ** 2 + x ** 4, bracket=(0, 2), tol=1e-12).x

    x = f(0.7)
    assert np.isclose(grad(f)(0.7), 2.0 / (2.0 + 12.0 * x * x)) and vjp(f, 0.7)[0] == x


@pytest.mark.parametrize("f", [
    lambda s, t: LinearNDInterpolator(POINTS, VALUES)(s, t),
    lambda s, t: LinearNDInterpolator(POINTS, VALUES * t)((s, t)),
    lambda s, t: LinearNDInterpolator(POINTS, VALUES * t)([s, t])[0],
    lambda s, t: np.sum(LinearNDInterpolator(POINTS, VALUES)(np.array([s, 0.3 * s]), t)),
    lambda s, t: NearestNDInterpolator(POINTS, VALUES * t)(s, t)])
def test_coordinates(f) -> None:
    check_grads(f, (0.1, 0.2), order=1)
    assert vjp(f, 0.1, 0.2)[0] == f(0.1, 0.2)


@pytest.mark.parametrize("f", [
    lambda s: CubicSpline(T, Y).integrate(0.0, s), lambda s: CubicSpline(T, Y).antiderivative()(s),
    lambda s: CubicSpline(T, Y).derivative()(s) * s, lambda s: CubicSpline(T, Y).derivative(2)(s) * s])
def test_splines_of_constants(f) -> None:
    check_grads(f, (1.5,), order=2)
    assert vjp(f, 1.5)[0] == f(1.5)


@pytest.mark.parametrize("f", [
    lambda t, y, s: CubicSpline(t, y).integrate(0.3, s),
    lambda t, y, s: CubicSpline(t, y, bc_type="natural").antiderivative()(s),
    lambda t, y, s: CubicSpline(t, y).derivative().integrate(0.3, s),
    lambda t, y, s: PchipInterpolator(t, y).integrate(s, 3.1),
    lambda t, y, s: np.sum(Akima1DInterpolator(t, y).antiderivative()(np.array([s, 1.4 * s])))])
def test_integrals_by_the_positions(f) -> None:
    check_grads(f, (T, Y, 2.5), order=2)
    value = vjp(f, T, Y, 2.5)[0]
    assert value == f(T, Y, 2.5) and type(value) is type(f(T, Y, 2.5))


@pytest.mark.parametrize("f", [
    lambda a: np.sum(scipy.ndimage.rotate(IMAGE, a) ** 2),
    lambda a: np.sum(scipy.ndimage.rotate(IMAGE * a, 3.0 * a, reshape=False, order=1) ** 2)])
def test_an_angle(f) -> None:
    check_grads(f, (10.3,), order=1)
    assert vjp(f, 10.3)[0] == f(10.3)


def test_a_count_is_asked_for() -> None:
    x = np.random.default_rng(2).normal(size=40)
    value, pullback = vjp(lambda x, n: np.sum(scipy.signal.welch(x, nperseg=n)[1] ** 2), x, 8)
    assert value == np.sum(scipy.signal.welch(x, nperseg=8)[1] ** 2)
    assert np.allclose(pullback(1.0)[0], grad(lambda x: np.sum(scipy.signal.welch(x, nperseg=8)[1] ** 2))(x))


def test_weights_in_a_list() -> None:
    assert grad(lambda w: np.sum(np.histogram([0.1, 0.2, 0.7], weights=w)[0] ** 2))([1.0, 2.0, 3.0]) == [2.0, 4.0, 6.0]


def test_an_error_points_at_the_call() -> None:
    def f(x):
        return scipy.stats.ttest_ind(x, Y, equal_var=False).pvalue

    with pytest.raises(SctError, match=r"test_scipy_calls\.py(.|\n)*ttest_ind(.|\n)*by `betainc`"):
        grad(f)(T)


def test_source_repeats_the_refusal() -> None:
    g = grad(lambda x, y: sum(np.interp(a * 1j, x, y) for a, b in zip(x, y)))
    with pytest.raises(SctError, match="the positions of interp are real"):
        g(T, Y)
    with pytest.raises(SctError, match="the positions of interp are real"):
        g.source


@pytest.mark.parametrize("option, value", [("driver", "ev"), ("subset_by_value", [0.0, 1.0])])
def test_options_that_exist(option, value) -> None:
    with pytest.raises(SctError, match=f"`{option}` of eigh is not supported"):
        grad(lambda a: np.sum(scipy.linalg.eigh(a, **{option: value})[0]))(np.eye(3))
