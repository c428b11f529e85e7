"""Minima under constraints: values bit for bit, derivatives of the equations of Karush, Kuhn and Tucker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import refuses
from scipy.optimize import (
    LinearConstraint,
    NonlinearConstraint,
    fminbound,
    least_squares,
    minimize,
    minimize_scalar,
)

from sct import SctError, grad, hessian, jacobian, jvp, value_and_grad

TIGHT = {"ftol": 1e-15}
P = np.array([1.0, 2.0])


def on_a_line(p):
    """The nearest point on a line, in closed form: p - (sum(p) - 1) / 2."""
    r = minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), method="SLSQP",
                 constraints={"type": "eq", "fun": lambda x: x[0] + x[1] - 1.0}, options=TIGHT)
    return r.x


def on_a_circle(p):
    """The nearest point of a disk: p / |p|."""
    disk = NonlinearConstraint(lambda x: x @ x, -np.inf, 1.0)
    return minimize(lambda x: np.sum((x - p) ** 2), [0.4, 0.5], method="SLSQP", constraints=disk, options=TIGHT).x


def in_a_strip(p):
    """Rows of which one is active: the nearest point with x + y <= 1."""
    strip = LinearConstraint([[1.0, 1.0], [1.0, -1.0]], [-1.0, -np.inf], [1.0, 5.0])
    return minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), method="trust-constr", constraints=[strip],
                    options={"gtol": 1e-11, "xtol": 1e-13, "barrier_tol": 1e-11}).x


@pytest.mark.parametrize(("f", "closed_form"), [
    (on_a_line, lambda p: p - (np.sum(p) - 1.0) / 2.0), (in_a_strip, lambda p: p - (np.sum(p) - 1.0) / 2.0),
    (on_a_circle, lambda p: p / np.linalg.norm(p))])
def test_closed_form(f: Callable[..., Any], closed_form: Callable[..., Any]) -> None:
    np.testing.assert_array_equal(value_and_grad(lambda p: np.sum(f(p)))(P)[0], np.sum(f(P)))
    np.testing.assert_allclose(jacobian(f)(P), jacobian(closed_form)(P), atol=1e-6)
    np.testing.assert_allclose(jvp(f, (P,), (P[::-1],))[1], jacobian(closed_form)(P) @ P[::-1], atol=1e-6)
    cubes = [hessian(lambda p, x=x: np.sum(x(p) ** 3))(P) for x in (f, closed_form)]
    np.testing.assert_allclose(*cubes, atol=1e-5)


S = np.array([[1.0, 0.2, 0.1], [0.2, 0.8, 0.3], [0.1, 0.3, 0.6]])


def portfolio(mu, risk, least):
    """Two constraints, bounds, arguments of the constraint, the least value; one asset is not bought."""
    r = minimize(lambda w, c: 0.5 * w @ S @ w - c * (mu @ w), np.ones(3), (risk,), bounds=3 * [(0, 1)], constraints=[
        {"type": "eq", "fun": lambda w: np.sum(w) - 1.0, "jac": lambda w: np.ones(3)},
        {"type": "ineq", "fun": lambda w, m: np.array([mu @ w - m, 0.9 - w[0]]), "args": (least,)}], options=TIGHT)
    assert r.success
    return r.x @ np.array([1.0, 2.0, 3.0]) + r.fun


@pytest.mark.parametrize("least", [0.1, 0.25])
def test_a_portfolio(least: float) -> None:
    """With the return at its least, and above it."""
    args = (np.array([0.3, 0.2, 0.05]), 0.7, least)
    value, slopes = value_and_grad(portfolio, (0, 1, 2))(*args)
    assert value == portfolio(*args)
    for k, slope in enumerate(slopes):
        for i in range(np.size(slope)):
            step = 1e-4 * (np.arange(3) == i) if k == 0 else 1e-4
            at = lambda sign: portfolio(*(a + sign * step if j == k else a for j, a in enumerate(args)))
            np.testing.assert_allclose(np.ravel(slope)[i], (at(1.0) - at(-1.0)) / 2e-4, rtol=1e-3, atol=1e-4)
    assert (slopes[2] != 0.0) == (least == 0.25)


def test_multipliers_are_the_slopes_of_the_least_value() -> None:
    """d f* / d b of `x + y == b` is the multiplier; of a constraint that is not active it is 0."""
    def least(b, loose):
        return minimize(lambda x: x @ x, np.ones(2), constraints=(
            {"type": "eq", "fun": lambda x: x[0] + x[1] - b}, {"type": "ineq", "fun": lambda x: loose - x[0]}),
            options=TIGHT).fun

    np.testing.assert_allclose(grad(least, (0, 1))(3.0, 10.0), (3.0, 0.0), atol=1e-6)


def test_at_a_tie() -> None:
    """The minimum without the constraint lies on it; or two constraints are one."""
    f = lambda p: np.sum(minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), options=TIGHT, constraints={
        "type": "ineq", "fun": lambda x: 3.0 - x[0] - x[1]}).x ** 2)
    with pytest.raises(SctError, match="at a tie"):
        grad(f)(P)
    g = lambda p: np.sum(minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), options=TIGHT, constraints=[
        {"type": "ineq", "fun": lambda x: 1.0 - x[0]}, {"type": "ineq", "fun": lambda x: 2.0 - 2.0 * x[0]}]).x ** 2)
    with pytest.raises(SctError, match="at a tie"):
        grad(g)(np.array([2.0, 1.0]))


OUTSIDE, CURVED = LinearConstraint(np.ones((1, 2)), ub=1.0), NonlinearConstraint(lambda x: x[0] * x[1], 0.25, np.inf)


def test_constraints_that_are_made_elsewhere() -> None:
    """The nearest point of a line and of a hyperbola, which touch at (1/2, 1/2) where p is far above."""
    f = lambda p, c: np.sum(minimize(lambda x: np.sum((x - p) ** 2), np.ones(2), constraints=c, options=TIGHT).x ** 2)
    line = lambda p: f(p, OUTSIDE)
    np.testing.assert_allclose(grad(line)(P), grad(lambda p: np.sum(on_a_line(p) ** 2))(P), atol=1e-6)
    curve = lambda p: f(p, CURVED)
    p = np.array([0.2, 0.1])
    steps = 1e-4 * np.eye(2)
    np.testing.assert_allclose(grad(curve)(p), [(curve(p + h) - curve(p - h)) / 2e-4 for h in steps], rtol=1e-3)
    assert value_and_grad(curve)(p)[0] == curve(p)


@pytest.mark.parametrize("f", [
    lambda p: minimize(lambda x: x @ x, p, method="COBYLA", constraints={"type": "eq", "fun": lambda x: x[0]}).x[0],
    lambda p: minimize(lambda x: x @ x, p, constraints={"type": "less", "fun": lambda x: x[0] - 1.0}).x[0],
    lambda p: minimize(lambda x: x @ x, p, constraints=LinearConstraint(np.eye(2), p, keep_feasible=True)).x[0],
    lambda p: minimize(lambda x: (x @ x, x), p, jac=True, constraints=LinearConstraint(np.eye(2), p)).x[0],
    lambda p: minimize(lambda x: x @ x, p, callback=print, constraints=LinearConstraint(np.eye(2), p)).x[0],
])
def test_refused(f: Callable[..., Any]) -> None:
    refuses(f, P, code="SCT402")


# -- of one number, between bounds -------------------------------------------------------------------------------------


def quartic(a, b):
    """In closed form x = a, and the least value b; `args`, options."""
    f = lambda x, a: (x - a) ** 2 + 0.1 * (x - a) ** 4 + b
    r = minimize_scalar(f, bounds=(0.0, 2.0), args=(a,), method="bounded", options={"xatol": 1e-10})
    return r.x**3 + r.fun + fminbound(lambda x: np.cosh(x - a * b), -1, 2.0, xtol=1e-10)


def test_of_one_number() -> None:
    value, slopes = value_and_grad(quartic, (0, 1))(0.7, 0.4)
    assert value == quartic(0.7, 0.4)
    np.testing.assert_allclose(slopes, (3 * 0.7**2 + 0.4, 1.0 + 0.7), rtol=1e-6)
    np.testing.assert_allclose(hessian(lambda p: quartic(p[0], p[1]))(np.array([0.7, 0.4])), [[4.2, 1.0], [1.0, 0.0]],
                               atol=1e-5)
    np.testing.assert_allclose(jvp(quartic, (0.7, 0.4), (1.0, 2.0))[1], slopes[0] + 2.0 * slopes[1], rtol=1e-9)


def test_stopped_by_a_bound() -> None:
    f = lambda a: minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, 2.0)).x
    np.testing.assert_allclose(grad(f)(0.7), 1.0)
    with pytest.raises(SctError, match="at a bound"):
        grad(f)(2.5)
    refuses(lambda a: fminbound(lambda x: (x - a) ** 2, 0, 2, full_output=True)[0], 0.7, code="SCT402")
    refuses(lambda a: minimize_scalar(lambda x: (x - a) ** 2, bounds=(0, 2), method="brent").x, 0.7, code="SCT402")


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
def test_losses_of_least_squares(loss: str) -> None:
    """Of a line through points, one of which is far off: against differences of the solver, which finds x to 1e-9."""
    t = np.linspace(0.0, 3.0, 8)
    y = 0.5 * t + 0.2 + 0.05 * np.cos(7.0 * t) + 4.0 * (t == t[2])

    def fitted(y, scale):
        r = least_squares(lambda p: p[0] * t + p[1] - y, np.array([0.4, 0.3]), loss=loss, f_scale=scale, xtol=1e-15,
                          ftol=1e-15, gtol=1e-15)
        return r.x[0] ** 2 + r.x[1] + r.cost

    value, (by_y, by_scale) = value_and_grad(fitted, (0, 1))(y, 0.1)
    assert value == fitted(y, 0.1)
    direction = np.cos(np.arange(8.0))
    at, h = lambda h: fitted(y + h * direction, 0.1), 1e-4
    np.testing.assert_allclose(by_y @ direction, (at(h) - at(-h)) / (2 * h), rtol=1e-5)
    np.testing.assert_allclose(by_scale, (fitted(y, 0.1 + h) - fitted(y, 0.1 - h)) / (2 * h), rtol=1e-5)
