"""Distributions of `scipy.stats`: densities, distribution functions and quantiles, by argument, location and scale.

With z = (x - loc) / scale, the density is f(z) / scale.  A distribution gives the derivatives of log f by z and by its
shapes; those of the other functions follow.  A distribution function has a derivative by a shape where its quantile
has one in closed form.  Outside of the support the derivatives are 0; at its ends they are those from inside, but those
of a density that is 0 there are 0.  Where SciPy's value is nan since a parameter is invalid, they are nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import LONG, Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar.comparison import isnan
from sct.ops.scalar.selection import logical_or
from sct.ops.scipy.bessel_functions import ive
from sct.ops.scipy.formulas import (
    ORDER,
    PARAMETER,
    Formula,
    cos,
    equal,
    exp,
    lifted,
    log,
    log1p,
    psi,
    sign,
    sin,
    slopes,
    tanh,
    where,
)
from sct.ops.type_rules import number

__all__: list[str] = []

Slope = Callable[..., Any]


@dataclass(frozen=True)
class Distribution:
    """A distribution of `scipy.stats`.

    by_z     the derivative of log f: by_z(z, *shapes)
    shapes   for each shape its name, and the derivative of log f by it
    paths    for each shape: the derivative of the quantile by it, negative; None: there is no formula
    inside   a number inside of a support that is not the line; None: the support is the line
    ends     of the support, if it is not the line
    least    is 0 a value of the shapes?
    points   the interval of samples of z, and the values of shapes
    """

    name: str
    by_z: Slope
    shapes: tuple[tuple[str, Slope], ...] = ()
    paths: tuple[Slope | None, ...] = ()
    inside: float | None = None
    ends: tuple[float, float] = (0.0, math.inf)
    least: bool = False
    points: tuple[float, float] = (-2.0, 2.0)
    values: tuple[float, ...] = ()


def method(family: str, name: str) -> Any:
    return getattr(getattr(import_module("scipy.stats"), family), name)


def type_distribution(*xs: Operand) -> Tensor:
    """In double precision, always; not all of the methods take more."""
    if any(number(x).dtype in LONG for x in xs):
        raise TypeMismatch("the distributions of SciPy compute in double precision", "convert with astype(float)")
    shape = broadcast_shapes(*(number(x).shape for x in xs))
    return Tensor("array" if shape else "np", "f64", shape)


def bind_by(names: Sequence[str], trailing: Sequence[tuple[str, float]]) -> Callable[..., Any]:
    """The operands of a call: what the method is of, the shapes, and `loc` and `scale`, which may be left out."""

    def bind(x: Any, *args: Any, **named: Any) -> tuple[list[Any], dict[str, Any]]:
        keys = [*names, *(key for key, _ in trailing)]
        if len(args) > len(keys):
            raise TypeError(f"takes {len(keys) + 1} arguments, {len(args) + 1} given")
        if repeated := [key for key in keys[:len(args)] if key in named]:
            raise TypeError(f"`{repeated[0]}` is given twice")
        bound = {**{key: Lit(value) for key, value in trailing}, **dict(zip(keys, args)), **named}
        if unknown := [key for key in bound if key not in keys]:
            raise TypeError(f"the keyword `{unknown[0]}` is not known")
        if missing := [key for key in keys if key not in bound]:
            raise TypeError(f"`{missing[0]}` is missing")
        return [x, *(bound[key] for key in keys)], {}

    return bind


def emit_by(family: str, name: str, trailing: Sequence[tuple[str, float]]) -> Callable[..., str]:
    """The call, without a location of 0 and a scale of 1."""

    def emit(*xs: Operand) -> str:
        first = len(xs) - len(trailing)
        shown = [f"_{k}" for k in range(first)]
        shown += [f"{key}=_{first + k}" for k, (key, value) in enumerate(trailing)
                  if not (isinstance(x := xs[first + k], Lit) and x.value == value)]
        return f"scipy.stats.{family}.{name}({', '.join(shown)})"

    return emit


undefined, either = lifted(isnan), lifted(logical_or)
LOCATION = (("loc", 0.0), ("scale", 1.0))


def method_op(family: str, name: str, names: Sequence[str], trailing: Sequence[tuple[str, float]],
              partials: Callable[..., list[Any]], sampled: samples.Samples) -> Op:
    return op(f"{family}_{name}", f"scipy.stats.{family}.{name}", type=type_distribution, partials=partials,
              run=lambda *xs: method(family, name)(*xs), bind=bind_by(names, trailing),
              emit=emit_by(family, name, trailing), samples=sampled)


def valid(parameter: Formula, least: bool = False) -> Formula:
    """A parameter that must be positive (or not negative), and nan where it is not."""
    x = parameter.operand
    if isinstance(x, Lit) and isinstance(x.value, (int, float)) and (x.value > 0.0 or least and x.value == 0.0):
        return parameter
    return where(parameter < 0.0, math.nan, parameter) if least else where(parameter > 0.0, parameter, math.nan)


def power_slope(a: Formula, z: Formula, factor: float = 1.0) -> Formula:
    """The derivative of the logarithm of z ** (factor * a - 1), which is 0 at z == 0 with an exponent of 0."""
    x = a.operand
    if isinstance(x, Lit) and isinstance(x.value, (int, float)):
        return (factor * x.value - 1.0) / z if factor * x.value != 1.0 else Formula(Lit(0.0))
    exponent = (a if factor == 1.0 else factor * a) - 1.0
    return exponent / where(equal(exponent, 0.0), where(equal(z, 0.0), math.inf, z), z)


def outside(f: Distribution, z: Formula) -> Formula:
    """Is this outside of the support?"""
    low, high = f.ends
    below = z < low
    return below if high == math.inf else either(below, z > high)


def quotient(f: Distribution, difference: Formula, xs: Sequence[Formula]) -> Formula:
    """A density divided by a probability, by the difference of their logarithms; 0 outside of the support."""
    if f.inside is None:
        return exp(difference)
    x, *_, loc, scale = xs
    return exp(where(outside(f, (x - loc) / valid(scale)), -math.inf, difference))


def register(f: Distribution) -> None:
    """The ops of the methods of a continuous distribution."""
    ops: dict[str, Op] = {}
    names = [name for name, _ in f.shapes]

    inside = 0.0 if f.inside is None else f.inside

    def log_slopes(z: Formula, shapes: Sequence[Formula], scale: Formula) -> list[Any]:
        """Of log(f(z) / scale) by the operands."""
        slope = f.by_z(z, *shapes)
        return [slope / scale, *(by(z, *shapes) for _, by in f.shapes), -slope / scale, -(z * slope + 1.0) / scale]

    def density_slopes(y: Formula, *xs: Formula) -> list[Any]:
        """Of f(z) / scale; 0 where it is 0, as at infinite arguments."""
        x, *shapes, loc, scale = xs
        outside = equal(y, 0.0)
        of_logarithm = log_slopes(where(outside, inside, (x - loc) / scale), shapes, scale)
        return [y * s if f.inside is None else y * where(outside, 0.0, s) for s in of_logarithm]

    def logarithm_slopes(y: Formula, *xs: Formula) -> list[Any]:
        x, *shapes, loc, scale = xs
        shapes, scale = [valid(s, f.least) for s in shapes], valid(scale)
        z = (x - loc) / scale
        if f.inside is None:
            return log_slopes(z, shapes, scale)
        beyond = outside(f, z)
        return [where(beyond, 0.0, s) for s in log_slopes(where(beyond, inside, z), shapes, scale)]

    def tail_slopes(density: Formula, xs: Sequence[Formula]) -> list[Any]:
        """Of the distribution function, where its density is this; 0 at infinite arguments."""
        x, *shapes, loc, scale = xs
        z = where(equal(density, 0.0), inside, (x - loc) / scale)
        paths = [PARAMETER if path is None else density * scale * path(z, *shapes)
                 for path in f.paths or (None,) * len(shapes)]
        return [density, *paths, -density, -density * z]

    def cumulative(side: float, logarithmic: bool) -> Slope:
        def formula(y: Formula, *xs: Formula) -> list[Any]:
            ratio = quotient(f, lifted(ops["logpdf"])(*xs) - y, xs) if logarithmic else lifted(ops["pdf"])(*xs)
            return tail_slopes(ratio if side > 0.0 else -ratio, xs)
        return formula

    def quantile(side: float) -> Slope:
        def formula(y: Formula, q: Formula, *rest: Formula) -> list[Any]:
            *shapes, loc, scale = rest
            z = (y - loc) / scale
            paths = [PARAMETER if path is None else -scale * path(z, *shapes)
                     for path in f.paths or (None,) * len(shapes)]
            return [side / lifted(ops["pdf"])(y, *rest), *paths, where(undefined(y), math.nan, 1.0), z]
        return formula

    formulas: dict[str, Slope] = {
        "pdf": density_slopes, "logpdf": logarithm_slopes, "cdf": cumulative(1.0, False), "sf": cumulative(-1.0, False),
        "logcdf": cumulative(1.0, True), "logsf": cumulative(-1.0, True), "ppf": quantile(1.0), "isf": quantile(-1.0)}
    for name, formula in formulas.items():
        interval = (0.1, 0.9) if name in ("ppf", "isf") else f.points
        fixed = name not in ("pdf", "logpdf")
        ops[name] = method_op(f.name, name, names, LOCATION, slopes(formula),
                              family_samples(interval, f.values, [fixed and p is None for p in f.paths or
                                                                  (None,) * len(f.values)]))


def family_samples(interval: tuple[float, float], values: Sequence[float], fixed: Sequence[bool]) -> samples.Samples:
    """Numbers and arrays; shapes without a derivative are literals."""

    def make() -> list[samples.Sample]:
        x = samples.arrays((3,), *interval)
        shapes = [Lit(v) if k else v for v, k in zip(values, fixed)]
        return [((float(x[0]), *shapes, 0.0, 1.0), {}), ((x, *shapes, Lit(0.0), Lit(1.0)), {}),
                ((samples.arrays((2, 3), *interval), *shapes, Lit(0.0), samples.arrays((3,), 0.95, 1.0)), {})]

    return make


HALF_LINE = (0.3, 2.0)


def student_by_df(z: Formula, k: Formula) -> Formula:
    """Of log f; 0 of the normal distribution, where df is infinite."""
    u, unbounded = z * z / k, equal(k, math.inf)
    v = where(unbounded, 1.0, k)
    rise = psi(0.5 * (v + 1.0)) - psi(0.5 * v)
    return where(unbounded, 0.0, 0.5 * (rise - 1.0 / k - log1p(u) + (1.0 + 1.0 / k) * u / (1.0 + u)))


for family in (
    Distribution("norm", lambda z: -z),
    Distribution("cauchy", lambda z: -2.0 * z / (1.0 + z * z)),
    Distribution("laplace", lambda z: -sign(z), points=HALF_LINE),
    Distribution("logistic", lambda z: -tanh(0.5 * z)),
    Distribution("gumbel_r", lambda z: exp(-z) - 1.0),
    Distribution("gumbel_l", lambda z: 1.0 - exp(z)),
    Distribution("hypsecant", lambda z: -tanh(z)),
    Distribution("expon", lambda z: Formula(Lit(-1.0)), inside=1.0, points=HALF_LINE),
    Distribution("uniform", lambda z: Formula(Lit(0.0)), inside=0.5, ends=(0.0, 1.0), points=(0.1, 0.9)),
    Distribution("halfnorm", lambda z: -z, inside=1.0, points=HALF_LINE),
    Distribution("halfcauchy", lambda z: -2.0 * z / (1.0 + z * z), inside=1.0, points=HALF_LINE),
    Distribution("rayleigh", lambda z: 1.0 / z - z, inside=1.0, points=HALF_LINE),
    Distribution("maxwell", lambda z: 2.0 / z - z, inside=1.0, points=HALF_LINE),
    Distribution("gamma", lambda z, a: power_slope(a, z) - 1.0, (("a", lambda z, a: log(z) - psi(a)),),
           inside=1.0, points=HALF_LINE, values=(1.7,)),
    Distribution("invgamma", lambda z, a: (1.0 / z - a - 1.0) / z, (("a", lambda z, a: -log(z) - psi(a)),),
           inside=1.0, points=HALF_LINE, values=(1.7,)),
    Distribution("chi2", lambda z, k: power_slope(k, z, 0.5) - 0.5,
           (("df", lambda z, k: 0.5 * (log(0.5 * z) - psi(0.5 * k))),), inside=1.0, points=HALF_LINE, values=(3.3,)),
    Distribution("beta", lambda z, a, b: power_slope(a, z) - power_slope(b, 1.0 - z),
           (("a", lambda z, a, b: log(z) - psi(a) + psi(a + b)),
            ("b", lambda z, a, b: log1p(-z) - psi(b) + psi(a + b))),
           inside=0.5, ends=(0.0, 1.0), points=(0.1, 0.9), values=(1.7, 2.6)),
    Distribution("t", lambda z, k: -(1.0 + 1.0 / k) * z / (1.0 + z * z / k), (("df", student_by_df),), values=(3.3,)),
    Distribution("f", lambda z, m, n: power_slope(m, z, 0.5) - 0.5 * (m + n) * m / (n + m * z),
           (("dfn", lambda z, m, n: 0.5 * (log(m * z / (n + m * z)) + n * (1.0 - z) / (n + m * z)
                                           - psi(0.5 * m) + psi(0.5 * (m + n)))),
            ("dfd", lambda z, m, n: 0.5 * (log(n / (n + m * z)) + m * (z - 1.0) / (n + m * z)
                                           - psi(0.5 * n) + psi(0.5 * (m + n))))),
           inside=1.0, points=HALF_LINE, values=(3.3, 4.4)),
    Distribution("lognorm", lambda z, s: -(1.0 + log(z) / (s * s)) / z,
           (("s", lambda z, s: (log(z) * log(z) / (s * s) - 1.0) / s),), (lambda z, s: -z * log(z) / s,),
           inside=1.0, points=HALF_LINE, values=(0.8,)),
    Distribution("weibull_min", lambda z, c: power_slope(c, z) - c * z ** (c - 1.0),
           (("c", lambda z, c: 1.0 / c + log(z) * (1.0 - z**c)),), (lambda z, c: z * log(z) / c,),
           inside=1.0, points=HALF_LINE, values=(1.7,)),
    Distribution("pareto", lambda z, b: -(b + 1.0) / z, (("b", lambda z, b: 1.0 / b - log(z)),),
           (lambda z, b: z * log(z) / b,), inside=2.0, ends=(1.0, math.inf), points=(1.2, 3.0), values=(1.7,)),
    Distribution("powerlaw", lambda z, a: power_slope(a, z), (("a", lambda z, a: 1.0 / a + log(z)),),
           (lambda z, a: z * log(z) / a,), inside=0.5, ends=(0.0, 1.0), points=(0.1, 0.9), values=(1.7,)),
    Distribution("invgauss", lambda z, mu: 0.5 * (1.0 / (z * z) - 1.0 / (mu * mu)) - 1.5 / z,
           (("mu", lambda z, mu: (z - mu) / (mu * mu * mu)),), inside=1.0, points=HALF_LINE, values=(1.3,)),
    Distribution("vonmises", lambda z, k: -k * sin(z),
           (("kappa", lambda z, k: cos(z) - lifted(ive)(1, k) / lifted(ive)(0, k)),), least=True, values=(1.3,)),
):
    register(family)

# -- discrete distributions: by what is not counted ----------------------------------------------------------------


def discrete(family: str, shapes: Sequence[tuple[str, Any]], values: Sequence[Any], k: int = 2) -> None:
    """For each shape its name, and the derivative of the logarithm of the probability, or why there is none."""
    names = [name for name, _ in shapes]

    def slopes_of(factor: Callable[[Formula], Any], outside: float) -> Slope:
        def formula(y: Formula, count: Formula, *rest: Formula) -> list[Any]:
            *parameters, loc = rest
            none = equal(y, outside)
            slopes = [by if not callable(by) else where(none, 0.0, factor(y) * by(count - loc, *parameters))
                     for _, by in shapes]
            return [ORDER, *slopes, ORDER]
        return formula

    def make() -> list[samples.Sample]:
        moved = [v if not isinstance(v, float) else samples.arrays((3,), 0.8 * v, v) for v in values]
        return [((k, *values, 0), {}), ((k, *moved, 0), {})]

    method_op(family, "pmf", names, (("loc", 0),), slopes(slopes_of(lambda y: y, 0.0)), make)
    method_op(family, "logpmf", names, (("loc", 0),), slopes(slopes_of(
        lambda y: where(undefined(y), math.nan, 1.0), -math.inf)), make)


discrete("poisson", [("mu", lambda k, mu: k / mu - 1.0)], [1.7])
discrete("bernoulli", [("p", lambda k, p: k / p - (1.0 - k) / (1.0 - p))], [0.4], k=1)
discrete("binom", [("n", ORDER), ("p", lambda k, n, p: k / p - (n - k) / (1.0 - p))], [5, 0.4])
discrete("geom", [("p", lambda k, p: 1.0 / p - (k - 1.0) / (1.0 - p))], [0.4])
discrete("nbinom", [("n", lambda k, n, p: psi(k + n) - psi(n) + log(p)),
                    ("p", lambda k, n, p: n / p - k / (1.0 - p))], [3.5, 0.4])
