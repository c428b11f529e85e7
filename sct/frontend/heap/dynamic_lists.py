"""Lists whose length is known only at run time: columns of numbers, arrays and lists.

    xs = []; for ...: xs.append((a, b))    ->    two columns, `list[float]` each

A list starts with known slots.  It gets columns when its length depends on the path: at the head of a loop that makes
it longer, or after a branch that does.  An array that is put into such a list, or taken out of it, can no longer be
written, since its aliases are unknown.  A list in a list is a view of a column of the outer one, so that
`xs[i][j] = v` writes there; it is detached when the outer list itself changes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from sct.errors import SctError
from sct.frontend.arguments.lift import constant_object
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.lists_in_lists import put_in
from sct.frontend.objects.deques import list_of_deque
from sct.frontend.objects.functions_in_lists import form_and_parts, function_of
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.objects.objects import check_in_list
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Array,
    DefaultRef,
    DictRef,
    ListRef,
    ListSchema,
    MapRef,
    ObjectSchema,
    ObjRef,
    OptionalSchema,
    OptionalTuple,
    Ref,
    Schema,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.item_schemas import FunctionForm, Rows, common_form, leaf_numbers, map_leaves
from sct.ir import Lit, Operand, Value, is_float
from sct.ir.types import NONE, ActiveText, List, Never, Opaque, Optional, Tensor, Text, Type, TypeMismatch, join
from sct.ops import dim, index
from sct.ops.program import list_ops as ops

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["as_column", "columns", "element", "grow", "is_dynamic", "items_like", "length", "schema_of"]


def slots(ev: Evaluator, ref: ListRef) -> Slots:
    return ev.store.slots(ref)


def is_dynamic(ev: Evaluator, v: Abstract) -> bool:
    """Is this a list whose length is known only at run time?"""
    return isinstance(v, ListRef) and slots(ev, v).schema is not None


# -- items as rows of columns ---------------------------------------------------------------------------


def schema_of(ev: Evaluator, v: Abstract, held_by: Sequence[int] = ()) -> Rows:
    """The schema of an item, and the types of its leaves; `held_by`: the addresses of objects that hold it."""
    types: list[Type] = []
    around = [*held_by]  # those that hold the visited one

    def visit(x: Abstract) -> Schema:
        if isinstance(x, MapRef):
            cell = ev.slots(x)
            types.append(Opaque())
            parts = len(types) - 1, *map(visit, cell.items[1:])
            uses = frozenset(use for origin, use in ev.functions.plan.dicts if origin == cell.site)
            return ObjectSchema(replace(x, addr=0), (list_items.Place(cell.site, uses), *cell.keys[1:]), parts)
        if isinstance(x, DictRef) and x.addr > CAPTURED and not (ev.slots(x).keys or ev.functions.plan.known_keys):
            raise ev.functions.plan.changed(dicts={(ev.slots(x).site, "values")})  # it is filled by keys of run time
        if isinstance(x, Tup):
            parts = tuple(map(visit, x.items))
            return parts if x.cls is tuple else ObjectSchema(x.cls, x.fields, parts)
        if isinstance(x, OptionalTuple):
            return OptionalSchema(visit(x.of))
        if isinstance(x, ObjRef) or isinstance(x, DictRef) and not isinstance(x, DefaultRef):
            cell = ev.slots(x)
            check_in_list(ev, x)
            if x.addr in around:
                ev.refuse("SCT310", "an object in a list that refers to itself is not supported here",
                          hint="keep the position in the list instead of the object")
            around.append(x.addr)
            parts = tuple(map(visit, cell.items))
            around.pop()
            return ObjectSchema(x.cls if isinstance(x, ObjRef) else dict, cell.keys, parts)
        if (function := form_and_parts(ev, x)) is not None:
            return ObjectSchema(function[0], tuple(range(len(function[1]))), tuple(map(visit, function[1])))
        if isinstance(x, ListRef) and (rows := _rows_of(ev, x, around)) is not None:
            schema, column_types = rows
            first = len(types)
            types.extend(map(List, column_types))
            return ListSchema(map_leaves(schema, lambda k: first + k))
        if isinstance(x, Static) and (x == Static(None) or callable(x.peek)) and x is not v:
            return x
        types.append(_leaf_type(ev, x))
        return len(types) - 1

    return visit(v), types


def _rows_of(ev: Evaluator, v: ListRef, held_by: Sequence[int]) -> Rows | None:
    """The schema and types of the items of a list of records; None for other lists."""
    cell = slots(ev, v)
    if cell.schema is None and not (cell.items and isinstance(cell.items[0], (Tup, ObjRef, DictRef))):
        return None
    rows = item_type(ev, v) if cell.schema is not None else row_type(ev, cell, held_by)
    return rows if rows[0] != 0 else None


def _leaf_type(ev: Evaluator, x: Abstract) -> Type:
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
        maybe = list_items.array_or_none(ev, x)
        return ev.type_of(x) if maybe is None else maybe.type
    elif isinstance(x, Value) and isinstance(x.type.elem if isinstance(x.type, Optional) else x.type, Tensor) or \
            is_literal(x) and isinstance(x, Static) and isinstance(x.value, (bool, int, float, complex, str)) or \
            isinstance(x, Value) and isinstance(x.type, (ActiveText, Opaque, Text)) or is_link(x):
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
            ev.refuse("SCT310", f"the items of this list are of different types: {error}",
                      hint="use a list for each type, or a tuple")
    return joined


def leaves(ev: Evaluator, schema: Schema, v: Abstract, shared: bool = False, types: Sequence[Type] = ()
           ) -> Iterator[Operand]:
    """The operands of an item, one for each column; its arrays can no longer be written.

    shared  lists in it may be in another list, too: neither is written
    types   those of the leaves: in the place of a tuple that is None there are empty lists
    """
    if isinstance(schema, ObjectSchema):
        yield from _fields(ev, schema, v, shared, types)
    elif isinstance(schema, tuple):
        if not isinstance(v, Tup) or len(v.items) != len(schema) or v.cls is not tuple:
            refuse_different_items(ev)
        for s, x in zip(schema, v.items):
            yield from leaves(ev, s, x, shared, types)
    elif isinstance(schema, OptionalSchema):
        if v == Static(None):
            yield from [ev.emit(ops.list_of, elem=types[k].elem) if types and isinstance(types[k], List)  # type: ignore
                        else ev.operand(v) for k in leaf_numbers(schema)]
        else:
            yield from leaves(ev, schema.item, v.of if isinstance(v, OptionalTuple) else v, shared, types)
    elif isinstance(schema, Static):
        if v != schema:
            refuse_different_items(ev)
    elif isinstance(v, ListRef):
        put_in(ev, v, shared)
        if isinstance(schema, ListSchema):
            yield from _columns_of(ev, schema, v, types)
        else:
            yield as_column(ev, v)
    elif isinstance(v, (Tup, OptionalTuple, ObjRef, DictRef)):
        refuse_different_items(ev)
    else:
        if isinstance(v, Ref):
            if ev.store.array(v).frozen:
                ev.store.held_twice(v)
            ev.store.hold(v.addr)
        maybe = list_items.array_or_none(ev, v)
        yield maybe if maybe is not None else ev.lit(v) if is_link(v) else constant_object(ev, v) or ev.operand(v)


def _columns_of(ev: Evaluator, schema: ListSchema, v: ListRef, types: Sequence[Type]) -> Iterator[Operand]:
    """The columns of a list of records that is put into another list."""
    cell = slots(ev, v)
    numbers = leaf_numbers(schema)
    item = map_leaves(schema.item, numbers.index)
    if cell.schema is not None:
        if cell.schema != item:
            refuse_different_items(ev)
        yield from columns(ev, v)
        return
    inner = [t.elem for k in numbers if types and isinstance(t := types[k], List)] or (
        row_type(ev, cell)[1] if cell.items else [Never() for _ in numbers])
    rows = [list(leaves(ev, item, x, types=inner)) for x in cell.items]
    for k, t in enumerate(inner):
        yield ev.emit(ops.list_of, *(row[k] for row in rows), elem=t)


def _fields(ev: Evaluator, schema: ObjectSchema, v: Abstract, shared: bool, types: Sequence[Type]) -> Iterator[Operand]:
    """The leaves of an object or a dict; it is not written any more."""
    if isinstance(v, MapRef):
        cell = ev.slots(v)
        if schema.cls != replace(v, addr=0):
            refuse_different_items(ev)
        yield ev.operand(cell.items[0])
        for s, x in zip(schema.parts[1:], cell.items[1:]):
            yield from leaves(ev, s, x, shared, types)
        return ev.store.hold(v.addr)
    if (function := form_and_parts(ev, v)) is not None and function[0] == schema.cls:
        for s, x in zip(schema.parts, function[1]):
            yield from leaves(ev, s, x, shared, types)
        return
    if not isinstance(v, (Tup, ObjRef, DictRef)) or (dict if isinstance(v, DictRef) else v.cls) is not schema.cls:
        refuse_different_items(ev)
    if isinstance(v, (ObjRef, DictRef)) and not list_items.are_fresh(ev, [v]):
        list_items.share(ev, schema)
    keys, items = (v.fields, v.items) if isinstance(v, Tup) else (ev.slots(v).keys, ev.slots(v).items)
    if keys != schema.keys:
        refuse_different_items(ev)
    for s, x in zip(schema.parts, items):
        yield from leaves(ev, s, x, shared, types)
    if isinstance(v, (ObjRef, DictRef)):
        ev.store.hold(v.addr)


def refuse_different_items(ev: Evaluator) -> NoReturn:
    ev.refuse("SCT310", "the items of this list differ in structure", hint="use a list for each kind of item")


def as_column(ev: Evaluator, v: ListRef) -> Operand:
    """A list of numbers, of arrays or of lists as one operand."""
    cell = slots(ev, v)
    if cell.schema is None:
        if row_type(ev, cell)[0] != 0:
            ev.refuse("SCT310", "a list of tuples in a list whose length is not known is not supported")
        elem = None if cell.items else Never()
        return ev.emit(ops.list_of, *(next(leaves(ev, 0, x)) for x in cell.items), elem=elem)  # type: ignore[no-any-return]
    return ev.read(one_column(ev, v))


def one_column(ev: Evaluator, v: ListRef) -> Ref:
    """The column of a list that is not one of tuples."""
    cell = slots(ev, v)
    ev.check_current(cell)
    if cell.schema != 0:
        ev.refuse("SCT503", "a list of tuples is not supported here", hint="use a list for each part")
    (column,) = cell.items
    assert isinstance(column, Ref)
    return column


def column_refs(ev: Evaluator, v: ListRef) -> list[Ref]:
    """The columns of a list."""
    ev.check_current(cell := slots(ev, v))
    return [c for c in cell.items if isinstance(c, Ref)]


def row_type(ev: Evaluator, cell: Slots, held_by: Sequence[int] = ()) -> Rows:
    """The schema and types of the items of known slots."""
    if not cell.items:
        return 0, [Never()]
    rows = [schema_of(ev, x, held_by) for x in cell.items]
    return functools.reduce(functools.partial(_joined_rows, ev), rows)


def _joined_rows(ev: Evaluator, a: Rows, b: Rows) -> Rows:
    """The schema and types of a list that holds items of both."""
    if list_items.have_one_form(ev, a[0], b[0]):
        return a[0], [_joined(ev, pair) for pair in zip(a[1], b[1])]
    if (form := common_form(a, b)) is None:
        refuse_different_items(ev)
    pairs = [[a[1][k], b[1][m]] for k, m in form.leaves]
    return form.schema, [_joined(ev, [t for t in pair if k not in form.empty or isinstance(t, List)])
                         for k, pair in enumerate(pairs)]


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


def grow(ev: Evaluator, ref: ListRef, like: Rows | None = None,
         addrs: Sequence[int] | None = None, name: str | None = None, shared: bool = False,
         of_tuple: bool = False) -> None:
    """Gives a list of known slots columns.

    like   the schema and types of the items on another path
    addrs  the addresses of the columns
    name   the name of the list, if it is not bound yet
    shared as in `leaves`
    of_tuple  are these the items of a tuple?
    """
    cell = slots(ev, ref)
    if cell.schema is not None:
        return None if like is None else take_form(ev, ref, like, addrs)
    schema, types = items_like(ev, ref, like) if cell.items or like is None else like
    alone = not of_tuple and list_items.are_fresh(ev, cell.items)
    holds_alone = alone and list_items.arrays_are_fresh(ev, cell.items)
    rows = [list(leaves(ev, schema, x, shared, types)) for x in cell.items]
    items = []
    name = name or _name(ev, ref)
    for k, t in enumerate(types):
        column = ev.emit(ops.list_of, *(row[k] for row in rows), elem=t, of_tuple=of_tuple)
        column.hint = name if name is None or len(types) == 1 else f"{name}_{k}"
        addr = ev.new_addr() if addrs is None else addrs[k]
        ev.store.cells[addr] = Array(column)
        items.append(Ref(addr))
    ev.store.cells[ref.addr] = replace(cell, items=tuple(items), schema=schema)
    if alone:
        ev.store.own(ref.addr)
        ev.store.alone.update({ref.addr} if holds_alone else ())
        for k, x in enumerate(cell.items):
            list_items.place(ev, ref, Lit(k), schema, x)


def take_form(ev: Evaluator, ref: ListRef, like: Rows, addrs: Sequence[int] | None = None) -> None:
    """A list of columns gets the form of one that holds items like these as well; `addrs` as for `grow`."""
    cell, rows = slots(ev, ref), item_type(ev, ref)
    is_kept = cell.parent is not None or list_items.have_one_form(ev, rows[0], like[0])
    if is_kept or (form := common_form(rows, like)) is None or form.schema == cell.schema:
        return
    items: list[Ref] = []
    for k, (source, _) in enumerate(form.leaves):
        old = _ref(cell.items[source])
        is_copy = source in [s for s, _ in form.leaves[:k]]
        items.append(old if addrs is None and not is_copy else Ref(ev.new_addr() if addrs is None else addrs[k]))
        if items[-1] != old:
            column = ev.read(old)
            if is_copy:
                is_empty = k in form.empty and not isinstance(rows[1][source], List)
                column, name = ev.emit(ops.empty_lists if is_empty else ops.copy_list, column), _name(ev, ref)
                column.hint = name and f"{name}_{k}"
            ev.store.cells[items[-1].addr] = Array(column)
    ev.store.cells[ref.addr] = replace(cell, items=tuple(items), schema=form.schema)


def _name(ev: Evaluator, ref: ListRef) -> str | None:
    """The name of a list; that of the deque or the dict whose values it holds."""
    for key, v in ev.store.vars.items():
        if key.name[0] != "<" and ref == (
                ev.store.slots(v).items[2] if isinstance(v, MapRef) else list_of_deque(ev, v)):
            return key.name
        if key.name[0] != "<" and isinstance(v, MapRef) and ev.store.slots(v).items[1] == ref:
            return f"{key.name}_keys"
    return None


def is_alike(ev: Evaluator, cell: Slots) -> bool:
    """May all the slots be items of one list?"""
    try:
        return bool(row_type(ev, cell)[1] and cell.items)
    except SctError:
        return False


def list_of_items(ev: Evaluator, items: tuple[Abstract, ...], of_tuple: bool = False) -> ListRef:
    """A list of these items with columns, which is not written: lists among them may be in another list, too."""
    xs = ListRef(ev.new_addr())
    ev.store.cells[xs.addr] = Slots(items)
    grow(ev, xs, shared=True, of_tuple=of_tuple)
    ev.store.hold(xs.addr)
    return xs


def length(ev: Evaluator, ref: ListRef) -> Operand:
    """The number of items of a list: the common length of its columns."""
    _check_columns(ev, slots(ev, ref))
    own = columns(ev, ref)
    return ev.noted_length(own, ev.emit(dim, *own, axis=0, spelling="builtins.len"))


def columns(ev: Evaluator, ref: ListRef) -> list[Operand]:
    """The current versions of the columns."""
    return [ev.read(c) for c in column_refs(ev, ref)]


def item_type(ev: Evaluator, ref: ListRef) -> Rows:
    """The schema and types of the items of a list with columns."""
    cell = slots(ev, ref)
    assert cell.schema is not None
    types = [ev.type_of(c) for c in cell.items]
    return cell.schema, [t.elem for t in types if isinstance(t, List)]


# -- reading ------------------------------------------------------------------------------------------------


def element(ev: Evaluator, ref: ListRef, i: Operand, then: Callable[[int], None] = lambda column: None) -> Abstract:
    """`xs[i]`: its arrays may not be written, its lists are views; `then` is called after each column that is read."""
    cell = slots(ev, ref)
    ev.check_current(cell)
    first = _first(ev, cell)

    def row(schema: Schema) -> Abstract:
        if isinstance(schema, ObjectSchema):
            parts = tuple(map(row, schema.parts))
            if isinstance(schema.cls, MapRef):
                addr = ev.new_addr()
                keys, origin = ("places", *schema.keys[1:]), schema.keys[0].site
                ev.store.cells[addr] = Slots(parts, keys, cell.origin, site=origin)
                return replace(schema.cls, addr=addr)
            if isinstance(schema.cls, FunctionForm):
                return function_of(ev, schema.cls, parts)
            if issubclass(schema.cls, tuple):
                return Tup(parts, schema.keys, schema.cls)
            held = dict(zip(schema.keys, parts))
            record = ev.new_dict(held) if schema.cls is dict else ev.new_object(schema.cls, held)
            ev.store.hold(record.addr)
            return record
        if isinstance(schema, tuple):
            return Tup(tuple(map(row, schema)))
        if isinstance(schema, Static):
            return schema
        if isinstance(schema, OptionalSchema):
            whole = row(schema.item)
            assert isinstance(whole, Tup)
            return Static(None) if whole.items[0] == Static(None) else OptionalTuple(whole)
        if isinstance(schema, ListSchema):
            inner = leaf_numbers(schema)
            views = tuple(ev.step(_ref(cell.items[k]), index, (i,), {"key": ("i",)}) for k in inner)
            addr = ev.new_addr()
            ev.store.cells[addr] = Slots(views, schema=map_leaves(schema.item, inner.index), parent=ref.addr)
            return ListRef(addr)
        column = _ref(cell.items[schema])
        t = ev.type_of(column)
        if isinstance(t, List) and isinstance(t.elem, Never):
            ev.refuse("SCT310", "nothing is known of the items of this list", why="it is empty")
        with changed(ev.b, primal=ev.b.primal and column == first):
            item = deep_read(ev, column, i)
        if isinstance(item.type, Optional) and isinstance(item.type.elem, List):
            ev.refuse("SCT310", "a list that holds lists and None is not supported",
                      hint="let empty lists stand for None: `[[] for _ in range(n)]`")
        if isinstance(item.type, List):
            addr = ev.new_addr()
            ev.store.cells[addr] = Slots((ev.step(column, index, (i,), {"key": ("i",)}),), schema=0, parent=ref.addr)
            return ListRef(addr)
        v = Static(None) if item.type == NONE else ev.wrap(item)
        then(schema)
        if isinstance(v, Ref):
            ev.store.hold(v.addr)
        return v

    whole = row(cell.schema or 0)
    if ev.store.owns(ref.addr):
        list_items.place(ev, ref, i, cell.schema or 0, whole)
    return whole


def _first(ev: Evaluator, cell: Slots) -> Abstract:
    """The column whose item Python reads first, which raises if there is none: one of floats, if there is one."""
    _check_columns(ev, cell)
    return next((c for c in cell.items if is_float(ev.type_of(c))), cell.items[0])


def _check_columns(ev: Evaluator, cell: Slots) -> None:
    if not cell.items:
        ev.refuse("SCT310", "items without numbers are not supported here",
                  hint="put a number into each item; in place of tuples that grow, use lists")


def _ref(v: Abstract) -> Ref:
    assert isinstance(v, Ref)
    return v


def keys(column: Ref) -> list[Operand]:
    """The indices that lead from the outermost list to this column."""
    return [i for step in column.path for i in step.args]


def deep_read(ev: Evaluator, column: Ref, i: Operand) -> Operand:
    """`column[i]`, read from the outermost list in one step."""
    path = [*keys(column), i]
    return ev.emit(index, ev.read(Ref(column.addr)), *path, key=("i",) * len(path))  # type: ignore[no-any-return]
