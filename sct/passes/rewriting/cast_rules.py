"""Rewrite rules of adjoint code for ints that count as real: a cast is dropped where NumPy casts by itself.

    2.0 * x.astype(float)   ->   2.0 * x
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.real_ints import result_type
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import OPS
from sct.passes.rewriting.table import adjoint_eqn, carrier_of, rule

__all__ = ["CASTS", "uncast_ints"]

CASTS = "astype to_f64"


def uncast_ints(x: Operand) -> Operand | None:
    """The ints of which `x` is the cast to floats."""
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
