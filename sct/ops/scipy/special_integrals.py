"""Integrals of Bessel functions and their relatives, modified Fresnel integrals, by their argument.

The derivative of an integral is its integrand (DLMF 1.4.20).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

from sct.ir.core import Lit, Op
from sct.ops import samples
from sct.ops.registry import OPS
from sct.ops.scipy.error_functions import faddeeva_slope
from sct.ops.scipy.formulas import (
    ORDER,
    PARAMETER,
    Formula,
    exp,
    lifted,
    plain,
    slopes,
    special,
    special_pair,
    where,
)

__all__: list[str] = []


def bessel(name: str) -> Callable[..., Formula]:
    return lifted(OPS[name])


def kernel(sign: float, y: Formula, x: Formula) -> Formula:
    """(y - 1) / x, where y is the sum of u**k / k!**2, for u = x * x / 4 or -x * x / 4; near 0 by this sum."""
    u = 0.25 * sign * x * x
    near = (u * u) < 0.005
    v, total = where(near, u, 0.0), Formula(plain(1.0))
    for k in (7, 6, 5, 4, 3, 2):
        total = 1.0 + total * v * (1.0 / (k * k))
    return where(near, 0.25 * sign * x * total, (y - 1.0) / where(near, 1.0, x))


def struve_kernel(x: Formula) -> Formula:
    """H_0(x) / x, which is the sum of 2 / pi * (-x * x)**k / (2 k + 1)!!**2; near 0 by this sum."""
    near = (x * x) < 0.25
    v, total = where(near, x, 0.0), Formula(plain(1.0))
    for k in (15, 13, 11, 9, 7, 5, 3):
        total = 1.0 - total * v * v * (1.0 / (k * k))
    far = where(near, 1.0, x)
    return where(near, 2.0 / math.pi * total, bessel("struve")(0.0, far) / far)


special_pair("itj0y0", 2, lambda ys, x: [[bessel("j0")(x)], [bessel("y0")(x)]], samples.positives)
special_pair("iti0k0", 2, lambda ys, x: [[bessel("i0")(x)], [bessel("k0")(x)]], samples.positives)
special_pair("it2j0y0", 2, lambda ys, x: [
    [-kernel(-1.0, bessel("j0")(x), x)], [-bessel("y0")(x) / x]], samples.positives)
special_pair("it2i0k0", 2, lambda ys, x: [
    [kernel(1.0, bessel("i0")(x), x)], [-bessel("k0")(x) / x]], samples.positives)
special("itstruve0", slopes(lambda y, x: [bessel("struve")(0.0, x)]), samples.positives)
special("it2struve0", slopes(lambda y, x: [-struve_kernel(x)]), samples.positives)
special("itmodstruve0", slopes(lambda y, x: [bessel("modstruve")(0.0, x)]), samples.positives)


def airy(x: Formula) -> list[Formula]:
    """Ai and Bi."""
    a, _, b, _ = OPS["airy"](plain(x))
    return [Formula(a), Formula(b)]


special_pair("itairy", 4, lambda ys, x: [[y] for y in (*airy(x), *airy(-x))], samples.unary(-0.9, 0.9))
besselpoly: Op = special("besselpoly", slopes(lambda y, a, power, v: [
    lifted(besselpoly)(a, power + 1.0, v - 1.0) - lifted(besselpoly)(a, power + 1.0, v + 1.0), PARAMETER, ORDER]),
    lambda: [((*args, Lit(1.3), Lit(v)), attrs) for v in (0.0, 2.5) for args, attrs in samples.positives()])
"""The integral of t**power * J_v(2 a t) from 0 to 1"""

# -- modified Fresnel integrals --------------------------------------------------------------------------------


def modified_fresnel(name: str, side: complex) -> None:
    """F(x), the integral of exp(side * t**2) from x on, and K(x) = w(i s x) / 2 with s**2 = -side (DLMF 7.5).

    SciPy's values for negative x are those of no such function: the derivative is nan.
    """
    root = cmath.sqrt(-side)

    def slopes_of(ys: Any, x: Formula) -> list[list[Formula]]:
        t = where(x < 0.0, math.nan, x)
        return [[-exp(side * t * t)], [0.5j * root * faddeeva_slope(2.0 * ys[1], 1j * root * t)]]

    special_pair(name, 2, slopes_of, samples.positives, of_complex=True)


modified_fresnel("modfresnelp", 1j)
modified_fresnel("modfresnelm", -1j)
