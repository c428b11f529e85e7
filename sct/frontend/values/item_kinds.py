"""Values of several kinds in one place: the kind of each, and the form of a list of them.

    ("push", 1.5)   is of the kind "push"         2.0   of "number"
    (c, None)       is of "tuple of 2"            None  of None
    {"t": 1.0}      is of "dict of t"

A tuple or a dict that begins with a string of the program is of a kind of its own: what tells an instruction from
another one, or an event from another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sct.frontend.values.abstract_values import PLAIN, Abstract, DefaultRef, DictRef, ListRef, Slots, Static, Tup
from sct.frontend.values.item_schemas import Rows, assembled, leaf_numbers, map_parts, part_of_rows, parts_of
from sct.frontend.values.schemas import KindSchema, ListSchema, MemberSchema, ObjectSchema, Schema
from sct.ir import Lit, Value
from sct.ir.pytrees.kinds import code_of_record
from sct.ir.types import NONE, ActiveText, List, Never, Optional, Tensor, Text, Type, py

__all__ = [
    "MOST_KINDS", "Clash", "Kinds", "NoKind", "are_apart", "are_number_and_text", "filler", "is_number", "is_text",
    "joined_forms", "kind_of", "leaf_sources"]

Kinds = dict[Any, Abstract]
"""What a value may be, by the code of its kind."""


def kind_of(v: Abstract, slots: Callable[[Any], Slots], by_length: bool = False) -> Any:
    """The code of the kind of a value; `...` of values that are of no kind.

    by_length  tuples and dicts that begin with one string differ in length, or in their keys
    """
    if isinstance(v, Static):
        return _name_of_class(type(v.peek)) if type(v.peek) in PLAIN else ...
    if isinstance(v, Value):
        return kind_of_type(v.type)
    if isinstance(v, Tup):
        return _of_record(v.cls, range(len(v.items)) if v.cls is tuple else v.fields, v.items, by_length)
    if isinstance(v, ListRef):
        return "list"
    if isinstance(v, DictRef) and not isinstance(v, DefaultRef):
        cell = slots(v)
        return ... if cell.unset else _of_record(dict, cell.keys, cell.items, by_length)
    return ...


def kind_of_type(t: Type) -> Any:
    """The code of the kind of a number, a string, a list or None."""
    if t == NONE:
        return None
    t = t.elem if isinstance(t, Optional) else t
    if isinstance(t, Tensor) and t.is_scalar:
        return {"b": "bool", "c": "complex"}.get(t.kind, "number")
    return "str" if isinstance(t, (ActiveText, Text)) else "list" if isinstance(t, List) else ...


def _name_of_class(cls: type) -> str | None:
    return None if cls is type(None) else "number" if cls in (int, float) else cls.__name__


def _of_record(cls: Any, keys: Iterable[Any], parts: Sequence[Any], by_length: bool) -> str:
    """The code of a tuple or a dict: the string with which it begins, or its class and what it has."""
    keys = tuple(keys)
    first = next((x.value for x in parts[:1 if cls is tuple else None] if is_text(x)), None)
    form = (len(keys),) if cls is tuple else keys
    return code_of_record(first, cls, form if first is None or by_length else None)


def is_text(x: Any) -> bool:
    return isinstance(x, Static) and type(x.peek) is str


# -- forms of lists ----------------------------------------------------------------------------------------------


def kinds_of_rows(rows: Rows, by_length: bool = False) -> dict[Any, Rows]:
    """The forms of the items of each kind, by its code; none where an item is of no kind."""
    schema, types = rows
    if isinstance(schema, KindSchema):
        return {code: part_of_rows(rows, part) for code, part in zip(schema.codes, schema.kinds)}
    code = kind_of_schema(schema, types, by_length)
    return {} if code is ... else {code: rows}


def kind_of_schema(schema: Schema, types: Sequence[Type], by_length: bool) -> Any:
    """The code of the kind of items of this schema; `...` if they are of none."""
    if isinstance(schema, int):
        return kind_of_type(types[schema])
    if isinstance(schema, Static):
        return _name_of_class(type(schema.peek)) if type(schema.peek) in PLAIN else ...
    if isinstance(schema, ListSchema):
        return "list"
    if isinstance(schema, tuple):
        return _of_record(tuple, range(len(schema)), schema, by_length)
    if isinstance(schema, ObjectSchema) and isinstance(schema.cls, type) and issubclass(schema.cls, (dict, tuple)):
        return _of_record(schema.cls, schema.keys, schema.parts, by_length)
    return ...


class Clash(Exception):
    """Records that begin with one string differ in length, or in their keys."""


class NoKind(Exception):
    """An item is of no kind."""


def joined_forms(a: Rows, b: Rows, join: Callable[[Type, Type], Type | None], by_length: bool = False) -> Rows:
    """The form of a list of items of both, which are of one kind or of several."""
    p, q = a[0], b[0]
    if p == q and isinstance(p, Static):
        return a
    for x, y in ((a, b), (b, a)):
        if x[1] == [Never()]:
            return y
    if isinstance(p, int) and isinstance(q, int) and (t := join(a[1][p], b[1][q])) is not None:
        return 0, [t]
    if isinstance(p, ListSchema) and isinstance(q, ListSchema):
        inner = joined_forms(_items(a), _items(b), join, by_length)
        return ListSchema(inner[0]), [List(t) for t in inner[1]]
    if isinstance(p, MemberSchema) and isinstance(q, MemberSchema) and p.cls is q.cls:
        codes = joined_forms(part_of_rows(a, p.code), part_of_rows(b, q.code), join, by_length)
        return assembled(lambda schemas: map_parts(p, schemas), [codes])
    for x, y in ((a, b), (b, a)):
        if isinstance(x[0], ListSchema) and y[1] == [List(Never())]:
            return x
    if _is_record(p) and _is_record(q) and _head(p) == _head(q) and kind_of_schema(p, (), True) == kind_of_schema(
            q, (), True):
        parts = [joined_forms(part_of_rows(a, x), part_of_rows(b, y), join, by_length)
                 for x, y in zip(parts_of(p), parts_of(q))]
        return assembled(lambda schemas: map_parts(p, schemas), parts)
    mine, others = kinds_of_rows(a, by_length), kinds_of_rows(b, by_length)
    if not mine or not others:
        raise NoKind
    kinds = dict(mine)
    for code, rows in others.items():
        if code in kinds and (a, b) == (kinds[code], rows):
            raise Clash if _is_record(p) else NoKind
        kinds[code] = joined_forms(kinds[code], rows, join, by_length) if code in kinds else rows
    return _of_kinds(kinds)


def _of_kinds(kinds: Mapping[Any, Rows]) -> Rows:
    """The form of a list of items of these kinds."""
    codes: Rows = 0, [Optional(Text()) if None in kinds else Text()]
    filled = [(schema, list(map(_with_filler, types))) for schema, types in kinds.values()]
    return assembled(lambda schemas: KindSchema(schemas[0], tuple(kinds), schemas[1:]), [codes, *filled])  # type: ignore


def _items(rows: Rows) -> Rows:
    """The form of the items of lists."""
    assert isinstance(rows[0], ListSchema)
    return rows[0].item, [t.elem for t in rows[1] if isinstance(t, List)]


def _is_record(schema: Schema) -> bool:
    return isinstance(schema, (tuple, ObjectSchema))


def _head(schema: Schema) -> Any:
    """What records of one form have in common besides their parts."""
    first = next(filter(is_text, parts_of(schema)[:1 if isinstance(schema, tuple) else None]), None)
    return first, (schema.cls, schema.keys) if isinstance(schema, ObjectSchema) else len(parts_of(schema))


def filler(t: Type) -> Lit:
    """What stands in a column of this type in the place of items of other kinds, where nothing reads it."""
    if isinstance(t, Text):
        return Lit("")
    if not isinstance(t, Tensor) or t.is_array:
        return Lit(None)
    zero = {"b": False, "i": 0, "f": 0.0, "c": 0j}["i" if t.integral else t.kind]
    return Lit(zero, None if py(zero) == t else t)


def _with_filler(t: Type) -> Type:
    """The type of a column in which there are fillers, too."""
    return t if isinstance(t, (List, Optional)) or filler(t) != Lit(None) else Optional(t)


def leaf_sources(old: Rows, new: Schema, by_length: bool = False) -> dict[int, int | Lit]:
    """For the leaves of a form that holds the items of an older form: the older leaf, or the code of the kind.

    Others are filled.
    """
    sources: dict[int, int | Lit] = {}

    def visit(rows: Rows, numbers: Sequence[int], q: Schema) -> None:
        p = rows[0]
        if isinstance(q, KindSchema):
            if isinstance(p, KindSchema):
                sources[q.code] = numbers[p.code]
            for code, own in kinds_of_rows(rows, by_length).items():
                if not isinstance(p, KindSchema):
                    sources[q.code] = Lit(code)
                part = p.kinds[p.codes.index(code)] if isinstance(p, KindSchema) else p
                if code in q.codes:
                    visit(own, [numbers[k] for k in leaf_numbers(part)], q.kinds[q.codes.index(code)])
        elif isinstance(p, int) and isinstance(q, int):
            sources[q] = numbers[p]
        elif isinstance(p, ListSchema) and isinstance(q, ListSchema):
            visit(_items(rows), numbers, q.item)
        else:
            for x, y in zip(parts_of(p), parts_of(q)):
                visit(part_of_rows(rows, x), [numbers[k] for k in leaf_numbers(x)], y)

    visit(old, range(len(old[1])), new)
    return sources


# -- values ------------------------------------------------------------------------------------------------------

MOST_KINDS = 32
"""A value may be of at most so many kinds."""

_NUMBERS = ("bool", "complex", "number")


def is_number(v: Abstract) -> bool:
    """Is this a number?"""
    return isinstance(v, (Static, Value)) and kind_of(v, lambda container: Slots(())) in _NUMBERS


def are_number_and_text(a: Abstract, b: Abstract) -> bool:
    """Is one of these a number, and the other a string?"""
    kinds = [kind_of(v, lambda container: Slots(())) if isinstance(v, (Static, Value)) else ... for v in (a, b)]
    return "str" in kinds and any(kind in _NUMBERS for kind in kinds)


def are_apart(a: Kinds, b: Kinds) -> bool:
    """Are these values of different kinds, which have no type in common?

    Numbers have one, None has one with any value, and lists and tuples that grow have.
    """
    if not a or not b or len(a.keys() | b.keys()) > MOST_KINDS:
        return False
    of_choice = len(a) > 1 or len(b) > 1
    names = {"number" if code in _NUMBERS else code for code in (*a, *b)} - {None}
    records = [v for v in (*a.values(), *b.values()) if isinstance(v, Tup)]
    grow = len(records) == 2 and not any(is_text(v.items[0]) for v in records if v.items)
    return of_choice or len(names) > 1 and not grow
