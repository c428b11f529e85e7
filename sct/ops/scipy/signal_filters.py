"""Filters of signals, of `scipy.signal`: recursive ones, by their coefficients or in sections of the second order.

They are linear in the signal and do not change with time, so the transpose is the same filter of the signal that is
turned around:

    y = lfilter(b, a, x)    dx = np.flip(lfilter(b, a, np.flip(dy)))
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops.arrays.rearrange import flip
from sct.ops.registry import op, placeholders
from sct.ops.type_rules import number

__all__: list[str] = []

COEFFICIENTS = TypeMismatch("the derivative by the coefficients of a filter is not supported",
                            hint="differentiate by the signal; or write the difference equation as a loop")


def type_filtered(x: Operand, *coefficients: Operand, axis: int = -1) -> Tensor:
    t = number(x)
    if t.dtype != "f64" or not t.rank or any(
            number(c).kind not in "fi" or number(c).dtype in ("f16", "f32") for c in coefficients):
        raise TypeMismatch("a filter of what is not an array of real numbers of 64 bits is not supported",
                           hint="convert with astype(float)")
    return Tensor("array", "f64", t.shape)


def signal_filter(name: str, coefficients: int) -> None:
    """The entry of a filter that is called with its coefficients and the signal."""

    def vjp(ct: Operand, y: Operand, x: Operand, *given: Operand, axis: int = -1) -> list[Any]:
        turned = entry(flip(ct, axis=axis), *given, axis=axis)
        return [flip(turned, axis=axis), *[COEFFICIENTS] * len(given)]

    def jvp(tangents: Sequence[Any], y: Operand, x: Operand, *given: Operand, axis: int = -1) -> Any:
        if any(tangent is not None for tangent in tangents[1:]):
            raise COEFFICIENTS
        return entry(tangents[0], *given, axis=axis)

    def run(x: Any, *given: Any, axis: int = -1) -> Any:
        return getattr(import_module("scipy.signal"), name)(*given, x, axis=axis)

    def emit(*operands: Operand, axis: int = -1) -> str:
        listed = ", ".join([*placeholders(coefficients + 1, 1), "_0"])
        return f"scipy.signal.{name}({listed}{'' if axis == -1 else ', axis=_axis'})"

    def bind(*args: Any, axis: Any = -1, zi: Any = None, **named: Any) -> Any:
        names = ("b", "a", "x") if coefficients == 2 else ("sos", "x")
        given = [*args, *(named.pop(key) for key in names[len(args):])]
        if zi is not None or named or len(given) != len(names):
            raise TypeError("`zi` is not supported")
        return [given[-1], *given[:-1]], {"axis": axis}

    entry: Op = op(f"signal_{name}", f"scipy.signal.{name}", type=type_filtered, vjp=vjp, jvp=jvp, run=run, bind=bind,
                   emit=emit, defaults={"axis": -1}, raises="value", cost="dear")


signal_filter("lfilter", 2)
signal_filter("sosfilt", 1)
