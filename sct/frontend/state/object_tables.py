"""The tables of objects that are rows of columns: which classes share one, and what its columns are.

    parts = []; ...: parts.append(Spring(k)); ...: parts.append(Damper(c))

    class  "spring"  "damper"  ...      a row for each object, in the order in which they are made
    k      2.0       None      ...      an attribute that only a Spring has
    c      None      0.5       ...      what an object has no attribute for is None, or an empty list, and is never read

The objects of two classes are in one table if a variable, an item or an attribute refers to either.  What both call by
one name, and is of one type in both, has one column.

A dict that a display of constant keys makes may be such an object, too: its class is its keys.  So may a tuple: its
class is its length, or the text that it begins with.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sct.frontend.state.fixpoint import widened
from sct.frontend.values.abstract_values import Abstract, Static
from sct.ir.dims import RAGGED
from sct.ir.types import NONE, List, Never, Optional, Tensor, Text, Type, map_sizes

if TYPE_CHECKING:
    from typing import TypeGuard

__all__ = ["Column", "Display", "LinkedClasses", "Record", "Table", "Tuple", "class_of_dict", "class_of_items",
           "is_display", "is_empty", "table_of", "wider", "with_known_sizes"]


class Display:
    """Of the classes of dicts and tuples that are rows.

    of    the class that Python says
    keys  the names of the items that are in columns
    tag   the text that is the first item of all tuples of the class, and in no column
    """

    of: type
    keys: tuple[str, ...]
    tag: str | None = None


class Record(Display):
    """Of the classes of dicts with these keys, in this order."""

    of = dict


class Tuple(Display):
    """Of the classes of tuples of a length, which may begin with a text."""

    of = tuple


def is_display(cls: type) -> TypeGuard[type[Display]]:
    """Is this the class of dicts or tuples that are rows?"""
    return issubclass(cls, Display)


def is_empty(cls: type) -> bool:
    """Is this the class of empty tuples?"""
    return is_display(cls) and not cls.keys and cls.tag is None


@functools.cache
def class_of_tuple(length: int, tag: str | None) -> type[Display]:
    """The class of tuples of this length, which begin with this text."""
    return type(tag or f"tuple of {length}", (Tuple,), {
        "keys": tuple(map(str, range(bool(tag), length))), "tag": tag or None})


def class_of_items(items: Sequence[Abstract]) -> type[Display]:
    """The class of tuples with these items."""
    tag = items[0].value if items and isinstance(items[0], Static) else None
    return class_of_tuple(len(items), tag if isinstance(tag, str) else None)


@functools.cache
def class_of_dict(keys: tuple[str, ...]) -> type[Display] | None:
    """The class of dicts with these keys; None where no column can have the name of one."""
    named = keys and all(isinstance(k, str) and re.sub(r"[\s-]", "_", k).isidentifier() for k in keys)
    return type(", ".join(keys), (Record,), {"keys": keys}) if named else None


class LinkedClasses(dict[type, str]):
    """The classes whose objects are rows of columns, with the names of these."""

    def update(self, classes: Collection[type]) -> None:  # type: ignore[override]
        for cls in sorted(classes, key=lambda c: c.__qualname__):
            if cls not in self:
                base = _snake_case(_named_class(cls))
                self[cls] = next(name for k in itertools.count() if (name := f"{base}{k or ''}") not in self.values())


def _named_class(cls: type) -> type:
    """The class after which columns are named: of a display the class of all."""
    return cls.__mro__[1] if is_display(cls) else cls


def _snake_case(cls: type) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


@dataclass
class Column:
    """A column: the attribute `attribute` of the objects of the classes `of`; None: the names of the classes."""

    name: str
    attribute: str | None
    of: tuple[type, ...]
    type: Type


@dataclass(frozen=True)
class Table:
    """The columns of the objects of these classes."""

    classes: tuple[type, ...]
    columns: tuple[Column, ...]

    def column(self, cls: type, attribute: str) -> Column | None:
        """The column of an attribute; None if objects of the class have no such attribute of their own."""
        return next((c for c in self.columns if c.attribute == attribute and cls in c.of), None)

    @property
    def names(self) -> Column:
        """The column of the names of the classes."""
        return self.columns[0]


def table_of(classes: Sequence[type], linked: Mapping[type, str], fields: Mapping[tuple[type, str], Type],
             others: Iterable[Table] = ()) -> Table:
    """The table of the objects of these classes, whose attributes are of the types `fields`.

    others  the tables whose columns have other names
    """
    columns: list[Column] = []
    for (cls, attribute), t in fields.items():
        if cls not in classes:
            continue
        same = next((c for c in columns if c.attribute == attribute and _are_alike(c.type, t)), None)
        if same is None:
            columns.append(Column("", attribute, (cls,), t))
        else:
            same.of, same.type = (*same.of, cls), wider(same.type, t)
    if len(classes) > 1 or not columns:
        columns.insert(0, Column("", None, tuple(classes), Text()))
    name = _name(classes, linked)
    taken = {c.name for table in others for c in table.columns}
    for c in columns:
        attribute = re.sub(r"\W", "_", c.attribute or "class")
        owner = linked[c.of[0]] if len(c.of) == 1 < len(classes) and not is_display(c.of[0]) else name
        names = (f"{owner}_{attribute}", f"{linked[c.of[0]]}_{attribute}")
        numbered = (f"{names[0]}_{k}" for k in itertools.count(1))
        c.name = next(s for s in itertools.chain(names, numbered) if s not in taken)
        taken.add(c.name)
        if len(c.of) < len(classes) and not isinstance(c.type, (List, Optional)):
            c.type = Optional(c.type)
    return Table(tuple(classes), tuple(columns))


def _name(classes: Sequence[type], linked: Mapping[type, str]) -> str:
    """The name of the table: that of the class, or of the next class from which all of them, and no others, inherit."""
    if len(classes) == 1:
        return linked[classes[0]]
    if all(map(is_display, classes)):
        return _snake_case(_named_class(classes[0]))
    shared = (c for c in classes[0].__mro__ if c.__module__ not in ("abc", "builtins", "typing") and all(
        issubclass(other, c) for other in classes))
    common = next(shared, None)
    if common is None or any(issubclass(cls, common) for cls in linked if cls not in classes):
        return "_or_".join(linked[cls] for cls in classes[:3])
    return linked.get(common, _snake_case(common))


def _are_alike(a: Type, b: Type) -> bool:
    """Does a column hold values of both types without making one of them wider?"""
    a, b = (t.elem if isinstance(t, Optional) and t != NONE else t for t in (a, b))
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return (a.carrier, a.dtype, a.rank) == (b.carrier, b.dtype, b.rank)
    if isinstance(a, List) and isinstance(b, List):
        return a == b or List(Never()) in (a, b)
    return a == b or NONE in (a, b) and not isinstance(a, List) and not isinstance(b, List)


def wider(a: Type, b: Type) -> Type:
    """The least type that holds both; sizes of arrays that differ are those of the rows."""
    return widened(a, b, lambda axis, p, q: RAGGED)


def with_known_sizes(t: Type, sizes: Iterable[str]) -> Type:
    """The type, whose sizes that mean nothing outside are those of the rows."""
    return map_sizes(lambda d: d if d.symbols <= {*sizes} else RAGGED, t)
