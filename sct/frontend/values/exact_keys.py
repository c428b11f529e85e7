"""Comparison of keys and members of sets by class and bits: equal keys of different classes are different here.

>>> {1: "a"} == {1.0: "a"}, same_keys({1: "a"}, {1.0: "a"}), same_keys([0.0], [-0.0]), same_keys(["k"], ["k"])
(True, False, False, True)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from sct.frontend.values.guarded_numbers import Asked
from sct.ir.pytrees.user_objects import fields_of, get_stored, is_container

__all__ = ["COMPARED_BY_CLASS", "Equal", "Same", "exact", "same_keys"]

COMPARED_BY_CLASS = frozenset((bool, int, str, bytes, type(None)))
"""Equal objects of one of these classes are the same."""


class Same:
    """An object that counts by its identity."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.x is other.x

    def __hash__(self) -> int:
        return id(self.x)


class Equal(Same):
    """An object that counts by equality."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and bool(self.x == other.x)

    def __hash__(self) -> int:
        return hash(self.x)


def same_keys(left: Iterable[Any], right: Iterable[Any]) -> bool:
    """Are these the same keys in the same order?  A number of the function counts by which it is, not by its value."""
    a, b = tuple(left), tuple(right)
    return a == b and exact(a) == exact(b)


def exact(keys: Iterable[Any]) -> Hashable:
    """A value that is equal for the same keys in the same order: by class and bits, also of their attributes."""
    return _Snapshot().of(keys)


class _Snapshot:
    """Snapshots of the contents of objects, which are numbered when they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.met: list[Any] = []

    def of(self, keys: Iterable[Any]) -> Hashable:
        row = tuple(map(self.part, keys))
        if not self.met:
            return row
        return row, *(tuple(map(self.part, _held(x))) for x in self.met)  # `met` grows meanwhile

    def part(self, x: Any) -> Hashable:
        t: Any = type(x)
        if t in COMPARED_BY_CLASS:
            return t, x
        if isinstance(x, Asked):
            return t, repr(x), Same(x.of)
        if t is float or t is complex:
            return (t, repr(x)) if x == x else Same(x)
        if isinstance(x, np.generic) and not x.dtype.hasobject:
            return t, x.dtype.str, x.tobytes()
        if t is tuple or t is frozenset:
            return t, *map(self.part, x)
        if t in (list, dict, set, np.ndarray) or is_container(t):
            number = self.numbers.setdefault(id(x), len(self.met))
            if number == len(self.met):
                self.met.append(x)
            # What is compared by its identity is another one than an object that holds the same.
            return (t, number, Same(x)) if t.__eq__ is object.__eq__ else (t, number)
        return Same(x)


def _held(x: Any) -> Iterable[Any]:
    """The parts of an object, with their names."""
    if isinstance(x, dict):
        return *x, *x.values()
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape, x.tobytes() if not x.dtype.hasobject else id(x)
    if isinstance(x, (list, set)):
        return x
    names = fields_of(x)
    return *names, *(get_stored(x, name) for name in names)
