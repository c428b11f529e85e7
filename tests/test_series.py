"""Functions and objects of `numpy.polynomial`, in programs."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    HermiteE,
    Laguerre,
    Legendre,
    Polynomial,
    chebyshev,
    legendre,
    polynomial,
)
from oracle import agrees, refuses

from sct import SctError, check_grads, grad, value_and_grad

C = np.array([1.3, -2.0, 0.5, 3.1])
T = np.linspace(-1.0, 2.0, 9)
CONSTANT = Chebyshev([1, 2, 3.0, 0.5], domain=[0, 3])
POWERS = Polynomial([1.0, 2.0, 0.5])
Program = Callable[[np.ndarray], Any]


def fitted(c):
    """Least squares, on the domain of the data and on others, with weights, of some degrees alone."""
    y = np.sin(c[0] * T) * c[1] + c[2] * T
    p, (residuals, rank, _, _) = Legendre.fit(T, y, 3, full=True)
    q = Polynomial.fit(T, y, [0, 1, 3], domain=[], w=np.abs(y) + 1.0)
    r = Chebyshev.fit(T * c[3], y, 4, window=[0.0, 2.0])
    s = HermiteE.fit(T, np.stack((y, y * y), 1), 2) if c[0] > 9.0 else p
    return p(0.3) + residuals[0] + rank + np.sum(q.coef**2) + r.deriv(2)(0.2) + np.sum(r.domain) + s.degree()


def moved(c):
    p = Laguerre(c, domain=[c[0], 4.0], window=[0.0, 2.0])
    x, y = p.linspace(5)
    off, scl = p.mapparms()
    return p.integ(2, k=[1.0, c[1]], lbnd=0.5)(0.7) * off + np.sum(x * y) * scl + len(p.cutdeg(1)) + p.truncate(2)(c[2])


def computed(c):
    """Sums and products have no zeros of the highest powers."""
    p, q = Legendre(c), Legendre([c[1], c[0]])
    r = (p * q - 2.0 * p + [1.0, c[3]]) / c[1] + (1.0 - q) ** 2
    s = p - Legendre([0.0, 0.0, 0.0, c[3]])
    return np.sum(r.coef**2) + r(0.3) + (-s)(c).sum() + len(s) + isinstance(r, Legendre)


def constant(c):
    return CONSTANT(c[0]) * CONSTANT.deriv()(c[1]) + np.sum(CONSTANT(c)) + Hermite([1.0, 2.0, 3.0])(c[2])


def of_coefficients(c):
    p = chebyshev.chebmul(c, chebyshev.chebder(c)) + chebyshev.chebpow(c[:3], 3)[:6]
    q = polynomial.polyfromroots(c) + polynomial.polydiv(polynomial.polymulx(c), [c[0], 1.0])[0][0]
    return np.sum(p**2) + np.sum(q**2) + np.sum(legendre.legint(c, 2, k=[1.0, c[0]], lbnd=-1.0))


def on_grids(c):
    a = np.outer(c, c[:2])
    y = np.sum(polynomial.polyvander2d(c, c[::-1], [1, 2])) + polynomial.polyvalfromroots(0.3, c)
    return y + np.sum(chebyshev.chebgrid2d(c[:2], c, a)) + chebyshev.chebval2d(c[0], c[1], a)


def with_roots(c):
    return Chebyshev(c).roots()[0] ** 2


def with_roots_of_several_series(c):
    r = Legendre(c, domain=[0.0, 2.0]).roots()
    return Chebyshev(c).roots()[0] * chebyshev.chebroots(c)[1].real * r[-1]


def with_roots_in_a_loop(c):
    s = 1.0
    for d in (c, c * 2.0, c[1:]):
        s *= Chebyshev(d).roots()[0] * Hermite(c).roots()[0] + Laguerre(d).roots()[1]
    return s


@pytest.mark.parametrize("f", [
    fitted, moved, computed, constant, of_coefficients, on_grids, with_roots, with_roots_of_several_series,
    with_roots_in_a_loop], ids=lambda f: f.__name__)
def test_program(f: Program) -> None:
    agrees(f, C)
    of_first_order = fitted, computed, of_coefficients, on_grids
    check_grads(f, (C,), order=1 if f in of_first_order else 2)


OSCILLATING = np.array([3.0, 0.1, 0.8, 0.2])
"""The coefficients of series that have complex roots in each basis."""


def last_root(basis, c):
    return abs(basis(c).roots()[-1])


def root_on_a_domain(basis, c):
    return basis(c, domain=[0.0, 2.0]).roots()[1].imag


def roots_in_a_loop(basis, c):
    s = 0.0
    for i in range(2):
        s += np.sum(np.abs(basis._roots(c * (1.0 + i) + 0.01 * i)) ** 3)
    return s


@pytest.mark.parametrize("f", [last_root, root_on_a_domain, roots_in_a_loop], ids=lambda f: f.__name__)
@pytest.mark.parametrize("basis", [Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre],
                         ids=lambda cls: cls.__name__)
def test_complex_roots(basis: Any, f: Any) -> None:
    assert np.iscomplexobj(basis(OSCILLATING).roots())
    of_basis = functools.partial(f, basis)
    agrees(of_basis, OSCILLATING)
    check_grads(of_basis, (OSCILLATING,), order=2 if f is last_root else 1)


@pytest.mark.parametrize("roots", [polynomial.polyroots, chebyshev.chebroots, lambda c: Legendre(c).roots()],
                         ids=["polyroots", "chebroots", "Legendre"])
def test_roots_that_are_real_in_other_calls(roots: Any) -> None:
    f = lambda c: np.sum(np.abs(roots(c)))
    derivative = value_and_grad(f)
    for c in (OSCILLATING, OSCILLATING[2:], C, OSCILLATING[3:], OSCILLATING):
        agrees(f, c, derivative=derivative)


def test_roots_that_are_real_in_one_iteration_alone() -> None:
    def f(c):
        s = 0.0
        for i in range(2):
            s += np.sum(np.abs(chebyshev.chebroots(c[2 * i:])))
        return s

    with pytest.raises(SctError, match="is real or complex"):
        grad(f)(OSCILLATING)


def test_zeros_of_the_highest_powers() -> None:
    zeros = np.array([1.0, 2.0, 0.0, 0.0])
    of_values = lambda c: (Legendre(c) - Legendre([1.0, 1.0]))(2.0)
    np.testing.assert_allclose(grad(of_values)(zeros), [legendre.legval(2.0, e) for e in np.eye(4)])
    for f in (lambda c: np.sum(chebyshev.chebadd(c, [1.0, 1.0, 1.0])), lambda c: np.sum((Legendre(c) + 1.0).coef)):
        agrees(f, C)
        with pytest.raises(SctError, match="drops the highest powers"):
            grad(f)(zeros)
    sizes = lambda c: c[0] * len(Legendre(c) + 1.0) + len(Legendre(c)) + (Legendre(c) * 2.0).degree()
    assert grad(sizes)(zeros).tolist() == [2.0, 0.0, 0.0, 0.0]


def test_a_warning_of_rank_is_given() -> None:
    f = lambda y: np.sum(chebyshev.chebfit(np.zeros(5), y, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grad(f)(np.arange(5.0))
    assert {w.category for w in caught} == {np.exceptions.RankWarning}


def test_axes_that_stay_are_no_calls() -> None:
    f = lambda x: np.sum(np.moveaxis(x, -1, 1) ** 2)
    derivative = grad(f)
    derivative(np.ones((2, 3)))
    assert "moveaxis" not in re.sub("#.*", "", derivative.source)
    refuses(lambda x: np.sum(np.moveaxis(x, 2, 2)), np.ones((2, 3)), code="SCT501")


def moved_to_its_place(c):
    d = np.moveaxis(c, 0, 0)
    d[0] = c[1] * c[2]
    return np.sum(c**2) + 2.0 * c[0] * (d is c) + 3.0 * c[0] * (d is not c)


def assigned(c):
    p = Chebyshev(c, domain=[0.0, 3.0])
    q = p + 1.0
    ends = np.array([0.5, 2.0])
    p.domain, p.window = ends, [-0.5, 1.0]
    q.coef = c[1:] * c[0]
    r = Polynomial(c)
    r.coef = c[:2]
    same = (p.domain is p.domain) + (p.domain is ends) + (q.window is q.window) + (q.coef is q.coef)
    return same * p(0.7) + q(0.3) * len(q) + r(0.2) + p.domain[1] + p.deriv()(0.4) * q.domain[1]


def with_those_from_outside(c):
    p, q = Chebyshev(c, domain=[0.0, 3.0]), Polynomial(c)
    series = (CONSTANT + p) * 0.5 - (CONSTANT - p) + CONSTANT * p
    powers = (POWERS + q) * 0.5 - (POWERS - q) + POWERS * q + (q - POWERS) + (q + POWERS) * (q * POWERS)
    return series(0.3) + powers(0.2)


@pytest.mark.parametrize("f", [moved_to_its_place, assigned, with_those_from_outside], ids=lambda f: f.__name__)
def test_objects_are_those_of_numpy(f: Program) -> None:
    agrees(f, C)


def writes_an_end(c):
    p = Chebyshev(c, domain=[0.0, 3.0])
    p.domain[0] = c[0]
    return p(0.3)


def writes_an_end_that_is_assigned(c):
    p, ends = Chebyshev(c), np.array([0.5, 2.0])
    p.domain = ends
    ends[0] = c[0]
    return p(0.3)


def assigns_what_is_not_seen_into(c):
    p = Polynomial(c)
    p.domain = np.array([0.5, 2.0])
    return p(0.3)


def test_refused() -> None:
    refuses(writes_an_end, C, code="SCT307")
    refuses(writes_an_end_that_is_assigned, C, code="SCT307")
    refuses(assigns_what_is_not_seen_into, C, code="SCT203")
    refuses(lambda c: Chebyshev(c, symbol="t")(0.3), C, code="SCT205")
