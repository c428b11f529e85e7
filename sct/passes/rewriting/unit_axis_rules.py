"""Rewrite rules of axes of size 1: an update through a new axis is done without it.

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
from sct.passes.rewriting.arithmetic_rules import adjoint_eqn, carrier_of, rule, shape_of

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
    """`v`, the part of x that the key names, in the shape of x; None if the key changes more than axes of size 1."""
    if carrier_of(x) != "array" or carrier_of(v) != "array":
        return None
    unit_axes = unit_axes_of(key, shape_of(x))
    if unit_axes is None or shape_of(v) != indexed_shape(shape_of(x), key, key_operands):
        return None
    added, removed = unit_axes
    if added:
        v = squeeze(v, axis=added[0] if len(added) == 1 else added)
    return expand_dims(v, axis=removed[0] if len(removed) == 1 else removed) if removed else v


def unit_axes_of(key: tuple[str, ...], shape: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """(axes of the part that `key` adds, axes of size 1 that it removes).

    None if the key names less than the whole array, or the array as it is."""
    missing = len(shape) - sum(k not in "ne" for k in key)
    part, axis = 0, 0
    added: list[int] = []
    removed: list[int] = []
    for k in key:
        if k == "n":
            added.append(part)
            part += 1
        elif k == "i" and shape[axis] == Dim(1):
            removed.append(axis)
            axis += 1
        elif k in ("e", "s000"):
            part, axis = (part + missing, axis + missing) if k == "e" else (part + 1, axis + 1)
        else:
            return None
    return (tuple(added), tuple(removed)) if added or removed else None


@rule("squeeze")
def squeeze_kept(x: Operand, axis: Any = None) -> Any:
    """squeeze(sum(x, axis=k, keepdims=True), axis=k) -> sum(x, axis=k);  squeeze(expand_dims(x, k), k) -> x"""
    eqn = adjoint_eqn(x)
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
