"""Copies of structured arrays that come from outside, or that Python has made: the function may write into them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args
from sct.frontend.heap.inactive import check_value, is_python_object
from sct.frontend.state.observed_types import latest_place
from sct.frontend.structured_arrays.layout import columns_of, groups_of, is_of_numbers
from sct.frontend.structured_arrays.records import by_groups, dtype_of_kind, is_record, write_field
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ObjRef, Static, Tup
from sct.ir import Value
from sct.ir.dims import Dim, sym
from sct.ir.types import INT, Opaque, Tensor, dtype_name
from sct.ops.program.effects import inactive, part

__all__ = ["LIKE", "attribute_of_opaque", "described", "is_seen_into", "like_opaque"]

LIKE: dict[str, Any] = {"numpy.copy": None, "numpy.array": None, "numpy.zeros_like": np.zeros,
                        "numpy.empty_like": np.empty, "numpy.ones_like": np.ones}
"""The functions that make an array like another one, and what makes it; None: it is a copy."""
_LIKE_FUNCTIONS = (np.copy, np.array, np.zeros_like, np.empty_like, np.ones_like)


def is_seen_into(ev: Evaluator, f: Any, args: Args) -> bool:
    """Does `f` make an array like a structured one that Python has, or ask for the class of an argument?"""
    leaf = ev.leaf_of(args[0]) if args and isinstance(args[0], Value) else None
    if f is isinstance and isinstance(leaf, np.ndarray):
        return True
    return len(args) == 1 and any(f is g for g in _LIKE_FUNCTIONS) and described(ev, args[0]) is not None


@dataclass(frozen=True)
class Described:
    """What is known of a structured array that sct does not see into."""

    dtype: np.dtype[Any]
    rank: int
    kind: str


_KIND_OF: dict[Any, str] = {
    np.ndarray: "array", np.recarray: "recarray", np.void: "record", np.record: "record of recarray"}


def described(ev: Evaluator, v: Abstract) -> Described | None:
    """The dtype and the number of axes of a structured array of numbers that Python has; None for other values."""
    if isinstance(v, Static):
        return _of_object(v.peek) if v.path is not None else None
    if not isinstance(v, Value) or not isinstance(v.type, Opaque):
        return None
    if (leaf := ev.leaf_of(v)) is not None:
        return _of_object(leaf)
    eqn = ev.defs.get(v)
    if eqn is None or eqn.op is not inactive or eqn.loc is None or not is_python_object(ev, v):
        return None
    types = ev.observed(latest_place(eqn.loc)) or ev.observed(eqn.loc)
    if len(types) != 1:
        return None
    (t,) = types
    return _described(*t[1:]) if t[0] == "object" and len(t) == 4 else None


def _of_object(x: Any) -> Described | None:
    return _described(type(x), x.dtype, x.ndim) if type(x) in _KIND_OF else None


def _described(cls: type, dtype: np.dtype[Any], rank: int) -> Described | None:
    if not is_of_numbers(dtype) or cls not in _KIND_OF:
        return None
    return Described(np.dtype((np.void, dtype)), rank, _KIND_OF[cls])


def like_opaque(ev: Evaluator, v: Abstract, of: Described, make: Any = None) -> ObjRef:
    """A structured array of the same shape that `make` makes; None: of the same records."""
    native: Value = opaque(ev, v) if isinstance(v, Static) else v  # type: ignore[assignment]
    read = part if ev.leaf_of(native) is not None else inactive
    if read is inactive:
        cls = next(cls for cls, kind in _KIND_OF.items() if kind == of.kind)
        check = f"type(_0) is numpy.{cls.__name__} and _0.dtype == numpy.{of.dtype!r} and _0.ndim == {of.rank}"
        check_value(ev, native, check, "this structured array must be of the dtype")
    sizes = [ev.emit(read, native, text=f"_0.shape[{k}]", type=INT) for k in range(of.rank)]
    s = by_groups(ev, of.dtype, of.kind, np.empty if make is None else make, Tup(tuple(sizes)))
    for name, column in columns_of(of.dtype).items() if make is None else ():
        shape = *(sym(f"_records{native.id}_{k}") for k in range(of.rank)), *map(Dim, column.shape)
        dtype = dtype_name(groups_of(of.dtype)[column.group][0])
        t = Tensor("np" if not shape and is_record(s) else "array", dtype, shape)
        write_field(ev, s, name, ev.wrap(ev.emit(read, native, text=f"_0[{name!r}]", type=t)))
    return s


def attribute_of_opaque(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """The attributes of a structured array that Python has: its dtype, and `copy`, the result of which is written by
    the function."""
    of = described(ev, owner) if name in ("copy", "dtype") else None
    if of is None:
        return None
    if name == "dtype":
        return Static(dtype_of_kind(of.dtype, of.kind))
    return DerivedCallable(lambda ev, args, kwargs: like_opaque(ev, owner, of))
