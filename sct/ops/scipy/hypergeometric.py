"""Hypergeometric functions and orthogonal polynomials, by their argument: the parameters have no classical derivative.

The derivative of a Jacobi polynomial is a Jacobi polynomial of one degree less, with parameters larger by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sct.ir.core import Lit, Op
from sct.ops import samples
from sct.ops.scipy.formulas import (
    ORDER,
    PARAMETER,
    Formula,
    absolute,
    equal,
    exp,
    is_complex,
    lifted,
    lower,
    parametrized,
    sign,
    slopes,
    special,
    where,
)
from sct.ops.type_rules import number

__all__ = ["gegenbauer", "gegenbauer_of", "hyp0f1", "hyp1f1", "hyp2f1", "jacobi_of"]

SMALL = samples.unary(-0.8, 0.8)


def literals(*rows: tuple[float, ...]) -> list[tuple[Lit, ...]]:
    """Parameters of samples, which are not differentiated."""
    return [tuple(map(Lit, row)) for row in rows]


# -- hypergeometric functions ----------------------------------------------------------------------------------

hyp0f1: Op = special("hyp0f1", slopes(lambda y, v, x: [PARAMETER, lifted(hyp0f1)(v + 1.0, x) / v]),
                     parametrized(literals((0.7,), (2.5,)), samples.reals), of_complex=True)
hyp1f1: Op = special("hyp1f1", slopes(lambda y, a, b, x: [
    PARAMETER, PARAMETER, a / b * lifted(hyp1f1)(a + 1.0, b + 1.0, x)]),
    parametrized(literals((0.7, 1.2), (2.0, 3.0)), samples.reals), of_complex=True)
hyp2f1: Op = special("hyp2f1", slopes(lambda y, a, b, c, x: [
    PARAMETER, PARAMETER, PARAMETER, a * b / c * lifted(hyp2f1)(a + 1.0, b + 1.0, c + 1.0, x)]),
    parametrized(literals((0.7, 1.2, 2.1), (0.5, 0.5, 1.0)), SMALL), of_complex=True)
hyperu: Op = special("hyperu", slopes(lambda y, a, b, x: [
    PARAMETER, PARAMETER, -a * lifted(hyperu)(a + 1.0, b + 1.0, x)]),
    parametrized(literals((0.7, 1.2), (2.0, 2.5)), samples.positives))
wright_bessel: Op = special("wright_bessel", slopes(lambda y, a, b, x: [
    PARAMETER, PARAMETER, lifted(wright_bessel)(a, a + b, x)]),
    parametrized(literals((0.5, 1.5), (1.0, 0.7)), samples.positives))
log_wright_bessel: Op = special("log_wright_bessel", slopes(lambda y, a, b, x: [
    PARAMETER, PARAMETER, exp(lifted(log_wright_bessel)(a, a + b, x) - y)]),
    parametrized(literals((0.5, 1.5), (1.0, 0.7)), samples.positives))
"""DLMF 10.46.1, term by term"""

# -- orthogonal polynomials ------------------------------------------------------------------------------------


def polynomial(name: str, slope: Callable[..., Formula], at: samples.Samples, parameters: int = 0) -> Op:
    """slope(n, *parameters, x): the derivative of the polynomial of degree n."""
    rows = [(n, *(Lit(0.7 + 0.4 * k) for k in range(parameters)[::-1])) for n in (0, 1, 4)]
    return special(f"eval_{name}", slopes(lambda y, n, *xs: [
        ORDER, *[PARAMETER] * parameters, slope(n, *xs)]), parametrized(rows, at), of_complex=name not in OF_REALS)


OF_REALS = ("hermite", "hermitenorm")
"""Those that SciPy evaluates for real numbers alone."""


def shifted(x: Formula) -> Formula:
    """From [0, 1] to [-1, 1]."""
    return 2.0 * x - 1.0


UNIT = samples.unary(0.1, 0.9)


def of_degree(f: Callable[..., Formula], of_ints: bool = True) -> Callable[..., Formula]:
    """f(n, ..., x), which is 0 of degree -1: SciPy may know that for ints and real numbers, and for no others."""

    def polynomial_of(n: Formula, *xs: Any) -> Formula:
        degree = n.operand
        if isinstance(degree, Lit):
            return Formula(Lit(0.0)) if degree.value == -1 else f(n, *xs)
        if of_ints and number(degree).integral and not is_complex(xs[-1].operand):
            return f(n, *xs)
        before = equal(n, -1)
        return where(before, 0.0, f(where(before, n + 1, n), *xs))

    return polynomial_of


def reflected(k: Formula, x: Formula) -> Formula:
    """Half of the slope of the Chebyshev polynomial U of degree k - 1: that of degree -k - 1 is its negative.

    SciPy knows these of negative ints, and their slopes not.
    """
    degree = k.operand
    if isinstance(degree, Lit):
        half = gegenbauer_of(Formula(Lit(abs(degree.value) - 2)), 2.0, x)
        return half if degree.value >= 0 else -half
    if number(degree).integral:
        return sign(k) * gegenbauer_of(absolute(k) - 2, 2.0, x)
    return gegenbauer_of(k - 2, 2.0, x)


gegenbauer_of = of_degree(lambda *xs: lifted(gegenbauer)(*xs))
jacobi_of = of_degree(lambda *xs: lifted(jacobi)(*xs), of_ints=False)
laguerre_of = of_degree(lambda *xs: lifted(genlaguerre)(*xs), of_ints=False)
jacobi: Op = polynomial("jacobi", lambda n, a, b, x: 0.5 * (n + a + b + 1.0) * jacobi_of(n - 1, a + 1.0, b + 1.0, x),
                    SMALL, 2)
gegenbauer: Op = polynomial("gegenbauer", lambda n, a, x: 2.0 * a * gegenbauer_of(n - 1, a + 1.0, x), SMALL, 1)
genlaguerre: Op = polynomial("genlaguerre", lambda n, a, x: -laguerre_of(n - 1, a + 1.0, x), samples.reals, 1)
polynomial("legendre", lambda n, x: 0.5 * (n + 1.0) * jacobi_of(n - 1, 1.0, 1.0, x), SMALL)
polynomial("sh_legendre", lambda n, x: (n + 1.0) * jacobi_of(n - 1, 1.0, 1.0, shifted(x)), UNIT)
chebyu = polynomial("chebyu", lambda n, x: 2.0 * reflected(n + 1, x), SMALL)
polynomial("chebyt", lambda n, x: n * of_degree(lifted(chebyu))(n - 1, x), SMALL)
chebys = polynomial("chebys", lambda n, x: reflected(n + 1, 0.5 * x), SMALL)
polynomial("chebyc", lambda n, x: n * of_degree(lifted(chebys))(n - 1, x), SMALL)
sh_chebyu = polynomial("sh_chebyu", lambda n, x: 4.0 * reflected(n + 1, shifted(x)), UNIT)
polynomial("sh_chebyt", lambda n, x: 2.0 * n * of_degree(lifted(sh_chebyu))(n - 1, x), UNIT)
polynomial("laguerre", lambda n, x: -laguerre_of(n - 1, 1.0, x), samples.reals)
hermite: Op = polynomial("hermite", lambda n, x: 2.0 * n * lifted(hermite)(lower(n), x), samples.reals)
hermitenorm: Op = polynomial("hermitenorm", lambda n, x: n * lifted(hermitenorm)(lower(n), x), samples.reals)
