"""Rewrite rules of adjoint code for ints that count as real, and for real numbers among complex ones: a cast is dropped
where NumPy casts by itself.

    2.0 * x.astype(float)   ->   2.0 * x
    complex(a) * z          ->   a * z
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.real_ints import result_type
from sct.ir.types import ANY_REAL, Tensor, TypeMismatch
from sct.ops import OPS
from sct.ops.arrays.creation import as_dtype
from sct.ops.scalar.arithmetic import converted_like
from sct.passes.rewriting.arithmetic_rules import may_be_int
from sct.passes.rewriting.literals import number
from sct.passes.rewriting.table import Site, adjoint_eqn, carrier_of, defining_eqn, operands_of, rule

__all__ = ["CASTS", "uncast_ints"]

CASTS = "astype to_f64"


def uncast_ints(x: Operand) -> Operand | None:
    """The ints that `x` casts to floats."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op.name not in CASTS.split() or eqn.attrs.get("dtype", "f64") != "f64":
        return None
    t = eqn.args[0].type
    return eqn.args[0] if isinstance(t, Tensor) and t.integral else None


def cast_by_numpy(op: Op, places: Sequence[int] | None = None) -> None:
    """f(x.astype(float), y) -> f(x, y) where the result has the same type; `places`: for these operands only."""

    @rule(op.name, of=CASTS)
    def without_cast(*args: Operand, **attrs: Any) -> Any:
        if op.name in ("add", "sub") and all(uncast_ints(x) is not None for x in args):
            return None  # the rules of like terms match casts
        for k, arg in enumerate(args):
            x = uncast_ints(arg) if places is None or k in places else None
            if x is not None and _type(op, uncast := (*args[:k], x, *args[k + 1:]), attrs) == _type(op, args, attrs):
                return op(*uncast, **attrs)
        return None


def _type(op: Op, args: Sequence[Operand], attrs: Any) -> Any:
    try:
        return result_type(op, args, attrs)
    except TypeMismatch:
        return None


COMPUTED = (
    "add", "sub", "mul", "div", "pow", "quotient", "floordiv", "hypot", "sin", "cos", "sinh", "cosh", "sinc_slope",
    "digamma", "maximum", "where", "eq", "le", "ge", "isfinite", "matmul", "mean", "argsort")
"""Ops that derivative rules apply to operands of the user's functions."""

for _name in COMPUTED:
    cast_by_numpy(OPS[_name])
for _name in ("add_at", "store"):
    cast_by_numpy(OPS[_name], (1,))


@rule("mul", of="literal")
def multiply_by_one(c: Operand, x: Operand) -> Any:
    """1.0 * x -> x.astype(float) for ints x"""
    t = x.type
    if c != Lit(1.0) or not isinstance(t, Tensor) or not t.integral:
        return None
    return OPS["astype"](x, dtype="f64") if t.is_array else OPS["float" if t.carrier == "py" else "to_f64"](x)


@rule("mul", phase="simplify", of="literal")
def multiply_any_by_one(site: Site, c: Operand, x: Operand) -> Any:
    """1.0 * x -> float(x) for numbers x that are ints on some path"""
    return OPS["to_f64"](x) if c == Lit(1.0) and x.type == ANY_REAL and may_be_int(x) else None


@rule("number_like", phase="simplify")
def keep_number(site: Site, x: Operand, y: Operand) -> Any:
    """number_like(x, y) -> x for numbers of one type, and else a cast"""
    t = converted_like(x, y)
    if t is None:
        return x
    return OPS["float" if t.kind == "f" else "complex"](x) if t.carrier == "py" else as_dtype(x, t.dtype)


def ignore_cast_for_shape(name: str, k: int, **fixed: str) -> None:
    """f(x.astype(float)) -> f(x) where f reads the shape of x only, with the attrs `fixed`."""
    op = OPS[name]

    @rule(name, of=CASTS)
    def shape_alone(*args: Operand, **attrs: Any) -> Any:
        x = uncast_ints(args[k])
        return None if x is None or carrier_of(x) == "py" else op(*args[:k], x, *args[k + 1:], **{**fixed, **attrs})


for _name, _k in (("dim", 0), ("size", 0), ("reshape_like", 1), ("unbroadcast_like", 1)):
    ignore_cast_for_shape(_name, _k)
ignore_cast_for_shape("zeros_of", 0, dtype="f64")


@rule("expand_like", of=CASTS)
def expand_like_floats(ct: Operand, x: Operand, **attrs: Any) -> Any:
    """expand_like(ct, x.astype(float)) -> expand_like(ct, x), which reads the shape of x only"""
    like = uncast_ints(x)
    array = like is not None and isinstance(ct.type, Tensor) and ct.type.rank > 0
    return OPS["expand_like"](ct, like, **attrs) if array else None


# -- casts of real numbers to complex ones ------------------------------------------------------------------

COMPLEX_CASTS = "complex to_c128 astype"


def uncast_complex(x: Operand) -> Operand | None:
    """The real operand that `x` casts to complex numbers of double precision."""
    if isinstance(x, Lit) and type(x.value) is complex and x.value.imag == 0.0:
        return Lit(x.value.real)
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op.name not in COMPLEX_CASTS.split() or len(eqn.args) > 1 or \
            eqn.attrs.get("dtype", "c128") != "c128":
        return None
    t = eqn.args[0].type
    return eqn.args[0] if isinstance(t, Tensor) and t.kind == "f" else None


def mix_real_and_complex(op: Op) -> None:
    """f(complex(a), z) -> f(a, z) for complex z: Python and NumPy convert."""

    @rule(op.name, of=f"{COMPLEX_CASTS} literal")
    def without_complex(a: Operand, b: Operand) -> Any:
        x, y = uncast_complex(a), uncast_complex(b)
        if (x is None) == (y is None):
            return None
        return op(a if x is None else x, b if y is None else y)


for _name in ("add", "sub", "mul"):
    mix_real_and_complex(OPS[_name])


@rule("real", of=COMPLEX_CASTS)
def real_of_complex(x: Operand) -> Any:
    """real(complex(a)) -> a"""
    return uncast_complex(x)


@rule("complex", of="literal")
def complex_literal(x: Operand, y: Operand | None = None) -> Any:
    """complex(c) -> the literal"""
    c, d = number(x), 0.0 if y is None else number(y)
    return None if c is None or d is None else Lit(complex(c, d))


@rule("mul", of="literal", when="finite")
def complex_factor(a: Operand, b: Operand) -> Any:
    """c * d -> cd for literals, one of which is complex;  (1+0j) * z -> z for complex z"""
    values: list[Any] = [x.value if isinstance(x, Lit) and x.as_type is None else None for x in (a, b)]
    if not any(type(v) is complex for v in values):
        return None
    if None not in values:
        return Lit(values[0] * values[1])
    c, z = (values[0], b) if values[1] is None else (values[1], a)
    return z if c == 1 and isinstance(z.type, Tensor) and z.type.kind == "c" else None


@rule("mul", of="quotient", when="finite")
def conjugate_over_modulus(a: Operand, b: Operand) -> Any:
    """(conj(z) / |z|) * |z| -> conj(z);  (conj(z) / |z|) * (c * |z|) -> c * conj(z): both sides are 0 at 0"""
    for x, y in ((a, b), (b, a)):
        eqn = adjoint_eqn(x)
        if eqn is None or eqn.op.name != "quotient" or eqn.attrs.get("edge") != 0.0:
            continue
        modulus = defining_eqn(eqn.args[1])
        if modulus is None or modulus.op.name != "abs" or operands_of(eqn.args[0], "conj") != modulus.args:
            continue
        if y is eqn.args[1]:
            return eqn.args[0]
        factors = operands_of(y, "mul")
        if factors is not None and factors[1] is eqn.args[1]:
            return OPS["mul"](factors[0], eqn.args[0])
    return None
