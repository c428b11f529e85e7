"""The forms of items of lists: their schema, and the types of the columns.

    (a, "x")             ->   (0, 1), [float, str]
    ("push", a), ("add",) ->   a column of the kinds, and one for the number of the first
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sct.errors import SctError
from sct.frontend.arguments.abstract_arguments import DictArgument
from sct.frontend.arguments.lift import constant_object
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.list_items import refuse_different_items
from sct.frontend.objects.container_objects import see_into_deque
from sct.frontend.objects.functions_in_lists import form_and_parts
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.objects.objects import check_in_list
from sct.frontend.state.choices import by_code, code, enum_of
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Choice,
    DefaultRef,
    DictRef,
    ListRef,
    MapRef,
    ObjRef,
    OptionalTuple,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.item_kinds import Clash, NoKind, is_text, joined_forms
from sct.frontend.values.item_schemas import (
    Rows,
    common_form,
    holds_objects_of_classes,
    map_leaves,
    parts_of,
    with_open_tuples,
)
from sct.frontend.values.schemas import (
    KindSchema,
    ListSchema,
    MemberSchema,
    ObjectSchema,
    OptionalSchema,
    Schema,
    TupleSchema,
)
from sct.ir import Value
from sct.ir.types import NONE, ActiveText, List, Never, Opaque, Optional, Tensor, Text, Type, TypeMismatch, join
from sct.ops import index

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["holds_kinds", "is_alike", "item_type", "items_like", "joined_kinds", "opened_tuples", "row_type",
           "schema_of", "slots"]


def slots(ev: Evaluator, ref: ListRef) -> Slots:
    return ev.store.slots(ref)


def schema_of(ev: Evaluator, v: Abstract, held_by: Sequence[int] = ()) -> Rows:
    """The schema of an item, and the types of its leaves; `held_by`: the addresses of objects that hold it."""
    types, around = list[Type](), [*held_by]  # around: those that hold the visited one

    def parts_of_record(items: Sequence[Abstract], first: Sequence[Abstract]) -> tuple[Schema, ...]:
        """The schemas of the parts; where there are items of several kinds, the string that tells them apart stays."""
        tells = next(filter(is_text, first), None) if ev.functions.plan.kinds else None
        return tuple(x if x is tells else visit(x) for x in items)  # type: ignore[misc]

    def visit(x: Abstract) -> Schema:
        if isinstance(x, MapRef):
            cell = ev.slots(x)
            types.append(Opaque())
            parts = len(types) - 1, *map(visit, cell.items[1:])
            uses = frozenset(use for origin, use in ev.functions.plan.dicts if origin == cell.site)
            return ObjectSchema(replace(x, addr=0), (list_items.Place(cell.site, uses), *cell.keys[1:]), parts)
        if isinstance(x, DictRef) and x.addr > CAPTURED and _is_to_be_filled(ev, ev.slots(x)):
            raise ev.functions.plan.changed(dicts={(ev.slots(x).site, "values")})
        if isinstance(x, Choice) and (x.codes is not None or _is_item(ev, x)):
            types.append(x.code.type)
            return KindSchema(len(types) - 1, tuple(by_code(x)), tuple(map(visit, x.members)))
        if isinstance(x, Tup):
            parts = parts_of_record(x.items, x.items[:1] if x.cls is tuple else x.items)
            return parts if x.cls is tuple else ObjectSchema(x.cls, x.fields, parts)
        if isinstance(x, OptionalTuple):
            return OptionalSchema(visit(x.of))
        if isinstance(x, RunTimeTuple):
            return TupleSchema(visit(x.of))
        if isinstance(x, ObjRef) or isinstance(x, DictRef) and not isinstance(x, DefaultRef):
            cell = ev.slots(x)
            check_in_list(ev, x)
            if x.addr in around:
                ev.refuse("SCT310", "an object in a list that refers to itself is not supported here",
                          hint="keep the position in the list instead of the object")
            around.append(x.addr)
            parts = parts_of_record(cell.items, cell.items) if isinstance(x, DictRef) else tuple(map(visit, cell.items))
            around.pop()
            return ObjectSchema(x.cls if isinstance(x, ObjRef) else dict, cell.keys, parts)
        if (function := form_and_parts(ev, x)) is not None:
            return ObjectSchema(function[0], tuple(range(len(function[1]))), tuple(map(visit, function[1])))
        if isinstance(x, ListRef) and (rows := _rows_of(ev, x, around)) is not None:
            schema, column_types = rows
            first = len(types)
            types.extend(map(List, column_types))
            return ListSchema(map_leaves(schema, lambda k: first + k))
        if (enum := enum_of(x)) is not None:
            types.append(code(x).type)
            return MemberSchema(enum, len(types) - 1)
        if isinstance(x, Static) and x is not v and (
                callable(x.peek) or x == Static(None) and not ev.functions.plan.has_column_for_none()):
            return x
        types.append(_leaf_type(ev, x))
        return len(types) - 1

    return visit(v), types


def _is_item(ev: Evaluator, v: Choice) -> bool:
    """Is this an object of one of several classes that was read from a list?"""
    eqn = ev.defs.get(v.code)
    return eqn is not None and eqn.op is index and all(isinstance(m, ObjRef) for m in v.members)


def _rows_of(ev: Evaluator, v: ListRef, held_by: Sequence[int]) -> Rows | None:
    """The schema and types of the items of a list of records; None for other lists."""
    cell = slots(ev, v)
    if cell.schema is None and not (cell.items and isinstance(cell.items[0], (Tup, ObjRef, DictRef))):
        return None
    rows = item_type(ev, v) if cell.schema is not None else row_type(ev, cell, held_by)
    return rows if rows[0] != 0 else None


def _leaf_type(ev: Evaluator, x: Abstract) -> Type:
    see_into_deque(ev, x)
    if isinstance(x, ListRef):
        cell = slots(ev, x)
        if cell.schema is not None and cell.schema == 0:
            (column,) = cell.items
            return ev.type_of(column)
        if cell.schema is None and not cell.items:
            return List(Never())
        if cell.schema is None:
            items = [schema_of(ev, item) for item in cell.items]
            if all(schema == 0 for schema, _ in items):
                return List(_joined(ev, [types[0] for _, types in items]))
    elif isinstance(x, Ref):
        maybe = list_items.value_or_none(ev, x)
        return ev.type_of(x) if maybe is None else maybe.type
    elif isinstance(x, Value) and (
            isinstance(x.type.elem if isinstance(x.type, Optional) else x.type, (Tensor, Text)) or
            isinstance(x.type, (ActiveText, Opaque))) or is_link(x) or \
            isinstance(x, Static) and is_literal(x) and isinstance(x.value, (bool, int, float, complex, str)):
        return ev.type_of(x)
    elif (constant := constant_object(ev, x)) is not None or x == Static(None):
        return NONE if constant is None else constant.type
    list_items.refuse_item(ev, x)


def _joined(ev: Evaluator, types: Sequence[Type]) -> Type:
    joined = types[0]
    for t in types[1:]:
        try:
            ev.agree(joined, t)
            joined = join(ev.resolved(joined), ev.resolved(t))
        except TypeMismatch as error:
            ev.functions.plan.note_mixed()
            ev.refuse("SCT310", f"the items of this list are of different types: {error}",
                      hint="use a list for each type, or a tuple")
    return joined


def row_type(ev: Evaluator, cell: Slots, held_by: Sequence[int] = ()) -> Rows:
    """The schema and types of the items of known slots."""
    if not cell.items:
        return 0, [Never()]
    rows = [schema_of(ev, x, held_by) for x in cell.items]
    return functools.reduce(functools.partial(_joined_rows, ev), rows)


def _joined_rows(ev: Evaluator, a: Rows, b: Rows) -> Rows:
    """The schema and types of a list that holds items of both."""
    if ev.functions.plan.kinds and not holds_objects_of_classes(a[0]):
        return joined_kinds(ev, a, b)
    if list_items.have_one_form(ev, a[0], b[0]):
        return a[0], [_joined(ev, pair) for pair in zip(a[1], b[1])]
    a, b = opened_tuples(ev, a, b) or (a, b)
    if (form := common_form(a, b)) is None:
        refuse_different_items(ev)
    pairs = [[a[1][k], b[1][m]] for k, m in form.leaves]
    return form.schema, [_joined(ev, [t for t in pair if k not in form.empty or isinstance(t, List)])
                         for k, pair in enumerate(pairs)]


def _join_of_alike(ev: Evaluator, s: Type, t: Type) -> Type | None:
    """The type of numbers, arrays or strings of both types; None if there is none."""
    try:
        ev.agree(s, t)
        return join(ev.resolved(s), ev.resolved(t))
    except TypeMismatch:
        return None


def opened_tuples(ev: Evaluator, a: Rows, b: Rows) -> tuple[Rows, Rows] | None:
    """Both forms with tuples of any length, where one has a tuple of another length than the other."""
    opened = with_open_tuples(a, b, functools.partial(_join_of_alike, ev))
    if opened is not None:
        ev.functions.plan.note_mixed()
    return opened


def joined_kinds(ev: Evaluator, a: Rows, b: Rows) -> Rows:
    """The schema and types of a list that holds items of both, which may be of several kinds."""
    plan = ev.functions.plan
    try:
        rows = joined_forms(a, b, functools.partial(_join_of_alike, ev), plan.kinds_by_length)
    except Clash:
        raise plan.with_kinds_by_length() from None
    except NoKind:
        refuse_different_items(ev)
    if _depth_of_kinds(rows[0]) > DEEPEST:
        refuse_different_items(ev)
    return rows


DEEPEST = 3
"""Items of several kinds have such items in them, so deep: a tree, which gets deeper in each iteration, has no end."""


def _depth_of_kinds(schema: Schema) -> int:
    return isinstance(schema, KindSchema) + max(map(_depth_of_kinds, parts_of(schema)), default=0)


def holds_kinds(ev: Evaluator, rows: Rows, own: Rows) -> bool:
    """Has a list of this form, in which values of several kinds may be, a place for an item of that one?"""
    return ev.functions.plan.kinds and not holds_objects_of_classes(rows[0]) and \
        joined_kinds(ev, rows, own)[0] == rows[0]


def items_like(ev: Evaluator, ref: ListRef, like: Rows | None) -> Rows:
    """The schema and types of the items, joined with those on another path."""
    cell = slots(ev, ref)
    schema, types = item_type(ev, ref) if cell.schema is not None else row_type(ev, cell)
    if like is None:
        return schema, types
    if types == [Never()]:
        return like
    if like[1] == [Never()]:
        return schema, types
    return _joined_rows(ev, like, (schema, types))


def _is_to_be_filled(ev: Evaluator, cell: Slots) -> bool:
    """May this dict be one that the function fills, with keys known only at run time?"""
    plan = ev.functions.plan
    told = plan.known_keys or plan.known_arguments and isinstance(cell.site, DictArgument)
    return not (cell.keys or told or (cell.site, "values") in plan.dicts)


def is_alike(ev: Evaluator, cell: Slots) -> bool:
    """May all the slots be items of one list?"""
    try:
        return bool(row_type(ev, cell)[1] and cell.items)
    except SctError:
        ev.functions.plan.note_mixed()
        return False


def item_type(ev: Evaluator, ref: ListRef) -> Rows:
    """The schema and types of the items of a list with columns."""
    cell = slots(ev, ref)
    assert cell.schema is not None
    types = [ev.type_of(c) for c in cell.items]
    return cell.schema, [t.elem for t in types if isinstance(t, List)]
