"""Elementary functions of `scipy.special`: logistic and entropies, powers, degrees, losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sct.ir.build import operand
from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar import elementary
from sct.ops.scalar.arithmetic import add, div, mul, neg
from sct.ops.scipy.formulas import (
    Formula,
    absolute,
    equal,
    exp,
    is_complex,
    lifted,
    log,
    log1p,
    plain,
    sign,
    sin,
    slopes,
    special,
    sqrt,
    triples,
    where,
)
from sct.ops.scipy.hypergeometric import hyp1f1
from sct.ops.type_rules import number, scalar_or_array

__all__ = ["expit", "log_expit", "logit", "xlog1py", "xlogy"]

DEGREE = math.pi / 180.0
UNIT = samples.unary(0.05, 0.95)
POSITIVE_PAIRS = samples.binary((0.2, 3.0), (0.3, 2.0))

# -- logistic -------------------------------------------------------------------------------------------------

expit = special("expit", slopes(lambda y, x: [y * (1.0 - y)]), samples.reals)
log_expit = special("log_expit", slopes(lambda y, x: [lifted(expit)(-x)]), samples.reals)
logit = special("logit", slopes(lambda y, x: [1.0 / (x * (1.0 - x))]), UNIT)

# -- x log y, and entropies: 0 where x is 0 --------------------------------------------------------------------


def ratio(x: Formula, y: Formula) -> Formula:
    """x / y, and 0 where both are 0."""
    return x / where(equal(x, 0.0), where(equal(y, 0.0), math.inf, y), y)


def tangent_of_product(tangents: Sequence[Any], y: Operand, times_log: Op, by_y: Formula) -> Any:
    """dx log y + by_y dy, where a dx that is 0 gives 0 for each y, as x does."""
    dx, dy = tangents
    by_first = None if dx is None else times_log(dx, y)
    by_second = None if dy is None else mul(dy, operand(plain(by_y)))
    return add(by_first, by_second) if by_first is not None and by_second is not None else \
        by_second if by_first is None else by_first


def log_of_sum(y: Formula) -> Formula:
    """log(1 + y): of complex numbers by SciPy, since NumPy's function loses digits near 0."""
    return lifted(special_log1p)(y) if is_complex(y.operand) else log1p(y)


xlogy: Op = special(
    "xlogy", slopes(lambda z, x, y: [log(y), ratio(x, y)]), POSITIVE_PAIRS, of_complex=True,
    jvp=lambda tangents, z, x, y: tangent_of_product(tangents, y, xlogy, ratio(Formula(x), Formula(y))))
xlog1py: Op = special(
    "xlog1py", slopes(lambda z, x, y: [log_of_sum(y), ratio(x, 1.0 + y)]), POSITIVE_PAIRS, of_complex=True,
    jvp=lambda tangents, z, x, y: tangent_of_product(tangents, y, xlog1py, ratio(Formula(x), 1.0 + Formula(y))))
special("entr", slopes(lambda y, x: [-log(x) - 1.0]), samples.positives)
special("rel_entr", slopes(lambda z, x, y: [log(x / y) + 1.0, -ratio(x, y)]), POSITIVE_PAIRS)
special("kl_div", slopes(lambda z, x, y: [log(x / y), 1.0 - ratio(x, y)]), POSITIVE_PAIRS)

# -- losses ----------------------------------------------------------------------------------------------------


def huber_slopes(z: Formula, delta: Formula, r: Formula) -> list[Formula]:
    """r**2 / 2 inside of delta, and delta * (|r| - delta / 2) outside."""
    outside = absolute(r) > delta
    return [where(outside, absolute(r) - delta, 0.0), where(outside, delta * sign(r), r)]


def pseudo_huber_slopes(z: Formula, delta: Formula, r: Formula) -> list[Formula]:
    u = r / delta
    s = sqrt(1.0 + u * u)
    return [delta * u * u * u * u / (s * (s + 1.0) * (s + 1.0)), r / s]


special("huber", slopes(huber_slopes), samples.binary((0.3, 0.9), (-2.0, 2.0)))
special("pseudo_huber", slopes(pseudo_huber_slopes), samples.binary((0.3, 0.9), (-2.0, 2.0)))

# -- powers and exponentials -----------------------------------------------------------------------------------


def power_slope(exponent: Formula, logarithm: Formula) -> Formula:
    """The derivative of (exp(exponent * logarithm) - 1) / exponent by the exponent."""
    return 0.5 * logarithm * logarithm * lifted(hyp1f1)(2.0, 3.0, exponent * logarithm)


def inverse_slopes(base: Formula, lmbda: Formula) -> list[Formula]:
    """The derivatives of the base by the result of a Box-Cox transform and by its exponent."""
    slope = base ** (1.0 - lmbda)
    return [slope, -slope * power_slope(lmbda, log(base))]


special("boxcox", slopes(lambda y, x, p: [x ** (p - 1.0), power_slope(p, log(x))]), POSITIVE_PAIRS)
special("boxcox1p", slopes(lambda y, x, p: [(1.0 + x) ** (p - 1.0), power_slope(p, log1p(x))]), POSITIVE_PAIRS)
special("inv_boxcox", slopes(lambda x, y, p: inverse_slopes(x, p)), POSITIVE_PAIRS)
special("inv_boxcox1p", slopes(lambda x, y, p: inverse_slopes(1.0 + x, p)), POSITIVE_PAIRS)
special("powm1", slopes(lambda z, x, y: [y * x ** (y - 1.0), (z + 1.0) * log(x)]), POSITIVE_PAIRS)
special("exprel", slopes(lambda y, x: [0.5 * lifted(hyp1f1)(2.0, 3.0, x)]), samples.reals)
special("cbrt", slopes(lambda y, x: [1.0 / (3.0 * y * y)]), samples.positives, entry="special_cbrt")
special("exp2", slopes(lambda y, x: [y * elementary.LN2]), samples.reals, entry="special_exp2")
special("exp10", slopes(lambda y, x: [y * elementary.LN10]), samples.reals)
special("expm1", slopes(lambda y, x: [exp(x)]), samples.reals, entry="special_expm1", of_complex=True)
special_log1p: Op = special("log1p", slopes(lambda y, x: [1.0 / (1.0 + x)]), samples.positives, entry="special_log1p",
                            of_complex=True)
special("round", slopes(lambda y, x: [None]), samples.reals, entry="special_round")
special("cosm1", slopes(lambda y, x: [-sin(x)]), samples.reals)
special("wrightomega", slopes(lambda y, x: [y / (1.0 + y)]), samples.reals, of_complex=True)


def type_lambertw(z: Operand, k: int = 0, tol: float = 1e-8) -> Tensor:
    """Complex numbers in double precision, always."""
    return scalar_or_array({"c128"}, number(z).shape)


def branches() -> list[samples.Sample]:
    z = samples.arrays((3,), 0.3, 3.0)
    return [((z,), {}), ((z[0],), {"k": 1}), ((-0.1 * z,), {"k": -1}), ((1.5,), {}), ((z.astype("f4"),), {})]


lambertw: Op = op("lambertw", "scipy.special.lambertw", type=type_lambertw, complex=True, samples=branches,
                  run=lambda z, k=0, tol=1e-8: import_module("scipy.special").lambertw(z, k, tol),
                  bind=lambda z, k=0, tol=1e-8: ([z], {"k": k, "tol": tol}), defaults={"k": 0, "tol": 1e-8},
                  partials=lambda w, z, k=0, tol=1e-8: [div(elementary.exp(neg(w)), add(w, 1.0))])
"""The inverse of w * exp(w), on the branch k"""

# -- degrees ---------------------------------------------------------------------------------------------------

sindg: Op = special("sindg", slopes(lambda y, x: [DEGREE * lifted(cosdg)(x)]), samples.reals)
cosdg: Op = special("cosdg", slopes(lambda y, x: [-DEGREE * lifted(sindg)(x)]), samples.reals)
special("tandg", slopes(lambda y, x: [DEGREE * (1.0 + y * y)]), samples.reals)
special("cotdg", slopes(lambda y, x: [-DEGREE * (1.0 + y * y)]), samples.unary(30.0, 60.0))
special("radian", slopes(lambda y, d, m, s: [Formula(Lit(DEGREE / k)) for k in (1.0, 60.0, 3600.0)]),
        triples((0.2, 3.0), (0.1, 20.0), (0.3, 50.0)))
