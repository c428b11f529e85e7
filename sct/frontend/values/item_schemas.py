"""The schemas of items of lists of unknown length: how an item is built from the columns."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.frontend.values.abstract_values import Static
from sct.frontend.values.schemas import (
    KindSchema,
    ListSchema,
    MemberSchema,
    ObjectSchema,
    OptionalSchema,
    Schema,
    TupleSchema,
)
from sct.ir.types import NONE, List, Never, Tensor, Text, Type

__all__ = [
    "CommonForm", "FunctionForm", "Rows", "assembled", "common_form", "holds_functions", "holds_kinds", "holds_members",
    "holds_objects", "holds_objects_of_classes", "holds_optional_tuples", "is_of_tuples", "keys_of_objects",
    "leaf_numbers", "map_leaves", "map_parts", "part_of_rows", "parts_of", "schema_parts", "with_open_tuples",
]


class FunctionForm:
    """What the functions in a list have in common: it stands for the class in their schema."""


Rows = tuple[Schema, list[Type]]
"""The schema of the items of a list, and the types of their leaves."""


_WRAPPERS = ListSchema, OptionalSchema, TupleSchema
"""Schemas that say something about all of the schema in them."""


def parts_of(schema: Schema) -> tuple[Schema, ...]:
    """The schemas in a schema."""
    if isinstance(schema, tuple):
        return schema
    if isinstance(schema, ObjectSchema):
        return schema.parts
    if isinstance(schema, KindSchema):
        return schema.code, *schema.kinds
    if isinstance(schema, MemberSchema):
        return (schema.code,)
    return (schema.item,) if isinstance(schema, _WRAPPERS) else ()


def map_parts(schema: Schema, parts: tuple[Schema, ...]) -> Schema:
    """The schema with these in the place of the schemas in it."""
    if isinstance(schema, tuple):
        return parts
    if isinstance(schema, ObjectSchema):
        return replace(schema, parts=parts)
    if isinstance(schema, KindSchema):
        code, *kinds = parts
        assert isinstance(code, int)
        return KindSchema(code, schema.codes, tuple(kinds))
    if isinstance(schema, MemberSchema):
        return parts[0] if isinstance(parts[0], Static) else replace(schema, code=parts[0])  # type: ignore[arg-type]
    return type(schema)(*parts) if isinstance(schema, _WRAPPERS) else schema


def map_leaves(schema: Schema, f: Callable[[int], Schema]) -> Schema:
    """The schema with `f` of its leaves in their places."""
    if isinstance(schema, int):
        return f(schema)
    return map_parts(schema, tuple(map_leaves(part, f) for part in parts_of(schema)))


def schema_parts(schema: Schema, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], int | Static]]:
    """The leaves and constants of a schema, with the keys that lead to them."""
    if isinstance(schema, (int, Static)):
        yield path, schema
    elif isinstance(schema, ListSchema):
        yield from schema_parts(schema.item, (*path, None))
    elif isinstance(schema, (OptionalSchema, TupleSchema)):
        yield from schema_parts(schema.item, path)
    elif isinstance(schema, MemberSchema):
        yield from schema_parts(schema.code, path)
    elif isinstance(schema, KindSchema):
        for k, part in enumerate(parts_of(schema)):
            yield from schema_parts(part, (*path, k))
    else:
        keys, parts = (schema.keys, schema.parts) if isinstance(schema, ObjectSchema) else (range(len(schema)), schema)
        for key, part in zip(keys, parts):
            yield from schema_parts(part, (*path, key))


def leaf_numbers(schema: Schema) -> list[int]:
    """The numbers of the leaves, left to right."""
    numbers: list[int] = []

    def note(k: int) -> int:
        numbers.append(k)
        return k

    map_leaves(schema, note)
    return numbers


def keys_of_objects(schema: Schema) -> Iterator[tuple[Any, ...]]:
    """The names of the attributes, or the keys, of the objects of a schema."""
    if isinstance(schema, ObjectSchema) and not isinstance(schema.cls, FunctionForm):
        yield schema.keys
    for part in parts_of(schema):
        yield from keys_of_objects(part)


def holds_objects(schema: Schema) -> bool:
    """Does an item of this schema hold objects or dicts?"""
    return any(True for _ in keys_of_objects(schema))


def holds_objects_of_classes(schema: Schema) -> bool:
    """Does an item of this schema hold objects of a user's class, functions or dicts of keys of run time?"""
    own = isinstance(schema, ObjectSchema) and schema.cls is not dict and not (
        isinstance(schema.cls, type) and issubclass(schema.cls, tuple))
    return own or any(map(holds_objects_of_classes, parts_of(schema)))


def holds_kinds(schema: Schema) -> bool:
    """May items of this schema, or parts of them, be of several kinds?"""
    return isinstance(schema, KindSchema) or any(map(holds_kinds, parts_of(schema)))


def holds_members(schema: Schema) -> bool:
    """Is an item of this schema, or something in it, a member of an enum?"""
    return isinstance(schema, MemberSchema) or any(map(holds_members, parts_of(schema)))


def holds_functions(schema: Schema) -> bool:
    """Is an item of this schema, or something in it, a function?"""
    return isinstance(schema, ObjectSchema) and isinstance(schema.cls, FunctionForm) or any(
        map(holds_functions, parts_of(schema)))


def is_of_tuples(schema: Schema, is_ordered_as_tuple: Callable[[type], bool]) -> bool:
    """Is an item of this schema one number, string or array, or a tuple of these and of such tuples?

    So is an object of a class of named tuples that are compared as tuples are."""
    of_tuple = isinstance(schema, tuple) or isinstance(schema, ObjectSchema) and isinstance(schema.cls, type) \
        and issubclass(schema.cls, tuple) and is_ordered_as_tuple(schema.cls)
    return isinstance(schema, int) or of_tuple and all(
        is_of_tuples(part, is_ordered_as_tuple) for part in parts_of(schema))


def holds_optional_tuples(schema: Schema) -> bool:
    """Is an item of this schema, or something in it, a tuple in whose place None may be?"""
    return isinstance(schema, OptionalSchema) or any(map(holds_optional_tuples, parts_of(schema)))


def part_of_rows(rows: Rows, part: Schema) -> Rows:
    """The form of a part of the items."""
    numbers = leaf_numbers(part)
    return map_leaves(part, numbers.index), [rows[1][k] for k in numbers]


def assembled(of: Callable[[tuple[Schema, ...]], Schema], parts: Sequence[Rows]) -> Rows:
    """The form that is made of these."""
    types: list[Type] = []
    schemas: list[Schema] = []
    for schema, own in parts:
        first = len(types)
        schemas.append(map_leaves(schema, lambda k: first + k))  # noqa: B023
        types += own
    return of(tuple(schemas)), types


def with_open_tuples(a: Rows, b: Rows, join: Callable[[Type, Type], Type | None]) -> tuple[Rows, Rows] | None:
    """Both forms, with tuples of any length where one has a tuple of another length than the other, and the items of
    each are alike; None if there is no such tuple."""
    clash = False

    def opened(rows: Rows) -> Rows | None:
        if isinstance(rows[0], TupleSchema):
            return rows
        (schema, types), *others = [part_of_rows(rows, part) for part in parts_of(rows[0])] or [(0, [Never()])]
        for other, more in others:
            joined = [join(s, t) for s, t in zip(types, more)]
            if other != schema or None in joined:
                return None
            types = [t for t in joined if t is not None]
        return TupleSchema(schema if isinstance(schema, int) else ListSchema(schema)), [List(t) for t in types]

    def visit(x: Rows, y: Rows) -> tuple[Rows, Rows]:
        nonlocal clash
        p, q = x[0], y[0]
        if all(isinstance(s, (tuple, TupleSchema)) for s in (p, q)) and (
                type(p) is not type(q) or isinstance(p, tuple) and len(p) != len(parts_of(q))):
            both = opened(x), opened(y)
            if both[0] is None or both[1] is None:
                return x, y
            clash = True
            return both[0], both[1]
        is_one = isinstance(p, tuple) and isinstance(q, tuple) or isinstance(p, ObjectSchema) and isinstance(
            q, ObjectSchema) and (p.cls, p.keys) == (q.cls, q.keys)
        if not is_one:
            return x, y
        pairs = [visit(part_of_rows(x, s), part_of_rows(y, t)) for s, t in zip(parts_of(p), parts_of(q))]
        return (assembled(functools.partial(map_parts, p), [s for s, _ in pairs]),
                assembled(functools.partial(map_parts, q), [t for _, t in pairs]))

    both = visit(a, b)
    return both if clash else None


@dataclass
class CommonForm:
    """A form that holds the items of two lists: its schema, and for each leaf the leaves of the two that it takes.

    empty  the leaves that are lists in one of the two, where None stands for the whole tuple in the other: in its place
           they are empty
    """

    schema: Schema
    leaves: list[tuple[int, int]]
    empty: set[int]


def common_form(a: Rows, b: Rows) -> CommonForm | None:
    """The form of a list with items of both; None if there is none.

    A tuple and None make a tuple that may be None; an empty list is a list of items of any form.
    """
    leaves: list[tuple[int, int]] = []
    empty: set[int] = set()

    def note(k: int, m: int) -> int:
        leaves.append((k, m))
        return len(leaves) - 1

    def visit(p: Schema, q: Schema, depth: int) -> Schema:
        if isinstance(p, int) and isinstance(q, int):
            return note(p, q)
        if isinstance(p, int):
            return of_leaf(_items(a[1][p], depth), q, b[1], depth, functools.partial(note, p),
                           lambda item: visit(p, item, depth + 1))
        if isinstance(q, int):
            return of_leaf(_items(b[1][q], depth), p, a[1], depth, lambda k: note(k, q),
                           lambda item: visit(item, q, depth + 1))
        if isinstance(p, OptionalSchema) or isinstance(q, OptionalSchema):
            if not all(_may_be_absent(s, _leaf_types(s, types, depth)) for s, types in ((p, a[1]), (q, b[1]))):
                raise _NoForm
            x, y = (s.item if isinstance(s, OptionalSchema) else s for s in (p, q))
            return OptionalSchema(visit(x, y, depth))
        if isinstance(p, ListSchema) and isinstance(q, ListSchema):
            return ListSchema(visit(p.item, q.item, depth + 1))
        if len(parts_of(p)) != len(parts_of(q)) or map_parts(p, parts_of(q)) != q:
            raise _NoForm
        return map_parts(p, tuple(visit(x, y, depth) for x, y in zip(parts_of(p), parts_of(q))))

    def of_leaf(t: Type, other: Schema, types: Sequence[Type], depth: int, note_leaf: Callable[[int], int],
                inside: Callable[[Schema], Schema]) -> Schema:
        """The form that holds values of type `t` as well as items of the schema `other`."""
        if isinstance(t, Never):
            return map_leaves(other, note_leaf)
        if t == NONE and isinstance(other, MemberSchema) and not depth:
            return map_leaves(other, note_leaf)
        if t == NONE and _may_be_absent(other, _leaf_types(other, types, depth), lists=not depth):
            first = len(leaves)
            form = map_leaves(other, note_leaf)
            empty.update(first + k for k, leaf in enumerate(leaf_numbers(other)) if isinstance(types[leaf], List))
            return form if isinstance(form, OptionalSchema) else OptionalSchema(form)
        if isinstance(t, List) and isinstance(other, ListSchema):
            return ListSchema(inside(other.item))
        raise _NoForm

    try:
        return CommonForm(visit(a[0], b[0], 0), leaves, empty)
    except _NoForm:
        return None


class _NoForm(Exception):
    """Two items have no common form."""


def _items(t: Type, depth: int) -> Type:
    """The type of the items of a list of lists, so deep."""
    for _ in range(depth):
        t = t.elem if isinstance(t, List) else t
    return t


def _leaf_types(schema: Schema, types: Sequence[Type], depth: int) -> list[Type]:
    """The types of the leaves of a schema that is so deep in lists."""
    return [_items(types[k], depth) for k in leaf_numbers(schema)]


def _may_be_absent(schema: Schema, types: Sequence[Type], lists: bool = True) -> bool:
    """Are these tuples of numbers, strings and arrays that are not None, or tuples that may be None?

    lists  behind the first item there may be lists, too
    """
    if isinstance(schema, OptionalSchema):
        return True
    is_tuple = isinstance(schema, tuple) or isinstance(schema, ObjectSchema) and schema.keys and isinstance(
        schema.cls, type) and issubclass(schema.cls, tuple)
    parts = parts_of(schema)
    return bool(is_tuple and types) and isinstance(parts[0], int) and isinstance(types[0], (Tensor, Text)) and all(
        isinstance(part, (int, ListSchema)) for part in parts) and all(
            isinstance(t, (Tensor, Text)) or lists and isinstance(t, List) for t in types)
