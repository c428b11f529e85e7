"""Solutions of equations: values bit for bit, derivatives by the implicit function theorem, no unrolled solver."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from oracle import agrees, refuses, same_value
from scipy import optimize
from scipy.optimize import (
    bisect,
    brenth,
    brentq,
    fixed_point,
    fsolve,
    least_squares,
    minimize,
    minimize_scalar,
    newton,
    ridder,
    root,
    root_scalar,
    toms748,
)

import sct
from sct import SctError, grad, hessian, jacfwd, jacobian, jvp, value_and_grad, vjp

pytestmark = pytest.mark.filterwarnings("ignore:.*the result does not depend on")
R = 8.314


# -- programs, as they are written ----------------------------------------------------------------


def volume(p, T=300.0):
    """The molar volume of a gas of van der Waals, and what it is compared with."""
    P, a, b = p

    def equation(V):
        return (P + a / V ** 2) * (V - b) - R * T

    V = brentq(equation, 1e-3, 1.0, xtol=1e-15)
    return P * V / (R * T)


def radius(p, a=1.5):
    """The distance of a planet: Kepler's equation."""
    M, e = p
    E = newton(lambda E: E - e * np.sin(E) - M, M, fprime=lambda E: 1.0 - e * np.cos(E), tol=1e-14)
    return a * (1.0 - e * np.cos(E))


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(sigma, S, K, T, r):
    d1 = (math.log(S / K) + (r + 0.5 * sigma ** 2) * T) / (sigma * math.sqrt(T))
    return S * normal_cdf(d1) - K * math.exp(-r * T) * normal_cdf(d1 - sigma * math.sqrt(T))


def implied_volatility(p, r=0.02):
    price, S, K, T = p

    def mismatch(sigma, S, K, T, r):
        return black_scholes(sigma, S, K, T, r) - price

    return optimize.brentq(mismatch, 1e-3, 5.0, args=(S, K, T, r), xtol=1e-14)


def reactor(p, feed=1.0):
    """The temperature of a stirred reactor in its steady state, with a reaction that releases heat."""
    tau, heat, activation = p

    def balance(T):
        rate = 50.0 * math.exp(-activation / T)
        conversion = tau * rate / (1.0 + tau * rate)
        return heat * conversion - (T - 1.0)

    T = brentq(balance, 1.0, 1.5, xtol=1e-15)
    rate = 50.0 * math.exp(-activation / T)
    return feed * T / (1.0 + tau * rate)


def implicit_euler(p, n=6, h=0.2):
    """A stiff equation; each step solves one equation for the next state."""
    k, y0 = p
    y = y0
    ys = np.zeros(n)
    for i in range(n):
        t = (i + 1) * h
        y = newton(lambda z: z - y - h * (-k * (z ** 3 - math.cos(t))), y, tol=1e-13)
        ys[i] = y
    return np.sum(ys ** 2)


def charge_balance(x, K, total):
    h, a, ha = x
    return np.array([h * a - K * ha, a + ha - total, h - a - 1e-2 * K / h])


def concentrations(K, total):
    x = np.array([0.1, 0.1, total])
    for _ in range(60):
        h, a, _ = x
        jac = np.array([[a, h, -K], [0.0, 1.0, 1.0], [1.0 + 1e-2 * K / h ** 2, -1.0, 0.0]])
        step = np.linalg.solve(jac, charge_balance(x, K, total))
        x = x - step
        if np.max(np.abs(step)) < 1e-15:
            break
    return x


equilibrium = sct.implicit(concentrations, charge_balance)


def acidity(p):
    h, _, undissociated = equilibrium(p[0], p[1])
    return -np.log10(h) * undissociated


def deep_equilibrium(W, b=np.array([0.3, -0.2, 0.5])):
    """A network whose state is a fixed point of its layer."""
    def iterate(W, b):
        h = np.zeros(len(b))
        for _ in range(300):
            h = np.tanh(W @ h + b)
        return h

    h = sct.implicit(iterate, lambda h, W, b: np.tanh(W @ h + b) - h)(W, b)
    return np.sum(h * np.arange(1.0, 4.0))


def friction_factor(p):
    """Colebrook's equation, solved for the square root of the friction factor."""
    reynolds, roughness = p
    start = 0.1
    x = sct.implicit(lambda re, eps: toms748(colebrook, 1e-2, 1.0, args=(re, eps), xtol=1e-15), colebrook)(
        reynolds * 1e5, roughness)
    return x ** 2 + 0.0 * start


def colebrook(x, reynolds, roughness):
    return 1.0 / x + 2.0 * math.log10(roughness / 3.7 + 2.51 / (reynolds * x))


def market(p):
    """Prices at which demand meets supply, the supply itself given by an equation."""
    a, b = p

    def supply(price):
        return brenth(lambda q: q ** 3 + q - b * price, 0.0, 50.0, xtol=1e-15)

    return ridder(lambda price: supply(price) - a / (1.0 + price), 0.0, 50.0, xtol=1e-14)


def with_branches(p):
    def f(x):
        s = 0.0
        for k in range(3):
            s += x ** (k + 1)
        if x > 1.0:
            s = s + p[0] * (x - 1.0) ** 2
        if x < 0.0:
            raise ValueError("negative")
        return s - p[1]

    return bisect(f, 0.0, 9.0, xtol=1e-15) * p[1]


def of_a_minimum(p):
    """The place of a minimum, as the root of the derivative."""
    slope = sct.grad(lambda x: (x - p[0]) ** 4 + p[1] * x * x)
    return newton(slope, 0.1, tol=1e-14)


def caught(p):
    try:
        r = brentq(lambda v: v ** 3 - p[0], 0.0, p[1], xtol=1e-15)
    except ValueError:
        r = 7.0 * p[0]
    return r * p[1]


def written_afterwards(a):
    x = newton(lambda x: np.sum(a * x ** np.arange(len(a))), 0.3, tol=1e-14)
    a[0] = 5.0
    return x * a[0] * a[1]


def in_a_list(p):
    roots = []
    for k in range(3):
        roots.append(brentq(lambda v: v * v * p[0] - k - p[1], 0.0, 9.0, xtol=1e-15))
    return sum(r * r * r for r in roots)


def both_inline_and_outlined(p):
    def f(v):
        s = 0.0
        for c in p:
            s = s * v + c * math.exp(-v * c) - math.log(1.0 + c * c) + v * v * v
        t = s * s + 3.0 * s + math.sin(s) - 2.0 * v
        return t + math.cos(t) + math.exp(-t * t) + v - 4.0 + t * math.tanh(v)

    r = brentq(f, 0.5, 3.0, xtol=1e-15)
    return f(r + 0.1) + f(r + 0.2)


def reaction(p):
    """Concentrations in equilibrium, and a function that returns a list."""
    def equations(v):
        x, y, z = v
        return [x + y + z - p[0], x * y - p[1] * z, x - y * p[2]]

    x, y, z = fsolve(equations, [0.5, 0.5, 0.5], xtol=1e-12)
    return x * y + z


def heat(p, n=6):
    """A boundary value problem with a nonlinear source, of any number of unknowns."""
    def residual(u, k):
        r = np.zeros(n)
        r[0] = u[0] - p[0]
        r[-1] = u[-1] - p[1]
        r[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2] - k * u[1:-1] ** 3
        return r

    sol = root(residual, np.linspace(0.0, 1.0, n), args=(p[2],), tol=1e-13)
    if not sol.success:
        raise RuntimeError(sol.message)
    return np.sum(sol.x ** 2) / sol.nfev * sol.nfev


def with_a_jacobian(p):
    def residual(u, k):
        return np.array([u[0] * u[1] - p[0], u[0] - u[1] * k])

    def jac(u, k):
        return np.array([[u[1], u[0]], [1.0, -k]])

    sol = root(residual, x0=(1.0, 2.0), args=(p[1],), jac=jac, method="lm", tol=1e-13)
    return sol.x @ np.array([1.0, 2.0])


def by_root_scalar(p):
    a = root_scalar(lambda v: v ** 3 + p[0] * v - p[1], bracket=[0.0, 5.0], method="brentq", xtol=1e-15)
    b = root_scalar(lambda v, q: v ** 3 + q * v - p[1], args=(p[0],), x0=1.0, fprime=lambda v, q: 3.0 * v * v + q,
                    xtol=1e-14)
    assert a.converged and b.converged
    return a.root * p[0] + b.root ** 2


def fitted(p):
    """The parameters of a curve that fit data best, as a function of the data."""
    t = np.linspace(0.0, 1.0, 5)

    def misfit(theta):
        return np.sum((theta[0] * np.exp(-theta[1] * t) - p) ** 2) + 1e-2 * (theta @ theta)

    result = minimize(misfit, np.array([1.0, 1.0]), method="Newton-CG", jac=sct.grad(misfit), tol=1e-13)
    return result.x[0] * result.x[1]


def value_at_a_minimum(p):
    best = minimize_scalar(lambda x: (x - p[0]) ** 2 + p[1] * np.cosh(x), tol=1e-14)
    return best.fun * p[1]


def by_fixed_point(p):
    return np.sum(fixed_point(lambda x, c: 0.4 * np.cos(x * c) * p[0], [0.5, 0.3], args=(p[1:],), xtol=1e-14) ** 2)


def polynomial(v, k, n):
    """It calls itself, so it stays a function of the derivative."""
    return v * k if n == 0 else polynomial(math.sin(v) * k, k, n - 1) + v ** 3 * k


def by_recursion(p, n=3):
    k = p[0]

    def nested(v, n):
        return v * p[1] if n == 0 else nested(v * k, n - 1) + v ** 3 * k

    r = brentq(lambda v: nested(v, n) + polynomial(v, k, n) + v - 1.0, -3.0, 3.0, xtol=1e-15)
    u = fsolve(lambda v: [polynomial(v[0], k, n) + v[1] - p[1], v[1] * 3.0 - v[0]], [0.1, 0.1], xtol=1e-12)
    return r * nested(r, 2) + u @ p


def by_a_recursive_solver(p):
    def power(x, n):
        if n == 0:
            return 1.0
        r = brentq(lambda v: v ** 3 + v - x, -10.0, 10.0, xtol=1e-15)
        return r * power(x, n - 1) + r

    return power(p[0], 4) * p[1]


class Gas:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def equation(self, V, T, P):
        return (P + self.a / V ** 2) * (V - self.b) - R * T

    def volume(self, T, P):
        return brentq(self.equation, 1e-3, 1.0, (T, P), 1e-15)


def of_an_object(p):
    return Gas(0.364 * p[0], 4.27e-5).volume(300.0 * p[1], 1e5)


def of_a_partial(p):
    def f(v, a, b):
        return v ** 3 + a * v - b

    return brentq(functools.partial(f, a=p[0], b=p[1]), 0.0, 5.0, xtol=1e-15)


def in_a_while_loop(p):
    t, y, total = 0.0, p[0], 0.0
    while t < 1.0:
        y = brentq(lambda z: z - y + 0.25 * p[1] * z ** 3, -9.0, 9.0, xtol=1e-15)
        if y < 0.5:
            break
        total += y
        t += 0.25
    return total + y


def of_a_derivative_of_a_solution(p):
    def inner(a):
        return brentq(lambda v: v ** 3 + v - a, -5.0, 5.0, xtol=1e-15)

    slope = sct.grad(inner)
    return newton(lambda z: slope(z * p[0]) + z - p[1], 1.0, tol=1e-14) + slope(p[0])


def of_a_matrix_that_is_written(p, n=4):
    A = np.zeros((n, n))
    for i in range(n):
        A[i, i] = 2.0 + p[0]
        if i:
            A[i, i - 1] = A[i - 1, i] = -1.0
    u = fsolve(lambda u: A @ u + p[1] * u ** 3 - 1.0, np.zeros(n), xtol=1e-12)
    A[0, 0] = 7.0
    return np.sum(A @ u)


def with_complex_numbers(p):
    z = p[0] + 1j * p[1]
    return brentq(lambda v: abs(z) ** 2 * v + v ** 3 - abs(z * 1j + 2.0), 0.0, 9.0, xtol=1e-15)


def with_a_handler(p):
    def f(v):
        try:
            return math.log(v) * p[0] - p[1]
        except ValueError:
            return -100.0
    return brentq(f, -1.0, 50.0, xtol=1e-14)


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (volume, np.array([1e5, 0.364, 4.27e-5])), (radius, np.array([0.7, 0.3])),
    (implied_volatility, np.array([6.0, 100.0, 105.0, 0.5])), (reactor, np.array([0.4, 0.4, 6.0])),
    (implicit_euler, np.array([3.0, 1.2])), (acidity, np.array([0.3, 0.8])),
    (deep_equilibrium, np.array([[0.3, -0.2, 0.1], [0.2, 0.4, -0.3], [-0.1, 0.2, 0.3]])),
    (friction_factor, np.array([1.3, 0.02])), (market, np.array([3.0, 1.7])),
    (with_branches, np.array([1.5, 9.0])), (with_branches, np.array([1.5, 2.0])), (of_a_minimum, np.array([2.0, 1.0])),
    (caught, np.array([2.0, 3.0])), (caught, np.array([2.0, 1.0])), (written_afterwards, np.array([-1.0, 2.0, 0.7])),
    (in_a_list, np.array([1.4, 0.6])), (both_inline_and_outlined, np.array([0.3, 0.9, 0.5])),
    (reaction, np.array([1.0, 0.4, 0.7])), (heat, np.array([0.5, 1.2, 2.0])), (with_a_jacobian, np.array([1.0, 0.7])),
    (by_root_scalar, np.array([1.0, 2.0])), (by_fixed_point, np.array([1.0, 0.7, 0.4])),
    *((f, np.array([1.3, 0.8])) for f in (
        by_recursion, by_a_recursive_solver, of_an_object, of_a_partial, in_a_while_loop, of_a_derivative_of_a_solution,
        of_a_matrix_that_is_written, with_complex_numbers, with_a_handler))]
MINIMA: list[tuple[Callable[..., Any], Any]] = [
    (fitted, np.array([2.0, 1.4, 1.1, 0.8, 0.7])), (value_at_a_minimum, np.array([1.0, 0.7]))]
NAMES = [f"{f.__name__}-{k}" for k, (f, _) in enumerate(PROGRAMS)]


def central(f: Callable[..., Any], x: Any, rel: float = 1e-5) -> Any:
    """Central differences of `f`, which may be an array, with steps relative to each element."""
    columns = []
    for k in np.ndindex(x.shape):
        h = rel * max(abs(x[k]), 1e-6)
        up, down = x.copy(), x.copy()
        up[k] += h
        down[k] -= h
        step = up[k] - down[k]
        columns.append((np.asarray(f(up)) - np.asarray(f(down))) / step)
    return np.moveaxis(np.reshape(columns, x.shape + np.shape(columns[0])), range(x.ndim), range(-x.ndim, 0))


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=NAMES)
def test_value_and_gradient(f: Callable[..., Any], x: Any) -> None:
    derivative, argument = value_and_grad(f), x.copy()
    value, gradient = derivative(argument)
    assert same_value(value, f(x.copy())) and same_value(argument, x)
    np.testing.assert_allclose(gradient, central(f, x), rtol=2e-6, atol=1e-8)
    moved = x * 1.01
    value, gradient = derivative(moved.copy())
    assert same_value(value, f(moved.copy()))
    np.testing.assert_allclose(gradient, central(f, moved), rtol=2e-6, atol=1e-8)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=NAMES)
def test_modes_agree(f: Callable[..., Any], x: Any) -> None:
    gradient = grad(f)(x.copy())
    direction = np.cos(np.arange(x.size)).reshape(x.shape) * np.abs(x)
    value, dot = jvp(f, (x.copy(),), (direction,))
    assert same_value(value, f(x.copy()))
    np.testing.assert_allclose(dot, np.sum(gradient * direction), rtol=1e-10)
    np.testing.assert_allclose(vjp(f, x.copy())[1](2.0)[0], 2.0 * gradient, rtol=1e-12)
    np.testing.assert_allclose(jacfwd(f)(x.copy()), gradient, rtol=1e-10)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=NAMES)
def test_second_order(f: Callable[..., Any], x: Any) -> None:
    second = hessian(f)(x.copy())
    scale = np.abs(x).ravel()
    scaled = second.reshape(x.size, x.size) * np.outer(scale, scale)
    np.testing.assert_allclose(scaled, scaled.T, rtol=1e-7, atol=1e-9 * np.max(np.abs(scaled)))
    np.testing.assert_allclose(scaled, central(grad(f), x).reshape(x.size, x.size) * np.outer(scale, scale), rtol=1e-5,
                               atol=1e-6 * max(np.max(np.abs(scaled)), 1e-12))
    reverse = jacobian(grad(f))(x.copy()).reshape(x.size, x.size) * np.outer(scale, scale)
    np.testing.assert_allclose(reverse, scaled, rtol=1e-7, atol=1e-9 * np.max(np.abs(scaled)))


@pytest.mark.parametrize(("f", "x"), MINIMA)
def test_minima(f: Callable[..., Any], x: Any) -> None:
    """They are known to half of the digits."""
    value, gradient = value_and_grad(f)(x)
    assert same_value(value, f(x))
    np.testing.assert_allclose(gradient, central(f, x, 1e-3), rtol=1e-4)
    np.testing.assert_allclose(jacfwd(f)(x), gradient, rtol=1e-9)
    second = hessian(f)(x)
    np.testing.assert_allclose(second, second.T, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(second, central(grad(f), x, 1e-3), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("method", [None, "Nelder-Mead", "Powell", "CG", "BFGS", "nelder-mead"])
def test_every_method_finds_the_same_derivative(method: str | None) -> None:
    def f(p, n=1.0):
        r = minimize(lambda x: (x[0] - p) ** 2 + math.exp(x[1] - p) - x[1], [0.3, 0.2], method=method)
        return r.x[0] + n * r.x[1]

    value, gradient = value_and_grad(f)(0.5)
    assert same_value(value, f(0.5))
    np.testing.assert_allclose(gradient, 2.0, rtol=1e-3)


@pytest.mark.parametrize("method", ["brentq", "brenth", "bisect", "ridder", "newton", "secant", "halley", None])
def test_every_method_for_one_unknown(method: str | None) -> None:
    def f(p):
        if method in ("newton", "halley"):
            s = root_scalar(lambda v: v ** 3 - p, method=method, x0=1.0, fprime=lambda v: 3 * v * v,
                            fprime2=lambda v: 6 * v)
        elif method == "secant":
            s = root_scalar(lambda v: v ** 3 - p, method=method, x0=1, x1=2)
        else:
            s = root_scalar(lambda v: v ** 3 - p, method=method, bracket=(0, 4))
        return s.root * p

    value, gradient = value_and_grad(f)(2.0)
    assert same_value(value, f(2.0))
    np.testing.assert_allclose(gradient, 4.0 / 3.0 * 2.0 ** (1.0 / 3.0), rtol=1e-6)


def test_vectors_of_other_lengths() -> None:
    def f(x, c):
        return np.sum(fsolve(lambda u: u ** 3 + c * u - x + 0.1 * np.sum(u), x, xtol=1e-12) ** 2)

    derivative = value_and_grad(f)
    for n in (3, 5, 2):
        x = np.linspace(1.0, 2.0, n)
        value, gradient = derivative(x, 0.3)
        assert same_value(value, f(x, 0.3))
        np.testing.assert_allclose(gradient, central(lambda x: f(x, 0.3), x), rtol=1e-6)


def test_without_convergence_there_is_no_derivative() -> None:
    def f(p):
        sol = root(lambda x: x ** 2 + p, np.array([1.0, 1.0]))
        return sol.x @ sol.x

    def with_another_way_out(p):
        sol = root(lambda x: x ** 2 + p, np.array([1.0, 1.0]))
        return sol.x @ sol.x if sol.success else 3.0 * p

    with pytest.raises(SctError, match="has not converged") as refusal:
        (derivative := grad(f))(2.0)
    assert refusal.value.code == "SCT415" and refusal.value.loc is not None
    assert 'raise RuntimeError("no derivative: the solver has not converged")' in derivative.source
    assert value_and_grad(with_another_way_out)(2.0) == (6.0, 3.0)
    np.testing.assert_allclose(value_and_grad(with_another_way_out)(-2.0), (4.0, -2.0), rtol=1e-9)


QUARTIC = lambda z, x: np.sum((z - x) ** 2 + z**4)


@pytest.mark.parametrize("f", [
    lambda x: fsolve(lambda z: z**2 + x[0], np.array([0.5]))[0],
    lambda x: root(lambda z: z**2 + x[0], np.array([0.5]), method="lm").x[0],
    lambda x: newton(lambda z: z**2 + x - 1.5, np.array([0.5, 1.0]))[0],
    lambda x: minimize(QUARTIC, np.zeros(2), args=(x,), options={"maxiter": 2}).x[0],
    lambda x: scipy.optimize.fmin(QUARTIC, np.zeros(2), args=(x,), maxiter=2, disp=False)[0],
    lambda x: scipy.optimize.fmin_bfgs(QUARTIC, np.zeros(2), args=(x,), maxiter=2, disp=False)[0],
], ids=["fsolve", "lm", "newton", "minimize", "fmin", "fmin_bfgs"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::scipy.optimize.OptimizeWarning")
def test_what_no_solver_has_solved(f: Callable[..., Any]) -> None:
    """SciPy returns a value all the same, or warns."""
    x = np.array([1.0, 2.0])
    for derivative in (value_and_grad(f), lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(SctError, match="has not converged") as refusal:
            derivative(x)
        assert refusal.value.code == "SCT415"
    value_of = lambda x: x[0] * sct.stop_gradient(f(x))
    value, gradient = value_and_grad(value_of)(x)
    assert value == value_of(x) and gradient[0] == f(x)


def test_a_solution_that_is_less_exact_than_what_was_asked_for() -> None:
    """No method of SciPy finds the gradient by differences to 1e-14."""
    f = lambda x: minimize(QUARTIC, np.zeros(2), args=(x,), method=method, tol=1e-14).x[0]
    for method in (None, "CG", "SLSQP"):
        x = np.array([1.0, 0.5])
        value, gradient = value_and_grad(f)(x)
        assert value == f(x)
        np.testing.assert_allclose(gradient, [1.0 / (1.0 + 6.0 * value**2), 0.0], rtol=1e-6)
    for start in (0.0, 1.0):
        at_zero = grad(lambda p: fsolve(lambda z: np.sin(z) - p, np.array([start]))[0])
        assert at_zero(0.0) == 1.0


def test_third_order() -> None:
    def root(p):
        return brentq(lambda v: v ** 3 - p, 0.0, 9.0, xtol=1e-15)

    third = grad(grad(grad(root)))(2.0)
    np.testing.assert_allclose(third, 10.0 / 27.0 * 2.0 ** (-8.0 / 3.0), rtol=1e-12)


def test_of_an_implicit_function_at_the_top() -> None:
    def newton_steps(a):
        x = 1.0
        while abs(x * x - a) > 1e-13:
            x = 0.5 * (x + a / x)
        return x

    root = sct.implicit(newton_steps, lambda x, a: x * x - a)
    assert root(2.0) == newton_steps(2.0)
    np.testing.assert_allclose(grad(root)(2.0), 0.5 / math.sqrt(2.0), rtol=1e-12)
    np.testing.assert_allclose(hessian(root)(2.0), -0.25 * 2.0 ** -1.5, rtol=1e-12)


def test_a_vector_as_the_result() -> None:
    def f(p):
        return equilibrium(p[0], p[1])

    x = np.array([0.3, 0.8])
    for derivative in (jacobian(f), jacfwd(f), sct.jacrev(f)):
        np.testing.assert_allclose(derivative(x), central(f, x), rtol=1e-7)


# -- what is emitted ------------------------------------------------------------------------------------


def count(f: Callable[..., Any], x: Any) -> int:
    """How often the emitted gradient evaluates the function of the equation."""
    text = value_and_grad(f)
    text(x)
    return len(re.findall(r"optimize\.\w+\(", text.source))


@pytest.mark.parametrize(("f", "x"), [p for p in PROGRAMS if p[0] in (
    volume, radius, implied_volatility, reactor, with_branches, of_a_minimum)])
def test_the_solver_runs_once_and_is_not_unrolled(f: Callable[..., Any], x: Any) -> None:
    assert count(f, x) == 1


def test_the_text() -> None:
    def root(p: float, q: float) -> float:
        return brentq(lambda v: v ** 3 + q * v - p, 0.0, 9.0)

    assert sct.emit(root, argnums=0).count("tape") == 0
    derivative = value_and_grad(root, (0, 1))
    derivative(2.0, 3.0)
    assert derivative.source == inspect.cleandoc("""
        import scipy.optimize


        def root_value_and_grad(p, q):
            # p: float, q: float

            def residual(v):
                return v**3 + q * v - p

            value = scipy.optimize.brentq(residual, 0.0, 9.0)
            dq_den = 3.0 * value * value + q
            dq = -value / dq_den
            return value, (1.0 / dq_den, dq)
        """) + "\n"


def test_iterations_of_an_own_solver_are_not_kept() -> None:
    derivative = value_and_grad(acidity)
    derivative(np.array([0.3, 0.8]))
    assert "tape" not in derivative.source and derivative.source.count("for ") == 2  # the solver, and the Jacobian


def test_it_stands_alone(tmp_path: Path) -> None:
    derivative = value_and_grad(radius)
    x = np.array([0.7, 0.3])
    expected = derivative(x)
    derivative.save(tmp_path / "kept.py")
    scope: dict[str, Any] = {}
    exec((tmp_path / "kept.py").read_text(), scope)
    value, gradient = scope["radius_value_and_grad"](x)
    assert value == expected[0] and np.array_equal(gradient, expected[1])
    assert "sct" not in re.sub(r"#.*|\"\"\".*?\"\"\"", "", (tmp_path / "kept.py").read_text(), flags=re.DOTALL)


# -- what is raised, and what is refused -----------------------------------------------------------------


def test_it_raises_as_the_solver_does() -> None:
    agrees(lambda x: brentq(lambda v: v * v + x, 0.0, 1.0), 1.0)
    agrees(lambda x: newton(lambda v: v * v + x, 1.0, maxiter=5), 1.0)
    agrees(lambda x: brentq(lambda v: math.log(v) + x, -1.0, 1.0), 1.0)


def test_a_double_root_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        grad(lambda x: brentq(lambda v: v ** 3 - x, -1.0, 1.0))(0.0)


TIGHT = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
TIMES = np.linspace(0.0, 2.0, 8)


def decay_fit(y):
    """Least squares, as they are written."""
    def misfit(p, t):
        return p[0] * np.exp(-p[1] * t) - y
    r = least_squares(misfit, [1.0, 1.0], args=(TIMES,), **TIGHT)
    assert r.success
    return r.x[0] * r.x[1] + r.cost


def circle(p):
    """More equations than unknowns, in a list."""
    r = least_squares(lambda v: [v[0] - p[0], v[1] ** 2 - p[1], v[0] * v[1] - 1.0], np.ones(2), method="lm", **TIGHT)
    return np.sum(r.x ** 2)


def many_roots(p):
    """An equation for each number, solved at once."""
    v = newton(lambda v, p: v ** 3 + p[0] * v - p, np.ones_like(p), args=(p,), tol=1e-14)
    return np.sum(v ** 2) + newton(lambda v: v * v - p[:2], [1.0, 2.0], fprime=lambda v: 2.0 * v, tol=1e-14)[1]


def mean_field(p):
    """The fixed point is an array without axes."""
    m = fixed_point(lambda m: np.tanh((p[0] * m + p[1]) * p[2]), 0.5, xtol=1e-14)
    return m * m + float(fixed_point(lambda v, k: math.exp(-k * v), 1, args=(p[0],), xtol=1e-14))


LATER: list[tuple[Callable[..., Any], Any]] = [
    (many_roots, np.array([0.3, 0.8, 1.2])), (mean_field, np.array([1.1, 0.3, 1.2]))]


@pytest.mark.parametrize(("f", "x"), [
    (decay_fit, 2.0 * np.exp(-0.7 * TIMES) + 0.05 * np.cos(9.0 * TIMES)), (circle, np.array([1.4, 0.8]))])
def test_least_squares(f: Callable[..., Any], x: Any) -> None:
    test_minima(f, x)
    test_modes_agree(f, x)


@pytest.mark.parametrize(("f", "x"), LATER, ids=[f.__name__ for f, _ in LATER])
def test_more_solvers(f: Callable[..., Any], x: Any) -> None:
    test_value_and_gradient(f, x)
    test_modes_agree(f, x)
    test_second_order(f, x)


def test_equations_of_one_element_each_need_no_linear_system() -> None:
    derivative = grad(lambda p: np.sum(fsolve(lambda v: v ** 3 + v[0] - p, np.ones_like(p))))
    derivative(np.array([0.3, 0.8, 1.2]))
    assert "linalg" in derivative.source
    roots = lambda p: np.sum(newton(lambda v: v ** 3 + v - p, np.ones_like(p), tol=1e-14))
    derivative = grad(roots)
    x = np.array([0.3, 0.8, 1.2])
    v = newton(lambda v: v ** 3 + v - x, np.ones(3), tol=1e-14)
    np.testing.assert_allclose(derivative(x), 1.0 / (3.0 * v * v + 1.0), rtol=1e-12)
    assert "linalg.solve" not in derivative.source and "for " not in derivative.source


def kepler_solver(M: float, e: float) -> float:
    E = M
    for _ in range(50):
        E = E - (E - e * math.sin(E) - M) / (1.0 - e * math.cos(E))
    return E


kepler = sct.implicit(kepler_solver, lambda E, M, e: E - e * math.sin(E) - M)
kepler_fixed = sct.fixed_point(kepler_solver, lambda E, M, e: M + e * math.sin(E))


def test_a_solution_of_a_module() -> None:
    step = lambda E, M, e: M + e * math.sin(E)
    for f in (kepler, kepler_fixed, lambda M, e: sct.fixed_point(kepler_solver, step)(M, e)):
        E = f(1.0, 0.3)
        assert E == kepler_solver(1.0, 0.3)
        slope = 1.0 / (1.0 - 0.3 * math.cos(E))
        np.testing.assert_allclose(grad(f, argnums=(0, 1))(1.0, 0.3), (slope, slope * math.sin(E)), rtol=1e-14)
        np.testing.assert_allclose(grad(f, argnums=1)(M=1.0, e=0.3), slope * math.sin(E), rtol=1e-14)
        sct.check_grads(f, (1.0, 0.3), order=2)
    np.testing.assert_allclose(kepler_fixed(1.0, 0.3), kepler(1.0, 0.3))


def test_it_is_compiled_ahead_of_time() -> None:
    source = sct.emit(kepler, argnums=(0, 1))
    assert "def kepler_solver_grad(M, e):" in source and "# M: float, e: float" in source
    assert sct.emit(kepler_fixed)


def printing(x):
    def f(v):
        print(v)
        return v * v - x
    return brentq(f, 0.0, 9.0)


def writing(x):
    calls = [0.0]

    def f(v):
        calls[0] = calls[0] + 1.0
        return v * v - x
    return brentq(f, 0.0, 9.0) + 0.0 * calls[0]


def writing_to_the_unknown(x):
    def f(v):
        v[0] = abs(v[0])
        return v ** 2 - x
    return fsolve(f, np.ones(2))[0]


REFUSED: list[tuple[str, Callable[..., Any]]] = [
    ("SCT402", lambda x: brentq(lambda v: v * v - x, 0.0, 9.0, full_output=True)[0]),
    ("SCT402", lambda x: brentq(lambda v: v * v - x, 0.0, 9.0, disp=False)),
    ("SCT402", lambda x: newton(lambda v: v * v - x, np.ones(1))[0]),
    ("SCT402", lambda x: np.sum(newton(lambda v: v * v - x, np.ones((2, 2))))),
    ("SCT402", lambda x: least_squares(lambda v: v - x, 1.0, bounds=(0.0, 9.0)).x[0]),
    ("SCT402", lambda x: least_squares(lambda v: v - x, 1.0, loss=lambda z: np.array([z, z, z])).x[0]),
    ("SCT502", lambda x: least_squares(lambda v: v - x, 1.0).jac[0, 0]),
    ("SCT402", lambda x: newton(lambda v: v * v - x, 1.0 + 0.0j).real),
    ("SCT402", lambda x: brentq(lambda v: (v * v - x, v), 0.0, 9.0)),
    ("SCT402", lambda x: minimize(lambda v: v @ v - x * v[0], np.ones(2), (), "Powell", bounds=[(0.0, 1.0)] * 2).x[0]),
    ("SCT402", lambda x: minimize(lambda v: (v @ v - x * v[0], 2.0 * v), np.ones(2), jac=True).x[0]),
    ("SCT402", lambda x: minimize_scalar(lambda v: v * v - x * v, bounds=(0.0, 1.0), method="golden").x),
    ("SCT402", lambda x: root(lambda v: v ** 2 - x, np.ones(2), method="linearmixing").x[0]),
    ("SCT402", lambda x: root(lambda v: v[0] ** 2 - x, np.ones(2)).x[0]),
    ("SCT402", lambda x: root_scalar(lambda v: (v * v - x, 2.0 * v), x0=1.0, fprime=True).root),
    ("SCT402", lambda x: fsolve(lambda v: v[0] ** 2 - x, 1.0)[0]),
    ("SCT402", lambda x: fsolve(lambda v: v ** 2 - x, np.ones((2, 2)))[0]),
    ("SCT402", lambda x: fsolve(lambda v: v ** 2 - x, np.ones(2), full_output=True)[0][0]),
    ("SCT502", lambda x: root(lambda v: v ** 2 - x, np.ones(2)).fjac[0, 0]),
    ("SCT412", printing), ("SCT302", writing), ("SCT302", writing_to_the_unknown),
    ("SCT402", lambda x: sct.implicit(lambda p: np.ones(2), lambda v, p: v[0] - p)(x)[0]),
    ("SCT402", lambda x: minimize(lambda v: v * v - x * v, np.ones(1)).x[0]),
    ("SCT402", lambda x: sct.implicit(lambda p: p, lambda v, p: (v, p))(x)),
    ("SCT402", lambda x: sct.implicit(lambda p: (p, p), lambda v, p: v)(x)[0])]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_it_is_refused(code: str, f: Callable[..., Any]) -> None:
    refusal = refuses(f, 2.0, code=code)
    assert refusal.hint


def test_where_nothing_is_differentiated_any_call_is_kept() -> None:
    def f(x, c):
        root, _report = scipy.optimize.brentq(lambda v: v * v - c, 0.0, 9.0, full_output=True)
        return root * x

    assert value_and_grad(f)(2.0, 4.0) == (f(2.0, 4.0), f(1.0, 4.0))


def test_arguments_of_other_types() -> None:
    derivative = value_and_grad(lambda x, c: brentq(lambda v: v * v - x * c, 0, 9))
    for x, c in ((2.0, 2.0), (np.float64(2.0), 2.0), (2, 2.0), (2.0, np.array(2.0)), (2.0, 2)):
        value, gradient = derivative(copy.copy(x), c)
        assert value == brentq(lambda v: v * v - x * c, 0, 9) and type(value) is float
        np.testing.assert_allclose(gradient, 0.5, rtol=1e-9)


def test_a_minimum_between_bounds_has_the_slope_of_the_closed_form() -> None:
    """At v with 2 (v - x) + c sinh(c v) = 0, dv/dx = 2 / (2 + c^2 cosh(c v)); at a bound, 0."""
    def nearest(x, c):
        return minimize(lambda v: np.sum((v - x) ** 2) + np.sum(np.cosh(c * v)), np.ones(4), bounds=[(0.0, 0.5)] * 4,
                        tol=1e-13).x

    x, c = np.array([-0.3, 0.2, 0.5, 1.4]), 0.7
    v = nearest(x, c)
    by_x, by_c = jacobian(nearest, argnums=(0, 1))(x, c)
    inside, curvature = (v > 0.0) & (v < 0.5), 2.0 + c * c * np.cosh(c * v)
    assert inside.tolist() == [False, True, True, False]
    np.testing.assert_allclose(by_x, np.diag(inside * 2.0 / curvature), rtol=1e-6, atol=1e-12)
    slope = -(np.sinh(c * v) + c * v * np.cosh(c * v)) / curvature
    np.testing.assert_allclose(by_c, inside * slope, rtol=1e-6, atol=1e-12)


SPECIES = [{"charge": float(k), "rate": 1.0 + k} for k in range(5)]


def test_an_equation_may_loop_over_records() -> None:
    def balance(v, T):
        total = 0.0
        for s in SPECIES:
            total = total + s["charge"] * s["rate"] * T * (5.0 - v)
        return total - v

    def potential(T):
        return brentq(balance, -0.001, 300.0, args=(T,), xtol=1e-14)

    weight = sum(s["charge"] * s["rate"] for s in SPECIES)
    T = 0.2
    assert np.isclose(grad(potential)(T), 5.0 * weight / (1.0 + weight * T) ** 2, rtol=1e-9)
    assert np.isclose(grad(grad(potential))(T), -10.0 * weight ** 2 / (1.0 + weight * T) ** 3, rtol=1e-9)
