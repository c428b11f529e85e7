"""Distribution functions of `scipy.special` and their inverses, by their argument and by what moves or scales it.

The derivative of a distribution function is its density, that of its inverse 1 divided by the density.  An inverse by a
parameter has no derivative where that of the distribution function by the parameter has no formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sct.ir.core import Lit
from sct.ir.types import TypeMismatch
from sct.ops import samples
from sct.ops.registry import OPS
from sct.ops.scipy.bessel_functions import ive
from sct.ops.scipy.distributions import LOCATION, method_op
from sct.ops.scipy.error_functions import normal_density
from sct.ops.scipy.formulas import (
    ORDER,
    PARAMETER,
    Formula,
    exp,
    lifted,
    log,
    parametrized,
    slopes,
    special,
    sqrt,
    where,
    whole,
)
from sct.ops.scipy.gamma_functions import chi_square_density, gamma_density
from sct.ops.scipy.hypergeometric import hyp0f1, literals

__all__: list[str] = []

UNIT = samples.unary(0.1, 0.9)

# -- distributions of Kolmogorov and Smirnov -------------------------------------------------------------------

DENSITY = TypeMismatch("SciPy has no function that gives the derivative of this density",
                       hint="pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass")


def density(family: str, *shapes: str) -> Callable[..., Formula]:
    """A density that SciPy computes, and of which it gives no derivative."""
    values = (Lit(0.7), *[Lit(5.0)] * len(shapes), Lit(0.0), Lit(1.0))
    return lifted(method_op(family, "pdf", shapes, LOCATION, slopes(lambda y, *xs: [DENSITY] * len(xs)),
                            lambda: [(values, {})]))


of_limit, of_side = density("kstwobign"), density("ksone", "n")


def limit_density(x: Formula) -> Formula:
    return of_limit(x, 0.0, 1.0)


def side_density(n: Formula, x: Formula) -> Formula:
    return of_side(x, 1.0 * whole(n), 0.0, 1.0)


special("kolmogorov", slopes(lambda y, x: [-limit_density(x)]), samples.unary(0.5, 1.5))
special("kolmogi", slopes(lambda y, p: [-1.0 / limit_density(y)]), UNIT)
special("smirnov", slopes(lambda y, n, x: [ORDER, -side_density(n, x)]),
        parametrized([5, (Lit(3.7),)], samples.unary(0.4, 0.6)))
special("smirnovi", slopes(lambda y, n, p: [ORDER, -1.0 / side_density(n, y)]),
        parametrized([5, (Lit(3.7),)], samples.unary(0.15, 0.3)))

# -- noncentral chi-square -------------------------------------------------------------------------------------


def noncentral_density(x: Formula, k: Formula, nc: Formula) -> Formula:
    """By a Bessel function (DLMF 10.25.2 term by term); where nc * x is small, by its series; 0 at negative x."""
    inside = x > 0.0
    t = where(inside, x, 1.0)
    near = nc * t < 1.0
    u = where(near, nc, 0.0)
    series = chi_square_density(k, t) * exp(-0.5 * u) * lifted(hyp0f1)(0.5 * k, 0.25 * t * u)
    r, s = sqrt(t), sqrt(where(near, 1.0, nc))
    v = 0.5 * k - 1.0
    noncentral = 0.5 * exp(v * log(r / s) - 0.5 * (r - s) * (r - s)) * lifted(ive)(v, r * s)
    return where(inside, where(near, series, noncentral), 0.0)


special("chndtr", slopes(lambda y, x, k, nc: [
    noncentral_density(x, k, nc), PARAMETER, -noncentral_density(x, k + 2.0, nc)]), lambda: [
        ((x, Lit(3.3), nc), attrs) for (x, nc), attrs in samples.binary((0.3, 3.0), (0.4, 2.0))()])
special("chndtrix", slopes(lambda y, p, k, nc: [
    1.0 / noncentral_density(y, k, nc), PARAMETER,
    noncentral_density(y, k + 2.0, nc) / noncentral_density(y, k, nc)]), lambda: [
        ((p, Lit(3.3), nc), attrs) for (p, nc), attrs in samples.binary((0.1, 0.9), (0.4, 2.0))()])
special("chndtrinc", slopes(lambda y, x, k, p: [
    noncentral_density(x, k, y) / noncentral_density(x, k + 2.0, y), PARAMETER,
    -1.0 / noncentral_density(x, k + 2.0, y)]), lambda: [
        ((x, Lit(3.3), p), attrs) for (x, p), attrs in samples.binary((6.0, 9.0), (0.2, 0.5))()])

# -- inverses by the mean, the deviation and the rate ----------------------------------------------------------

ndtri = lifted(OPS["ndtri"])


def deviation_slopes(y: Formula, mean: Formula, p: Formula, x: Formula) -> list[Formula]:
    """y is (x - mean) / ndtri(p)."""
    z = ndtri(p)
    return [-1.0 / z, -y / (z * normal_density(z)), 1.0 / z]


def mean_slopes(y: Formula, p: Formula, deviation: Formula, x: Formula) -> list[Any]:
    """y is x - deviation * ndtri(p)."""
    z = ndtri(p)
    return [-deviation / normal_density(z), -z, 1.0]


def last_of(first: float, *intervals: tuple[float, float]) -> samples.Samples:
    """Two operands, and the first or another."""
    return lambda: [((Lit(first), *args), attrs) for args, attrs in samples.binary(*intervals)()]


special("nrdtrimn", slopes(mean_slopes), lambda: [
    ((p, s, Lit(0.7)), attrs) for (p, s), attrs in samples.binary((0.2, 0.8), (0.4, 2.0))()])
special("nrdtrisd", slopes(deviation_slopes), last_of(0.3, (0.6, 0.9), (0.7, 2.0)))
special("gdtria", slopes(lambda a, p, b, x: [1.0 / (x * gamma_density(b, a * x)), PARAMETER, -a / x]),
        lambda: [((p, Lit(2.5), x), attrs) for (p, x), attrs in samples.binary((0.1, 0.9), (0.4, 2.0))()])

INVERSE = TypeMismatch("it is the inverse of a distribution function by a parameter, by which there is no formula for "
                       "the derivative", hint="pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass")
INVERSES = {
    "bdtrik": (0.4, 5.0, 0.3), "bdtrin": (2.0, 0.4, 0.3), "btdtria": (0.4, 2.0, 0.3), "btdtrib": (2.0, 0.4, 0.3),
    "chdtriv": (0.4, 1.3), "chndtridf": (3.0, 0.4, 1.2), "fdtridfd": (3.0, 0.4, 1.2), "gdtrib": (1.3, 0.4, 1.2),
    "nbdtrik": (0.4, 5.0, 0.3), "nbdtrin": (2.0, 0.4, 0.3), "ncfdtridfd": (3.0, 0.4, 1.2, 0.9),
    "ncfdtridfn": (0.4, 3.0, 1.2, 0.9), "ncfdtrinc": (3.0, 4.0, 0.4, 0.9), "nctdtridf": (0.4, 1.2, 1.7),
    "nctdtrinc": (3.0, 0.4, 0.9), "pdtrik": (0.4, 1.3), "stdtridf": (0.8, 1.2)}
"""The inverses by a parameter, and arguments of theirs."""

for name, arguments in INVERSES.items():
    special(name, slopes(lambda y, *xs: [INVERSE] * len(xs)),
            lambda arguments=arguments: [(tuple(map(Lit, arguments)), {})])  # type: ignore[misc]

# -- noncentral F and t: by their argument ---------------------------------------------------------------------


def noncentral(name: str, quantile: str, family: str, shapes: tuple[str, ...], values: tuple[float, ...]) -> None:
    """A distribution function with the argument last, and its inverse."""
    pdf, count = density(family, *shapes), len(shapes)

    def at(x: Formula, *parameters: Formula) -> Formula:
        return pdf(x, *parameters, 0.0, 1.0)

    special(name, slopes(lambda y, *xs: [*[PARAMETER] * count, at(xs[-1], *xs[:-1])]),
            parametrized(literals(values), UNIT))
    special(quantile, slopes(lambda y, *xs: [*[PARAMETER] * count, 1.0 / at(y, *xs[:-1])]),
            parametrized(literals(values), UNIT))


noncentral("ncfdtr", "ncfdtri", "ncf", ("dfn", "dfd", "nc"), (3.0, 4.0, 1.2))
noncentral("nctdtr", "nctdtrit", "nct", ("df", "nc"), (3.0, 0.7))
