"""The kind of a list's items, as straight-line code that compares it at each call.

    (tuple, 2, float, str)   ->   if not a1: return MISS
                                  for a2 in a1:
                                      if type(a2) is not k0: return MISS
                                      a3, a4, = a2              # of another length: a ValueError
                                      if type(a3) is not k1: return MISS
                                      if type(a4) is not k2: return MISS

The code misses for exactly the lists of which `kind_of_rows` gives another kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import GetSetDescriptorType, MemberDescriptorType, SimpleNamespace
from typing import Any

import numpy as np

from sct.frontend.arguments.argument_keys import MEMBER, is_record
from sct.frontend.arguments.array_sizes import Ragged
from sct.ir.pytrees.user_objects import is_namedtuple, is_plain_attribute, slots_of

__all__ = ["RowChecks", "attribute_text"]

MISSES = "return MISS"

DEEPEST = 8
"""Python nests at most twenty loops."""


class _IsNotStraight(Exception):
    """A kind that only `kind_of_rows` compares."""


@dataclass
class RowChecks:
    """Writes the lines for the items of one list.

    constant  the name of an object; `variable`: a new name
    before    the lines that come first; `after`: those that come last
    shapes    the variable of the shape that the arrays of a column have, and how its sizes are numbered
    sizes     the variable of the size that an axis has in all items, and its number
    classes   the variable of the sizes that an axis has in the items, and their class
    """

    constant: Callable[[Any], str]
    variable: Callable[[], str]
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    shapes: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    sizes: list[tuple[str, int]] = field(default_factory=list)
    classes: list[tuple[str, Ragged]] = field(default_factory=list)

    def lines(self, xs: str, kind: Any, few: int) -> list[str] | None:
        """The lines for the list `xs`, which has more items than `few`; None for a kind that is compared as a whole."""
        item = self.variable()
        try:
            of_items = self.of_item(item, kind, 1)
        except _IsNotStraight:
            return None
        is_too_short = f"len({xs}) <= {few}" if few else f"not {xs}"
        return [f"if {is_too_short}: {MISSES}", *self.before, f"for {item} in {xs}:", *_indented(of_items), *self.after]

    def of_item(self, x: str, kind: Any, depth: int) -> list[str]:
        """The lines that check one item, or a part of one."""
        if kind == "none":
            return [f"if {x} is not None: {MISSES}"]
        if kind == "real":
            return self.of_real(x)
        if isinstance(kind, type):
            return [f"if type({x}) is not {self.constant(kind)}: {MISSES}"]
        if not isinstance(kind, tuple) or depth > DEEPEST:
            raise _IsNotStraight
        if kind[0] == "none":
            return [f"if {x} is None: {self.flag()} = True", "else:",
                    *_indented([*self.of_item(x, kind[1], depth), f"{self.flag()} = True"])]
        if kind[0] == MEMBER:
            return [f"if type({x}) is not {self.constant(kind[1])} or "
                    f"{self.constant(kind[1].__members__)}.get({x}.name) is not {x}: {MISSES}"]
        if isinstance(kind[0], np.dtype):
            return self.of_array(x, kind[0], kind[1], depth)
        if kind[0] is list:
            item = self.variable()
            return [f"if type({x}) is not list: {MISSES}", f"if {x}: {self.flag()} = True",
                    f"for {item} in {x}:", *_indented(self.of_item(item, kind[1], depth + 1))]
        if is_record(kind):
            return self.of_record(x, kind[0], kind[1], kind[2:], depth)
        raise _IsNotStraight

    def flag(self) -> str:
        """A variable that some item has to set."""
        name = self.variable()
        self.before.append(f"{name} = False")
        self.after.append(f"if not {name}: {MISSES}")
        return name

    def of_real(self, x: str) -> list[str]:
        """Ints and floats, of which there is each."""
        return [f"if type({x}) is float: {self.flag()} = True", f"elif type({x}) is int: {self.flag()} = True",
                f"else: {MISSES}"]

    def of_array(self, x: str, dtype: np.dtype[Any], shape: tuple[Any, ...], depth: int) -> list[str]:
        """Arrays of one shape, or with sizes that differ from item to item."""
        k = self.constant(dtype)
        lines = [f"if type({x}) is not ndarray: {MISSES}", f"t = {x}.dtype", f"if t is not {k} and t != {k}: {MISSES}"]
        if any(isinstance(size, Ragged) for size in shape):
            return lines + self.of_sizes(x, shape, depth)
        first = self.variable()
        self.shapes.append((first, shape))
        return lines + self.of_one(f"{x}.shape", first)

    def of_sizes(self, x: str, shape: tuple[Any, ...], depth: int) -> list[str]:
        """The sizes of arrays, some of which differ from item to item."""
        if depth > 1:
            raise _IsNotStraight  # they are compared list by list
        names = [self.variable() for _ in shape]
        lines = [f"({''.join(f'{name}, ' for name in names)}) = {x}.shape"]
        for name, size in zip(names, shape):
            column = self.variable()
            if isinstance(size, Ragged):
                self.before.append(f"{column} = []")
                self.after.append(f"{column} = tuple({column})")
                self.classes.append((column, size))
                lines.append(f"{column}.append({name})")
            else:
                self.sizes.append((column, size))
                lines += self.of_one(name, column)
        return lines

    def of_one(self, text: str, first: str) -> list[str]:
        """What is one and the same in all items, and is kept in a variable."""
        self.before.append(f"{first} = None")
        return [f"if {text} != {first}:", f"    if {first} is not None: {MISSES}", f"    {first} = {text}"]

    def of_record(self, x: str, cls: Any, names: Any, columns: Sequence[Any], depth: int) -> list[str]:
        parts = [self.variable() for _ in columns]
        row = "".join(f"{part}, " for part in parts)
        lines = [f"if type({x}) is not {self.constant(cls)}: {MISSES}"]
        if cls is tuple:
            lines.append(f"{row}= {x}")  # another length is a ValueError
        elif cls is dict:
            texts = self.constant({str})
            lines += [*self.of_names(x, names, f"set(map(type, {x})) != {texts}"), f"{row}= {x}.values()"]
        else:
            lines += self.of_attributes(x, cls, names)
            lines += [f"{part} = {attribute_text(x, cls, name)}" for part, name in zip(parts, names)]
        return lines + [line for part, kind in zip(parts, columns) for line in self.of_item(part, kind, depth)]

    def of_attributes(self, x: str, cls: Any, names: tuple[str, ...]) -> list[str]:
        """Lines that check which attributes an object has."""
        slots = tuple(slots_of(cls))
        if is_namedtuple(cls):
            return []
        if not cls.__dictoffset__ and slots == names and all(is_plain_attribute(cls, name) for name in names):
            return []  # reading an empty slot raises AttributeError
        if not slots and _has_plain_dict(cls):
            return self.of_names(f"{x}.__dict__", names)
        return [f"if fields_of({x}) != {self.constant(names)}: {MISSES}"]

    def of_names(self, names: str, expected: tuple[str, ...], or_else: str = "") -> list[str]:
        """Lines that check the keys of a dict, which most often are the very same strings."""
        parts = [self.variable() for _ in expected]
        differ_in_value = " or ".join(filter(None, [f"tuple({names}) != {self.constant(expected)}", or_else]))
        differ = " or ".join(f"{part} is not {self.constant(name)}" for part, name in zip(parts, expected))
        return [f"({''.join(f'{part}, ' for part in parts)}) = {names}",  # another number of them is a ValueError
                *([f"if ({differ}) and ({differ_in_value}): {MISSES}"] if parts else [])]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def attribute_text(x: str, cls: Any, name: str) -> str:
    """The expression for an attribute as the object stores it."""
    if is_plain_attribute(cls, name):
        return f"{x}.{name}"
    return f"tuple.__getitem__({x}, {cls._fields.index(name)})" if is_namedtuple(cls) else f"{x}.__dict__[{name!r}]"


def _has_plain_dict(cls: type) -> bool:
    """Does `x.__dict__` run no code of the user?"""
    own = {name: base for base in reversed(cls.__mro__) for name in vars(base)}
    return "__dict__" in own and own["__getattribute__"] in (object, SimpleNamespace) and \
        type(vars(own["__dict__"])["__dict__"]) in (GetSetDescriptorType, MemberDescriptorType)
