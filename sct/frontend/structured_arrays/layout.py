"""The fields of structured dtypes as columns of arrays of numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.values.abstract_values import Abstract, DictRef, ListRef, Static, Tup
from sct.ir import Value
from sct.ir.types import INT, dtype_name, is_supported

__all__ = [
    "FieldLayout", "columns_of", "constant_of", "dtype_of", "groups_of", "is_aligned", "is_of_numbers", "the_same"]


@dataclass(frozen=True)
class FieldLayout:
    """Where a field lies: `count` columns from `start` of an array.

    group  that array: one for all fields of a dtype; where these lie at odd places, so that NumPy copies what it
           computes with, one for each field, without gaps
    shape  of one of its items: () of a number
    """

    group: str
    start: int
    count: int
    shape: tuple[int, ...]


def _fields(dtype: np.dtype[Any]) -> dict[str, tuple[np.dtype[Any], int]]:
    """The dtype of each field, and where it lies in a record."""
    fields: Any = dtype.fields
    return {name: fields[name][:2] for name in dtype.names or ()}


def is_of_numbers(dtype: Any) -> bool:
    """Is this a structured dtype all fields of which are numbers, or arrays of them?"""
    if not isinstance(dtype, np.dtype) or not dtype.names:
        return False
    has_titles = len(dtype.fields or ()) > len(dtype.names)
    return not has_titles and all(is_supported(t.base) for t, _ in _fields(dtype).values())


@functools.cache
def groups_of(dtype: np.dtype[Any]) -> dict[str, tuple[np.dtype[Any], int]]:
    """The arrays of columns: the dtype, and how many columns there are, by the group that they are."""
    groups: dict[str, tuple[np.dtype[Any], int]] = {}
    for name, (t, _) in _fields(dtype).items():
        width = dtype.itemsize // t.base.itemsize if _is_aligned(dtype, t.base) else math.prod(t.shape)
        groups[columns_of(dtype)[name].group] = t.base, width
    return groups


def is_aligned(dtype: np.dtype[Any]) -> bool:
    return all(_is_aligned(dtype, t.base) for t, _ in _fields(dtype).values())


def _is_aligned(dtype: np.dtype[Any], base: np.dtype[Any]) -> bool:
    """Do the fields of this dtype lie at multiples of its size, in records of such a size?"""
    places = [at for t, at in _fields(dtype).values() if t.base == base]
    return all(at % base.itemsize == 0 for at in (*places, dtype.itemsize))


@functools.cache
def columns_of(dtype: np.dtype[Any]) -> dict[str, FieldLayout]:
    """Where each field lies.

    >>> columns_of(np.dtype([("pos", "f8", (2,)), ("mass", "f8")]))["mass"]
    FieldLayout(group='f64', start=2, count=1, shape=())
    """
    columns: dict[str, FieldLayout] = {}
    for name, (t, at) in _fields(dtype).items():
        group, count = dtype_name(t.base), math.prod(t.shape)
        if _is_aligned(dtype, t.base):
            columns[name] = FieldLayout(group, at // t.base.itemsize, count, t.shape)
        else:
            columns[name] = FieldLayout(f"{group}_{name}", 0, count, t.shape)
    return columns


def dtype_of(ev: Evaluator, v: Abstract | None) -> np.dtype[Any] | None:
    """The structured dtype of numbers that this stands for; None for other values."""
    spec: Any = constant_of(ev, v)
    if not isinstance(spec, (list, dict, str, np.dtype)) or isinstance(spec, str) and "," not in spec:
        return None
    try:
        dtype: np.dtype[Any] = np.dtype(spec)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return dtype if dtype.type is np.void and is_of_numbers(dtype) else None


@functools.cache
def the_same(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """One object for all equal dtypes: a constant of a program is known by its identity."""
    return dtype


def constant_of(ev: Evaluator, v: Abstract | None) -> Any:
    """A constant, or a container of constants and of ints that are guarded, as the object of Python that it is; None
    for others."""
    if isinstance(v, Static):
        return v.value
    items: Sequence[Any] = v.items if isinstance(v, Tup) else ()
    if isinstance(v, (ListRef, DictRef)) and not is_dynamic(ev, v):
        items = ev.slots(v).items
    parts = [ev.ask(x, "the size of a field") if isinstance(x, Value) and x.type == INT else constant_of(ev, x)
             for x in items]
    if not parts or any(x is None for x in parts):
        return None
    if isinstance(v, DictRef):
        return dict(zip(ev.slots(v).keys, parts))
    return tuple(parts) if isinstance(v, Tup) else parts
