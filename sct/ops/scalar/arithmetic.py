"""Operators on numbers and arrays, and the conversions of scalars.

Each is printed as the operator unless the user spelled the NumPy function.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand, builder_var
from sct.ir.dims import Dim, divided, product
from sct.ir.types import ANY_COMPLEX, ANY_REAL, ANY_SINGLE, BOOL, COMPLEX, DOUBLE, FLOAT, INT, Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import as_dtype, dtype_text
from sct.ops.registry import op, placeholders
from sct.ops.type_rules import (
    arithmetic,
    by_carrier,
    elementwise,
    floats,
    is_python,
    number,
    prints,
    same,
    size_of,
    ufunc_result,
)

__all__ = [
    "abs_", "abs_slope", "add", "bool_", "complex_", "conj", "conj_of", "converted_like", "dict_key", "div", "fabs",
    "float_", "floordiv", "int_", "item", "mod", "mul", "neg", "npround", "number_like", "pos", "quotient", "round_",
    "sign", "stop_gradient", "sub",
]


# -- sizes that results of int arithmetic equal ------------------------------------------


def known(x: Operand) -> Dim | None:
    """The size that an operand equals: an unknown Python int is its own term."""
    return size_of(x) if x.type == INT else x.dim


def dim_add(x: Operand, y: Operand) -> Dim | None:
    a, b = known(x), known(y)
    return a + b if a is not None and b is not None else None


def dim_sub(x: Operand, y: Operand) -> Dim | None:
    a, b = known(x), known(y)
    return a - b if a is not None and b is not None else None


def dim_mul(x: Operand, y: Operand) -> Dim | None:
    a, b = known(x), known(y)
    return product((a, b)) if a is not None and b is not None else None


def dim_floordiv(x: Operand, y: Operand) -> Dim | None:
    a, b = known(x), known(y)
    return divided(a, b) if a is not None and b is not None and b.least > 0 else None


def dim_neg(x: Operand) -> Dim | None:
    a = known(x)
    return -a if a is not None else None


def dim_same(x: Operand) -> Dim | None:
    return x.dim


# -- sums and products ---------------------------------------------------------------------

add = op("add", "operator.add numpy.add", complex=True, type=elementwise(np.add, arithmetic), spelled=True,
         run=operator.add,
         emit="_0 + _1", partials=lambda z, x, y: [1.0, 1.0], dim=dim_add, samples=samples.pairs,
         linear_in="all", commutative=True, folds="exact", augmented="+=", cost="cheap", compiled=True)

sub = op("sub", "operator.sub numpy.subtract", complex=True, type=elementwise(np.subtract, arithmetic), spelled=True,
         run=operator.sub, emit="_0 - _1", partials=lambda z, x, y: [1.0, -1.0], dim=dim_sub, samples=samples.pairs,
         linear_in="all", folds="exact", augmented="-=", cost="cheap", compiled=True)

mul = op("mul", "operator.mul numpy.multiply", complex=True, type=elementwise(np.multiply, arithmetic), spelled=True,
         run=operator.mul, emit="_0 * _1", partials=lambda z, x, y: [y, x], dim=dim_mul, samples=samples.pairs,
         linear_in="each", commutative=True, folds="exact", augmented="*=", cost="cheap", compiled=True)

neg = op("neg", "operator.neg numpy.negative", complex=True, type=elementwise(np.negative, arithmetic), spelled=True,
         run=operator.neg, emit="-_0", partials=lambda y, x: [-1.0], dim=dim_neg, samples=samples.reals,
         linear_in="all", folds="exact", cost="cheap", compiled=True)

pos = op("pos", "operator.pos numpy.positive", complex=True, type=elementwise(np.positive, arithmetic), spelled=True,
         run=operator.pos, emit="+_0", partials=lambda y, x: [1.0], dim=dim_same, samples=samples.reals,
         linear_in="all", cost="cheap", compiled=True)


# -- quotients -----------------------------------------------------------------------------


def over(a: Operand, z: Operand, y: Operand) -> Any:
    """a / y for the quotient `z` of something and y: what raised nothing there raises nothing here.  Where y may be
    a Python 0, a number of NumPy is divided if one was."""
    if number(z).carrier != "py" and is_python(a) and is_python(y) and not never_zero(y):
        t, double = number(z), DOUBLE["c" if number(a).kind == "c" else "f"]
        a = as_dtype(a, double if t.carrier == "any" or t.kind != "c" == number(a).kind else t.dtype)
    return div(a, y)


def never_zero(y: Operand) -> bool:
    """Is this a literal but 0, an int that is known to be positive, what the primal divided by in Python, or a
    multiple of that?"""
    if isinstance(y, Lit):
        return bool(y.value)
    block = builder_var.get()
    if y.dim is not None and y.dim.least > 0 or y in getattr(block, "nonzero", ()):
        return True
    eqn = getattr(block, "defs", {}).get(y)
    if eqn is None or eqn.op is not mul or not isinstance(eqn.args[0], Lit) or abs(eqn.args[0].value) < 1:
        return False
    return never_zero(eqn.args[1])


def is_one(x: Operand) -> bool:
    """Is this the literal 1?  The derivative of its quotient z is -z * z, which needs the divisor no more."""
    return isinstance(x, Lit) and not isinstance(x.value, bool) and x.value == 1


def div_vjp(ct: Operand, z: Operand, x: Operand, y: Operand) -> list[Operand]:
    if is_one(x):
        return [None, neg(mul(mul(ct, z), z))]
    dx = over(ct, z, y)
    return [dx, neg(mul(z, dx))]


def div_jvp(tangents: list[Any], z: Operand, x: Operand, y: Operand) -> Any:
    dx, dy = tangents
    if dy is None:
        return over(dx, z, y)
    if is_one(x):
        return neg(mul(mul(dy, z), z))
    numerator = neg(mul(z, dy)) if dx is None else sub(dx, mul(z, dy))
    return over(numerator, z, y)


def by_literal(x: Operand, y: Operand) -> bool:
    """Is this a division by a literal but 0?"""
    return isinstance(y, Lit) and bool(y.value)


def floats_by_literal(x: Operand, y: Operand) -> bool:
    """The same for numbers that are no ints, which may be too large for a float."""
    return by_literal(x, y) and (isinstance(x, Lit) or number(x).dtype in ("float", "f16", "f32", "f64"))


div = op("div", "operator.truediv numpy.divide", complex=True, type=elementwise(np.divide, floats), spelled=True,
         run=operator.truediv, emit="_0 / _1", vjp=div_vjp, jvp=div_jvp, linear_in=(0,), elementwise=True,
         raises="value", safe=floats_by_literal, samples=samples.divisions, folds="exact", augmented="/=", cost="cheap",
         compiled=True)


def run_quotient(a: Any, y: Any, edge: float = math.inf) -> Any:
    if not isinstance(y, (np.ndarray, np.generic)) and not isinstance(a, np.ndarray):
        return a / y if y else edge
    with np.errstate(divide="ignore", invalid="ignore"):
        z = a / y
    return z if edge == math.inf or np.isnan(edge) else np.where(y == 0, edge, z)[()]


SAFE_QUOTIENT = "_0 / numpy.where(_1 == 0.0, 1.0, _1)"


def emit_quotient(a: Operand, y: Operand, edge: float = math.inf) -> str:
    scalar = not number(a).is_array and not number(y).is_array
    if is_natural(a, y, edge):
        return "_0 / _1"
    shown = str(edge) if math.isfinite(edge) else str(edge).replace("inf", "math.inf").replace("nan", "math.nan")
    if scalar and "c" in (number(a).kind, number(y).kind):
        shown = "0j" if edge == 0.0 else f"complex({shown})"
    return f"_0 / _1 if _1 else {shown}" if scalar else f"numpy.where(_1 == 0.0, {shown}, {SAFE_QUOTIENT})"


def quotient_vjp(ct: Operand, z: Operand, a: Operand, y: Operand, edge: float = math.inf) -> list[Operand]:
    da = quotient(ct, y, edge=edge)
    return [da, neg(mul(z, da))]


def quotient_jvp(tangents: list[Any], z: Operand, a: Operand, y: Operand, edge: float = math.inf) -> Any:
    da, dy = tangents
    if dy is None:
        return quotient(da, y, edge=edge)
    numerator = neg(mul(z, dy)) if da is None else sub(da, mul(z, dy))
    return quotient(numerator, y, edge=edge)


def type_quotient(a: Operand, y: Operand, edge: float = math.inf) -> Tensor:
    t = ufunc_result(np.divide, (a, y), None, floats)
    if t == COMPLEX and number(y).carrier != "py":
        return ANY_COMPLEX
    if t.carrier != "np" or t.dtype == "f16" or is_natural(a, y, edge):
        return t
    if t.kind == "c":
        return t if t.dtype == "c64" else ANY_COMPLEX
    return ANY_SINGLE if t.dtype == "f32" else ANY_REAL


def is_natural(a: Operand, y: Operand, edge: float) -> bool:
    """Does NumPy give the edge by itself, where it divides?  A Python number must not be divided by zero."""
    scalar = not number(a).is_array and not number(y).is_array
    return (edge == math.inf or math.isnan(edge)) and not (scalar and is_python(y))


quotient = op("quotient", complex=True, type=type_quotient, run=run_quotient, defaults={"edge": math.inf},
              emit=emit_quotient,
              vjp=quotient_vjp, jvp=quotient_jvp, linear_in=(0,), elementwise=True, samples=samples.divisions,
              cost="cheap", compiled=True)

floordiv = op("floordiv", "operator.floordiv numpy.floor_divide", type=elementwise(np.floor_divide, arithmetic),
              spelled=True, run=operator.floordiv, emit="_0 // _1", raises="value", safe=by_literal,
              samples=samples.divisions,
              dim=dim_floordiv, elementwise=True, nondiff="it is constant between its jumps",
              cost="cheap", compiled=True)

mod = op("mod", "operator.mod numpy.mod", type=elementwise(np.mod, arithmetic), spelled=True,
         run=operator.mod, emit="_0 % _1", partials=lambda z, x, y: [1.0, neg(floordiv(x, y))], raises="value",
         safe=by_literal, samples=samples.divisions, cost="cheap", compiled=True)


# -- absolute values -------------------------------------------------------------------------



def run_sign(x: Any) -> Any:
    return np.sign(x) if isinstance(x, (np.ndarray, np.generic)) else math.copysign(1.0, x) if x else 0.0


sign = op("sign", "numpy.sign", type=elementwise(np.sign, floats), spelled=True, run=run_sign, samples=samples.reals,
          emit=lambda x: "math.copysign(1.0, _0) if _0 else 0.0" if is_python(x) else "numpy.sign(_0)",
          elementwise=True, nondiff="it is constant between its jumps", cost="cheap", compiled=True)


def type_abs(x: Operand, spelling: str | None = None) -> Tensor:
    python = arithmetic if number(x).kind != "c" else floats_of_complex
    return ufunc_result(np.abs, (x,), spelling, python)


def floats_of_complex(*_: str) -> str:
    return "float"


def abs_slope(x: Operand, y: Operand | None = None) -> Any:
    """The derivative of y = |x|: the sign; conj(x) / |x| for complex x, and 0 at 0."""
    if number(x).kind != "c":
        return sign(x)
    return quotient(conj(x), abs_(x) if y is None else y, edge=0.0)


abs_: Op = op("abs", "builtins.abs operator.abs numpy.abs", complex=True, type=type_abs,
          spelled=True, run=abs, emit="abs(_0)", partials=lambda y, x: [abs_slope(x, y)], samples=samples.reals,
          cost="cheap", compiled=True)


def run_conj(x: Any) -> Any:
    return np.conjugate(x) if isinstance(x, np.ndarray) else x.conjugate()


def type_conj(x: Operand, spelling: str | None = None) -> Tensor:
    if spelling == ".conj" and number(x).carrier not in ("np", "array"):
        raise TypeMismatch("`conj` is a method of NumPy's numbers and arrays", "write `conjugate`")
    if spelling in (".conj", ".conjugate") and number(x).is_array and number(x).kind != "c":
        raise TypeMismatch("the conjugate of an array of real numbers is the array itself")
    return elementwise(np.conjugate, arithmetic)(x, spelling=spelling)


# For z = x + iy and a real function f of conj(z), df/dx - i df/dy is the conjugate of the cotangent of conj(z).
conj = op("conj", "numpy.conjugate .conj .conjugate", complex=True, run=run_conj, spelled=True,
          type=type_conj, elementwise=True, linear_in="all",
          vjp=lambda ct, y, x: [conj_of(ct, x)], jvp=lambda tangents, y, x: conj_of(tangents[0], x),
          emit=lambda x: "numpy.conj(_0)" if number(x).is_array else "_0.conjugate()",
          samples=samples.reals)


def conj_of(g: Operand, x: Operand) -> Any:
    """The conjugate of `x`, or of a tangent or cotangent of `x`: itself if it is real."""
    return conj(g) if number(x).kind == number(g).kind == "c" else g


fabs = op("fabs", "math.fabs numpy.fabs", type=elementwise(np.fabs, floats), spelled=True,
          run=by_carrier(np.fabs, math.fabs), emit=prints("numpy.fabs", "math.fabs"),
          partials=lambda y, x: [sign(x)], samples=samples.reals, cost="cheap", compiled=True)


# -- conversions of scalars --------------------------------------------------------------------


def one_number(x: Operand) -> Tensor:
    t = number(x)
    if t.rank:
        raise TypeMismatch("only arrays of rank 0 can be converted to Python numbers")
    return t


def converted(result: Tensor) -> Any:
    def rule(x: Operand, *_: Operand) -> Tensor:
        one_number(x)
        return result

    return rule


def type_bool(x: Operand) -> Tensor:
    """The truth value of anything but an array."""
    return converted(BOOL)(x) if isinstance(x.type, Tensor) else BOOL


def type_item(x: Operand) -> Tensor:
    return {"b": BOOL, "i": INT, "f": FLOAT, "c": COMPLEX}[one_number(x).kind]


def type_round(x: Operand, digits: Operand | None = None) -> Tensor:
    """`round(x)` is an int, `round(x, digits)` a number like x."""
    t = one_number(x)
    if t.is_array:
        raise TypeMismatch("arrays have no `round`: use numpy.round")
    return INT if digits is None or t.kind != "f" else t


def bind_round(number: Any, ndigits: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [number] if ndigits is None else [number, ndigits], {}


def emit_numpy_round(*operands: Operand) -> str:
    return f"numpy.round({', '.join(placeholders(len(operands)))})"


def bind_numpy_round(a: Any, decimals: Any = 0) -> tuple[list[Any], dict[str, Any]]:
    return [a] if isinstance(decimals, int) and decimals == 0 else [a, decimals], {}



def type_complex(x: Operand, y: Operand | None = None) -> Tensor:
    if one_number(x).is_array or y is not None and (one_number(y).is_array or "c" in (number(x).kind, number(y).kind)):
        raise TypeMismatch("`complex` takes two real numbers, or one number")
    return COMPLEX


def bind_complex(real: Any = 0, imag: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [real] if imag is None else [real, imag], {}


complex_ = op("complex", "builtins.complex", type=type_complex, run=complex, emit="complex(_args)", bind=bind_complex,
              linear=lambda ct, x, y=None: [ct] if y is None else [ct, mul(ct, 1j)], cost="cheap",
              samples=lambda: [((1.5,), {}), ((0.5, -1.5), {})])


def type_number_like(x: Operand, y: Operand) -> Tensor:
    t = number(y)
    if number(x).is_array or t.is_array:
        raise TypeMismatch("a number is needed, not an array")
    if number(x).kind == "c" != t.kind:
        raise TypeMismatch("a complex number does not become real")
    if t.carrier == "np":
        return Tensor("np", "f64") if t.integral else t
    return t if t.carrier == "any" else COMPLEX if t.kind == "c" else FLOAT


def converted_like(x: Operand, y: Operand) -> Tensor | None:
    """The type to which `number_like` converts `x`; None where it is `x`, as beside what may be of either kind."""
    t, of_x = type_number_like(x, y), number(x)
    if t.carrier == "any":
        return None if of_x.kind == t.kind and of_x.dtype != "f32" else Tensor("np", "c128" if t.kind == "c" else "f64")
    return None if t == of_x else t


def run_number_like(x: Any, y: Any) -> Any:
    t = type(y)
    return (np.float64 if issubclass(t, np.integer) else float if issubclass(t, int) else t)(x)


def emit_number_like(x: Operand, y: Operand) -> str:
    t = converted_like(x, y)
    return "_0" if t is None else f"{t.dtype if t.carrier == 'py' else dtype_text(t.dtype)}(_0)"


number_like = op("number_like", type=type_number_like, run=run_number_like, emit=emit_number_like, inactive=(1,),
                 linear=lambda ct, x, y: [ct, None], cost="free", complex=True,
                 samples=lambda: [((x, y), {}) for x in (1.5, np.float64(1.5)) for y in (2.0, np.float64(2.0))])
"""`x` as a number of the kind that `y` is, of Python or of a dtype; a float where that is an int."""

float_ = op("float", "builtins.float", type=converted(FLOAT), run=float, emit="float(_0)", cost="free",
            linear=lambda ct, x: [ct], samples=samples.numbers, compiled=True, complex=False)

item = op("item", ".item", complex=True, type=type_item, run=lambda x: x.item(), emit="_0.item()", cost="free",
          vjp=lambda ct, y, x: [ct], linear_in="all",
          samples=lambda: [((np.float64(1.5),), {}), ((np.array(1.5),), {})], compiled=True)

int_ = op("int", "builtins.int", type=converted(INT), run=int, emit="int(_0)", raises="value", samples=samples.numbers,
          dim=dim_same, nondiff="an int is constant between its jumps", cost="cheap", compiled=True)

bool_ = op("bool", "builtins.bool", complex=True, type=type_bool, run=bool, emit="bool(_0)", samples=samples.numbers,
           nondiff="a truth value has no derivative", cost="cheap", compiled=True)

stop_gradient = op("stop_gradient", "sct.stop_gradient", complex=True, type=same, dim=dim_same, run=lambda x: x,
                   emit="_0",
                   alias="same", cost="free", nondiff="its derivative is defined as zero", compiled=True)

dict_key = op("dict_key", type=same, dim=dim_same, run=lambda x: x, emit="_0", alias="same", cost="free",
              nondiff="whether a dict has a key is constant between its jumps", samples=samples.numbers, compiled=True)
"""A number by which a dict is asked for a value."""

round_ = op("round", "builtins.round", type=type_round, run=round, bind=bind_round, emit="round(_args)", raises="value",
            samples=lambda: [((1.25,), {}), ((np.float64(-1.75),), {}), ((1.256, 2), {}), ((np.float32(1.256), 1), {})],
            nondiff="it is constant between its jumps", cost="cheap", compiled=True)

npround = op("npround", "numpy.round numpy.around .round", run=np.round, bind=bind_numpy_round,
             type=lambda x, *_: ufunc_result(np.rint, (x,), "numpy.round"), emit=emit_numpy_round,
             samples=samples.reals, nondiff="it is constant between its jumps")
