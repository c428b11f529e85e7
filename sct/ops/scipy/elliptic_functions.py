"""Elliptic integrals and functions.

Derivatives by the parameter m are written by Carlson's symmetric integrals or hypergeometric functions, which are
smooth at m = 0: the formulas with a quotient by m are 0 / 0 there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sct.ir.core import Op
from sct.ops import samples
from sct.ops.scalar.elementary import rint
from sct.ops.scipy.formulas import (
    Formula,
    absolute,
    cos,
    equal,
    lifted,
    sin,
    slopes,
    special,
    special_pair,
    sqrt,
    triples,
    where,
)
from sct.ops.scipy.hypergeometric import hyp2f1

__all__ = ["ellipe", "ellipk", "elliprd", "elliprf"]

PARAMETERS = samples.unary(-0.9, 0.8)

# -- complete --------------------------------------------------------------------------------------------------


def near_one(m: Formula, k: Formula, e: Formula) -> Formula:
    return (e - (1.0 - m) * k) / (2.0 * m * (1.0 - m))


def slope_of_k(m: Formula, k: Formula) -> Formula:
    """By its series for m near 0."""
    near = (m * m) < 0.25
    s, r = where(near, m, 0.0), where(near, 0.5, m)
    return where(near, math.pi / 8.0 * lifted(hyp2f1)(1.5, 1.5, 2.0, s),
                 near_one(r, where(near, 0.0, k), lifted(ellipe)(r)))


def slope_of_e(m: Formula, e: Formula) -> Formula:
    near = (m * m) < 0.25
    s, r = where(near, m, 0.0), where(near, 0.5, m)
    return where(near, -math.pi / 8.0 * lifted(hyp2f1)(0.5, 1.5, 2.0, s),
                 (lifted(ellipe)(r) - lifted(ellipk)(r)) / (2.0 * r))


ellipk: Op = special("ellipk", slopes(lambda k, m: [slope_of_k(m, k)]), PARAMETERS)
ellipe: Op = special("ellipe", slopes(lambda e, m: [slope_of_e(m, e)]), PARAMETERS)
special("ellipkm1", slopes(lambda k, p: [-slope_of_k(1.0 - p, k)]), samples.unary(0.2, 1.8))

# -- Carlson's symmetric integrals -----------------------------------------------------------------------------


def rd_slope(y: Formula, p: Formula, q: Formula, r: Formula) -> Formula:
    """The derivative of y = R_D(p, q, r) by p, which is -3/4 times the integral of
    (t + p)**-1.5 * (t + q)**-0.5 * (t + r)**-1.5.

    By partial fractions (DLMF 19.18.8), and where p is near r by the first terms of its series in (r - p)**2.
    """
    near = absolute(r - p) < 2e-4 * absolute(r)
    gap, m = where(near, 1.0, r - p), where(near, 0.5 * (p + r), 1.0)
    d, v = where(near, 0.5 * (r - p), 0.0) / m, where(near, 1.0 - q / m, 0.0)
    series = lifted(hyp2f1)(0.5, 2.5, 3.5, v) * 0.4 + d * d * lifted(hyp2f1)(0.5, 4.5, 5.5, v) * (1.0 / 3.0)
    return where(near, -0.75 * m ** -2.5 * series, 0.5 * (y - lifted(elliprd)(q, r, p)) / gap)


def rd_slopes(y: Formula, p: Formula, q: Formula, r: Formula) -> list[Formula]:
    """By r as it is homogeneous of degree -3/2."""
    dp, dq = rd_slope(y, p, q, r), rd_slope(y, q, p, r)
    return [dp, dq, -(1.5 * y + or_zero(p, p * dp) + or_zero(q, q * dq)) / r]


def or_zero(p: Formula, product: Formula) -> Formula:
    """A product with p, which is 0 where p is: the slope is infinite there."""
    return where(equal(p, 0.0), 0.0, product)


def rc_slopes(y: Formula, p: Formula, q: Formula) -> list[Formula]:
    """R_C(p, q) is R_F(p, q, q); where q is negative, Cauchy's principal value, by partial fractions."""
    below = q < 0.0
    s, gap, root_p = where(below, q, 1.0), where(below, 2.0 * (q - p), 1.0), sqrt(p)
    return [where(below, (y - 1.0 / root_p) / gap, lifted(elliprd)(positive(q), positive(q), p) * (-1.0 / 6.0)),
            where(below, (root_p / s - y) / gap, lifted(elliprd)(p, positive(q), positive(q)) * (-1.0 / 3.0))]


def positive(q: Formula) -> Formula:
    return where(q < 0.0, 1.0, q)


def times_rd(x: Formula, y: Formula, z: Formula) -> Formula:
    """x * R_D(y, z, x), which is 0 where x is."""
    zero = equal(x, 0.0)
    return x * lifted(elliprd)(y, z, where(zero, 1.0, x))


def rj_slopes(f: Formula, x: Formula, y: Formula, z: Formula, p: Formula) -> list[Formula]:
    """By p as it is homogeneous of degree -3/2."""
    turns = [(x, y, z), (y, z, x), (z, x, y)]
    weighed = [or_zero(a, a * rj_slope(f, where(equal(a, 0.0), 1.0, a), b, c, p)) for a, b, c in turns]
    return [*(rj_slope(f, *turn, p) for turn in turns), -(1.5 * f + weighed[0] + weighed[1] + weighed[2]) / p]


def rj_slope(f: Formula, x: Formula, y: Formula, z: Formula, p: Formula) -> Formula:
    """The derivative of f = R_J(x, y, z, p) by x, which is -3/4 times the integral of
    (t + x)**-1.5 * (t + y)**-0.5 * (t + z)**-0.5 * (t + p)**-1.

    By partial fractions; where x is near p, both are taken to be their mean by these powers, of which R_D has the
    derivative: the error is of the second order.
    """
    near = absolute(p - x) < 1e-5 * absolute(p)
    gap, mean = where(near, 1.0, p - x), where(near, 0.6 * x + 0.4 * p, 1.0)
    by_mean = rd_slopes(lifted(elliprd)(y, z, mean), y, z, mean)[2]
    return where(near, by_mean * (1.0 / 3.0), 0.5 * (f - lifted(elliprd)(y, z, where(near, 1.0, x))) / gap)


def agm_slope(y: Formula, a: Formula, b: Formula) -> Formula:
    """The mean is pi / 2 divided by R_F(0, a**2, b**2) (DLMF 19.8.5, 19.25.1)."""
    q, s = b / a, y / a
    return 2.0 / (3.0 * math.pi) * s * s * lifted(elliprd)(0.0, q * q, 1.0)


def rg_slope(f: Formula, x: Formula, y: Formula, z: Formula) -> Formula:
    """The derivative of f = R_G(x, y, z) by x; where y and z are 0, f is sqrt(x) / 2."""
    alone = equal(y + z, 0.0)
    s = where(alone, 1.0, z)
    return where(alone, 0.5 * f / x, (3.0 * lifted(elliprf)(x, y, s) - times_rd(x, y, s)) * (1.0 / 12.0))


APART = triples((0.2, 0.8), (1.1, 1.9), (2.2, 3.0))
elliprd: Op = special("elliprd", slopes(rd_slopes), APART)
elliprf = special("elliprf", slopes(lambda y, p, q, r: [
    lifted(elliprd)(q, r, p) * (-1.0 / 6.0), lifted(elliprd)(p, r, q) * (-1.0 / 6.0),
    lifted(elliprd)(p, q, r) * (-1.0 / 6.0)]), APART)
special("elliprc", slopes(rc_slopes), samples.binary((0.2, 0.9), (0.3, 2.0)))
special("elliprg", slopes(lambda y, p, q, r: [rg_slope(y, *turn) for turn in ((p, q, r), (q, r, p), (r, p, q))]),
        APART)
special("elliprj", slopes(rj_slopes), triples((0.2, 0.8), (1.1, 1.9), (2.2, 3.0), (3.4, 4.5)))
special("agm", slopes(lambda y, a, b: [agm_slope(y, a, b), agm_slope(y, b, a)]),
        samples.binary((0.3, 2.5), (0.4, 3.0)))

# -- incomplete, and Jacobi's functions ------------------------------------------------------------------------


def reduced(phi: Formula) -> tuple[Formula, Formula]:
    """phi = k * pi + r, where r is at most pi / 2: 2 * k, and r."""
    k = lifted(rint)(phi * (1.0 / math.pi))
    return 2.0 * k, phi - math.pi * k


def first_kind_by_m(phi: Formula, m: Formula) -> Formula:
    """Of the integral of 1 / sqrt(1 - m sin**2)."""
    twice, r = reduced(phi)
    s, c = sin(r), cos(r)
    part = s * s * s * lifted(elliprd)(c * c, 1.0, 1.0 - m * s * s) * (1.0 / 6.0)
    return twice * slope_of_k(m, lifted(ellipk)(m)) + part


def second_kind_by_m(phi: Formula, m: Formula) -> Formula:
    """Of the integral of sqrt(1 - m sin**2)."""
    twice, r = reduced(phi)
    s, c = sin(r), cos(r)
    part = s * s * s * lifted(elliprd)(c * c, 1.0 - m * s * s, 1.0) * (-1.0 / 6.0)
    return twice * slope_of_e(m, lifted(ellipe)(m)) + part


def jacobi_slopes(ys: Sequence[Formula], u: Formula, m: Formula) -> list[list[Formula]]:
    """The amplitude phi is the inverse of the integral of the first kind; the others are functions of it."""
    sn, cn, dn, phi = ys
    by_m = -dn * first_kind_by_m(phi, m)
    return [[cn * dn, cn * by_m], [-sn * dn, -sn * by_m],
            [-m * sn * cn, -(0.5 * sn * sn + m * sn * cn * by_m) / dn], [dn, by_m]]


def incomplete() -> list[samples.Sample]:
    """Operands of one precision."""
    return [((x, y), attrs) for (x, y), attrs in samples.binary((0.3, 1.2), (0.1, 0.8))()
            if getattr(x, "dtype", "f8") == getattr(y, "dtype", "f8")]


def root(phi: Formula, m: Formula) -> Formula:
    s = sin(phi)
    return sqrt(1.0 - m * s * s)


special("ellipkinc", slopes(lambda y, phi, m: [1.0 / root(phi, m), first_kind_by_m(phi, m)]), incomplete)
special("ellipeinc", slopes(lambda y, phi, m: [root(phi, m), second_kind_by_m(phi, m)]), incomplete)
special_pair("ellipj", 4, jacobi_slopes, incomplete)
