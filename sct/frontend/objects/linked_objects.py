"""Objects whose number is known only at run time: their attributes are columns, a reference to one is its row.

    head = None                     node_value, node_next, head = [], [], None
    for v in x:              ->     for v in x: node_value.append(v); node_next.append(head); head = len(node_value) - 1
        head = Node(v, head)
    node.value                      node_value[node]
    node.next = tail                node_next[node] = tail

Two references are one object if their rows are equal.  So aliases, cycles and shared tails are what they are in Python.
The objects of a class are such rows where the program is refused otherwise (`OutliningPlan.linked`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.lists_in_lists import put_in
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.state.attribute_types import (
    learn_all,
    link_type,
    text_of_constant,
)
from sct.frontend.state.choices import implied, is_present, narrowed
from sct.frontend.state.object_tables import Column, Table, class_of_dict, class_of_items, is_display
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    Container,
    DictRef,
    Key,
    ListRef,
    ObjRef,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    parts,
)
from sct.ir import Fn, Lit, Op, Operand, Value
from sct.ir.types import Link, List, Optional, Tensor, Type, base_type, leaf_type
from sct.ops import dim, eq_rows, index, link_to, row_of, sub, unwrap
from sct.ops.program.list_ops import append, list_of
from sct.ops.registry import add_operand

__all__ = [
    "appended", "as_row", "begin_columns", "by_class", "check_one_table", "class_code", "classes_of", "column_cell",
    "column_list", "column_operand", "column_variables", "entry_of", "holds_rows", "is_alone", "is_link",
    "is_linked", "is_of_row", "is_row_display", "key_of_row", "may_be_absent", "may_be_several",
    "note_behind_loop", "of_class_code", "place", "referred", "renew", "same_object", "table_of_class",
]


def is_link(v: Abstract | None) -> bool:
    """Is this a reference to an object that is a row of columns, or may it be None?"""
    return isinstance(v, Value) and isinstance(base_type(v.type), Link)


def is_row_display(v: Abstract | None) -> bool:
    """Is this a reference to a row that a display of the program makes, or may it be one?"""
    return isinstance(v, Value) and is_link(v) and any(map(is_display, classes_of(v)))


def holds_rows(ev: Evaluator, v: Abstract) -> bool:
    """Is this an object that is a row of columns, or a tuple or list that holds one?"""
    if isinstance(v, Value):
        return isinstance(leaf_type(v.type), (Link, List)) and bool(ev.functions.plan.linked)
    if isinstance(v, Ref):
        return isinstance(leaf_type(ev.type_of(v)), Link)
    items = v.items if isinstance(v, Tup) else ev.slots(v).items if isinstance(v, ListRef) else ()
    return any(holds_rows(ev, x) for x in items)


def classes_of(v: Value) -> tuple[type, ...]:
    """The classes of which the object may be."""
    link = base_type(v.type)
    assert isinstance(link, Link)
    return link.classes


def is_linked(ev: Evaluator, cls: type) -> bool:
    """Are the objects of this class rows of columns?"""
    return cls in ev.functions.plan.linked


# -- columns ---------------------------------------------------------------------------------------------


def table_of_class(ev: Evaluator, cls: type) -> Table:
    return ev.functions.plan.table(cls)  # type: ignore[no-any-return]


def _key(column: Column) -> Key:
    """The slot of a column: a variable of no function."""
    return Key(0, f"<{column.name}>")


def begin_columns(ev: Evaluator, arguments: Sequence[Abstract]) -> list[Abstract]:
    """Makes the columns, where the differentiated function begins; a function of the program is given them.

    Returns the arguments, in which the objects of these classes are rows.
    """
    plan = ev.functions.plan
    of_arguments = {x: cls for v in arguments for x, cls in _objects_in(ev, v, set())}
    for obj, cls in of_arguments.items():
        (plan.instantiated if isinstance(obj, ObjRef) else plan.displays).setdefault(cls, False)
    tables = {table.classes: table for table in map(plan.table, plan.linked)}
    keys = [_key(column) for table in tables.values() for column in table.columns]
    if {*keys} & ev.store.vars.keys() or not plan.linked:
        return list(arguments)
    rows = {table.classes: [x for x, cls in of_arguments.items() if cls in table.classes] for table in tables.values()}
    links: dict[Abstract, Value] = {
        obj: ev.emit(link_to, Lit(k), type=link_type(ev, of_arguments[obj]))
        for all_ in rows.values() for k, obj in enumerate(all_)}
    attributes = {obj: _attributes(ev, obj, of_arguments[obj], links) for obj in links}
    for obj in links:
        attributes[obj] = learn_all(ev, of_arguments[obj], obj, attributes[obj], ev.type_of)
        if any(isinstance(v, ListRef) for v in attributes[obj].values()):  # which the caller's names may lead to
            raise plan.unlinked(of_arguments[obj])
    for classes, table in tables.items():
        for column in table.columns:
            entries = [_entry(ev, column, of_arguments[obj], attributes[obj]) for obj in rows[classes]]
            of = ev.emit(list_of, *entries, elem=column.type)
            of.hint = column.name
            ev.store.vars[_key(column)] = xs = ev.new_dynamic_list(0, [of])
            if not rows[classes]:  # arrays that come in are held by it alone, unless another name holds them
                ev.store.own(xs.addr)
                ev.store.alone.add(xs.addr)
    for obj, link in links.items():
        _replace(ev, obj, of_arguments[obj], link)
    return [_with_links(v, links) for v in arguments]


def _attributes(ev: Evaluator, obj: Abstract, cls: type, links: Mapping[Abstract, Value]) -> dict[str, Abstract]:
    """What an object, a dict or a tuple of the arguments has, with rows in it."""
    if isinstance(obj, Tup):
        assert is_display(cls)
        return {name: _with_links(obj.items[int(name)], links) for name in cls.keys}
    assert isinstance(obj, (ObjRef, DictRef))
    cell = ev.store.slots(obj)
    return dict(zip(cell.keys, (_with_links(v, links) for v in cell.items)))


def _entry(ev: Evaluator, column: Column, cls: type, attributes: Mapping[str, Abstract]) -> Operand:
    """What the row of an object of this class has in a column."""
    if column.attribute is None:
        return Lit(cls.__name__)
    if cls in column.of:
        return column_operand(ev, attributes[column.attribute], column.type)
    return ev.emit(list_of, elem=column.type.elem) if isinstance(column.type, List) else Lit(None)


def _objects_in(ev: Evaluator, v: Abstract, seen: set[int]) -> Iterator[tuple[Abstract, type]]:
    """The objects, dicts and tuples in an argument that may be rows, and their classes."""
    if isinstance(v, Tup) and v.place in ev.functions.plan.rows_at and v.items:
        yield v, class_of_items([ev.known_text(v.items[0])] * len(v.items))
    cls = v.cls if isinstance(v, ObjRef) else class_of_dict(ev.store.slots(v).keys) if type(v) is DictRef else None
    if cls is not None:
        yield v, cls
    for x in parts(v):
        yield from _objects_in(ev, x, seen)
    if isinstance(v, Container) and v.addr not in seen:
        seen.add(v.addr)
        for x in ev.store.slots(v).items:
            yield from _objects_in(ev, x, seen)


def _with_links(v: Abstract, links: Mapping[Abstract, Value]) -> Abstract:
    """An argument with rows in place of the objects."""
    if isinstance(v, Tup) and v not in links:
        return v.with_(_with_links(x, links) for x in v.items)
    return links.get(v, v) if isinstance(v, (ObjRef, DictRef, Tup)) else v


def column_variables(ev: Evaluator) -> dict[Key, Abstract]:
    """The columns of all classes, which each function of the program is given."""
    return {key: v for key, v in ev.store.vars.items() if not key.frame}


def column_list(ev: Evaluator, column: Column) -> ListRef:
    """The column as a list."""
    xs = ev.store.vars.get(_key(column))
    if not isinstance(xs, ListRef):
        ev.refuse("SCT503", f"an object of class `{column.of[0].__name__}` is not supported here", why=OF_ROWS)
    return xs


def column_cell(ev: Evaluator, column: Column) -> Ref:
    """The array of a column."""
    if ev.caches.depth:  # a cached function that reads an object knows it by what it reads
        raise ev.functions.plan.unlinked(column.of[0])
    cell, *others = ev.slots(column_list(ev, column)).items
    if others:  # its lists have got tuples
        raise ev.functions.plan.unlinked(column.of[0])
    assert isinstance(cell, Ref)
    return cell


# -- rows ---------------------------------------------------------------------------------------------------


def column_operand(ev: Evaluator, v: Abstract, t: Type) -> Operand:
    """The entry of a column of items of this type.  An array in it can no longer be written; a list is an item of the
    column from now on."""
    if isinstance(v, RunTimeTuple):  # no name leads to its list
        return ev.read(ev.slots(v.of).items[0])  # type: ignore[arg-type]
    if isinstance(v, ListRef) and isinstance(t, List):
        cell = ev.slots(v)
        ev.check_current(cell)
        put_in(ev, v, False)
        if cell.schema is not None:
            return ev.read(cell.items[0])  # type: ignore[arg-type]
        return ev.emit(list_of, *(column_operand(ev, x, t.elem) for x in cell.items), elem=t.elem)  # type: ignore
    if (text := text_of_constant(v)) is not None:
        return text
    if isinstance(v, Ref):
        x = ev.read(v)
        if ev.store.array(v).frozen:
            ev.store.held_twice(v)
        ev.store.hold(v.addr)
        return x
    return ev.lit(v)


# -- objects ---------------------------------------------------------------------------------------------


def as_row(ev: Evaluator, obj: ObjRef) -> Value:
    """Appends the object that was made last to the columns: the reference to it."""
    cell = ev.slots(obj)
    columns = learn_all(ev, obj.cls, obj, dict(zip(cell.keys, cell.items)), ev.type_of)
    link = appended(ev, obj.cls, columns, obj)
    _replace(ev, obj, obj.cls, link)
    return link


def appended(ev: Evaluator, cls: type, attributes: Mapping[str, Abstract], own: ObjRef | None = None) -> Value:
    """A new row of the columns; an attribute that is the object `own` refers to this row."""
    if any(isinstance(v, ObjRef) and v != own for v in attributes.values()):  # one whose `__init__` has not ended
        raise ev.functions.plan.unlinked(cls)
    link = _link_to_row(ev, cls, 0) if own in attributes.values() else None
    values = {name: link if isinstance(v, ObjRef) and link is not None else v for name, v in attributes.items()}
    alone: list[Column] = []
    for column in table_of_class(ev, cls).columns:
        if is_alone(ev, column, values.get(column.attribute or "")):
            alone.append(column)
        renew(ev, column, append, _entry(ev, column, cls, values))
    link = link or _link_to_row(ev, cls, 1)
    for column in alone:
        place(ev, column, link, values.get(column.attribute or ""))
    return link


def _link_to_row(ev: Evaluator, cls: type, from_end: int) -> Value:
    """A reference to the last row, or to the next one."""
    row = ev.emit(dim, ev.read(column_cell(ev, table_of_class(ev, cls).columns[0])), axis=0, spelling="builtins.len")
    if from_end:
        row = ev.emit(sub, row, Lit(from_end), spelling="operator.sub")
    return ev.emit(link_to, row, type=link_type(ev, cls))  # type: ignore[no-any-return]


def is_alone(ev: Evaluator, column: Column, v: Abstract | None) -> bool:
    """Is this a column that holds each of its arrays alone, also with this one, which comes in?"""
    t = base_type(column.type)
    if not (isinstance(t, Tensor) and t.is_array):
        return False
    xs = column_list(ev, column)
    if isinstance(v, Ref) and not list_items.arrays_are_fresh(ev, [v]):
        ev.store.put_in(xs.addr, v)
    return ev.store.holds_alone(xs.addr)


def place(ev: Evaluator, column: Column, owner: Value, v: Abstract | None) -> None:
    """Notes where an array is in a column that holds it alone, if nothing else holds it by now: it is written there as
    well."""
    xs = column_list(ev, column)
    if xs.addr not in ev.store.alone:
        return
    ev.store.own(xs.addr)
    if isinstance(v, Ref):
        list_items.place(ev, xs, ev.emit(row_of, owner), 0, v)


def renew(ev: Evaluator, column: Column, op: Op, value: Operand, *at: Operand, **attrs: Any) -> None:
    """Writes a new version of a column, which holds the value."""
    list_items.new_version(ev, column_cell(ev, column), op, value, *at,
                           what="a write to an attribute of an object", **attrs)


def _replace(ev: Evaluator, obj: Abstract, cls: type, link: Value) -> None:
    """What refers to the object refers to the row: what its `__init__` has made so, or other arguments."""

    def replaced(v: Any) -> Any:
        if v == obj:
            return link
        if isinstance(v, Tup):
            return v.with_(map(replaced, v.items))
        if obj in _within(v):
            raise ev.functions.plan.unlinked(cls)
        return v

    if isinstance(obj, Container):
        del ev.store.cells[obj.addr]
        ev.store.items.pop(obj.addr, None)
    ev.store.vars.update({key: new for key, v in ev.store.vars.items() if (new := replaced(v)) is not v})
    for addr, cell in list(ev.store.cells.items()):
        if isinstance(cell, Slots) and obj in cell.items:
            if cell.schema is not None or cell.frozen:
                raise ev.functions.plan.unlinked(cls)
            ev.store.cells[addr] = replace(cell, items=tuple(map(replaced, cell.items)))
    ev.temporaries.values[:] = map(replaced, ev.temporaries.values)


def _within(v: Abstract) -> Iterator[Abstract]:
    for x in parts(v):
        yield x
        yield from _within(x)


# -- objects of several classes --------------------------------------------------------------------------


def may_be_several(v: Abstract | None) -> bool:
    """Is this a reference to an object that may be of one of several classes?"""
    return isinstance(v, Value) and is_link(v) and len(classes_of(v)) > 1


def may_be_absent(v: Abstract | None) -> bool:
    """Is this a reference to an object, or None?"""
    return isinstance(v, Value) and is_link(v) and isinstance(v.type, Optional)


def by_class(ev: Evaluator, v: Value) -> Abstract:
    """An object that is there, as one of several: its class says of which class it is."""
    classes = classes_of(v)
    if len(classes) == 1:
        return v
    check_one_table(ev, classes)
    names = table_of_class(ev, classes[0]).names
    if is_row_display(v) and (cls := _told_class(ev, names, v)) is not None:
        return _as_of_class(ev, v, cls)
    code = entry_of(ev, names, v)
    return narrowed(ev.store, Choice(code, tuple(_as_of_class(ev, v, cls) for cls in classes)))


def _told_class(ev: Evaluator, names: Column, v: Value) -> type | None:
    """The one class that a test of this path leaves; None where there are several."""
    entries = ev.caches.entries.get((_key(names), None, referred(ev, v)), ())
    among, codes = next((ev.store.told[x] for _, _, x in entries if x in ev.store.told), (False, frozenset()))
    left = [cls for cls in classes_of(v) if (cls.__name__ in codes) is among]
    return left[0] if len(left) == 1 else None


def class_code(ev: Evaluator, v: Value) -> Abstract:
    """The name of the class of an object that is there."""
    classes = classes_of(v)
    check_one_table(ev, classes)
    return Static(classes[0].__name__) if len(classes) == 1 else entry_of(ev, table_of_class(ev, classes[0]).names, v)


def of_class_code(ev: Evaluator, v: Abstract) -> Value | None:
    """The object whose class is called `v`, if this is what its row says; else None."""
    return next((of for (_, now, of), entries in ev.caches.entries.items() if now is None
                 for _, _, value in entries if value is v), None)


def check_one_table(ev: Evaluator, classes: Sequence[type]) -> None:
    """Evaluates the function again if the objects of these classes are not rows of one table."""
    table = table_of_class(ev, classes[0]).classes
    if not {*classes} <= {*table}:
        raise ev.functions.plan.united(classes)
    names = [cls.__name__ for cls in table]
    if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
        ev.refuse("SCT310", f"objects of two classes that are both called `{twice}` are not told apart",
                  hint="give the classes different names")


def _as_of_class(ev: Evaluator, v: Value, cls: type) -> Value:
    """The reference, to an object that is of this class."""
    return ev.emit(link_to, ev.emit(row_of, v), type=link_type(ev, cls))  # type: ignore[no-any-return]


def same_object(ev: Evaluator, a: Value, b: Value) -> Abstract:
    """`a is b`: they are one object if their rows are equal, or both are None."""
    both = classes_of(a), classes_of(b)
    if not {*both[0]} & {*both[1]} and not (may_be_absent(a) and may_be_absent(b)):
        return Static(False)
    check_one_table(ev, [*both[0], *both[1]])
    if ev.containers.passed:  # they may be objects of the arguments
        ev.containers.note_comparison(ev.loc)
    return ev.emit(eq_rows, ev.lit(ev.bound(a)), ev.lit(ev.bound(b)))  # type: ignore[no-any-return]


def key_of_row(ev: Evaluator, v: Value, operands: list[Operand], of_set: bool = False) -> str:
    """The template of a key, or of an item of a set, that stands for an object: its table and its row.  Its class must
    compare its objects by identity."""
    classes = classes_of(v)
    own = [cls for cls in classes for name in ("__eq__", "__hash__")
           if is_display(cls) or in_class(ev, cls, name)[1] is not object]
    perhaps_none = may_be_absent(v) and not is_present(ev.store, v)
    if own or perhaps_none and not of_set:
        ev.refuse("SCT503", "an object that has `__eq__` or `__hash__` of its own, or may be None, is not supported as "
                  "a key or in a set", why=OF_ROWS,
                  hint="let its class compare its objects by identity, and test first whether it is None")
    check_one_table(ev, classes)
    if ev.containers.passed:  # it may be an object of the arguments
        ev.containers.note_comparison(ev.loc)
    row = add_operand(ev.emit(row_of, ev.lit(ev.bound(v)) if perhaps_none else ev.defined(v)), operands)
    if of_set:
        ev.functions.plan.note_rows_in_sets()
    name = ev.functions.plan.linked[table_of_class(ev, classes[0]).classes[0]]
    return f"(None if {row} is None else ({name!r}, {row}))" if perhaps_none else f"({name!r}, {row})"


# -- entries ---------------------------------------------------------------------------------------------


def entry_of(ev: Evaluator, column: Column, owner: Value) -> Value:
    """What the row of the object has in a column.  The class of an object is the same in all versions of its column."""
    now = ev.read(column_cell(ev, column))
    of = _key(column), None if column.attribute is None else now, referred(ev, owner)
    entries = ev.caches.entries.setdefault(of, [])
    for block, k, value in entries:
        if (block is ev.b or block in ev.open_blocks) and k < len(block.eqns) and block.eqns[k].outs == (value,):
            return value  # its facts hold here
    again: Value = ev.emit(index, now, ev.emit(row_of, owner), key=("i",))
    earlier = next((ev.store.told[value] for _, _, value in entries if value in ev.store.told), None)
    if earlier is not None:  # by the test of a loop, which is a block of its own
        ev.store.told[again] = earlier
    entries.append((ev.b, len(ev.b.eqns) - 1, again))
    return again


def note_behind_loop(ev: Evaluator, test: Fn, renamed: Mapping[Value, Value]) -> None:
    """Notes what the test of a loop that has ended says of the classes of dicts and tuples that the loop carries.

    renamed  the carried values behind the loop, by those at its head
    """
    defs = {out: eqn for eqn in test.eqns for out in eqn.outs}
    for code, members, is_one in implied(defs, test.results[0], False):
        for (column, now, owner), entries in list(ev.caches.entries.items()):
            behind = renamed.get(owner)
            if now is None and is_row_display(behind) and any(value is code for _, _, value in entries):
                ev.caches.entries.setdefault((column, None, behind), []).extend(entries)
                ev.store.told[code] = is_one, frozenset(members)


def referred(ev: Evaluator, x: Any) -> Any:
    """The reference, without what is known of it: that it is not None, or of one class."""
    while (eqn := ev.defs.get(x)) is not None:
        row = ev.defs.get(eqn.args[0]) if eqn.op is link_to and isinstance(eqn.args[0], Value) else None
        if eqn.op is unwrap:
            x = eqn.args[0]
        elif row is not None and row.op is row_of:
            x = row.args[0]
        else:
            break
    return x


def is_of_row(ev: Evaluator, v: Abstract) -> bool:
    """Is this a number that was read from an attribute of an object?  No unrolling of loops makes it known."""
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    at = ev.defs.get(eqn.args[1]) if eqn is not None and eqn.op is index and isinstance(eqn.args[1], Value) else None
    return at is not None and at.op is row_of
