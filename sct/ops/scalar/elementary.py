"""Functions of one number, applied elementwise, and a few of two.

Partials are written with the result where that is possible, and divide only by what
cannot be zero where the function itself did not raise; else they say the edge.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import LONG, Tensor, TypeMismatch, broadcast_shapes, in_words
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, mul, neg, quotient, sign, sub
from sct.ops.scalar.comparison import ne
from sct.ops.scalar.selection import where
from sct.ops.type_rules import (
    by_carrier,
    elementwise,
    floats,
    integers,
    is_python,
    number,
    prints,
    real_floats,
    ufunc_result,
)

__all__ = [
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "deg2rad", "digamma", "erf", "erfc", "exp", "exp2", "expm1", "floor", "fmod", "gamma", "hypot", "ldexp",
    "lgamma", "log", "log10", "log1p", "log2", "logaddexp", "polygamma", "principal_log", "rad2deg", "reciprocal",
    "remainder", "rint", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
]

LN2, LN10 = math.log(2.0), math.log(10.0)


def function(name: str, calls: str, slope: Callable[[Any, Any], Any], sampled: samples.Samples = samples.reals,
             **fields: Any) -> Op:
    """An elementwise function of one operand, called as NumPy's of its name; `slope(y, x)` is dy/dx."""
    fields.setdefault("complex", "cmath." in calls)
    return op(name, f"numpy.{name} {calls}", spelled=True, samples=sampled, partials=lambda y, x: [slope(y, x)],
              compiled=True, **carriers(name, calls), **fields)


def carriers(name: str, calls: str, python: Callable[..., str] = floats) -> dict[str, Any]:
    """Type, run and emit of a ufunc that has a twin in `math`, or has none (in this Python)."""
    ufunc = getattr(np, name)
    twin = next((call for call in calls.split() if call.startswith("math.")), None)
    if twin is None or twin in ("math.exp2", "math.cbrt"):
        return {"type": elementwise(ufunc), "run": ufunc}
    short = twin.removeprefix("math.")
    run = by_carrier(ufunc, getattr(math, short), getattr(cmath, short, None))
    if python is floats and not hasattr(cmath, short):
        python = real_floats
    return {"type": elementwise(ufunc, python), "run": run, "emit": prints(f"numpy.{name}", twin)}


def over(a: Any, x: Operand, y: Operand) -> Any:
    """a / x; a `math` function that gave the Python number y has raised where x is 0."""
    return div(a, x) if number(y).carrier == "py" else quotient(a, x)


# -- exponentials and logarithms ---------------------------------------------------------------

exp = function("exp", "math.exp cmath.exp", lambda y, x: y, raises="value", folds="adjoint")
exp2 = function("exp2", "math.exp2", lambda y, x: mul(y, LN2), raises="value", complex=True)
expm1 = function("expm1", "math.expm1", lambda y, x: add(y, 1.0), raises="value", complex=True)
log2 = function("log2", "math.log2", lambda y, x: over(1.0 / LN2, x, y), samples.positives, raises="value",
                complex=True)
log10 = function("log10", "math.log10 cmath.log10", lambda y, x: over(1.0 / LN10, x, y), samples.positives,
                 raises="value")
log1p = function("log1p", "math.log1p", lambda y, x: over(1.0, add(x, 1.0), y), samples.positives, raises="value",
                 complex=True)


def type_log(x: Operand, base: Operand | None = None, spelling: str | None = None) -> Tensor:
    if base is not None and spelling is not None and not spelling.startswith(("math.", "cmath.")):
        raise TypeMismatch("numpy.log takes one operand")
    if base is None:
        return ufunc_result(np.log, (x,), spelling, floats)
    if spelling is not None and spelling.startswith("cmath.") or "c" in (number(x).kind, number(base).kind):
        return ufunc_result(np.add, (x, base), "cmath.log")
    return ufunc_result(np.arctan2, (x, base), "math.log")


def log_partials(y: Operand, x: Operand, base: Operand | None = None) -> list[Any]:
    """log(x, b) is log(x) / log(b)."""
    if base is None:
        return [over(1.0, x, y)]
    slope = principal_log(base) if number(y).kind == "c" else log(base)
    return [div(div(1.0, slope), x), neg(div(div(y, slope), base))]


log = op("log", "numpy.log math.log cmath.log", complex=True, type=type_log, spelled=True, partials=log_partials,
         raises="value",
         run=by_carrier(np.log, math.log, cmath.log), emit=prints("numpy.log", "math.log"), samples=samples.positives,
         folds="adjoint", compiled=True)


def principal_log(x: Operand) -> Any:
    """The complex logarithm, also of a real number that may be negative."""
    if isinstance(x, Lit):
        return log(x) if isinstance(x.value, complex) or x.value > 0 else cmath.log(x.value)
    return log(x if number(x).kind == "c" else add(x, 0j))


logaddexp = op("logaddexp", "numpy.logaddexp", type=elementwise(np.logaddexp), spelled=True, run=np.logaddexp,
               partials=lambda z, x, y: [exp(sub(x, z)), exp(sub(y, z))], samples=samples.pairs, compiled=True)


# -- powers ------------------------------------------------------------------------------------

sqrt = function("sqrt", "math.sqrt cmath.sqrt", lambda y, x: quotient(0.5, y), samples.positives, raises="value",
                folds="exact")
cbrt = function("cbrt", "math.cbrt", lambda y, x: quotient(1.0 / 3.0, mul(y, y)), samples.positives)
square = function("square", "", lambda y, x: mul(2.0, x), cost="cheap", complex=True)
reciprocal = function("reciprocal", "", lambda y, x: neg(mul(y, y)), samples.positives, complex=True)


# -- trigonometry --------------------------------------------------------------------------------


def cathetus(x: Operand) -> Any:
    """sqrt(1 - x * x)"""
    return sqrt(sub(1.0, mul(x, x)))


def of_inverse(slope: Callable[[Any], Any], of_reals: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """The slope of y = f(x), by y where this is complex: a root of a product of x is on one sheet of f alone, and loses
    the sign of a zero that tells the sides of a branch cut."""
    return lambda y, x: slope(y) if number(y).kind == "c" else of_reals(x)


sin = function("sin", "math.sin cmath.sin", lambda y, x: cos(x), raises="value", folds="adjoint")
cos: Op = function("cos", "math.cos cmath.cos", lambda y, x: neg(sin(x)), raises="value", folds="adjoint")
tan = function("tan", "math.tan cmath.tan", lambda y, x: add(1.0, mul(y, y)), samples.unary(-1.2, 1.2), raises="value")
arcsin = function("arcsin", "math.asin cmath.asin", of_inverse(
    lambda y: div(1.0, cos(y)), lambda x: quotient(1.0, cathetus(x))), samples.unary(-0.9, 0.9), raises="value")
arccos = function("arccos", "math.acos cmath.acos", of_inverse(
    lambda y: div(-1.0, sin(y)), lambda x: quotient(-1.0, cathetus(x), edge=-math.inf)),
    samples.unary(-0.9, 0.9), raises="value")
arctan = function("arctan", "math.atan cmath.atan", lambda y, x: div(1.0, add(1.0, mul(x, x))))
sinh = function("sinh", "math.sinh cmath.sinh", lambda y, x: cosh(x), raises="value")
cosh: Op = function("cosh", "math.cosh cmath.cosh", lambda y, x: sinh(x), raises="value")
tanh = function("tanh", "math.tanh cmath.tanh", lambda y, x: sub(1.0, mul(y, y)), folds="adjoint")
arcsinh = function("arcsinh", "math.asinh cmath.asinh", of_inverse(
    lambda y: div(1.0, cosh(y)), lambda x: div(1.0, sqrt(add(1.0, mul(x, x))))))
arccosh = function("arccosh", "math.acosh cmath.acosh", of_inverse(
    lambda y: div(1.0, sinh(y)), lambda x: quotient(1.0, sqrt(sub(mul(x, x), 1.0)))),
    samples.unary(1.2, 3.0), raises="value")
arctanh = function("arctanh", "math.atanh cmath.atanh", lambda y, x: over(1.0, sub(1.0, mul(x, x)), y),
                   samples.unary(-0.9, 0.9), raises="value")
deg2rad = function("deg2rad", "numpy.radians math.radians", lambda y, x: math.pi / 180.0)
rad2deg = function("rad2deg", "numpy.degrees math.degrees", lambda y, x: 180.0 / math.pi)


def arctan2_partials(z: Operand, y: Operand, x: Operand) -> list[Any]:
    """x / r / r and -y / r / r; r**2 itself, and products with x, may be 0 or infinite where r is not."""
    r = radius(y, x)
    return [div(div(x, r), r), neg(div(div(y, r), r))]


def radius(y: Operand, x: Operand) -> Any:
    r = hypot(x, y)
    return where(ne(r, 0.0), r, math.nan) if is_python(r) else r


def arctan2_jvp(tangents: Sequence[Operand | None], z: Operand, y: Operand, x: Operand) -> Any:
    """(x / r dy - y / r dx) / r: also where 1 / r is too large for a number, and the tangent is not."""
    (dy, dx), r = tangents, radius(y, x)
    along = None if dy is None else mul(div(x, r), dy)
    across = None if dx is None else mul(div(y, r), dx)
    if across is None:
        return None if along is None else div(along, r)
    return div(neg(across) if along is None else sub(along, across), r)


arctan2 = op("arctan2", "numpy.arctan2 math.atan2", spelled=True, **carriers("arctan2", "math.atan2"),
             partials=arctan2_partials, jvp=arctan2_jvp, samples=samples.pairs, compiled=True)


def type_hypot(*xs: Operand, spelling: str | None = None) -> Tensor:
    if len(xs) != 2 and (spelling is None or not spelling.startswith("math.")):
        raise TypeMismatch("numpy.hypot takes two operands")
    return ufunc_result(np.hypot, xs, spelling, floats)


hypot = op("hypot", "numpy.hypot math.hypot", spelled=True, **{**carriers("hypot", "math.hypot"), "type": type_hypot},
           samples=samples.pairs, partials=lambda z, *xs: [quotient(x, z, edge=0.0) for x in xs],
           commutative=True, compiled=True)


# -- functions of SciPy, some of them in `math` too -----------------------------------------------


def special(name: str, twin: str | None = None) -> dict[str, Any]:
    """Type, run and emit of a function of scipy.special that may have a twin in `math`."""

    def run(*xs: Any) -> Any:
        if twin is not None and not isinstance(xs[-1], (np.ndarray, np.generic, complex)):
            return getattr(math, twin)(*xs)
        return getattr(import_module("scipy.special"), name)(*xs)

    def rule(*xs: Operand, spelling: str | None = None) -> Tensor:
        of_complex = any(number(x).kind == "c" for x in xs)  # `math` raises
        dtypes = {number(x).dtype for x in xs}
        own = twin is None and not dtypes.isdisjoint(LONG) or "f16" in dtypes  # SciPy's loops differ from NumPy's
        ufunc = getattr(import_module("scipy.special"), name) if own else np.tanh
        return ufunc_result(ufunc, xs, spelling if twin and not of_complex else text, floats)

    def emit(*xs: Operand) -> str:
        of_complex = any(number(x).kind == "c" for x in xs)
        return f"{text}(_args)" if of_complex else prints(text, f"math.{twin}")(*xs)

    text = f"scipy.special.{name}"
    return {"type": rule, "spelled": True, "run": run, "emit": emit if twin else None}


def bell(x: Operand, scale: float) -> Any:
    """scale * exp(-x * x)"""
    return mul(scale, exp(neg(mul(x, x))))


TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)

erf = op("erf", "math.erf scipy.special.erf", **special("erf", "erf"),
         partials=lambda y, x: [bell(x, TWO_OVER_ROOT_PI)], samples=samples.reals, compiled=True, complex=True)
erfc = op("erfc", "math.erfc scipy.special.erfc", **special("erfc", "erfc"),
          partials=lambda y, x: [bell(x, -TWO_OVER_ROOT_PI)], samples=samples.reals, compiled=True, complex=True)


# -- the gamma function: its derivatives are SciPy's -----------------------------------------------

lgamma = op("lgamma", "math.lgamma scipy.special.gammaln", **special("gammaln", "lgamma"), raises="value",
            partials=lambda y, x: [digamma(x)], samples=samples.positives, compiled=True)
gamma = op("gamma", "math.gamma scipy.special.gamma", **special("gamma", "gamma"), raises="value", complex=True,
           partials=lambda y, x: [mul(y, digamma(x))], samples=samples.positives, compiled=True)
COMPLEX_TRIGAMMA = TypeMismatch("SciPy has no function that gives the derivative of `digamma` of complex numbers",
                                hint="pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass")
digamma: Op = op("digamma", "scipy.special.digamma", **special("digamma"), samples=samples.positives, complex=True,
                 partials=lambda y, x: [COMPLEX_TRIGAMMA if number(x).kind == "c" else polygamma(1, x)])


def type_polygamma(n: Operand, x: Operand, spelling: str | None = None) -> Tensor:
    """In double precision; of a number, SciPy gives an array of rank 0."""
    t = ufunc_result(np.tanh, (x,), "scipy.special.polygamma")
    if number(n).rank:
        raise TypeMismatch("polygamma of an array of orders is not supported", hint="call it for each order by itself")
    return Tensor("np" if spelling is None and not t.rank else "array", "f64", t.shape)


def run_polygamma(n: Any, x: Any) -> Any:
    return import_module("scipy.special").polygamma(n, x)[()]


polygamma: Op = op("polygamma", "scipy.special.polygamma", type=type_polygamma, spelled=True,
                   run=run_polygamma, inactive=(0,),
                   emit="scipy.special.polygamma(_0, _1)[()]",
                   partials=lambda y, n, x: [None, polygamma(add(n, 1), x)],
                   samples=lambda: [((n, *args), attrs) for n in (1, 2) for args, attrs in samples.positives()])


# -- signs and remainders ----------------------------------------------------------------------------

copysign: Op = op("copysign", "numpy.copysign math.copysign", spelled=True, **carriers("copysign", "math.copysign"),
              partials=lambda z, x, y: [mul(sign(x), copysign(1.0, y)), None], inactive=(1,), samples=samples.pairs,
                  compiled=True)


def rest_partials(z: Operand, x: Operand, y: Operand) -> list[Any]:
    """x - y * q, where q is constant between its jumps."""
    return [1.0, div(sub(z, x), y)]


fmod = op("fmod", "numpy.fmod math.fmod", spelled=True, **carriers("fmod", "math.fmod"), partials=rest_partials,
          raises="value", samples=samples.divisions, compiled=True)

remainder = op("remainder", "math.remainder", type=elementwise(np.fmod, floats), spelled=True, run=math.remainder,
               partials=rest_partials, raises="value", samples=lambda: [((1.5, 0.7), {}), ((-1.5, 0.8), {})],
               compiled=True)


def type_ldexp(x: Operand, i: Operand, spelling: str | None = None) -> Tensor:
    t = ufunc_result(np.exp, (x,), spelling, floats)
    if number(i).rank:
        return Tensor("array", "f64" if t.carrier == "py" else t.dtype, broadcast_shapes(t.shape, number(i).shape))
    ours = spelling is None and t.carrier == "py" and number(i).carrier == "np"
    return Tensor("np", "f64") if ours else t


ldexp: Op = op("ldexp", "numpy.ldexp math.ldexp", spelled=True, inactive=(1,), raises="value", elementwise=True,
           **{**carriers("ldexp", "math.ldexp"), "type": type_ldexp}, linear=lambda ct, x, i: [ldexp(ct, i), None],
           samples=lambda: [((1.5, 3), {}), ((samples.arrays((3,)), 2), {})], complex=False)


# -- rounding ------------------------------------------------------------------------------------------


def rounding(name: str, calls: str, **fields: Any) -> Op:
    return op(name, f"numpy.{name} {calls}", spelled=True, **{**carriers(name, calls, integers), **fields},
              raises="value", elementwise=True, samples=samples.reals, nondiff="it is constant between its jumps",
              cost="cheap", compiled=True)


def type_trunc(x: Operand, spelling: str | None = None) -> Tensor:
    if spelling == "math.trunc" and number(x).carrier in ("np", "array") and number(x) != Tensor("np", "f64"):
        raise TypeMismatch(f"math.trunc does not take {in_words(x.type)}")
    return ufunc_result(np.trunc, (x,), spelling, integers)


floor = rounding("floor", "math.floor")
ceil = rounding("ceil", "math.ceil")
trunc = rounding("trunc", "math.trunc", type=type_trunc)
rint = rounding("rint", "")
