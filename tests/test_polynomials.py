"""Objects of `np.poly1d` and `numpy.polynomial.Polynomial`, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from oracle import agrees, refuses

from sct import SctError, check_grads, grad

C = np.array([1.3, -2.0, 0.5, 3.1])
CUBIC = np.poly1d([1, 2, 0, 3])


def by_powers(c):
    q = np.poly1d(c)
    r = 2.0 * q - q**2 + 1
    s = (1 - r) / 3.0
    total = np.sum(r(c) ** 2) + np.sum(r.coeffs**2) + q.order + s(0.7) + (-q)(np.array([0.1, 0.2])).sum()
    return total + q.integ(2, k=[1.0, 2.0])(0.4) * q.deriv()(0.5) + len(q) + (q * q)(0.3)


def by_series(c):
    q = Polynomial(c)
    r = q * q.deriv(2) - q + 2.0
    line = Polynomial([c[0], c[1]])
    s = (line**3 - 3.0 * line) / 2
    total = r(0.7) + q.integ()(1.0) + np.sum(r.coef**2) + r.degree() + np.sum(s(c) ** 2) + (1.0 - s)(0.3)
    return total + line.integ(2, k=[1.0, c[2]], lbnd=0.5)(1.2) + (c[:2] * line)(0.1) + len(line - line)


def root(c):
    """Newton's method."""
    q, x = np.poly1d(c), 1.5
    slope = q.deriv() if isinstance(q, np.poly1d) else None
    for _ in range(5):
        x = x - q(x) / slope(x)
    constant = np.poly1d([1.0, -3.0, 2.0])
    return x + constant(c).sum() * constant.roots.sum() * CUBIC(c[0])


def overwritten(c):
    """`np.poly1d` holds the array that it is given, and `Polynomial` a copy."""
    y, z = c * 1.0, c * 2.0
    p, q = np.poly1d(y), Polynomial(z)
    y[0], z[0] = 7.0, c[1]
    return p(2.0) * q(0.5) + y.sum() + z.sum()


HALVES = np.poly1d([0.5, 0.0, -1.5])


def with_those_from_outside(c):
    """Those of integers, of another degree, made here, and in a loop."""
    p, line = np.poly1d(c), np.poly1d([2.0, 1.0])
    r = p * CUBIC - HALVES * p + (HALVES - p) * (p + CUBIC) + line * p - CUBIC.deriv() * p
    for _ in range(2):
        r = r * HALVES + line
    return r(0.3) + np.sum((p * HALVES).c ** 2) + (p * CUBIC).order + np.sum((HALVES + p).coeffs)


@pytest.mark.parametrize("f", [by_powers, by_series, root, overwritten, with_those_from_outside],
                         ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, C)
    check_grads(f, (C,), order=2 if f is root else 1)


def test_leading_zeros() -> None:
    zeros = np.array([0.0, 0.0, 2.0, 1.0])
    f = lambda c: np.poly1d(c).order + np.poly1d(c)(2.0)
    np.testing.assert_allclose(grad(f)(zeros), [8.0, 4.0, 2.0, 1.0])


def test_refused() -> None:
    assert refuses(lambda c: np.poly1d(c)[1], C, code="SCT203").why
    refuses(lambda c: np.poly1d(c, True)(1.0), C, code="SCT205")
    refuses(lambda c: Polynomial(c, symbol="t")(0.3), C, code="SCT205")


@pytest.mark.parametrize("c", [[1.0, 2.0, 0.0], [2.0, -3.0, 1.0, 0.0], [1.0, -3.0, 4.0], [1.0, 2.0, 5.0, 0.0]], ids=str)
def test_roots_depend_on_a_last_coefficient_of_zero(c: list[float]) -> None:
    def f(c: np.ndarray) -> Any:
        r = np.roots(c)
        return np.sum(np.abs(r - 0.3) ** 2) + np.sum((r**3).real)

    def difference(e: np.ndarray) -> float:
        return (f(np.array(c) + 1e-6 * e) - f(np.array(c) - 1e-6 * e)) / 2e-6

    np.testing.assert_allclose(grad(f)(np.array(c)), [difference(e) for e in np.eye(len(c))], rtol=1e-6, atol=1e-7)


def test_the_derivative_of_a_root_at_zero() -> None:
    def largest(b: float) -> Any:
        return np.max(np.roots([1.0, 2.0, b]))

    assert grad(largest)(0.0) == -0.5
    assert grad(grad(largest))(0.0) == pytest.approx(-0.25)


def test_a_product_drops_leading_zeros_that_it_depends_on() -> None:
    f = lambda a: np.polyval(np.polymul(a, [1.0, 1.0]), 2.0)
    np.testing.assert_array_equal(grad(f)(np.array([1.0, 3.0])), [6.0, 3.0])
    with pytest.raises(SctError, match="SCT415"):
        grad(f)(np.array([0.0, 3.0]))
    g = lambda a: np.polyval(np.poly1d(a).c, 2.0)
    with pytest.raises(SctError, match="SCT415"):
        grad(g)(np.array([0.0, 3.0]))


def test_roots_that_are_computed_twice() -> None:
    f = lambda p: np.roots(p)[0].real + np.roots(p)[0].imag
    np.testing.assert_allclose(grad(f)(np.array([3.0, 1.0, 0.0])), [1.0 / 9.0, -1.0 / 3.0, 1.0])
