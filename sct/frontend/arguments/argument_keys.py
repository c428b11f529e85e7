"""Keys of arguments: two calls with equal keys have the same abstract arguments."""

from __future__ import annotations

import datetime
import decimal
import fractions
import itertools
import random
import re
import types
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from sct.errors import SctError, contains_itself
from sct.frontend.values.abstract_values import PLAIN
from sct.frontend.values.exact_keys import Same, exact
from sct.ir.pytrees.pytree import PARTS, Const, Leaf, Node, Places, Tree, parts_of, with_items
from sct.ir.pytrees.user_objects import fields_of, get_stored, is_container

__all__ = ["AT_ONCE", "FEW_ITEMS", "MANY_KEYS", "OPAQUE_ARRAY", "ROWS", "Equal", "is_one_value", "is_opaque_array",
           "item_kind", "key_of", "list_tree", "with_differentiated_ints"]


def key_of(args: tuple[Any, ...], kwargs: Mapping[str, Any], records: bool = True) -> Hashable:
    """The types of the arguments: two calls with one key have the same abstract arguments.

    records  as in `item_kind`

    >>> key_of((1.0, np.zeros(3)), {}) == key_of((2.0, np.zeros(4)), {})
    True
    """
    sizes: dict[int, int] = {}
    try:
        key = tuple([_key(a, sizes, records) for a in args])
        return key if not kwargs else (key, tuple([(k, _key(v, sizes, records)) for k, v in kwargs.items()]))
    except RecursionError:
        raise contains_itself("an argument") from None


def is_opaque_array(x: Any) -> bool:
    """Is this an array of dates, durations, texts or records, or an element, which Python alone computes with?"""
    return type(x) is np.ndarray and x.dtype.kind in "mMUSV" or isinstance(x, (np.datetime64, np.timedelta64, np.void))


def _key(x: Any, sizes: dict[int, int], records: bool = True) -> Hashable:
    t: Any = type(x)
    if t in PLAIN:
        return t  # type: ignore[no-any-return]
    if t is np.ndarray and is_opaque_array(x):
        return OPAQUE_ARRAY, x.dtype, x.ndim
    if t is np.ndarray:
        # Sizes 0 and 1 are types of their own; other sizes count by which are equal.
        return x.dtype, tuple([s if s < 2 else sizes.setdefault(s, -1 - len(sizes)) for s in x.shape])
    if t is tuple:
        return (t, *[_key(v, sizes, records) for v in x])
    if t is list or t is dict:
        # One list passed twice is another key than two lists; ids are negative, sizes are not.
        first = sizes.setdefault(-1 - id(x), len(sizes))
        if t is list:
            kind = item_kind(x, sizes, records) if len(x) > FEW_ITEMS else None
            return (t, first, ROWS, kind) if kind is not None else (t, first, *[_key(v, sizes, records) for v in x])
        return t, first, tuple([(k, _key(v, sizes, records)) for k, v in x.items()]), exact(x)
    if isinstance(x, np.generic):
        return t  # type: ignore[no-any-return]
    if is_container(t):
        if -1 - id(x) in sizes:
            return t, sizes[-1 - id(x)]
        first = sizes.setdefault(-1 - id(x), len(sizes))
        return t, first, tuple([(k, _key(get_stored(x, k), sizes, records)) for k in fields_of(x)])
    if isinstance(x, np.ndarray):
        raise SctError("SCT506", f"an array of class {t.__name__} is not supported",
                       why="a subclass may redefine operators", hint="pass x.data and x.mask, and write data[~mask]"
                       if issubclass(t, np.ma.MaskedArray) else "pass np.asarray(x)")
    if t in _BY_CLASS:
        return t  # type: ignore[no-any-return]
    # A method is made anew whenever it is read of its object; equal ones are of one object.
    return Equal(x) if t in _METHODS else Same(x)


_BY_CLASS = frozenset((
    random.Random, np.random.Generator, np.random.RandomState, datetime.date, datetime.datetime, datetime.time,
    datetime.timedelta, decimal.Decimal, fractions.Fraction, re.Pattern, Places))
"""Classes whose objects differ in their values alone: any of them is passed to Python as it is."""

_METHODS = (types.MethodType, types.BuiltinMethodType, type([].__len__))


OPAQUE_ARRAY = "opaque"
"""Starts the key of an array that `is_opaque_array`."""

ROWS = "rows"
"""In a key: the items of this list are one value of the IR."""


FEW_ITEMS = 4
"""A list of more items than this, all of one kind, is one value of the IR; other lists are flattened."""


MANY_KEYS = 16
"""The keys of a dict of more alike values from outside the function are known only at run time, if the program runs
over the dict or searches it."""

AT_ONCE = 4 * MANY_KEYS
"""Those of a global dict of more values are so from the start."""


def item_kind(xs: Sequence[Any], sizes: dict[int, int], records: bool = True, maps: bool = False) -> Hashable:
    """The type that the items of a list have in common, as a key; None where they are not alike.

    Of records it holds the kinds of their columns: `(dict, ("x", "y"), float, str)`.

    records  may lists of dicts, of objects and of strings be one value too?
    maps     may dicts with other keys be alike?
    """
    kinds = set(map(type, xs))
    if records and type(None) in kinds:
        kind = item_kind([x for x in xs if x is not None], sizes)
        return ("none", kind) if kind in ("real", float, int, bool, str) else None
    if kinds <= _REAL:
        return "real" if len(kinds) > 1 else kinds.pop() if kinds else None
    if len(kinds) > 1:
        return None
    t: Any = kinds.pop()
    if t is list:
        inner = [x for row in xs for x in row]
        # Where all are empty, it is not known of what they are lists.
        kind = item_kind(inner, sizes, records, maps) if inner else None
        return (list, kind) if kind is not None and (records or not _is_record(kind)) else None
    if t is np.ndarray:
        first = xs[0]
        if any(x.shape != first.shape or x.dtype != first.dtype for x in xs):
            return None
        return _key(first, sizes)
    if t in (bool, str) and records or issubclass(t, np.number) or t is Places:
        return t  # type: ignore[no-any-return]
    if t is dict and maps and (kind := _record_kind(t, xs, sizes, records, maps)) is None:
        kinds_of_parts = [item_kind([x for d in xs for x in part(d)], sizes, records, maps)
                          for part in (dict.keys, dict.values)] if any(xs) else [None]
        return None if None in kinds_of_parts else ("map", *kinds_of_parts)
    return _record_kind(t, xs, sizes, records, maps) if records else _row_kind(xs, sizes) if t is tuple else None


_REAL = frozenset((float, int))


def _is_record(kind: Any) -> bool:
    return isinstance(kind, tuple) and isinstance(kind[0], type) and kind[0] is not list


def _row_kind(xs: Sequence[Any], sizes: dict[int, int]) -> Hashable:
    """The kind of tuples of numbers, arrays and lists of these."""
    kind = _record_kind(tuple, xs, sizes, False)
    return kind if kind is not None and not any(map(_is_record, kind[2:])) else None


def _record_kind(t: Any, xs: Sequence[Any], sizes: dict[int, int], records: bool = True, maps: bool = False
                 ) -> tuple[Any, ...] | None:
    """The kind of records of this class: tuples of one length, dicts with the same keys, objects."""
    if t is tuple:
        names = {len(x) for x in xs}
        columns = zip(*xs)
    elif t is dict:
        names = set(map(tuple, xs))  # type: ignore[arg-type]
        if any(type(key) is not str for keys in names for key in keys):  # type: ignore[attr-defined]
            return None
        columns = zip(*(x.values() for x in xs))
    elif is_container(t):
        names = {fields_of(x) for x in xs}  # type: ignore[misc]
        columns = zip(*([get_stored(x, k) for k in fields_of(x)] for x in xs))
    else:
        return None
    if len(names) > 1:
        return None
    kinds = tuple([_all_none(column) or item_kind(column, sizes, records, maps) for column in columns])
    if None in kinds or set(kinds) <= {"none"}:
        return None
    return (t, names.pop(), *kinds)


def _all_none(column: Sequence[Any]) -> Hashable:
    """The kind of a column of `None`, which has no tangent."""
    return "none" if all(x is None for x in column) else None


def list_tree(kind: Hashable) -> Tree:
    """The structure of a list whose items are of this kind; its leaves are numbered from 0.

    >>> list_tree(item_kind([(1.0, [2.0]), (3.0, [])], {})).children[0].children
    (Leaf(index=0, number=None), Leaf(index=1, number=None))
    """
    count = itertools.count()

    def of_list(kind: Any) -> Tree | None:
        item = of_item(kind)
        return None if item is None else Node("rows", (None,), (item,))

    def of_item(kind: Any) -> Tree | None:
        """None for a number, an array or a string, and for a list of these."""
        if kind == "none":
            return Const(None)
        if not isinstance(kind, tuple) or isinstance(kind[0], np.dtype) or kind[0] == "none":
            return None
        if kind[0] is list:
            return of_list(kind[1])
        if kind[0] == "map":
            places = Leaf(next(count))
            return Node("map", PARTS, (places, *[of_list(part) or Leaf(next(count)) for part in kind[1:]]))
        cls, names, *columns = kind
        keys = tuple(range(names)) if cls is tuple else names
        children = tuple([of_item(column) or Leaf(next(count)) for column in columns])
        return Node("tuple" if cls is tuple else "dict" if cls is dict else "object", keys, children, cls)

    return of_list(kind) or Leaf(0)


def is_one_value(x: Any) -> bool:
    """Is this list one value of the IR, for any length?"""
    return type(x) is list and len(x) > FEW_ITEMS and item_kind(x, {}) is not None


def with_differentiated_ints(x: Any) -> Any:
    """The argument with 0.0 for each int that counts as a float: one whose column in a long list has floats, too.

    >>> with_differentiated_ints(([1, 2.0, 3, 4.0, 5], [1, 2.0]))
    ([0.0, 2.0, 0.0, 4.0, 0.0], [1, 2.0])
    """
    kind = item_kind(x, {}) if type(x) is list and len(x) > FEW_ITEMS else None
    if kind is not None:
        return _with_zeros(x, (list, kind))
    parts = parts_of(x)
    return x if parts is None else with_items(
        x, {key: with_differentiated_ints(part) for key, part in parts.items.items()})


def _with_zeros(x: Any, kind: Any) -> Any:
    """`x`, of this kind, with 0.0 for the ints among ints and floats."""
    if kind == "real":
        return 0.0 if type(x) is int else x
    if not isinstance(kind, tuple) or x is None:
        return x
    if kind[0] == "none":
        return _with_zeros(x, kind[1])
    if kind[0] is list:
        return [_with_zeros(item, kind[1]) for item in x] if kind[1] == "real" or isinstance(kind[1], tuple) else x
    parts = parts_of(x)
    return x if parts is None else with_items(
        x, {key: _with_zeros(part, column) for (key, part), column in zip(parts.items.items(), kind[2:])})


class Equal(Same):
    """An object that counts by equality."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and bool(self.x == other.x)

    def __hash__(self) -> int:
        return hash(self.x)
