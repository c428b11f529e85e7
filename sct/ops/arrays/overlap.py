"""Assignments of a view of an array to the array itself: does NumPy read elements that it has already written?

    a[1:] = a[:-1]          no: the strides are equal, and NumPy chooses the order of the elements by them
    a[:] = a[::-1]          no: the signs of the strides differ
    A[i, k:] = A[k:, i]     no: the two have only `A[i, i]` in common
    a[::2] = a[1:5]         perhaps

NumPy copies the value first if it shares memory with the array, unless both are one-dimensional and their strides have
the same sign (`PyArray_AssignArray`); what a mask of all axes selects is written without a copy, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.ir import Eqn, Lit, Op, Operand, Value
from sct.ops.arrays.indexing import index, split
from sct.ops.arrays.shape import transpose
from sct.ops.type_rules import number

__all__ = ["ViewStep", "is_in_step"]

ViewStep = tuple[Op, Sequence[Operand], Mapping[str, Any]]
"""A step of a view: an op, its operands but for the array, and its attrs."""


@dataclass(frozen=True)
class _Axis:
    """An axis of a view: `axis` of the array, from `start`, with these steps; `at`: the positions on its other axes."""

    axis: int
    start: tuple[Operand, ...] = ()
    steps: tuple[Operand, ...] = ()
    at: tuple[tuple[int, Operand], ...] = ()


def is_in_step(rank: int, written: Sequence[ViewStep], subscripted: int, read: Sequence[ViewStep],
               definition: Callable[[Value], Eqn | None]) -> bool:
    """Is no element read after it is written, where a part of an array is assigned to another, or to the same?

    written, read  the views of the array, which has this rank; the last step of `written` is an index, the subscript of
                   the assignment
    subscripted    the rank of the view that has this subscript
    definition     gives the equation that defines a value, if it is known
    """
    _, operands, attrs = written[-1]
    key = attrs["key"]
    if key == ("m",):
        return number(operands[0]).rank < subscripted  # else it is a mask of positions, which are buffered
    if "m" in key or "a" in key or subscripted - key.count("i") + key.count("n") != 1:
        return True
    to, of = _axes(rank, written), _axes(rank, read)
    if of == []:
        return True
    return to is not None and of is not None and len(of) == 1 and _are_in_step(to[0], of[0], definition)


def _axes(rank: int, path: Sequence[ViewStep]) -> list[_Axis] | None:
    """The axes of a view; None if they are not known."""
    axes = [_Axis(k) for k in range(rank)]
    at: list[tuple[int, Operand]] = []
    for op, args, attrs in path:
        if op is transpose and attrs.get("axes") is None:
            axes.reverse()
            continue
        if op.name in ("flip", "flipud") and len(axes) == 1:
            axes = [replace(axes[0], steps=(*axes[0].steps, Lit(-1)))]
            continue
        if op is not index or not {"n", "a", "m"}.isdisjoint(attrs["key"]):
            return None
        items = split(attrs["key"], args)
        if Ellipsis in items:
            k = items.index(Ellipsis)
            items[k:k + 1] = [slice(None)] * (len(axes) + 1 - len(items))
        left = []
        for axis, item in zip(axes, items):
            if isinstance(item, slice):
                start, steps = [() if x is None else (x,) for x in (item.start, item.step)]
                left.append(replace(axis, start=axis.start + start, steps=axis.steps + steps))
            elif axis.start or axis.steps:
                return None  # a position of a part
            else:
                at.append((axis.axis, item))
        axes = left + axes[len(items):]
    return [replace(axis, at=tuple(at)) for axis in axes]


def _are_apart(x: Operand, y: Operand) -> bool:
    """Are these two different positions?"""
    return isinstance(x, Lit) and isinstance(y, Lit) and x.value != y.value and min(x.value, y.value) >= 0


def _sign(steps: Sequence[Operand]) -> int:
    """The sign of a product of steps; 0 if it is not known."""
    return math.prod(0 if not isinstance(x, Lit) else 1 if x.value > 0 else -1 for x in steps)


def _are_in_step(written: _Axis, read: _Axis, definition: Callable[[Value], Eqn | None]) -> bool:
    def same(x: Operand, y: Operand) -> bool:
        p, q = (definition(v) if isinstance(v, Value) else None for v in (x, y))
        return x == y or p is not None and q is not None and p.op is q.op and p.attrs == q.attrs and \
            all_same(p.args, q.args)

    def all_same(xs: Sequence[Operand], ys: Sequence[Operand]) -> bool:
        return len(xs) == len(ys) and all(map(same, xs, ys))

    p, q = dict(written.at), dict(read.at)
    if any(_are_apart(p[axis], q[axis]) for axis in p.keys() & q.keys()):
        return True
    if written.axis == read.axis:
        return all_same(written.steps, read.steps) or _sign(written.steps) * _sign(read.steps) < 0
    return not written.steps and not read.steps and len(p) == 1 and all_same([*p.values()], [*q.values()]) \
        and len(written.start) <= 1 and all_same(written.start, read.start)
