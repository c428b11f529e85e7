"""Filters of signals, of `scipy.signal`: recursive ones, by their coefficients or in sections of the second order.

They are linear in the signal and do not change with time, so the transpose is the same filter of the signal that is
turned around.  `y` solves `a * y = b * x`, where `*` is the convolution, so the cotangents of the coefficients are
correlations of `x` and `y` with the transpose of `1 / a`:

    y = lfilter(b, a, x)    dx = np.flip(lfilter(b, a, np.flip(dy)))
                            z = np.flip(lfilter([1.0], a, np.flip(dy)))
                            db[k] = sum(z[n] * x[n - k]);  da[k] = -sum(z[n] * y[n - k])
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops.arrays.padding import pad
from sct.ops.arrays.rearrange import flip
from sct.ops.arrays.shape import dim, moveaxis
from sct.ops.arrays.windows import sliding_windows
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectra import plus
from sct.ops.linalg.tensor_products import tensordot
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import mul, neg, sub
from sct.ops.type_rules import number

__all__ = ["lfilter", "sosfilt"]

SECTIONS = TypeMismatch("the derivative by the coefficients of these sections is not supported")


def type_filtered(x: Operand, *coefficients: Operand, axis: int = -1) -> Tensor:
    t = number(x)
    if t.dtype not in ("f64", "c128") or not t.rank or any(
            number(c).kind not in "fic" or number(c).dtype in ("f16", "f32", "c64") for c in coefficients):
        raise TypeMismatch("a filter is supported for arrays of floats of 64 bits or complex numbers of 128 bits only",
                           hint="convert with astype(float), or with astype(complex)")
    is_complex = any(number(v).kind == "c" for v in (x, *coefficients))
    return Tensor("array", "c128" if is_complex else "f64", t.shape)


def lagged(z: Operand, x: Operand, like: Operand, axis: int) -> Any:
    """The sums of z[n] * x[n - k] for each coefficient k."""
    rank = number(x).rank
    if not number(like).rank:
        return sum_(mul(z, x))
    if rank > 1:
        z, x = (moveaxis(v, source=axis, destination=-1) for v in (z, x))
    size = dim(like, axis=0)
    before = pad(x, 0.0, *[Lit(0)] * (2 * rank - 2), sub(size, 1), Lit(0), mode="constant",
                 tree=tuple((2 * k, 2 * k + 1) for k in range(rank)))
    windows = sliding_windows(before, size, axis=-1)
    every = tuple(range(rank))
    return flip(matmul(z, windows) if rank == 1 else tensordot(z, windows, axes=(every, every)), axis=None)


def lfilter_vjp(ct: Operand, y: Operand, x: Operand, b: Operand, a: Operand, axis: int = -1) -> list[Any]:
    turned = flip(ct, axis=axis)
    z = flip(lfilter(turned, Lit(1.0), a, axis=axis), axis=axis)
    return [flip(lfilter(turned, b, a, axis=axis), axis=axis), lagged(z, x, b, axis), neg(lagged(z, y, a, axis))]


def lfilter_jvp(tangents: Sequence[Any], y: Operand, x: Operand, b: Operand, a: Operand, axis: int = -1) -> Any:
    dx, db, da = tangents
    terms = [lfilter(dx, b, a, axis=axis)] if dx is not None else []
    terms += [lfilter(x, db, a, axis=axis)] if db is not None else []
    change = plus(*terms) if len(terms) == 2 else terms[0] if terms else None
    if da is None:
        return change
    moved = lfilter(y, da, a, axis=axis)
    return neg(moved) if change is None else sub(change, moved)


def sosfilt_vjp(ct: Operand, y: Operand, x: Operand, sos: Operand, axis: int = -1) -> list[Any]:
    return [flip(sosfilt(flip(ct, axis=axis), sos, axis=axis), axis=axis), SECTIONS]


def sosfilt_jvp(tangents: Sequence[Any], y: Operand, x: Operand, sos: Operand, axis: int = -1) -> Any:
    if tangents[1] is not None:
        raise SECTIONS
    return sosfilt(tangents[0], sos, axis=axis)


def signal_filter(name: str, calls: str, coefficients: int, **rules: Any) -> Op:
    """The entry of a filter that is called with its coefficients and the signal."""

    def run(x: Any, *coefficients: Any, axis: int = -1) -> Any:
        return getattr(import_module("scipy.signal"), name)(*coefficients, x, axis=axis)

    def emit(*operands: Operand, axis: int = -1) -> str:
        listed = ", ".join([*placeholders(coefficients + 1, 1), "_0"])
        return f"scipy.signal.{name}({listed}{'' if axis == -1 else ', axis=_axis'})"

    def bind(*args: Any, axis: Any = -1, **named: Any) -> Any:
        names = ("b", "a", "x") if coefficients == 2 else ("sos", "x")
        operands = [*args, *(named.pop(key) for key in names[len(args):])]
        if named or len(operands) != len(names):
            raise TypeError("pass `axis` and `zi` by name")
        return [operands[-1], *operands[:-1]], {"axis": axis}

    return op(f"signal_{name}", calls, type=type_filtered, run=run, bind=bind, emit=emit, defaults={"axis": -1},
              raises="value", cost="dear", complex=True, **rules)


lfilter: Op = signal_filter("lfilter", "scipy.signal.lfilter", 2, vjp=lfilter_vjp, jvp=lfilter_jvp)
sosfilt: Op = signal_filter("sosfilt", "", 1, vjp=sosfilt_vjp, jvp=sosfilt_jvp)
"""Of sections that are not differentiated."""
