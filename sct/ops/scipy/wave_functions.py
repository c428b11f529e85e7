"""Functions that SciPy gives with their first derivative, by their argument: the second follows from their equation.

Mathieu functions (DLMF 28.2.1, 28.20.1), spheroidal wave functions (30.2.1), parabolic cylinder functions (12.2.1),
Kelvin functions (10.61.3); Legendre functions and spherical harmonics by their neighbours (14.10.1, 14.30.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.registry import OPS, op
from sct.ops.scalar import powers
from sct.ops.scipy.formulas import (
    ORDER,
    PARAMETER,
    Formula,
    absolute,
    call,
    cos,
    cosh,
    equal,
    exp,
    lifted,
    maximum,
    parametrized,
    sin,
    slopes,
    special,
    special_pair,
    sqrt,
    ufunc,
    where,
    whole,
)
from sct.ops.scipy.gamma_functions import binom, poch
from sct.ops.scipy.hypergeometric import gegenbauer, gegenbauer_of, jacobi_of, literals, polynomial, shifted
from sct.ops.type_rules import number

__all__: list[str] = []

# -- solutions of equations ------------------------------------------------------------------------------------


def solution(name: str, second: Callable[..., Formula], fixed: Sequence[tuple[float, ...]], reasons: Sequence[Any],
             sampled: samples.Samples, unit: float = 1.0) -> None:
    """The op of (f, f'): second(f, f', *parameters, x) is f'', of x in the unit of f'."""

    def slopes_of(ys: Sequence[Formula], *xs: Formula) -> list[list[Any]]:
        y, slope = ys
        return [[*reasons, slope if unit == 1.0 else unit * slope],
                [*reasons, second(y, slope, *xs) if unit == 1.0 else unit * second(y, slope, *xs)]]

    special_pair(name, 2, slopes_of, parametrized(literals(*fixed), sampled))


DEGREE = math.pi / 180.0
for letter, value in (("c", "a"), ("s", "b")):
    special(f"mathieu_{value}", slopes(lambda y, m, q: [ORDER, PARAMETER]), lambda: [((Lit(2.0), Lit(0.7)), {})])

    def characteristic(m: Formula, q: Formula, name: str = f"mathieu_{value}") -> Formula:
        return lifted(OPS[name])(m, q)

    solution(f"mathieu_{letter}em", lambda y, slope, m, q, x, a=characteristic: (
        2.0 * q * cos(2.0 * DEGREE * x) - a(m, q)) * y, [(2.0, 0.7)], [ORDER, PARAMETER], samples.reals, DEGREE)
    for kind in "12":
        solution(f"mathieu_mod{letter}em{kind}", lambda y, slope, m, q, x, a=characteristic: (
            a(m, q) - 2.0 * q * cosh(2.0 * x)) * y, [(2.0, 0.7)], [ORDER, PARAMETER], samples.positives)



def double(sampled: samples.Samples) -> samples.Samples:
    """Those in double precision: of others SciPy's spheroidal functions do not return."""
    return lambda: [(args, attrs) for args, attrs in sampled() if getattr(args[0], "dtype", "f8") == "f8"]


INSIDE, BEYOND = samples.unary(-0.8, 0.8), samples.unary(1.7, 2.5)


def spheroidal(name: str, value: str, squares: float, curve: float, sampled: samples.Samples) -> None:
    """(1 - curve * x**2) f'' - 2 curve x f' + curve * (a - squares * c**2 x**2 - m**2 / (1 - curve * x**2)) f = 0"""

    def second(y: Formula, slope: Formula, m: Formula, n: Formula, c: Formula, x: Formula) -> Formula:
        rest, a = 1.0 - curve * x * x, lifted(OPS[value])(m, n, c)
        return curve * (2.0 * x * slope - (a - squares * c * c * x * x - m * m / rest) * y) / rest

    solution(name, second, [(1.0, 3.0, 1.3)], [ORDER, ORDER, PARAMETER], sampled)


for value in ("pro_cv", "obl_cv"):
    special(value, slopes(lambda y, m, n, c: [ORDER, ORDER, PARAMETER]),
            lambda: [((Lit(1.0), Lit(3.0), Lit(1.3)), {})])
spheroidal("pro_ang1", "pro_cv", 1.0, 1.0, double(INSIDE))
spheroidal("pro_rad1", "pro_cv", 1.0, 1.0, double(BEYOND))
spheroidal("pro_rad2", "pro_cv", 1.0, 1.0, double(BEYOND))
spheroidal("obl_ang1", "obl_cv", -1.0, 1.0, double(INSIDE))
spheroidal("obl_rad1", "obl_cv", 1.0, -1.0, double(samples.positives))
solution("pbvv", lambda y, slope, v, x: (0.25 * x * x - v - 0.5) * y, [(0.7,), (2.0,)], [ORDER], samples.reals)
solution("pbwa", lambda y, slope, a, x: (a - 0.25 * x * x) * y, [(0.7,), (2.0,)], [PARAMETER], samples.reals)


def kelvin_slopes(ys: Sequence[Formula], x: Formula) -> list[list[Formula]]:
    """f'' = i f - f' / x, where f' / x is i / 2 at 0 for Be."""
    be, ke, dbe, dke = ys
    zero = equal(x, 0.0)
    return [[dbe], [dke], [1j * be - where(zero, 0.5j, dbe / where(zero, 1.0, x))], [1j * ke - dke / x]]


special_pair("kelvin", 4, kelvin_slopes, samples.positives, of_complex=True)

# -- Legendre functions ----------------------------------------------------------------------------------------


def legendre_slope(y: Formula, m: Formula, v: Formula, x: Formula) -> Formula:
    """DLMF 14.10.4, with the order above, which loses no digits near the ends of [-1, 1]."""
    end = equal(absolute(x), 1.0)
    u = where(end, 0.0, x)
    rest = 1.0 - u * u
    inside = -(lifted(lpmv)(m + 1.0, v, u) / sqrt(rest) + m * u * where(end, 0.0, y) / rest)
    return where(end, legendre_slope_at_end(m, v, where(end, x, 0.0)), inside)


def legendre_slope_at_end(m: Formula, v: Formula, x: Formula) -> Formula:
    """The function is (1 - x * x)**(k / 2) * C times a constant, with a Gegenbauer polynomial C (DLMF 14.6.1, 14.9.3),
    where k is |m|."""
    degree = v.operand
    n = Formula(Lit(max(degree.value, -1.0 - degree.value))) if isinstance(degree, Lit) else maximum(v, -1.0 - v)
    of_zero = gegenbauer_of(n - 1.0, 1.5, x)
    if isinstance(m.operand, Lit):
        literal_order = int(m.operand.value)
        k = Formula(Lit(abs(literal_order)))
        return slope_of_order(k, constant(k, literal_order < 0, n), n, x) if literal_order else of_zero
    zero, k = equal(m, 0), absolute(m)
    k = where(zero, k + 1, k)
    factor = where(m < 0, constant(k, True, n), constant(k, False, n))
    return where(zero, of_zero, slope_of_order(k, factor, n, x))


def constant(k: Formula, negative: bool, n: Formula) -> Formula:
    base, order = (2.0 if negative else -2.0), k.operand
    positive = Formula(Lit(base ** order.value * math.gamma(order.value + 0.5) / math.sqrt(math.pi))) if isinstance(
        order, Lit) else call(powers.pow_, base, k) * lifted(poch)(0.5, k)
    return positive / lifted(poch)(n - k + 1.0, 2.0 * k) if negative else positive


def slope_of_order(k: Formula, factor: Formula, n: Formula, x: Formula) -> Formula:
    rest, exponent = 1.0 - x * x, 0.5 * k - 1.0
    slope = (2.0 * k + 1.0) * rest * gegenbauer_of(n - k - 1.0, k + 1.5, x) - k * x * gegenbauer_of(n - k, k + 0.5, x)
    is_linear = isinstance(exponent.operand, Lit) and exponent.operand.value == 0.0
    return factor * slope if is_linear else factor * slope * rest ** exponent


lpmv: Op = special("lpmv", slopes(lambda y, m, v, x: [ORDER, ORDER, legendre_slope(y, m, v, x)]),
                   parametrized(literals((0.0, 2.3), (1.0, 2.0), (2.0, 1.5), (-1.0, 2.5)), INSIDE))


def require_double_precision(name: str, types: Sequence[Tensor]) -> None:
    for t in types:
        if t.dtype not in ("f64", "float", "int", "i64"):
            raise TypeMismatch(
                f"`scipy.special.{name}` is differentiated only in double precision" + (
                    ", and this number may be one of NumPy in single precision" if t.carrier == "any" else ""),
                hint="convert with astype(float)" if t.is_array else "convert the number with float(...)")


def type_harmonic(n: Operand, m: Operand, theta: Operand, phi: Operand, diff_n: int = 0) -> Tensor:
    """An array, also of numbers."""
    types = list(map(number, (n, m, theta, phi)))
    if diff_n:
        raise TypeMismatch("`diff_n` of `scipy.special.sph_harm_y` is not supported",
                           hint="leave it out, and use sct.grad of the function, which may be nested")
    require_double_precision("sph_harm_y", types)
    return Tensor("array", "c128", broadcast_shapes(*(t.shape for t in types)))


def harmonic_slopes(y: Formula, n: Formula, m: Formula, theta: Formula, phi: Formula) -> list[Any]:
    """By theta with both neighbouring orders, which are finite at the poles; they are 0 beyond n. SciPy continues the
    functions beyond 0 and pi as even ones."""
    n, m = whole(n), whole(m)
    turn = exp(1j * phi)
    above = sqrt(1.0 * absolute((n - m) * (n + m + 1))) * lifted(sph_harm_y)(n, m + 1, theta, phi)
    below = sqrt(1.0 * absolute((n + m) * (n - m + 1))) * lifted(sph_harm_y)(n, m - 1, theta, phi)
    side = where(sin(theta) < 0.0, -0.5, 0.5)
    return [ORDER, ORDER, side * (above / turn - below * turn), 1j * m * y]


sph_harm_y: Op = op(
    "sph_harm_y", "scipy.special.sph_harm_y", type=type_harmonic, complex=True, defaults={"diff_n": 0},
    run=lambda *xs, diff_n=0: ufunc("sph_harm_y")(*xs), emit="scipy.special.sph_harm_y(_0, _1, _2, _3)",
    bind=lambda n, m, theta, phi, diff_n=0: ([n, m, theta, phi], {"diff_n": diff_n}),
    partials=lambda y, *xs, diff_n=0: slopes(harmonic_slopes)(y, *xs),
    samples=lambda: [((n, m, *args), attrs) for n, m in ((0, 0), (2, 1), (3, -3))
                     for args, attrs in samples.binary((0.3, 2.8), (-2.0, 2.0))()
                     if not any(getattr(a, "dtype", None) == "f4" for a in args)])

# -- Dirichlet's kernel ----------------------------------------------------------------------------------------


def type_diric(x: Operand, n: Operand) -> Tensor:
    """In double precision, and of numbers, too, an array."""
    a, b = number(x), number(n)
    require_double_precision("diric", [a])
    if a.integral or b.rank or not b.integral:
        raise TypeMismatch("`scipy.special.diric` is differentiated only for floats, with an int as `n`",
                           hint="convert with astype(float), and int")
    return Tensor("array", "f64", a.shape)


def diric_slope(x: Formula, n: Formula) -> Formula:
    """It is U_{n - 1}(cos(x / 2)) / n, with a Chebyshev polynomial, whose derivative is a Gegenbauer polynomial."""
    return -sin(0.5 * x) * lifted(gegenbauer)(n - 2, 2.0, cos(0.5 * x)) / (1.0 * n)


op("diric", "scipy.special.diric", type=type_diric, run=lambda x, n: ufunc("diric")(x, n), raises="value",
   emit="scipy.special.diric(_0, _1)", partials=lambda y, x, n: [diric_slope(Formula(x), Formula(n)).operand, None],
   samples=lambda: [((*args, n), attrs) for n in (1, 2, 3, 6) for args, attrs in samples.reals()
                    if not any(getattr(a, "dtype", None) == "f4" for a in args)])

# -- a shifted Jacobi polynomial -------------------------------------------------------------------------------


def shifted_jacobi_slope(n: Formula, p: Formula, q: Formula, x: Formula) -> Formula:
    """SciPy divides a Jacobi polynomial by a binomial coefficient."""
    return (n + p) * jacobi_of(n - 1, p - q + 1.0, q, shifted(x)) / lifted(binom)(2.0 * n + p - 1.0, 1.0 * n)


polynomial("sh_jacobi", shifted_jacobi_slope, samples.unary(0.1, 0.9), 2)
