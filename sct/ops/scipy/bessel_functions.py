"""Bessel functions and their relatives, by their argument: there is no classical derivative by the order.

The derivative is written by the neighbouring orders, which are finite where the function is smooth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scipy.formulas import (
    ORDER,
    Formula,
    equal,
    lifted,
    lower,
    maximum,
    parametrized,
    sign,
    slopes,
    special,
    special_pair,
    sqrt,
    ufunc,
    where,
    whole,
)
from sct.ops.scipy.gamma_functions import rgamma
from sct.ops.type_rules import number, probe, promote, scalar_or_array

__all__ = ["iv", "ive", "jv", "kv", "kve", "yn", "yv"]

ORDERS = [0, 1, (Lit(2.5),)]

# -- of any order ----------------------------------------------------------------------------------------------


def family(name: str, slope: Callable[..., Formula], sampled: samples.Samples, orders: Sequence[Any] = ORDERS,
           order: Callable[[Formula], Formula] = lambda v: v, of_complex: bool = False) -> Op:
    """slope(the function, y, v, x) is its derivative by x; `order`: what SciPy takes as the order."""
    members: list[Op] = []
    members.append(special(name, slopes(lambda y, v, x: [ORDER, slope(lifted(members[0]), y, order(v), x)]),
                           parametrized(orders, sampled), of_complex=of_complex))
    return members[0]


def alternating(f: Callable[..., Formula], y: Formula, v: Formula, x: Formula) -> Formula:
    return 0.5 * (f(v - 1, x) - f(v + 1, x))


def growing(f: Callable[..., Formula], y: Formula, v: Formula, x: Formula) -> Formula:
    return 0.5 * (f(v - 1, x) + f(v + 1, x))


WHOLE = [0, 1, 3, (Lit(2.7),)]
jv = family("jv", alternating, samples.positives, of_complex=True)
family("jve", alternating, samples.positives)
yv = family("yv", alternating, samples.positives, of_complex=True)
family("yve", alternating, samples.positives)
yn = family("yn", alternating, samples.positives, WHOLE, whole)
iv = family("iv", growing, samples.positives, of_complex=True)
kv = family("kv", lambda f, y, v, x: -growing(f, y, v, x), samples.positives, of_complex=True)
family("kn", lambda f, y, n, x: -0.5 * (f(absolute_order(n), x) + f(n + 1, x)), samples.positives, WHOLE, whole)
ive = family("ive", lambda f, y, v, x: growing(f, y, v, x) - sign(x) * y, samples.positives)
kve = family("kve", lambda f, y, v, x: y - growing(f, y, v, x), samples.positives, of_complex=True)
family("hankel1", alternating, samples.positives, of_complex=True)
family("hankel2", alternating, samples.positives, of_complex=True)
family("hankel1e", lambda f, y, v, x: alternating(f, y, v, x) - 1j * y, samples.positives, of_complex=True)
family("hankel2e", lambda f, y, v, x: alternating(f, y, v, x) + 1j * y, samples.positives, of_complex=True)


def absolute_order(n: Formula) -> Formula:
    """|n - 1|: `kn` takes no negative order."""
    x = n.operand
    return Formula(Lit(abs(x.value - 1))) if isinstance(x, Lit) else maximum(n - 1, 1 - n)


def struve_term(v: Formula, x: Formula) -> Formula:
    return (0.5 * x) ** v * lifted(rgamma)(v + 1.5) * (0.5 / math.sqrt(math.pi))


family("struve", lambda f, y, v, x: alternating(f, y, v, x) + struve_term(v, x), samples.positives)
family("modstruve", lambda f, y, v, x: growing(f, y, v, x) + struve_term(v, x), samples.positives)

# -- of order 0 and 1 ------------------------------------------------------------------------------------------


def pair(first: str, second: str, slope0: Callable[[Formula, Formula, Formula], Formula],
         slope1: Callable[[Formula, Formula, Formula], Formula], sampled: samples.Samples) -> None:
    """The functions of order 0 and 1; slope0(y, order 1, x) and slope1(y, order 0, x) are their derivatives."""
    ops: list[Op] = []
    ops.append(special(first, slopes(lambda y, x: [slope0(y, lifted(ops[1])(x), x)]), sampled))
    ops.append(special(second, slopes(lambda y, x: [slope1(y, lifted(ops[0])(x), x)]), sampled))


pair("j0", "j1", lambda y, f1, x: -f1, lambda y, f0, x: 0.5 * (f0 - lifted(jv)(2, x)), samples.reals)
pair("y0", "y1", lambda y, f1, x: -f1, lambda y, f0, x: 0.5 * (f0 - lifted(yn)(2, x)), samples.positives)
pair("i0", "i1", lambda y, f1, x: f1, lambda y, f0, x: 0.5 * (f0 + lifted(iv)(2, x)), samples.reals)
pair("k0", "k1", lambda y, f1, x: -f1, lambda y, f0, x: -(f0 + y / x), samples.positives)
pair("i0e", "i1e", lambda y, f1, x: f1 - sign(x) * y,
     lambda y, f0, x: 0.5 * (f0 + lifted(ive)(2, x)) - sign(x) * y, samples.positives)
pair("k0e", "k1e", lambda y, f1, x: y - f1, lambda y, f0, x: y - (f0 + y / x), samples.positives)

# -- of Airy, Kelvin and Weber ---------------------------------------------------------------------------------


def scaled_airy(ys: Sequence[Formula], x: Formula) -> list[list[Formula]]:
    """As Ai and Bi times exp(2/3 x**1.5) and exp(-2/3 x**1.5), or without the factor of Bi where x is negative."""
    a, da, b, db = ys
    r, s = sqrt(x), sqrt(maximum(x, 0.0))
    return [[da + r * a], [x * a + r * da], [db - s * b], [x * b - s * db]]


special_pair("airy", 4, lambda ys, x: [[ys[1]], [x * ys[0]], [ys[3]], [x * ys[2]]], samples.reals, of_complex=True)
special_pair("airye", 4, scaled_airy, samples.positives)


def kelvin(name: str, prime: str, other: str, side: float, limit: float, sampled: samples.Samples) -> None:
    """f'' = side * g - f' / x, where f' / x is `limit` at 0."""

    def second(y: Formula, x: Formula) -> Formula:
        zero = equal(x, 0.0)
        return side * lifted(members[other])(x) - where(zero, limit, y / where(zero, 1.0, x))

    members[prime] = special(prime, slopes(lambda y, x: [second(y, x)]), sampled)
    members[name] = special(name, slopes(lambda y, x: [lifted(members[prime])(x)]), sampled)


members: dict[str, Op] = {}
kelvin("ber", "berp", "bei", -1.0, 0.0, samples.positives)
kelvin("bei", "beip", "ber", 1.0, 0.5, samples.positives)
kelvin("ker", "kerp", "kei", -1.0, math.inf, samples.positives)
kelvin("kei", "keip", "ker", 1.0, -math.inf, samples.positives)

PARABOLIC = parametrized([(Lit(0.7),), (Lit(2.0),)], samples.reals)
special_pair("pbdv", 2, lambda ys, v, x: [[ORDER, ys[1]], [ORDER, (0.25 * x * x - v - 0.5) * ys[0]]], PARABOLIC)

# -- spherical -------------------------------------------------------------------------------------------------


def spherical(name: str, slope: Callable[[Callable[..., Formula], Formula, Formula], Formula]) -> None:
    """(2 n + 1) times the derivative is slope(f, n, x): a combination of the neighbouring orders."""

    def rule(n: Operand, x: Operand, derivative: bool = False) -> Tensor:
        if derivative:
            raise TypeMismatch(f"`derivative` of `scipy.special.spherical_{name}` is not supported",
                               hint="leave it out, and use sct.grad of the function, which may be nested")
        dtypes = frozenset(probe(ufunc(f"spherical_{name}"), "i64", d) for d in promote([number(x)]))
        return scalar_or_array(dtypes, broadcast_shapes(number(n).shape, number(x).shape))

    def partials(y: Formula, n: Formula, x: Formula) -> list[Any]:
        return [ORDER, slope(lifted(entry), n, x) / (2.0 * n + 1.0)]

    def bind(n: Any, z: Any, derivative: Any = False) -> tuple[list[Any], dict[str, Any]]:
        return [n, z], {"derivative": derivative}

    entry = op(f"spherical_{name}", f"scipy.special.spherical_{name}", type=rule, bind=bind, raises="value",
               run=lambda n, x, derivative=False: ufunc(f"spherical_{name}")(n, x),
               partials=lambda y, n, x, derivative=False: slopes(partials)(y, whole(Formula(n)).operand, x),
               emit=f"scipy.special.spherical_{name}(_0, _1)", defaults={"derivative": False},
               samples=parametrized([0, 1, 3], samples.positives))


spherical("jn", lambda f, n, x: n * f(lower(n), x) - (n + 1.0) * f(n + 1, x))
spherical("yn", lambda f, n, x: n * f(lower(n), x) - (n + 1.0) * f(n + 1, x))
spherical("in", lambda f, n, x: n * f(lower(n), x) + (n + 1.0) * f(n + 1, x))
spherical("kn", lambda f, n, x: -n * f(lower(n), x) - (n + 1.0) * f(n + 1, x))
