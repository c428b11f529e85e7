"""Rules of axes of size 1: what is added through a new axis is added without it.

    dx[:, None] += sum(g, axis=1, keepdims=True)   ->   dx += sum(g, axis=1)
"""

from __future__ import annotations

from typing import Any

from sct.ir.core import Operand
from sct.ir.types import Dim
from sct.ops.arrays.indexing import indexed_shape
from sct.ops.arrays.shape import expand_dims, squeeze
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add
from sct.passes.rewriting.arithmetic_rules import carrier_of, definition, rule, shape_of

__all__: list[str] = []


@rule("add_at")
def add_at_new_axes(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:, None] += v -> x + squeeze(v, axis=1);  x with x[..., 0] += v -> x + v[..., None], of one column"""
    whole = as_whole(x, v, key_operands, key)
    return None if whole is None else add(x, whole)


@rule("store")
def store_new_axes(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:, None] = v -> squeeze(v, axis=1);  x with x[..., 0] = v -> v[..., None], of one column"""
    return as_whole(x, v, key_operands, key)


def as_whole(x: Operand, v: Operand, key_operands: tuple[Operand, ...], key: tuple[str, ...]) -> Any:
    """The part `v` that the key names in the shape of all of x; None if that is more than axes of size 1."""
    if carrier_of(x) != "array" or carrier_of(v) != "array":
        return None
    found = reshaping(key, shape_of(x))
    if found is None or shape_of(v) != indexed_shape(shape_of(x), key, key_operands):
        return None
    gone, new = found
    if gone:
        v = squeeze(v, axis=gone[0] if len(gone) == 1 else gone)
    return expand_dims(v, axis=new[0] if len(new) == 1 else new) if new else v


def reshaping(key: tuple[str, ...], shape: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The new axes of the part that `key` names, and the axes of size 1 that it takes away; None if
    it names less than all, or but the array as it is."""
    missing = len(shape) - sum(k not in "ne" for k in key)
    part, axis = 0, 0
    gone: list[int] = []
    new: list[int] = []
    for k in key:
        if k == "n":
            gone.append(part)
            part += 1
        elif k == "i" and shape[axis] == Dim(1):
            new.append(axis)
            axis += 1
        elif k in ("e", "s000"):
            part, axis = (part + missing, axis + missing) if k == "e" else (part + 1, axis + 1)
        else:
            return None
    return (tuple(gone), tuple(new)) if gone or new else None


@rule("squeeze")
def squeeze_kept(x: Operand, axis: Any = None) -> Any:
    """squeeze(sum(x, axis=k, keepdims=True), axis=k) -> sum(x, axis=k);  squeeze(expand_dims(x, k), k) -> x"""
    eqn = definition(x)
    if eqn is None or axis is None or eqn.attrs.get("axis") is None:
        return None
    rank = len(shape_of(x))
    if axes(axis, rank) != axes(eqn.attrs["axis"], rank):
        return None
    if eqn.op is expand_dims:
        return eqn.args[0]
    return sum_(eqn.args[0], axis=eqn.attrs["axis"]) if eqn.op is sum_ and eqn.attrs.get("keepdims") else None


def axes(axis: Any, rank: int) -> list[int]:
    return sorted(k % rank for k in (axis if isinstance(axis, tuple) else (axis,)))
