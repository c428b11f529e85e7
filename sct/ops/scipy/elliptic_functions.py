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
from sct.ops.scipy.formulas import Formula, cos, lifted, sin, slopes, special, special_pair, sqrt, triples, where
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


def rd_slopes(y: Formula, p: Formula, q: Formula, r: Formula) -> list[Formula]:
    """By partial fractions of 1 / ((t + p) * (t + r)); by r as it is homogeneous of degree -3/2."""
    dp = 0.5 * (y - lifted(elliprd)(q, r, p)) / (r - p)
    dq = 0.5 * (y - lifted(elliprd)(p, r, q)) / (r - q)
    return [dp, dq, -(1.5 * y + p * dp + q * dq) / r]


elliprd: Op = special("elliprd", slopes(rd_slopes), triples((0.2, 0.8), (1.1, 1.9), (2.2, 3.0)))
elliprf = special("elliprf", slopes(lambda y, p, q, r: [
    lifted(elliprd)(q, r, p) * (-1.0 / 6.0), lifted(elliprd)(p, r, q) * (-1.0 / 6.0),
    lifted(elliprd)(p, q, r) * (-1.0 / 6.0)]), triples((0.2, 0.8), (1.1, 1.9), (2.2, 3.0)))

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
