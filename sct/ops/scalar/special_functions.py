"""More elementwise functions: parts of numbers, steps, what replaces NaN, and those of `math` alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import FLOAT, INT, Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import to_f64
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import mul, neg, quotient, sub
from sct.ops.scalar.comparison import TRUTH, eq, isfinite
from sct.ops.scalar.elementary import exp2, ldexp
from sct.ops.scalar.powers import pow_partials
from sct.ops.scalar.selection import where
from sct.ops.type_rules import elementwise, number, ufunc_result

__all__ = [
    "array_frexp", "array_modf", "comb", "dist", "factorial", "float_power", "frexp", "fsum", "gcd",
    "heaviside", "isqrt", "lcm", "logaddexp2", "math_prod", "modf", "nan_to_num", "nextafter", "perm",
    "signbit", "sinc", "sinc_slope", "spacing", "ulp",
]

JUMPS = "it is constant between its jumps"


# -- powers and logarithms -----------------------------------------------------------------------------


def double(x: Operand) -> Any:
    t = number(x)
    return x if t.carrier == "py" or t.dtype == "f64" else to_f64(x)


float_power = op("float_power", "numpy.float_power", type=elementwise(np.float_power), spelled=True, run=np.float_power,
                 partials=lambda z, x, y: pow_partials(z, double(x), double(y)),
                 samples=lambda: samples.binary((0.3, 2.0), (-1.5, 2.5))())

logaddexp2 = op("logaddexp2", "numpy.logaddexp2", type=elementwise(np.logaddexp2), spelled=True, run=np.logaddexp2,
                partials=lambda z, x, y: [exp2(sub(x, z)), exp2(sub(y, z))], samples=samples.pairs)


# -- sinc(x) = sin(pi x) / (pi x) ------------------------------------------------------------------------
# From x sinc(x) = sin(pi x) / pi, its n-th derivative f_n is told by the one before:
# x f_n + n f_{n-1} = pi**(n-1) sin(pi x + n pi / 2). Near 0, where both sides cancel, its Taylor series is exact to
# rounding: the sum over k of (-1)**k pi**(2k) x**(2k-n) / ((2k + 1) (2k - n)!).


def sinc_text(n: int, scalar: bool) -> str:
    """The n-th derivative of sinc at `_0`."""
    if n == 0:
        return "numpy.sinc(_0)"
    wave = ("numpy.sin", "numpy.cos", "-numpy.sin", "-numpy.cos")[n % 4] + "(math.pi * _0)"
    scaled = wave if n == 1 else f"{math.pi ** (n - 1)!r} * {wave}"
    before = sinc_text(n - 1, scalar) if n == 1 else f"{n} * ({sinc_text(n - 1, scalar)})"
    if scalar:
        return f"{_sinc_series(n)} if abs(_0) < 0.1 else ({scaled} - {before}) / _0"
    return (f"numpy.where(numpy.abs(_0) < 0.1, {_sinc_series(n)}, "
            f"({scaled} - {before}) / numpy.where(_0 == 0.0, 1.0, _0))")


def _sinc_series(n: int) -> str:
    """Five terms of the Taylor series of the n-th derivative."""
    text = ""
    for k in range((n + 1) // 2, (n + 1) // 2 + 5):
        power = 2 * k - n
        factor = repr(math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(power)))
        sign = "-" if k % 2 else ""
        joined = f" {sign or '+'} " if text else sign
        text += joined + factor + ("" if power == 0 else " * _0" if power == 1 else f" * _0**{power}")
    return text


def run_sinc_slope(x: Any, n: int) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        return eval(sinc_text(n, not isinstance(x, np.ndarray)), {"numpy": np, "math": math, "_0": x})


def type_sinc_slope(x: Operand, n: int) -> Tensor:
    t = ufunc_result(np.exp, (x,), "numpy.sinc")
    return Tensor("array", t.dtype, t.shape) if number(x).is_array else t


sinc_slope: Op = op("sinc_slope", run=run_sinc_slope, emit=lambda x, n: sinc_text(n, not number(x).is_array),
                    type=type_sinc_slope, cost="dear",
                    partials=lambda y, x, n: [sinc_slope(x, n=n + 1)],
                    samples=lambda: [((samples.arrays((3,)),), {"n": n}) for n in (1, 2, 3)] + [
                        ((0.7,), {"n": 1}), ((np.zeros(2),), {"n": 1})])

sinc = op("sinc", "numpy.sinc", type=elementwise(np.exp), spelled=True, run=np.sinc, emit="numpy.sinc(_0)",
          partials=lambda y, x: [sinc_slope(x, n=1)], samples=lambda: [*samples.reals(), ((np.zeros(2),), {})])


# -- steps and signs ----------------------------------------------------------------------------------------

heaviside = op("heaviside", "numpy.heaviside", type=elementwise(np.heaviside), spelled=True, run=np.heaviside,
               inactive=(0,), elementwise=True, vjp=lambda ct, y, x, h: [None, where(eq(x, 0), ct, 0.0)],
               jvp=lambda tangents, y, x, h: None if tangents[1] is None else where(eq(x, 0), tangents[1], 0.0),
               samples=lambda: [*samples.pairs(), ((np.array([0, 1, -1]), 0.5), {})])

signbit = op("signbit", "numpy.signbit", type=elementwise(np.signbit), spelled=True, run=np.signbit, nondiff=TRUTH,
             samples=samples.reals)

nextafter = op("nextafter", "numpy.nextafter math.nextafter", spelled=True, type=elementwise(np.nextafter),
               run=np.nextafter, inactive=(1,), samples=samples.pairs,
               partials=lambda z, x, y: [1.0, None])

spacing = op("spacing", "numpy.spacing", type=elementwise(np.spacing), spelled=True, run=np.spacing, nondiff=JUMPS,
             samples=samples.reals)


# -- nan_to_num ------------------------------------------------------------------------------------------------


def bind_nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None,
                    neginf: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [x], {"nan": nan, "posinf": posinf, "neginf": neginf}


def type_nan_to_num(x: Operand, **_: Any) -> Tensor:
    return ufunc_result(np.positive, (x,), "numpy.nan_to_num")


def spoiled() -> Iterable[samples.Sample]:
    yield from samples.reals()
    yield (np.array([1.0, np.nan, np.inf, -np.inf]),), {"nan": 2.0, "posinf": 1.0, "neginf": None}


nan_to_num = op("nan_to_num", "numpy.nan_to_num", type=type_nan_to_num, run=np.nan_to_num, bind=bind_nan_to_num,
                defaults={"nan": 0.0, "posinf": None, "neginf": None}, elementwise=True,
                vjp=lambda ct, y, x, **_: [where(isfinite(x), ct, 0.0)],
                jvp=lambda tangents, y, x, **_: where(isfinite(x), tangents[0], 0.0), samples=spoiled)


# -- of `math` alone -------------------------------------------------------------------------------------------
# Sequences are given as they are: the operands are their items.


def floats_of(*xs: Operand) -> Tensor:
    if any(number(x).rank for x in xs):
        raise TypeMismatch("a function of `math` takes numbers, not arrays")
    return FLOAT


def items(sequence: Any) -> list[Any]:
    if not isinstance(sequence, (list, tuple)):
        raise TypeError("a list or a tuple of known length is needed")
    return list(sequence)


def sequence_op(name: str, call: Callable[..., Any], **fields: Any) -> Op:
    """A function of one sequence of numbers."""
    shown = call.__name__

    def emit(*xs: Operand) -> str:
        return f"math.{shown}([{', '.join(placeholders(len(xs)))}])"

    return op(name, f"math.{shown}", run=lambda *xs: call(xs), emit=emit,
              samples=lambda: [(tuple(0.5 + 0.7 * k for k in range(n)), {}) for n in (3, 1)], **fields)


fsum = sequence_op("fsum", math.fsum, type=floats_of, bind=lambda seq: (items(seq), {}),
                   linear=lambda ct, *xs: [ct] * len(xs), complex=False)


def products(xs: Sequence[Any]) -> list[Any]:
    """For each of the xs the product of the others."""
    left: list[Any] = [1.0]
    for x in xs[:-1]:
        left.append(mul(left[-1], x))
    right: Any = 1.0
    before_each = []
    for x, before in zip(reversed(xs), reversed(left)):
        before_each.append(mul(before, right))
        right = mul(right, x)
    return before_each[::-1]


def type_math_prod(*xs: Operand) -> Tensor:
    floats_of(*xs)
    kinds = [number(x).kind for x in xs]
    carriers = {number(x).carrier for x in xs}
    if carriers - {"py"}:
        return Tensor("any", "real" if "f" in kinds else "int")
    return FLOAT if any(number(x).dtype == "float" for x in xs) else Tensor("py", "real") if "f" in kinds else INT


def bind_math_prod(iterable: Any, *, start: Any = 1) -> tuple[list[Any], dict[str, Any]]:
    return [*([] if isinstance(start, int) and start == 1 else [start]), *items(iterable)], {}


math_prod = sequence_op("math_prod", math.prod, type=type_math_prod, bind=bind_math_prod,
                        vjp=lambda ct, y, *xs: [mul(ct, p) for p in products(xs)])


def paired(xs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    return xs[:len(xs) // 2], xs[len(xs) // 2:]


def bind_paired(p: Any, q: Any) -> tuple[list[Any], dict[str, Any]]:
    a, b = items(p), items(q)
    if len(a) != len(b):
        raise TypeError("both sequences must have one length")
    return [*a, *b], {}


def pair_op(name: str, type: Callable[..., Tensor], slopes: Callable[..., list[Any]], **fields: Any) -> Op:
    """A function of two sequences of one length; `slopes(y, *xs)` are its partial derivatives."""

    def emit(*xs: Operand) -> str:
        a, b = paired(list(placeholders(len(xs))))
        return f"math.{name}([{', '.join(a)}], [{', '.join(b)}])"

    return op(name, f"math.{name}", type=type, bind=bind_paired, emit=emit,
              vjp=lambda ct, y, *xs: [mul(ct, p) for p in slopes(y, *xs)],
              samples=lambda: [((0.5, 1.5, 2.0, -1.0), {}), ((0.5, 1.5), {})], **fields)


def dist_slopes(y: Operand, *xs: Operand) -> list[Any]:
    p, q = paired(xs)
    slopes = [quotient(sub(a, b), y, edge=0.0) for a, b in zip(p, q)]
    return [*slopes, *map(neg, slopes)]


def sumprod_slopes(y: Operand, *xs: Operand) -> list[Any]:
    p, q = paired(xs)
    return [*q, *p]


dist = pair_op("dist", floats_of, dist_slopes, run=lambda *xs: math.dist(*paired(xs)))


def run_sumprod(*xs: Any) -> Any:
    p, q = paired(xs)
    return math.sumprod(p, q)  # type: ignore[attr-defined,unused-ignore]


def type_sumprod(*xs: Operand) -> Tensor:
    return type_math_prod(*xs)


if hasattr(math, "sumprod"):  # of Python 3.12
    pair_op("sumprod", type_sumprod, sumprod_slopes, run=run_sumprod)
if hasattr(math, "fma"):  # of Python 3.13
    op("fma", "math.fma", type=floats_of, run=math.fma, emit="math.fma(_args)", raises="value",
       partials=lambda w, x, y, z: [y, x, 1.0], samples=lambda: [((0.5, 1.5, 2.0), {})])


# -- several results --------------------------------------------------------------------------------------------


def type_modf(x: Operand) -> tuple[Tensor, Tensor]:
    return floats_of(x), FLOAT


modf = op("modf", "math.modf", type=type_modf, run=math.modf, emit="math.modf(_0)",
          samples=lambda: [((1.7,), {}), ((-2.3,), {})],
          vjp=lambda cts, ys, x: [cts[0]])

frexp = op("frexp", "math.frexp", type=lambda x: (floats_of(x), INT), run=math.frexp, emit="math.frexp(_0)",
           samples=lambda: [((1.7,), {}), ((-12.3,), {})],
           vjp=lambda cts, ys, x: [None if cts[0] is None else ldexp(cts[0], neg(ys[1]))])


def parts(name: str, ufunc: np.ufunc, exponent: str | None, slope: Callable[[Any, Any], Any]) -> Op:
    """`numpy.modf` or `numpy.frexp`: `slope(g, second)` is the derivative of the first result."""

    def rule(x: Operand) -> tuple[Tensor, Tensor]:
        t = ufunc_result(np.exp, (x,), f"numpy.{name}")
        return t, t if exponent is None else Tensor("array" if t.is_array else "np", exponent, t.shape)

    return op(f"array_{name}", f"numpy.{name}", type=rule, run=ufunc, emit=f"numpy.{name}(_0)", raises="value",
              vjp=lambda cts, ys, x: [None if cts[0] is None else slope(cts[0], ys[1])],
              bind=lambda x: ([x], {}),
              samples=lambda: [((samples.arrays((3,), 1.1, 1.9),), {}), ((1.7,), {})])


array_modf = parts("modf", np.modf, None, lambda g, whole: g)
array_frexp = parts("frexp", np.frexp, "i32", lambda g, e: ldexp(g, neg(e)))


# -- of ints -------------------------------------------------------------------------------------------------------


def integral(name: str, sampled: Callable[[], Iterable[samples.Sample]]) -> Op:
    def rule(*xs: Operand) -> Tensor:
        if any(number(x).rank or number(x).kind not in "ib" for x in xs):
            raise TypeMismatch(f"math.{name} takes integers")
        return INT

    return op(name, f"math.{name}", type=rule, run=getattr(math, name), emit=f"math.{name}(_args)", raises="value",
              nondiff="a function of integers has no derivative", samples=sampled)


comb = integral("comb", lambda: [((5, 2), {})])
perm = integral("perm", lambda: [((5, 2), {}), ((4,), {})])
factorial = integral("factorial", lambda: [((4,), {})])
gcd = integral("gcd", lambda: [((12, 18), {}), ((8,), {})])
lcm = integral("lcm", lambda: [((4, 6), {})])
isqrt = integral("isqrt", lambda: [((10,), {})])

ulp = op("ulp", "math.ulp", type=floats_of, run=math.ulp, emit="math.ulp(_0)", nondiff=JUMPS,
         samples=lambda: [((1.5,), {})])
