"""Keys of arguments: two calls with equal keys have the same abstract arguments."""

from __future__ import annotations

import datetime
import decimal
import fractions
import random
import re
import types
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from sct.errors import SctError, contains_itself
from sct.frontend.values.abstract_values import PLAIN
from sct.frontend.values.exact_keys import Same, exact
from sct.ir.user_objects import fields_of, get_stored, is_container

__all__ = ["FEW_ITEMS", "ROWS", "Equal", "column_kinds", "is_one_value", "item_kind", "key_of"]


def key_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Hashable:
    """The types of the arguments: two calls with one key have the same abstract arguments.

    >>> key_of((1.0, np.zeros(3)), {}) == key_of((2.0, np.zeros(4)), {})
    True
    """
    sizes: dict[int, int] = {}
    try:
        key = tuple([_key(a, sizes) for a in args])
        return key if not kwargs else (key, tuple([(k, _key(v, sizes)) for k, v in kwargs.items()]))
    except RecursionError:
        raise contains_itself("an argument") from None

def _key(x: Any, sizes: dict[int, int]) -> Hashable:
    t: Any = type(x)
    if t in PLAIN:
        return t  # type: ignore[no-any-return]
    if t is np.ndarray:
        # Sizes 0 and 1 are types of their own; other sizes count by which are equal.
        return x.dtype, tuple([s if s < 2 else sizes.setdefault(s, -1 - len(sizes)) for s in x.shape])
    if t is tuple:
        return (t, *[_key(v, sizes) for v in x])
    if t is list or t is dict:
        # One list passed twice is another key than two lists; ids are negative, sizes are not.
        first = sizes.setdefault(-1 - id(x), len(sizes))
        if t is list:
            kind = item_kind(x, sizes) or column_kinds(x, sizes) if len(x) > FEW_ITEMS else None
            return (t, first, ROWS, kind) if kind is not None else (t, first, *[_key(v, sizes) for v in x])
        return t, first, tuple([(k, _key(v, sizes)) for k, v in x.items()]), exact(x)
    if isinstance(x, np.generic):
        return t  # type: ignore[no-any-return]
    if is_container(t):
        if -1 - id(x) in sizes:
            return t, sizes[-1 - id(x)]
        first = sizes.setdefault(-1 - id(x), len(sizes))
        return t, first, tuple([(k, _key(get_stored(x, k), sizes)) for k in fields_of(x)])
    if isinstance(x, np.ndarray):
        raise SctError("SCT506", f"an array of class {t.__name__} is not supported",
                       why="a subclass may redefine operators", hint="pass np.asarray(x)")
    if t in _BY_CLASS:
        return t  # type: ignore[no-any-return]
    # A method is made anew whenever it is read of its object; equal ones are of one object.
    return Equal(x) if t in _METHODS else Same(x)


_BY_CLASS = frozenset((
    random.Random, np.random.Generator, np.random.RandomState, datetime.date, datetime.datetime, datetime.time,
    datetime.timedelta, decimal.Decimal, fractions.Fraction, re.Pattern))
"""Classes whose objects differ in their values alone: any of them is passed to Python as it is."""

_METHODS = (types.MethodType, types.BuiltinMethodType, type([].__len__))


ROWS = "rows"
"""In a key: the items of this list are one value of the IR."""


FEW_ITEMS = 4
"""A list of more items than this, all of one kind, is one value of the IR; other lists are flattened."""


def item_kind(xs: list[Any], sizes: dict[int, int]) -> Hashable:
    """The type that the items of a list have in common, as a key; None where they are not alike."""
    kinds = set(map(type, xs))
    if kinds <= _REAL:
        return "real" if len(kinds) > 1 else kinds.pop()
    if len(kinds) > 1:
        return None
    (t,) = kinds
    if t is list:
        inner = {item_kind(x, sizes) for x in xs if x}
        if not inner:
            return None  # all are empty: of what they are lists is not known
        if inner <= {float, int, "real"}:
            inner = {"real"} if len(inner) > 1 else inner
        kind = inner.pop()
        return (list, kind) if not inner and kind is not None else None
    if t is np.ndarray:
        first = xs[0]
        if any(x.shape != first.shape or x.dtype != first.dtype for x in xs):
            return None
        return _key(first, sizes)
    return t if issubclass(t, np.number) else None  # type: ignore[return-value]


_REAL = frozenset((float, int))


def column_kinds(xs: list[Any], sizes: dict[int, int]) -> Hashable:
    """The types of the columns of a list of tuples that are made alike, as a key."""
    if set(map(type, xs)) != {tuple} or len(set(map(len, xs))) > 1:
        return None
    kinds = tuple([item_kind(list(column), sizes) or _all_none(column) for column in zip(*xs)])
    return (tuple, *kinds) if kinds and None not in kinds else None


def _all_none(column: tuple[Any, ...]) -> Hashable:
    """The kind of a column of `None`, which has no tangent."""
    return "none" if all(x is None for x in column) else None


def is_one_value(x: Any) -> bool:
    """Is this list one value of the IR, for any length?"""
    return type(x) is list and len(x) > FEW_ITEMS and (item_kind(x, {}) or column_kinds(x, {})) is not None


class Equal(Same):
    """An object that counts by equality."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and bool(self.x == other.x)

    def __hash__(self) -> int:
        return hash(self.x)
