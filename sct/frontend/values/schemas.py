"""Schemas: how an item of a list of unknown length is built from its columns."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Union

from sct.frontend.values.abstract_values import Static

__all__ = ["KindSchema", "ListSchema", "MemberSchema", "ObjectSchema", "OptionalSchema", "Schema", "TupleSchema"]


@dataclass(frozen=True)
class ObjectSchema:
    """The schema of an object, or of a dict: one for each attribute or key.  `cls` of a dict whose keys are known only
    at run time: a `MapRef`; its first key is its `list_items.Place`."""

    cls: Any
    keys: tuple[Any, ...]
    parts: tuple[Schema, ...]


@dataclass(frozen=True)
class ListSchema:
    """The schema of a list of records in a record: its columns are lists in the columns of the outer list."""

    item: Schema


@dataclass(frozen=True)
class OptionalSchema:
    """The schema of tuples in whose place None may be: it is None in all of their columns."""

    item: Schema


@dataclass(frozen=True)
class TupleSchema:
    """The schema of tuples of any length, whose items are alike: as of a list, which is never written."""

    item: Schema


@dataclass(frozen=True)
class KindSchema:
    """The schema of items of several kinds: the column of the codes, the code of each kind, and its schema.

    In the columns of a kind there is something of their type in the places of items of other kinds.
    """

    code: int
    codes: tuple[str | None, ...]
    kinds: tuple[Schema, ...]

    @property
    def of_classes(self) -> bool:
        """Are the items objects of several classes of the user?"""
        return all(isinstance(kind, ObjectSchema) and isinstance(kind.cls, type) and not issubclass(
            kind.cls, (dict, tuple)) for kind in self.kinds)


@dataclass(frozen=True)
class MemberSchema:
    """The schema of members of an enum: the column of their codes, which is None where an item is None."""

    cls: type[enum.Enum]
    code: int


Schema = Union[
    int, tuple[Any, ...], ObjectSchema, ListSchema, OptionalSchema, TupleSchema, KindSchema, MemberSchema, Static]
"""A leaf, by its number; a tuple of schemas; that of an object, a dict or a list; None, which has no column."""
