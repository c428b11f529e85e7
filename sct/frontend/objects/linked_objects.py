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
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.state.choices import is_present
from sct.frontend.state.fixpoint import widened
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Container,
    Frozen,
    Key,
    ListRef,
    ObjRef,
    Ref,
    Slots,
    Static,
    Tup,
    parts,
)
from sct.ir import Builder, Eqn, Lit, Op, Operand, Value
from sct.ir.dims import sym
from sct.ir.types import NONE, Link, Optional, Tensor, Text, Type, TypeMismatch, base_type, map_sizes
from sct.ops import dim, index, link_to, row_of, store, sub
from sct.ops.program.list_ops import append, list_of

__all__ = ["as_row", "begin_columns", "column_variables", "copied", "is_link", "is_linked", "read", "write"]


def is_link(v: Abstract | None) -> bool:
    """Is this a reference to an object that is a row of columns, or may it be None?"""
    return isinstance(v, Value) and isinstance(base_type(v.type), Link)


def is_linked(ev: Evaluator, cls: type) -> bool:
    """Are the objects of this class rows of columns?"""
    return cls in ev.functions.plan.linked


# -- columns ---------------------------------------------------------------------------------------------


def _fields(ev: Evaluator, cls: type) -> tuple[str, ...]:
    return tuple(name for of, name in ev.functions.plan.fields if of is cls)


def _key(ev: Evaluator, cls: type, name: str) -> Key:
    """The slot of a column: a variable of no function."""
    return Key(0, f"<{ev.functions.plan.linked[cls]}_{name}>")


def begin_columns(ev: Evaluator, arguments: Sequence[Abstract]) -> list[Abstract]:
    """Makes the columns, where the differentiated function begins; a function of the program is given them.

    Returns the arguments, in which the objects of these classes are rows.
    """
    plan = ev.functions.plan
    of_arguments = list(dict.fromkeys(x for v in arguments for x in _objects_in(ev, v, set())))
    for obj in of_arguments:
        plan.instantiated.setdefault(obj.cls, False)
    keys = [_key(ev, cls, name) for cls, name in plan.fields]
    if {*keys} & ev.store.vars.keys() or not plan.linked:
        return list(arguments)
    for (cls, _), key in zip(plan.fields, keys):
        if keys.count(key) > 1:
            raise plan.unlinked(cls)
    rows = {cls: [x for x in of_arguments if x.cls is cls] for cls in plan.linked}
    links: dict[ObjRef, Value] = {
        obj: ev.emit(link_to, Lit(k), type=Link(plan.linked[cls], cls)) for cls, all_ in rows.items()
        for k, obj in enumerate(all_)}
    attributes = {obj: dict(zip(cell.keys, (_with_links(v, links) for v in cell.items)))
                  for obj in links for cell in [ev.store.slots(obj)]}
    for obj in links:
        _learn_all(ev, obj, attributes[obj])
    for (cls, name), key, t in zip(plan.fields, keys, plan.fields.values()):
        entries = [_operand(ev, attributes[obj][name]) for obj in rows[cls]]
        column = ev.emit(list_of, *entries, elem=t)
        column.hint = key.name.strip("<>")
        ev.store.vars[key] = ev.new_dynamic_list(0, [column])
    for obj, link in links.items():
        _replace(ev, obj, link)
    return [_with_links(v, links) for v in arguments]


def _objects_in(ev: Evaluator, v: Abstract, seen: set[int]) -> Iterator[ObjRef]:
    """The objects of users' classes in an argument."""
    if isinstance(v, ObjRef):
        yield v
    for x in parts(v):
        yield from _objects_in(ev, x, seen)
    if isinstance(v, Container) and v.addr not in seen:
        seen.add(v.addr)
        for x in ev.store.slots(v).items:
            yield from _objects_in(ev, x, seen)


def _with_links(v: Abstract, links: Mapping[ObjRef, Value]) -> Abstract:
    """An argument with rows in place of the objects."""
    if isinstance(v, Tup):
        return v.with_(_with_links(x, links) for x in v.items)
    return links.get(v, v) if isinstance(v, ObjRef) else v


def column_variables(ev: Evaluator) -> dict[Key, Abstract]:
    """The columns of all classes, which each function of the program is given."""
    return {key: v for key, v in ev.store.vars.items() if not key.frame}


def _column(ev: Evaluator, cls: type, name: str) -> Ref:
    if ev.caches.depth:  # a cached function that reads an object knows it by what it reads
        raise ev.functions.plan.unlinked(cls)
    xs = ev.store.vars.get(_key(ev, cls, name))
    if not isinstance(xs, ListRef):
        ev.refuse("SCT503", f"an object of class `{cls.__name__}` is not supported here",
                  why=OF_ROWS)
    (column,) = ev.slots(xs).items
    assert isinstance(column, Ref)
    return column


def _class_of(x: Value) -> type:
    link = base_type(x.type)
    assert isinstance(link, Link) and link.cls is not None
    return link.cls


# -- types of attributes ---------------------------------------------------------------------------------


def _type_of(ev: Evaluator, cls: type, v: Abstract) -> Type:
    """The type of an attribute with this value; where it has none, the objects of the class are no rows."""
    if isinstance(v, ObjRef) and v.cls not in ev.functions.plan.linked and v.cls not in ev.functions.plan.unlinkable:
        raise ev.functions.plan.changed(linked={v.cls})
    if isinstance(v, ObjRef) and v.cls in ev.functions.plan.linked:
        return Link(ev.functions.plan.linked[v.cls], v.cls)
    if isinstance(v, Static) and type(v.peek) in PLAIN:
        return Lit(v.value).type
    if isinstance(v, Ref):
        return ev.type_of(v)
    if isinstance(v, Value):
        t = v.type.elem if isinstance(v.type, Optional) else v.type
        if isinstance(t, (Tensor, Text, Link)) or v.type == NONE:
            return v.type
    raise ev.functions.plan.unlinked(cls)


def _learn(ev: Evaluator, cls: type, values: Mapping[str, Abstract]) -> None:
    """Evaluates the function again if an attribute has a type that its column does not hold."""
    fields = ev.functions.plan.fields
    wider: dict[tuple[type, str], Type] = {}
    for name, v in values.items():
        try:
            both = _wider(ev, fields.get((cls, name)), ev.resolved(_type_of(ev, cls, v)), f"_{cls.__name__}_{name}")
        except TypeMismatch:
            raise ev.functions.plan.unlinked(cls) from None
        if both != fields.get((cls, name)):
            wider[cls, name] = both
    if wider:
        raise ev.functions.plan.changed(fields=wider)


def _learn_all(ev: Evaluator, obj: ObjRef, attributes: Mapping[str, Abstract]) -> None:
    """The same for an object with these attributes, which all objects of its class must have."""
    cell = ev.slots(obj)
    if cell.unset or cell.frozen or not attributes:
        raise ev.functions.plan.unlinked(obj.cls)
    _learn(ev, obj.cls, attributes)
    if attributes.keys() != {*_fields(ev, obj.cls)}:
        raise ev.functions.plan.unlinked(obj.cls)


def _wider(ev: Evaluator, before: Type | None, t: Type, name: str) -> Type:
    """The least type that holds both; sizes of arrays that differ, or that mean nothing outside, are called by name."""
    t = map_sizes(lambda d: d if d.symbols <= ev.sizes.keys() else sym(name), t)
    return t if before is None else widened(before, t, lambda axis, p, q: sym(f"{name}_{axis}"))


def _operand(ev: Evaluator, v: Abstract) -> Operand:
    """The entry of a column.  An array in it can no longer be written."""
    if isinstance(v, Ref):
        x = ev.read(v)
        ev.store.hold(v.addr)
        return x
    return ev.lit(v)


# -- objects ---------------------------------------------------------------------------------------------


def as_row(ev: Evaluator, obj: ObjRef) -> Value:
    """Appends the object that was made last to the columns: the reference to it."""
    cell = ev.slots(obj)
    attributes = dict(zip(cell.keys, cell.items))
    _learn_all(ev, obj, attributes)
    link = _appended(ev, obj.cls, attributes, obj)
    _replace(ev, obj, link)
    return link


def copied(ev: Evaluator, owner: Value) -> Value:
    """`copy.copy(owner)`"""
    cls = _class_of(owner)
    return _appended(ev, cls, {name: v for name in _fields(ev, cls) if (v := read(ev, owner, name)) is not None})


def _appended(ev: Evaluator, cls: type, attributes: Mapping[str, Abstract], own: ObjRef | None = None) -> Value:
    """A new row of the columns; an attribute that is the object `own` refers to this row."""
    if any(isinstance(v, ObjRef) and v != own for v in attributes.values()):  # one whose `__init__` has not ended
        raise ev.functions.plan.unlinked(cls)
    refers_to_itself = own in attributes.values()
    link = _link_to_row(ev, cls, 0) if refers_to_itself else None
    for name, v in attributes.items():
        _renew(ev, cls, name, append, link if isinstance(v, ObjRef) else v)  # type: ignore[arg-type]
    return link or _link_to_row(ev, cls, 1)


def _link_to_row(ev: Evaluator, cls: type, from_end: int) -> Value:
    """A reference to the last row, or to the next one."""
    row = ev.emit(dim, ev.read(_column(ev, cls, _fields(ev, cls)[0])), axis=0, spelling="builtins.len")
    if from_end:
        row = ev.emit(sub, row, Lit(from_end), spelling="operator.sub")
    return ev.emit(link_to, row, type=Link(ev.functions.plan.linked[cls], cls))  # type: ignore[no-any-return]


def _renew(ev: Evaluator, cls: type, name: str, op: Op, value: Abstract, *at: Operand, **attrs: Any) -> None:
    """Writes a new version of a column, which holds the value."""
    list_items.new_version(ev, _column(ev, cls, name), op, _operand(ev, value), *at,
                           what="a write to an attribute of an object", **attrs)


def _replace(ev: Evaluator, obj: ObjRef, link: Value) -> None:
    """What its `__init__` has made refer to the object refers to the row."""

    def replaced(v: Any) -> Any:
        if v == obj:
            return link
        if isinstance(v, Tup):
            return v.with_(map(replaced, v.items))
        if obj in _within(v):
            raise ev.functions.plan.unlinked(obj.cls)
        return v

    del ev.store.cells[obj.addr]
    ev.store.items.pop(obj.addr, None)
    ev.store.vars.update({key: new for key, v in ev.store.vars.items() if (new := replaced(v)) is not v})
    for addr, cell in list(ev.store.cells.items()):
        if isinstance(cell, Slots) and obj in cell.items:
            if cell.schema is not None or cell.frozen:
                raise ev.functions.plan.unlinked(obj.cls)
            ev.store.cells[addr] = replace(cell, items=tuple(map(replaced, cell.items)))
    ev.temporaries.values[:] = map(replaced, ev.temporaries.values)


def _within(v: Abstract) -> Iterator[Abstract]:
    for x in parts(v):
        yield x
        yield from _within(x)


def read(ev: Evaluator, owner: Value, name: str) -> Abstract | None:
    """`owner.name`; None where the object has no such attribute of its own."""
    cls = _class_of(owner)
    if name not in _fields(ev, cls):
        return None
    column = ev.read(_column(ev, cls, name))
    again = _read_before(ev, column, owner)
    if again is None:
        again = ev.emit(index, column, ev.emit(row_of, owner), key=("i",))
        earlier = next((ev.store.told[v] for v in ev.store.told if _reads(ev, ev.defs.get(v), column, owner)), None)
        if earlier is not None:  # by the test of a loop, which is a block of its own
            ev.store.told[again] = earlier
    if again.type == NONE:
        return Static(None)
    v = ev.wrap(again)
    if is_link(v) and isinstance(v, Value) and isinstance(v.type, Optional) and is_present(ev.store, v):
        return ev.defined(v)
    if isinstance(v, Ref):
        ev.store.cells[v.addr] = replace(ev.store.array(v), frozen=Frozen.HELD)
    return v


def _read_before(ev: Evaluator, column: Operand, owner: Value) -> Value | None:
    """An earlier read of this version of the column: its facts hold here."""
    blocks: list[Builder] = [ev.b, *reversed(ev.open_blocks)]
    eqns = (e for b in blocks for e in reversed(b.eqns))
    return next((eqn.out for eqn in eqns if _reads(ev, eqn, column, owner)), None)


def _reads(ev: Evaluator, eqn: Eqn | None, column: Operand, owner: Value) -> bool:
    """Does the equation read the attribute of `owner` from the column?"""
    if eqn is None or eqn.op is not index or eqn.args[0] is not column or eqn.attrs["key"] != ("i",):
        return False
    row = ev.defs.get(eqn.args[1]) if isinstance(eqn.args[1], Value) else None
    return row is not None and row.op is row_of and row.args[0] is owner


def write(ev: Evaluator, owner: Value, name: str, value: Abstract) -> None:
    """`owner.name = value`"""
    cls = _class_of(owner)
    if name not in _fields(ev, cls):
        raise ev.functions.plan.unlinked(cls)
    _learn(ev, cls, {name: value})
    if ev.containers.passed:  # it may be an object of the arguments
        ev.containers.note_write(ev.loc)
    row = ev.emit(row_of, owner)
    _renew(ev, cls, name, store, value, row, key=("i",))
