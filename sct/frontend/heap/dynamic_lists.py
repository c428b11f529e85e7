"""Lists whose length is known only at run time: columns of numbers, arrays and lists.

    xs = []; for ...: xs.append((a, b))    ->    two columns, `list[float]` each

A list starts with known slots.  It gets columns when its length depends on the path: at the head of a loop that makes
it longer, or after a branch that does.  An array that is put into such a list, or taken out of it, can no longer be
written, since its aliases are unknown.  A list in a list is a view of a column of the outer one, so that
`xs[i][j] = v` writes there; it is detached when the outer list itself changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sct.frontend.arguments.lift import constant_object
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.list_items import refuse_different_items
from sct.frontend.evaluator.lists_in_lists import is_item, put_in
from sct.frontend.heap.item_forms import (
    item_type,
    items_like,
    joined_kinds,
    opened_tuples,
    row_type,
    slots,
)
from sct.frontend.objects.container_objects import name_of_list
from sct.frontend.objects.functions_in_lists import form_and_parts, record_of
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.state.choices import by_code, code, enum_of, member_of
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Choice,
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
)
from sct.frontend.values.item_kinds import filler, leaf_sources
from sct.frontend.values.item_schemas import Rows, common_form, holds_objects, leaf_numbers, map_leaves, parts_of
from sct.frontend.values.schemas import (
    KindSchema,
    ListSchema,
    MemberSchema,
    ObjectSchema,
    OptionalSchema,
    Schema,
    TupleSchema,
)
from sct.ir import Lit, Operand, Value, is_float
from sct.ir.types import NONE, List, Never, Optional, Tensor, Type, leaf_type
from sct.ops import dim, index
from sct.ops.program import list_ops as ops

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["as_column", "columns", "element", "grow", "is_dynamic", "length", "list_of_items"]


def is_dynamic(ev: Evaluator, v: Abstract) -> bool:
    """Is this a list whose length is known only at run time?"""
    return isinstance(v, ListRef) and slots(ev, v).schema is not None


# -- items as rows of columns ---------------------------------------------------------------------------


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
            refuse_different_items(ev, v)
        for s, x in zip(schema, v.items):
            yield from leaves(ev, s, x, shared, types)
    elif isinstance(schema, OptionalSchema):
        if v == Static(None):
            yield from [ev.emit(ops.list_of, elem=types[k].elem) if types and isinstance(types[k], List)  # type: ignore
                        else ev.operand(v) for k in leaf_numbers(schema)]
        else:
            yield from leaves(ev, schema.item, v.of if isinstance(v, OptionalTuple) else v, shared, types)
    elif isinstance(schema, TupleSchema):
        yield from _items_of_tuple(ev, schema, v, types)
    elif isinstance(schema, KindSchema):
        yield from _leaves_of_kinds(ev, schema, v, shared, types)
    elif isinstance(schema, MemberSchema):
        if v != Static(None) and enum_of(v) is not schema.cls:
            refuse_different_items(ev, v)
        yield code(v)
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
        refuse_different_items(ev, v)
    else:
        if isinstance(v, Ref):
            if ev.store.array(v).frozen:
                ev.store.held_twice(v)
            ev.store.hold(v.addr)
        yield list_items.value_or_none(ev, v) or (
            ev.lit(v) if is_link(v) else constant_object(ev, v) or ev.operand(v))


def _items_of_tuple(ev: Evaluator, schema: TupleSchema, v: Abstract, types: Sequence[Type]) -> Iterator[Operand]:
    """The columns of a tuple of any length."""
    if isinstance(v, RunTimeTuple):
        yield from leaves(ev, schema.item, v.of, True, types)
    elif not isinstance(v, Tup) or v.cls is not tuple:
        refuse_different_items(ev, v)
    elif v.items:
        yield from leaves(ev, schema.item, list_of_items(ev, v.items), True, types)
    else:
        for k in leaf_numbers(schema):
            t = types[k] if types else List(Never())
            assert isinstance(t, List)
            yield ev.emit(ops.list_of, elem=t.elem)


def _leaves_of_kinds(ev: Evaluator, schema: KindSchema, v: Abstract, shared: bool, types: Sequence[Type]
                     ) -> Iterator[Operand]:
    """The operands of an item of one of several kinds, or of one of these that depends on the path."""
    kinds = by_code(v) if schema.of_classes else ev.kinds_of(v)
    if not kinds or not kinds.keys() <= {*schema.codes}:
        refuse_different_items(ev)
    yield v.code if isinstance(v, Choice) else Lit(next(iter(kinds)))
    for kind, part in zip(schema.codes, schema.kinds):
        if kind in kinds:
            yield from leaves(ev, part, kinds[kind], shared, types)
        else:
            for k in leaf_numbers(part):
                yield filled(ev, types[k])


def filled(ev: Evaluator, t: Type) -> Operand:
    """What stands in a column of this type in the place of an item of another kind."""
    return ev.emit(ops.list_of, elem=t.elem) if isinstance(t, List) else filler(t)


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
    if not shared and any(is_item(ev, x) for x in items if isinstance(x, ListRef)):
        is_object = isinstance(v, ObjRef)
        ev.refuse("SCT307", f"{'an object' if is_object else 'a dict'} that holds a list is put into two lists",
                  why="the aliases of the list are not known",
                  hint=f"keep its position in the first list in place of the {'object' if is_object else 'dict'}" + (
                      "; or let its lists hold numbers and objects, with a list for each part of a tuple" * is_object))
    for s, x in zip(schema.parts, items):
        yield from leaves(ev, s, x, shared, types)
    if isinstance(v, (ObjRef, DictRef)):
        ev.store.hold(v.addr)


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
        if isinstance(cell.schema, MemberSchema):
            ev.refuse("SCT503", "a list of members of an enum is not supported here",
                      hint="make a list of their values: `[k.value for k in xs]`")
        ev.refuse("SCT503", "a list of tuples is not supported here", hint="use a list for each part")
    (column,) = cell.items
    assert isinstance(column, Ref)
    return column


def column_refs(ev: Evaluator, v: ListRef) -> list[Ref]:
    """The columns of a list."""
    ev.check_current(cell := slots(ev, v))
    return [c for c in cell.items if isinstance(c, Ref)]


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
    name = name or name_of_list(ev, ref)
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
    if ev.functions.plan.kinds and cell.parent is None and cell.schema != like[0]:
        return _take_kinds(ev, ref, like, addrs)
    if cell.parent is not None or list_items.have_one_form(ev, rows[0], like[0]):
        return
    if (opened := opened_tuples(ev, rows, like)) is not None:
        rows, like = opened
        cell = replace(cell, items=tuple(_opened(ev, ref, cell.schema or 0, rows[0])), schema=rows[0])
        ev.store.cells[ref.addr] = cell
    if (form := common_form(rows, like)) is None or form.schema == cell.schema and (opened is None or addrs is None):
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
                column, name = ev.emit(ops.empty_lists if is_empty else ops.copy_list, column), name_of_list(ev, ref)
                column.hint = name and f"{name}_{k}"
            ev.store.cells[items[-1].addr] = Array(column)
    ev.store.cells[ref.addr] = replace(cell, items=tuple(items), schema=form.schema)


def _opened(ev: Evaluator, ref: ListRef, old: Schema, new: Schema) -> Iterator[Ref]:
    """The columns of a list whose tuples get to be of any length, in the order of the new form."""
    columns_of = slots(ev, ref).items
    if isinstance(old, tuple) and isinstance(new, TupleSchema):
        for of_leaf in zip(*(leaf_numbers(part) for part in old)):
            lists = [ev.new_dynamic_list(0, [ev.read(_ref(columns_of[k]))], held=True) for k in of_leaf]
            rows = ev.call(Static(_rows), lists)
            assert isinstance(rows, ListRef)
            yield one_column(ev, rows)
        if not old:
            addr, none = ev.new_addr(), ev.emit(ops.list_of, elem=Never())
            ev.store.cells[addr] = Array(ev.emit(ops.repeat, none, length(ev, ref)))
            yield Ref(addr)
    elif isinstance(old, (tuple, ObjectSchema)):
        for p, q in zip(parts_of(old), parts_of(new)):
            yield from _opened(ev, ref, p, q)
    else:
        yield from (_ref(columns_of[k]) for k in leaf_numbers(old))


def _rows(*columns: list[Any]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns)]


def _take_kinds(ev: Evaluator, ref: ListRef, like: Rows, addrs: Sequence[int] | None) -> None:
    """A list of columns gets the form of one that holds items of more kinds."""
    cell, rows = slots(ev, ref), item_type(ev, ref)
    whole = joined_kinds(ev, like, rows)
    schema, types = whole if whole[0] == like[0] else joined_kinds(ev, rows, like)
    if schema == cell.schema:
        return
    n, name, items = length(ev, ref), name_of_list(ev, ref), []
    sources = leaf_sources(rows, schema, ev.functions.plan.kinds_by_length)
    for k, t in enumerate(types):
        source = sources.get(k, Lit(None))
        if isinstance(source, int) and addrs is None:
            items.append(_ref(cell.items[source]))
            continue
        if isinstance(source, int):
            column = ev.read(_ref(cell.items[source]))
        else:
            column = ev.emit(ops.repeat, source if k in sources else filled(ev, t), n)
            column.hint = name and f"{name}_{k}"
        items.append(Ref(ev.new_addr() if addrs is None else addrs[k]))
        ev.store.cells[items[-1].addr] = Array(column)
    ev.store.cells[ref.addr] = replace(cell, items=tuple(items), schema=schema)


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


# -- reading ------------------------------------------------------------------------------------------------


def element(ev: Evaluator, ref: ListRef, i: Operand, then: Callable[[int], None] = lambda column: None,
            absent: str = "list index out of range") -> Abstract:
    """`xs[i]`: its arrays may not be written, its lists are views; `then` is called after each column that is read.

    absent  what Python says where the list has no items
    """
    cell = slots(ev, ref)
    ev.check_current(cell)
    first = _first(ev, cell)

    def row(schema: Schema) -> Abstract:
        if isinstance(schema, ObjectSchema):
            return record_of(ev, cell, schema, tuple(map(row, schema.parts)))
        if isinstance(schema, tuple):
            return Tup(tuple(map(row, schema)))
        if isinstance(schema, Static):
            return schema
        if isinstance(schema, KindSchema):
            which = row(schema.code)
            if not isinstance(which, Value):
                return row(schema.kinds[schema.codes.index(which.value)])  # type: ignore[union-attr]
            return Choice(which, tuple(map(row, schema.kinds)), None if schema.of_classes else schema.codes)
        if isinstance(schema, MemberSchema):
            return member_of(ev.store, schema.cls, row(schema.code))
        if isinstance(schema, OptionalSchema):
            whole = row(schema.item)
            assert isinstance(whole, Tup)
            return Static(None) if whole.items[0] == Static(None) else OptionalTuple(whole)
        if isinstance(schema, TupleSchema):
            return _tuple_at(ev, cell, schema, i)
        if isinstance(schema, ListSchema):
            inner = leaf_numbers(schema)
            views = tuple(ev.step(_ref(cell.items[k]), index, (i,), {"key": ("i",)}) for k in inner)
            addr = ev.new_addr()
            ev.store.cells[addr] = Slots(views, schema=map_leaves(schema.item, inner.index), parent=ref.addr)
            return ListRef(addr)
        column = _ref(cell.items[schema])
        t = ev.type_of(column)
        if isinstance(t, List) and isinstance(t.elem, Never):
            raise_at_run_time(ev, "IndexError", absent)  # so far, nothing has been put into it
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


def _tuple_at(ev: Evaluator, cell: Slots, schema: TupleSchema, i: Operand) -> RunTimeTuple:
    """The tuple of any length in an item of a list: it stays what it is when the list is written."""
    inner = leaf_numbers(schema)
    of = map_leaves(schema.item.item, inner.index) if isinstance(schema.item, ListSchema) else 0
    own = [deep_read(ev, _ref(cell.items[k]), i) for k in inner]
    held = any(isinstance(t := leaf_type(c.type), Tensor) and t.is_array for c in own)
    return RunTimeTuple(ev.new_dynamic_list(of, own, held=held or holds_objects(of)))


def _first(ev: Evaluator, cell: Slots) -> Abstract:
    """The column whose item Python reads first, which raises if there is none: one of floats, if there is one."""
    _check_columns(ev, cell)
    if isinstance(cell.schema, KindSchema):
        return cell.items[cell.schema.code]
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
