"""The gamma and beta functions, incomplete ones by their argument, and the distributions that these are.

Densities are computed by logarithms, so that large parameters do not overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.registry import op, placeholders
from sct.ops.scipy.elementary_functions import xlog1py, xlogy
from sct.ops.scipy.formulas import (
    ORDER,
    PARAMETER,
    Formula,
    cos,
    equal,
    exp,
    floor,
    gamma,
    gammaln,
    lifted,
    log1p,
    parametrized,
    plain,
    psi,
    sin,
    slopes,
    special,
    ufunc,
    where,
    whole,
)
from sct.ops.type_rules import ufunc_result

__all__ = ["betaln", "binom", "poch", "rgamma", "zeta"]

POSITIVE_PAIRS = samples.binary((0.3, 2.5), (0.4, 3.0))
UNIT = samples.unary(0.1, 0.9)

# -- gamma and beta --------------------------------------------------------------------------------------------


def rgamma_slope(y: Formula, x: Formula) -> Formula:
    """Left of 1/2 by reflection: at its zeros 0, -1, ... the product -y * psi(x) is none."""
    left = x < 0.5
    r = where(left, x, 0.0)
    reflected = gamma(1.0 - r) * (cos(math.pi * r) - sin(math.pi * r) * psi(1.0 - r) * (1.0 / math.pi))
    return where(left, reflected, -y * psi(where(left, 1.0, x)))


def complex_rgamma_slope(y: Formula, z: Formula) -> Formula:
    """By reflection at the zeros 0, -1, ... alone."""
    pole = equal(y, 0.0)
    r = 1.0 - where(pole, z, 0.0)
    return where(pole, cos(math.pi * r) * -gamma(r), -y * psi(where(pole, 1.0, z)))


rgamma = special("rgamma", slopes(lambda y, x: [rgamma_slope(y, x)]), samples.unary(-1.9, 2.0),
                 of_complex=slopes(lambda y, z: [complex_rgamma_slope(y, z)]))
special("loggamma", slopes(lambda y, x: [psi(x)]), samples.positives, of_complex=True)
special("gammasgn", slopes(lambda y, x: [None]), samples.positives)
special("beta", slopes(lambda y, a, b: [y * (psi(a) - psi(a + b)), y * (psi(b) - psi(a + b))]), POSITIVE_PAIRS)
betaln = special("betaln", slopes(lambda y, a, b: [psi(a) - psi(a + b), psi(b) - psi(a + b)]), POSITIVE_PAIRS)
poch: Op = special("poch", slopes(lambda y, z, m: [y * (psi(z + m) - psi(z)), y * psi(z + m)]), POSITIVE_PAIRS)


def binom_slopes(y: Formula, n: Formula, k: Formula) -> list[Formula]:
    """y is Gamma(n + 1) / (Gamma(k + 1) * Gamma(n - k + 1)); where it is 0, the last factor is."""
    zero = equal(y, 0.0)
    m = where(zero, 0.0, n - k)
    p, q = where(zero, n, 0.0) + 1.0, where(zero, k, 0.0) + 1.0
    last = gamma(p) * lifted(rgamma)(q) * rgamma_slope(Formula(Lit(0.0)), where(zero, n - k, 0.0) + 1.0)
    return [where(zero, y * psi(p) + last, y * (psi(n + 1.0) - psi(m + 1.0))),
            where(zero, -y * psi(q) - last, y * (psi(m + 1.0) - psi(k + 1.0)))]


binom = special("binom", slopes(binom_slopes), samples.binary((3.1, 6.0), (0.4, 2.6)))

EXPONENT = TypeMismatch("SciPy has no function that gives the derivative of zeta by its first argument",
                        hint="pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass")

zeta: Op = op(
    "zeta", "scipy.special.zeta", bind=lambda x, q=None: ([x] if q is None else [x, q], {}),
    type=lambda s, q=None: ufunc_result(np.exp, (s,), "scipy.special.zeta") if q is None else
        ufunc_result(np.hypot, (s, q), "scipy.special.zeta"),
    run=lambda *xs: import_module("scipy.special").zeta(*xs),
    emit=lambda *xs: f"scipy.special.zeta({', '.join(placeholders(len(xs)))})",
    partials=slopes(lambda y, s, *q: [EXPONENT, *(-s * lifted(zeta)(s + 1.0, v) for v in q)]),
    samples=parametrized([2, (Lit(2.5),)], samples.positives))
special("zetac", slopes(lambda y, x: [EXPONENT]), lambda: [((Lit(2.5),), {})])


def multigammaln_bind(a: Any, d: Any) -> tuple[list[Any], dict[str, Any]]:
    return [a], {"d": d}


def multigammaln_slope(a: Formula, d: int) -> Any:
    if d < 1:  # a sum of no terms
        return Lit(0.0)
    total = psi(a)
    for k in range(1, d):
        total = total + psi(a - 0.5 * k)
    return total.operand


def type_multigammaln(a: Operand, d: int) -> Tensor:
    if not isinstance(d, (int, np.integer)):
        raise TypeMismatch(f"the dimension of `scipy.special.multigammaln` is an int, and not {d!r}")
    t = ufunc_result(np.tanh, (a,), "scipy.special.multigammaln")
    return Tensor("array" if t.rank else "np", "f64", t.shape)


op("multigammaln", "scipy.special.multigammaln", type=type_multigammaln, bind=multigammaln_bind, raises="value",
   run=lambda a, d: import_module("scipy.special").multigammaln(a, d), emit="scipy.special.multigammaln(_0, _d)",
   partials=lambda y, a, d: [multigammaln_slope(Formula(a), d)],
   samples=lambda: [((x,), {"d": d}) for d in (1, 3) for x in (2.5, samples.arrays((3,), 2.0, 4.0))])


def comb_bind(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> tuple[list[Any], dict[str, Any]]:
    return [N, k], {"exact": exact, "repetition": repetition}


def type_comb(n: Operand, k: Operand, exact: bool = False, repetition: bool = False) -> Tensor:
    if exact or repetition:
        raise TypeMismatch("`exact` and `repetition` of `scipy.special.comb` are not supported")
    return ufunc_result(ufunc("binom"), (n, k), "scipy.special.comb")


def comb_partials(y: Operand, n: Operand, k: Operand, **_: Any) -> list[Any]:
    """As of `binom`, of 0 <= k <= n; elsewhere it is 0."""
    dn, dk = binom_slopes(Formula(y), Formula(n), Formula(k))
    outside = equal(Formula(y), 0.0)
    return [plain(where(outside, 0.0, dn)), plain(where(outside, 0.0, dk))]


op("special_comb", "scipy.special.comb", type=type_comb, bind=comb_bind, partials=comb_partials,
   run=lambda n, k, **_: import_module("scipy.special").comb(n, k), emit="scipy.special.comb(_0, _1)",
   defaults={"exact": False, "repetition": False},
   samples=lambda: [((5.3, 2.1), {}), ((samples.arrays((3,), 4.0, 6.0), 2), {}),
                    ((samples.arrays((3,), 4.0, 6.0), samples.arrays((2, 3), 1.0, 3.0)), {})])

# -- incomplete gamma and beta functions, by their argument ----------------------------------------------------


def gamma_density(a: Formula, x: Formula) -> Formula:
    """x**(a - 1) * exp(-x) / Gamma(a)"""
    return exp(lifted(xlogy)(a - 1.0, x) - x - gammaln(a))


def beta_density(a: Formula, b: Formula, x: Formula) -> Formula:
    """x**(a - 1) * (1 - x)**(b - 1) / B(a, b)"""
    return exp(lifted(xlogy)(a - 1.0, x) + lifted(xlog1py)(b - 1.0, -x) - lifted(betaln)(a, b))


def tails(lower: str, upper: str, density: Callable[..., Formula], parameters: list[tuple[Any, ...]],
          sampled: samples.Samples, reason: TypeMismatch = PARAMETER) -> None:
    """A distribution function and 1 minus it: of parameters that are not differentiated, and of its argument."""
    count = len(parameters[0])
    for name, side in ((lower, 1.0), (upper, -1.0)):
        special(name, slopes(lambda y, *xs, side=side: [*[reason] * count, side * density(*xs)]),
                parametrized(parameters, sampled))


def quantile(name: str, density: Callable[..., Formula], parameters: list[tuple[Any, ...]], side: float = 1.0,
             reason: TypeMismatch = PARAMETER, sampled: samples.Samples = UNIT) -> None:
    """The inverse of a distribution function: density(*parameters, the result) is 1 over its derivative."""
    count = len(parameters[0])
    special(name, slopes(lambda y, *xs: [*[reason] * count, side / density(*xs[:-1], y)]),
            parametrized(parameters, sampled))


ONE, TWO = [(Lit(0.7),), (Lit(2.5),)], [(Lit(1.7), Lit(2.5)), (Lit(3.0), Lit(1.5))]

tails("gammainc", "gammaincc", gamma_density, ONE, samples.positives)
quantile("gammaincinv", gamma_density, ONE)
quantile("gammainccinv", gamma_density, ONE, -1.0)
tails("betainc", "betaincc", beta_density, TWO, UNIT)
quantile("betaincinv", beta_density, TWO)
quantile("betainccinv", beta_density, TWO, -1.0)

# -- distributions ---------------------------------------------------------------------------------------------


def chi_square_density(v: Formula, x: Formula) -> Formula:
    return 0.5 * gamma_density(0.5 * v, 0.5 * x)


def fisher_density(m: Formula, n: Formula, x: Formula) -> Formula:
    """The distribution function is that of a beta distribution at m x / (m x + n)."""
    total = m * x + n
    return beta_density(0.5 * m, 0.5 * n, m * x / total) * m * n / (total * total)


def student_density(v: Formula, t: Formula) -> Formula:
    return exp(-0.5 * (v + 1.0) * log1p(t * t / v) - lifted(betaln)(0.5 * v, 0.5)) * v ** -0.5


def poisson_slope(k: Formula, m: Formula) -> Formula:
    return -gamma_density(floor(k) + 1.0, m)


def binomial_slope(k: Formula, n: Formula, p: Formula) -> Formula:
    """The derivative by p; it is 0 where k is n, as all outcomes are counted."""
    k = floor(k)
    every = equal(k, floor(n))
    return where(every, 0.0, -beta_density(k + 1.0, where(every, 1.0, floor(n) - k), p))


def negative_binomial_density(k: Formula, n: Formula, p: Formula) -> Formula:
    return beta_density(whole(n) * 1.0, whole(k) + 1.0, p)


tails("chdtr", "chdtrc", chi_square_density, ONE, samples.positives)
quantile("chdtri", chi_square_density, ONE, -1.0)
tails("fdtr", "fdtrc", fisher_density, TWO, samples.positives)
quantile("fdtri", fisher_density, TWO)
special("stdtr", slopes(lambda y, v, t: [PARAMETER, student_density(v, t)]), parametrized(ONE, samples.reals))
quantile("stdtrit", student_density, ONE)
tails("pdtr", "pdtrc", poisson_slope, [(Lit(2.0),), (0,)], samples.positives, ORDER)
quantile("pdtri", poisson_slope, [(2,)], reason=ORDER)
tails("bdtr", "bdtrc", binomial_slope, [(Lit(2.0), 5), (Lit(5.0), 5)], UNIT, ORDER)
quantile("bdtri", binomial_slope, [(Lit(2.0), 5)], reason=ORDER)
tails("nbdtr", "nbdtrc", negative_binomial_density, [(2, 5), (Lit(2.7), Lit(5.6))], UNIT, ORDER)
quantile("nbdtri", negative_binomial_density, [(2, 5), (Lit(2.7), Lit(5.6))], reason=ORDER)


def gdtr_slopes(a: Formula, b: Formula, x: Formula) -> list[Any]:
    """Of a gamma distribution with rate a and shape b."""
    density = gamma_density(b, a * x)
    return [x * density, PARAMETER, a * density]


def rates(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return args[0], Lit(2.5), args[1]


def rated(hi: float) -> samples.Samples:
    return lambda: [(rates(args), attrs) for args, attrs in samples.binary((0.4, 2.0), (0.1, hi))()]


special("gdtr", slopes(lambda y, a, b, x: gdtr_slopes(a, b, x)), rated(3.0))
special("gdtrc", slopes(lambda y, a, b, x: [s if s is PARAMETER else -s for s in gdtr_slopes(a, b, x)]), rated(3.0))
special("gdtrix", slopes(lambda x, a, b, p: [-x / a, PARAMETER, 1.0 / (a * gamma_density(b, a * x))]), rated(0.9))


def tukey_slope(y: Formula, x: Formula, p: Formula) -> Formula:
    """0 outside of the support, which is finite if p is positive."""
    inside = (y * (1.0 - y)) > 0.0
    q = where(inside, y, 0.5)
    return where(inside, 1.0 / (q ** (p - 1.0) + (1.0 - q) ** (p - 1.0)), 0.0)


special("tklmbda", slopes(lambda y, x, p: [tukey_slope(y, x, p), PARAMETER]),
        lambda: [((*args, Lit(p)), attrs) for p in (-0.5, 0.7) for args, attrs in samples.unary(-1.2, 1.2)()])
