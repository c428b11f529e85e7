"""Integrals of functions: values bit for bit, derivatives by the rule of Leibniz, to the tolerance of the integral."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from oracle import agrees, refuses, same_value
from scipy import integrate
from scipy.integrate import cumulative_trapezoid, dblquad, fixed_quad, quad, quad_vec, tplquad
from scipy.optimize import brentq

from sct import check_grads, grad, hessian, jacfwd, jacobian, jvp, value_and_grad, vjp

pytestmark = pytest.mark.filterwarnings("ignore:.*the result does not depend on")


def arc_length(p):
    """Of an ellipse, between two angles."""
    a, b, start, end = p

    def speed(t):
        return math.sqrt((a * math.sin(t)) ** 2 + (b * math.cos(t)) ** 2)

    length, error = quad(speed, start, end)
    assert error < 1e-6
    return length


def expectation(p):
    """The second moment of a normal distribution."""
    mu, sigma = p

    def weighted(x, mu, sigma):
        return x ** 2 * np.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))

    return quad(weighted, -np.inf, np.inf, args=(mu, sigma))[0]


def laplace_transform(p):
    return quad(lambda t: np.polyval(p, t) * np.exp(-1.3 * t), 0.0, np.inf, epsabs=1e-11)[0]


def call_price(p):
    """The integrand has a kink that moves with the strike."""
    strike, s = p
    return quad(lambda x: np.maximum(x - strike, 0.0) * np.exp(-0.5 * (x / s) ** 2), -8.0, 8.0, points=[strike])[0]


def area(p):
    """An integral over the points below a curve: one `quad` in the other."""
    k, end = p
    return quad(lambda x: quad(lambda y: np.exp(-k * x * y), 0.0, x * k)[0], 0.0, end)[0]


def transit(p):
    """An equation is solved for each point."""
    k, end = p
    return quad(lambda t: brentq(lambda v: v ** 3 + v - k * t, -3.0, 3.0, xtol=1e-15), 0.0, end)[0]


def dispersion(p):
    """Integrals in a loop, of which each limit is the next one's start."""
    total, at = 0.0, 0.0
    for k in range(len(p)):
        total += quad(lambda t: math.exp(-p[k] * t * t), at, at + p[k])[0] / (k + 1)
        at += p[k]
    return total


def spectrum(p):
    """An array of integrals."""
    return np.sum(quad_vec(lambda t: np.exp(-p * t) / (1.0 + t), 0.0, p[0])[0] ** 2)


def gauss(p):
    k, end = p
    return fixed_quad(lambda t: np.exp(-k * t) * np.cos(t), 0.0, end)[0] + fixed_quad(
        lambda t, k: t ** k, 1.0, end, args=(k,), n=3)[0]


def sampled(p):
    x = np.cumsum(p)
    rises = cumulative_trapezoid(p ** 2, x, initial=0) + cumulative_trapezoid(np.sin(p), dx=p[0], initial=0.0)
    return rises @ p + np.sum(cumulative_trapezoid(np.outer(p, x), axis=0))


SMOOTH: list[tuple[Callable[..., Any], Any]] = [
    (arc_length, np.array([1.5, 0.7, 0.2, 2.3])), (expectation, np.array([0.3, 1.2])),
    (laplace_transform, np.array([0.4, -1.0, 2.0])), (area, np.array([0.8, 1.3])), (transit, np.array([1.7, 1.1])),
    (dispersion, np.array([0.4, 0.9, 0.6])), (spectrum, np.array([0.7, 1.4, 2.0])), (gauss, np.array([0.9, 1.8])),
    (sampled, np.array([0.3, 0.8, 0.5, 1.2]))]
PROGRAMS = [*SMOOTH, (call_price, np.array([0.4, 1.1]))]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_program(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)
    check_grads(f, (x,))
    derivative = value_and_grad(f)
    for at in (x, 1.1 * x, x[::-1].copy()[::-1]):
        value, slope = derivative(at.copy())
        assert same_value(value, f(at.copy()))
        direction = np.cos(np.arange(x.size))
        np.testing.assert_allclose(jvp(f, (at,), (direction,))[1], slope @ direction, rtol=1e-7)
        np.testing.assert_allclose(vjp(f, at)[1](2.0)[0], 2.0 * slope, rtol=1e-10)
        np.testing.assert_allclose(jacfwd(f)(at), slope, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("f", "x"), SMOOTH, ids=lambda f: getattr(f, "__name__", ""))
def test_second_order(f: Callable[..., Any], x: Any) -> None:
    second = hessian(f)(x)
    np.testing.assert_allclose(second, second.T, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jacobian(grad(f))(x), second, rtol=1e-6, atol=1e-8)
    check_grads(f, (x,), order=2)


def test_closed_forms() -> None:
    """The derivatives of an error function, to all digits, to the third order."""
    f = lambda k, b: quad(lambda t: math.exp(-k * t * t), 0.0, b)[0]
    k, b = 1.3, 0.9
    exact = [-0.5 * math.sqrt(math.pi) * math.erf(math.sqrt(k) * b) / (2.0 * k ** 1.5) + b * math.exp(-k * b * b) / (
        2.0 * k), math.exp(-k * b * b)]
    np.testing.assert_allclose(grad(f, argnums=(0, 1))(k, b), exact, rtol=1e-13)
    third = lambda k: quad(lambda t: -t ** 6 * math.exp(-k * t * t), 0.0, b)[0]
    np.testing.assert_allclose(grad(grad(grad(f)))(k, b), third(k), rtol=1e-12)
    np.testing.assert_allclose(grad(grad(grad(f, 1), 1), 1)(k, b), (4 * k * k * b * b - 2 * k) * exact[1], rtol=1e-12)


def test_integrals_over_regions() -> None:
    """Of k * x * y over a triangle, k * b**4 / 8; of k * z over a part of a cube, k * b / 6."""
    f = lambda k, b: dblquad(lambda y, x, k: k * x * y, 0.0, b, lambda x: 0.0, lambda x: x, args=(k,))[0]
    k, b = 1.3, 0.9
    value, slopes = value_and_grad(f, (0, 1))(k, b)
    assert same_value(value, f(k, b))
    np.testing.assert_allclose(slopes, [b**4 / 8.0, k * b**3 / 2.0], rtol=1e-13)
    np.testing.assert_allclose(grad(grad(f, 1))(k, b), b**3 / 2.0, rtol=1e-12)
    g = lambda k, b: tplquad(lambda z, y, x: k * z, 0.0, b, 0.0, 1.0, 0.0, lambda x, y: y)[0]
    np.testing.assert_allclose(grad(g, (0, 1))(k, b), [b / 6.0, k / 6.0], rtol=1e-12)


def test_functions_of_libraries() -> None:
    for g in (np.sin, math.exp, scipy.special.j0):
        agrees(lambda b, g=g: quad(g, 0, b)[0], 1.2)
    agrees(lambda b: quad(lambda t: 1, 0, b)[0], 1.2)


def test_the_text() -> None:
    def dose(a, b, k):
        def rate(t):
            return np.exp(-k * t ** 2)
        I, _error = quad(rate, a, b, epsabs=1e-10)
        return I

    derivative = value_and_grad(dose, argnums=(0, 1, 2))
    derivative(0.0, 1.0, 2.0)
    assert derivative.source == '''\
import numpy as np
import scipy.integrate


def dose_value_and_grad(a, b, k):
    # a: float, b: float, k: float

    def rate(t):
        return np.exp(-k * t**2)

    I = scipy.integrate.quad(rate, a, b, epsabs=1e-10)[0]

    def drate_dk(t):
        # return np.exp(-k * t ** 2)
        t_sq = t * t
        return -t_sq * np.exp(-k * t_sq)

    dk = scipy.integrate.quad(drate_dk, a, b, epsabs=1e-10)[0]
    return I, (-np.exp(-k * a * a), np.exp(-k * b * b), dk)
'''


def split(k: float) -> Any:
    return quad(lambda t: 1.0, 0.0, k)[0] + quad(lambda t: t, k, 1.0)[0]


def test_a_jump_that_moves_is_refused_and_its_hint_works() -> None:
    for f in (lambda k: quad(lambda t: 1.0 if t < k else t, 0.0, 1.0)[0],
              lambda k: quad(lambda t: np.where(t < k, 1.0, t), 0.0, 1.0)[0],
              lambda k: quad(lambda t: np.heaviside(t - k, 0.5), 0.0, 1.0)[0],
              lambda k: quad(lambda t: math.floor(t / k), 0.0, 1.0)[0],
              lambda k: quad(lambda t: t % k, 0.0, 1.0)[0],
              lambda k: quad(lambda t: quad(lambda s: 1.0 if s < k * t else s, 0.0, 1.0)[0], 0.0, 1.0)[0]):
        refusal = refuses(f, 0.3, code="SCT402")
        assert "jump" in refusal.what and "integrate the parts apart" in refusal.hint
    agrees(split, 0.3)
    np.testing.assert_allclose(grad(split)(0.3), 0.7)
    agrees(lambda k: quad(lambda t: k if t < 0.3 else t, 0.0, 1.0, points=[0.3])[0], 0.3)  # it does not move
    agrees(lambda k: quad(lambda t: t if k < 0.5 else k * t, 0.0, 1.0)[0], 0.3)


def test_a_second_derivative_of_a_moving_kink_is_refused() -> None:
    f = lambda k: quad(lambda t: np.maximum(t - k, 0.0), 0.0, 1.0)[0]
    np.testing.assert_allclose(grad(f)(0.3), -0.7)
    refuses(lambda k: grad(f)(k), 0.3, code="SCT402")


def printing(x):
    def f(t):
        print(t)
        return t * x
    return quad(f, 0.0, 1.0)[0]


REFUSED: list[tuple[str, Callable[..., Any]]] = [
    ("SCT402", lambda x: quad(lambda t: t * x, 0.0, 1.0, full_output=1)[0]),
    ("SCT402", lambda x: quad(lambda t: t * x, 0.0, 1.0, weight="cos", wvar=2.0)[0]),
    ("SCT402", lambda x: quad(lambda t: (t * x, t), 0.0, 1.0)[0]),
    ("SCT402", lambda x: quad(lambda t: t * x * 1j, 0.0, 1.0, complex_func=True)[0].imag),
    ("SCT402", lambda x: integrate.nquad(lambda y, t: y * t * x, [(0.0, 1.0), (0.0, x)])[0]),
    ("SCT207", lambda x: sum(quad(lambda t: t * x, 0.0, 1.0))), ("SCT412", printing)]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_it_is_refused(code: str, f: Callable[..., Any]) -> None:
    assert refuses(f, 2.0, code=code).hint


def test_a_refusal_says_what_the_integrand_returns() -> None:
    for f, what in ((lambda t: t > 0.5, "a bool"), (lambda t: t * 1j, "a complex number"),
                    (lambda t: (t, t), "no number")):
        refusal = refuses(lambda x, f=f: x * quad(f, 0.0, 1.0)[0], 2.0, code="SCT402")
        assert refusal.what == f"the function that `quad` integrates returns {what}"


def test_what_is_raised() -> None:
    agrees(lambda x: quad(lambda t: math.log(t - x), 0.0, 1.0)[0], 2.0)
    agrees(lambda b: fixed_quad(lambda t: np.cos(t), 0.0, b)[0], math.inf)
