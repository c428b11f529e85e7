"""Objects in lists of columns: what a list holds alone is written in its columns.

    for p in ps: p.x += 1.0    ->    for i in range(len(ps_0)): ps_0[i] += 1.0

An object that is put into a list that owns its items, or taken out of one, is an item: its place in the list is known.
A write to an attribute of it is a write to a column; other names of objects of the list are read again, or not at all.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from sct.errors import class_in_words
from sct.frontend.state.choices import is_of_kinds, is_present
from sct.frontend.state.store import Item, Store
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Array,
    Choice,
    Container,
    DefaultRef,
    DictRef,
    Frozen,
    ListRef,
    MapRef,
    ObjRef,
    Origin,
    Poison,
    Ref,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.exact_keys import same_keys
from sct.frontend.values.item_schemas import keys_of_objects, leaf_numbers, parts_of
from sct.frontend.values.schemas import KindSchema, ListSchema, MemberSchema, ObjectSchema, Schema
from sct.ir import Lit, Op, Operand, Value
from sct.ir.types import ActiveText, Link, List, Never, Optional, Tensor, Text, Type, Undef, base_type
from sct.ops import dim, index, mod, store

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "OF_CLASSES", "Place", "are_fresh", "array_in_list", "arrays_are_fresh", "current", "displace", "have_one_form",
    "item_at", "join", "may_be", "moved", "new_version", "owning", "place", "refresh", "refuse_different_items",
    "refuse_item", "release", "same_columns", "share", "value_or_none", "write", "write_array",
]


OF_CLASSES = "attributes of such objects are numbers, strings, arrays, None, such objects, lists and tuples of " \
    "these, members of enums, and functions that are not defined inside others"
"""Why objects of several classes are refused where an attribute of theirs is something else."""


@dataclass(frozen=True)
class Place:
    """Where dicts whose keys are known only at run time are made, and what is done with them."""

    site: Any = field(compare=False)
    uses: frozenset[str]


def value_or_none(ev: Evaluator, v: Abstract) -> Value | None:
    """The contents of a number, a string or an array in whose place None may be; None of other values."""
    x = ev.store.array(v).value if isinstance(v, Ref) and not v.path else ev.bound(v)
    return x if isinstance(x, Value) and isinstance(x.type, Optional) and not is_present(ev.store, x) else None


def have_one_form(ev: Evaluator, a: Schema, b: Schema, types: Sequence[Type] = ()) -> bool:
    """Are the schemas equal?  What is done with dicts of one list is done with all of them.

    types  those of the leaves of `b`, where an empty list may stand for a list of any items
    """
    if isinstance(a, ListSchema) and isinstance(b, int):
        return bool(types) and types[b] == List(Never())
    if isinstance(a, ObjectSchema) and isinstance(b, ObjectSchema) and isinstance(a.cls, MapRef) and a.cls == b.cls \
            and a.keys[0] != b.keys[0]:
        dicts = {(place.site, use) for place in (a.keys[0], b.keys[0]) for use in a.keys[0].uses | b.keys[0].uses}
        if not dicts <= ev.functions.plan.dicts:
            raise ev.functions.plan.changed(dicts=dicts)
    inner = parts_of(a), parts_of(b)
    if inner[0] and type(a) is type(b):
        heads = [(x.cls, x.keys) if isinstance(x, ObjectSchema) else x.cls if isinstance(x, MemberSchema) else None
                 for x in (a, b)]
        return heads[0] == heads[1] and len(inner[0]) == len(inner[1]) and all(
            have_one_form(ev, p, q, types) for p, q in zip(*inner))
    return a == b or bool(types) and isinstance(a, int) and isinstance(b, int)


# -- which lists own their items ------------------------------------------------------------------------


def are_fresh(ev: Evaluator, values: Iterable[Abstract]) -> bool:
    """Are the objects in these values in no list of columns, and each in them once?"""
    seen: set[int] = set()

    def visit(v: Abstract) -> bool:
        if isinstance(v, Tup):
            return all(map(visit, v.items))
        if not isinstance(v, Container):
            return not is_of_kinds(v)
        cell = ev.store.cells[v.addr]
        alone = isinstance(cell, Slots) and v.addr not in seen and v.addr > CAPTURED and \
            cell.origin == Origin.FRESH and (not cell.frozen or ev.store.items.get(v.addr) == Item())
        seen.add(v.addr)
        return alone and isinstance(cell, Slots) and (cell.schema is not None or all(map(visit, cell.items)))

    return all(map(visit, values))


def arrays_are_fresh(ev: Evaluator, values: Iterable[Abstract]) -> bool:
    """Are the arrays in these values whole buffers of their own, held by no list, and each in them once?"""
    seen: set[int] = set()

    def visit(v: Abstract) -> bool:
        if isinstance(v, Container):
            cell = ev.store.cells[v.addr]
            return isinstance(v, (ObjRef, DictRef)) and isinstance(cell, Slots) and all(map(visit, cell.items))
        if not isinstance(v, Ref):
            return all(map(visit, v.items)) if isinstance(v, Tup) else not is_of_kinds(v)
        buffer = ev.store.array(v)
        alone = not v.path and v.addr not in seen and v.addr > CAPTURED and buffer.origin == Origin.FRESH and \
            not buffer.frozen and not buffer.merged and not buffer.starts and buffer.readonly == {False}
        seen.add(v.addr)
        return alone

    return all(map(visit, values))


def share(ev: Evaluator, schema: Schema) -> None:
    """An object of this schema may be in two places: no list with such objects owns its items."""
    keys = list(keys_of_objects(schema))
    for addr in list(ev.store.owners):
        cell = ev.store.cells[addr]
        if isinstance(cell, Slots) and cell.schema is not None and any(
                same_keys(p, q) for p in keys for q in keys_of_objects(cell.schema)):
            del ev.store.owners[addr]


def owning(ev: Evaluator, owns: bool, of: ListRef, *, same: bool = False) -> ListRef:
    """The list, with the note that it owns its items, if it does; `same`: no other list has got any of them."""
    if not same:
        ev.store.alone.discard(of.addr)
    if owns:
        ev.store.own(of.addr)
    return of


def place(ev: Evaluator, of: ListRef, at: Operand, schema: Schema, v: Abstract) -> None:
    """Notes that the objects in `v` are in the item `at` of a list."""
    if isinstance(schema, ObjectSchema) and isinstance(v, (ObjRef, DictRef)):
        ev.store.items[v.addr] = Item(of.addr, at, schema, _is_counted(ev, at))
        for part, x in zip(schema.parts, ev.store.slots(v).items):
            place(ev, of, at, part, x)
    elif isinstance(v, (Choice, Tup)):
        parts = schema.parts if isinstance(schema, ObjectSchema) else \
            schema.kinds if isinstance(schema, KindSchema) else schema
        for part, x in zip(parts if isinstance(parts, tuple) else (), v.items if isinstance(v, Tup) else v.members):
            place(ev, of, at, part, x)
    elif isinstance(v, Ref) and isinstance(schema, int) and not v.path:
        ev.store.items[v.addr] = Item(of.addr, at, schema)


def item_at(ev: Evaluator, of: int, at: Operand) -> Item:
    """The item at this place of the list at `of`."""
    return Item(of, at, None, _is_counted(ev, at))


def _is_counted(ev: Evaluator, at: Operand) -> bool:
    """Is this the index of a loop that counts from 0 or further on?"""
    first, _ = ev.index_ranges.get(f"__v{at.id}", (None, None)) if isinstance(at, Value) else (None, None)
    return first is not None and first.least >= 0


def moved(ev: Evaluator, of: int, behind: bool = False) -> None:
    """The items of a list move: it is not known any more where objects of it are.  `behind`: one comes in behind."""
    for addr, item in list(ev.store.items.items()):
        if item.of == of and not (behind and item.is_front):
            del ev.store.items[addr]


def release(ev: Evaluator, v: Abstract) -> None:
    """Notes that an object has left the list that owned it: no list holds it."""
    if isinstance(v, (ObjRef, DictRef)):
        ev.store.items[v.addr] = Item()
        for x in ev.store.slots(v).items:
            release(ev, x)
    elif isinstance(v, Tup):
        for x in v.items:
            release(ev, x)


def places(ev: Evaluator, a: Container, b: Container) -> tuple[Operand, Operand] | None:
    """The places of two objects in the list that holds each of its objects once; None if it is not known to hold both.
    """
    p, q = (ev.store.items.get(v.addr) for v in (a, b))
    if p is None or q is None or p.of is None or p.of != q.of or p.schema != q.schema or not ev.store.owns(p.of):
        return None
    if ev.store.cells[p.of].origin == Origin.ARGUMENT:
        ev.containers.note_comparison(ev.loc)
    at = [_from_front(ev, item) for item in (p, q)]
    return at[0], at[1]


def _from_front(ev: Evaluator, item: Item) -> Operand:
    """The place of an object in its list, counted from the front."""
    at = _place_of(ev, item, True)
    assert at is not None and item.of is not None
    if item.is_front:
        return at
    columns = ev.store.columns(item.of)
    assert columns is not None
    size = ev.emit(dim, *columns, axis=0, spelling="builtins.len")
    return ev.emit(mod, at, size, spelling="operator.mod")  # type: ignore[no-any-return]


# -- reading and writing --------------------------------------------------------------------------------


def refresh(ev: Evaluator, v: Container, there: bool = False) -> None:
    """Reads the attributes of an object again, if others of its list were written since, and its place is known.

    there  it is known to be an object on this path
    """
    item, cell = ev.store.items.get(v.addr), ev.store.cells[v.addr]
    if item is None or item.of is None or cell.frozen != Frozen.STALE or not ev.store.owns(item.of):
        return
    at = _place_of(ev, item, there)
    if at is None:
        return
    assert isinstance(cell, Slots) and isinstance(item.schema, ObjectSchema)
    columns = ev.store.slots(ListRef(item.of)).items

    def read(schema: Schema, old: Abstract) -> Abstract:
        if isinstance(old, Tup):
            parts = schema.parts if isinstance(schema, ObjectSchema) else schema
            return old.with_(map(read, parts if isinstance(parts, tuple) else (), old.items))
        if not isinstance(schema, int) or isinstance(old, Container):
            return old
        column = columns[schema]
        assert isinstance(column, Ref)
        new = ev.wrap(ev.emit(index, ev.read(column), at, key=("i",)))
        if isinstance(new, Ref):
            ev.store.hold(new.addr)
            ev.store.items[new.addr] = replace(item, schema=schema)
        return new

    items = tuple(map(read, item.schema.parts, cell.items))
    ev.store.cells[v.addr] = replace(cell, items=items, frozen=Frozen.HELD)


def _place_of(ev: Evaluator, item: Item, there: bool) -> Operand | None:
    """The place of an object in its list; None where the object may be none."""
    if isinstance(item.at, Value) and isinstance(item.at.type, Undef):
        return ev.known_bound(item.at) if there else None
    return item.at


def write(ev: Evaluator, owner: ObjRef | DictRef, key: Any, value: Abstract) -> bool:
    """Writes an attribute, or a value of a dict, of an item of a list; False if this is not one."""
    item = ev.store.items.get(owner.addr)
    if item is None or isinstance(owner, DefaultRef):
        return False
    if item.of is None:
        cell = ev.store.cells[owner.addr]
        _outdate(ev, owner.addr, item, same_keys_as=_slots(cell).keys)
        ev.store.cells[owner.addr] = replace(cell, frozen=Frozen.NO)
        del ev.store.items[owner.addr]
        return False
    if not ev.store.owns(item.of) or not isinstance(item.schema, ObjectSchema) or item.at is None or \
            ev.store.cells[item.of].frozen == Frozen.HELD:
        return False
    refresh(ev, owner, True)
    cell, at = ev.slots(owner), _place_of(ev, item, True)
    part = item.schema.parts[cell.keys.index(key)] if key in cell.keys else None
    if part is None or not _has_schema(value, part):
        return False
    ev.writable(item.of, "a write")
    if isinstance(value, Ref) and value == cell.items[cell.keys.index(key)]:
        return True  # `p.pos += d` has written the array itself
    columns = ev.store.slots(ListRef(item.of)).items
    _outdate(ev, owner.addr, item, same_keys_as=cell.keys)
    if not arrays_are_fresh(ev, [value]):
        ev.store.put_in(item.of, value)
    displace(ev, item, leaf_numbers(part))
    for k, x in zip(leaf_numbers(part), _leaves(ev, value)):
        new_version(ev, columns[k], store, x, at, key=("i",))
    items = tuple(value if k == key else x for k, x in zip(cell.keys, cell.items))
    ev.store.cells[owner.addr] = replace(ev.slots(owner), items=items)
    ev.store.own(item.of)
    if at is not None and ev.store.holds_alone(item.of):
        place(ev, ListRef(item.of), at, part, value)
    return True


def displace(ev: Evaluator, item: Item, leaves: Sequence[int] | None = None) -> None:
    """Others take the place of the arrays in these columns of an item, or of all of it: where they are, is not known.
    """
    for addr, other in list(ev.store.items.items()):
        if other.of == item.of and (leaves is None or other.schema in leaves) and not _apart(other, item):
            del ev.store.items[addr]


def _apart(a: Item, b: Item) -> bool:
    """Are these certainly two items of one list?"""
    return a.of == b.of and a.at != b.at and isinstance(a.at, Lit) and isinstance(b.at, Lit) \
        and a.is_front and b.is_front


def new_version(ev: Evaluator, column: Abstract, op: Op, *operands: Operand | None, what: str = "a write",
                **attrs: Any) -> None:
    """Writes a column: the op gives its new version, which keeps its name."""
    assert isinstance(column, Ref)
    buffer = ev.writable(column.addr, what)
    assert isinstance(buffer, Array)
    new = ev.emit(op, buffer.value, *operands, **attrs)
    if isinstance(new, Value) and isinstance(buffer.value, Value):
        new.hint = new.hint or buffer.value.hint
    ev.store.cells[column.addr] = replace(buffer, value=new)


# -- arrays in lists ------------------------------------------------------------------------------------


def array_in_list(ev: Evaluator, addr: int) -> Item | None:
    """Where the array at this address is, if a list holds it alone: it is written there as well."""
    item = ev.store.items.get(addr)
    held = isinstance(ev.store.cells[addr], Array) and item is not None and ev.store.holds_alone(item.of)
    return item if held and item is not None and ev.store.cells[item.of].frozen != Frozen.HELD else None  # type: ignore


def write_array(ev: Evaluator, addr: int, item: Item) -> None:
    """Stores the new version of an array in its list; what else may be a name of it, is to be read again."""
    buffer, of = ev.store.cells[addr], item.of
    assert isinstance(buffer, Array) and of is not None and isinstance(item.schema, int)
    column = ev.store.slots(ListRef(of)).items[item.schema]
    at = _place_of(ev, item, True)
    assert at is not None
    new_version(ev, column, store, buffer.value, at, key=("i",))
    ev.store.own(of)
    t = ev.type_of(Ref(addr))
    for other, cell in list(ev.store.cells.items()):
        if cell.frozen not in (Frozen.HELD, Frozen.AMBIGUOUS) or other == addr:
            continue
        if isinstance(cell, Array):
            outdated = may_be(ev, Ref(other), t)
        else:
            outdated = cell.schema is None and Ref(addr) not in cell.items and any(
                isinstance(x, Ref) and may_be(ev, x, t) for x in cell.items)
        if outdated:
            ev.store.cells[other] = replace(cell, frozen=Frozen.STALE)


def same_columns(ev: Evaluator, ref: ListRef, before: Abstract) -> None:
    """Refuses a list that was written since `reversed` was called on it."""
    ev.check_current(ev.store.slots(ref))
    columns = (ev.read(c) for c in ev.store.slots(ref).items if isinstance(c, Ref))
    if before != Tup(tuple(c for c in columns if isinstance(c, Value))):
        ev.refuse("SCT306", "a list is written while `reversed` iterates over it",
                  hint="iterate over a copy: `list(xs)`")


def may_be(ev: Evaluator, other: Ref, t: Any) -> bool:
    """May this be an array of type `t`?"""
    s = ev.store.array(other).value.type
    s = s.elem if isinstance(s, (Optional, Undef)) else s
    return isinstance(s, Tensor) and s.is_array and s.dtype == t.dtype and s.rank == t.rank


def current(ev: Evaluator, ref: Ref, refuse: bool = True) -> None:
    """Reads an array of a list again, if others of the list were written since.

    refuse  refuse it where its place is not known; otherwise it stays as it is
    """
    cell, item = ev.store.cells[ref.addr], ev.store.items.get(ref.addr)
    if not isinstance(cell, Array) or cell.frozen != Frozen.STALE:
        return
    at = _place_of(ev, item, refuse) if item is not None and ev.store.holds_alone(item.of) else None
    if item is None or item.of is None or at is None or not isinstance(item.schema, int):
        if not refuse:
            return
        ev.refuse("SCT307", "an array is read that another name may have changed", why=Frozen.STALE.value,
                  hint="take a copy: `x.copy()`")
    column = ev.store.slots(ListRef(item.of)).items[item.schema]
    assert isinstance(column, Ref)
    value = ev.emit(index, ev.read(column), at, key=("i",))
    ev.store.cells[ref.addr] = replace(cell, value=value, frozen=Frozen.HELD)


def _slots(cell: Any) -> Slots:
    assert isinstance(cell, Slots)
    return cell


def _has_schema(v: Abstract, schema: Schema) -> bool:
    """Is this a number, a string, an array, or a tuple of them, of this schema?"""
    if isinstance(v, Tup):
        parts = schema.parts if isinstance(schema, ObjectSchema) and schema.cls is v.cls else \
            schema if isinstance(schema, tuple) and v.cls is tuple else ()
        return 0 < len(parts) == len(v.items) and all(map(_has_schema, v.items, parts))
    return isinstance(schema, int) and (isinstance(v, Ref) or is_literal(v) and v != Static(None) or
                                        isinstance(v, Value) and isinstance(v.type, (ActiveText, Tensor, Text)))


def _leaves(ev: Evaluator, v: Abstract) -> Iterator[Operand]:
    for x in v.items if isinstance(v, Tup) else ():
        yield from _leaves(ev, x)
    if isinstance(v, Ref):
        ev.store.hold(v.addr)
    if not isinstance(v, Tup):
        yield ev.operand(v)


def _outdate(ev: Evaluator, written: int, item: Item, same_keys_as: tuple[Any, ...]) -> None:
    """Other names may be names of the object that is written, and other lists hold it, unless they own their items:
    what they are is to be read again."""
    for addr, cell in list(ev.store.cells.items()):
        if isinstance(cell, Slots) and cell.schema is not None and cell.parent is None and not ev.store.owns(addr) \
                and any(same_keys(keys, same_keys_as) for keys in keys_of_objects(cell.schema)):
            ev.store.cells[addr] = replace(cell, frozen=Frozen.STALE)
        if addr == written or not isinstance(cell, Slots) or not cell.frozen or not cell.keys \
                or not same_keys(cell.keys, same_keys_as):
            continue
        other = ev.store.items.get(addr)
        if other is None or item.of is None or not _apart(other, item):
            ev.store.cells[addr] = replace(cell, frozen=Frozen.STALE)


def refuse_item(ev: Evaluator, x: Abstract) -> NoReturn:
    """Refuses a value that is put into a list whose length is not known."""
    ev.functions.plan.open_sets.update(ev.containers.places_of_sets(x))
    if isinstance(x, Poison):
        ev.refuse("SCT310", "this value cannot be put into a list", why=x.reason)
    held = "a list whose length is not known holds numbers, arrays, and tuples and lists of these"
    if isinstance(x, Choice) and any(isinstance(m, ObjRef) for m in x.members):
        ev.refuse("SCT310", "objects of several classes are put into a list whose length is not known", why=OF_CLASSES,
                  hint="put other attributes into lists of their own, and keep the positions in these")
    one = x.members[0] if isinstance(x, Choice) else x
    if isinstance(one, Static):
        ev.refuse("SCT310", f"{class_in_words(one.peek)} is put into a list whose length is not known", why=held,
                  hint="put its `value` into the list, and compare that" if isinstance(one.peek, enum.Enum)
                  else "put a number or a string into the list that stands for it")
    ev.refuse("SCT310", held, hint="allocate an array before the loop, or use one list for each part")


def _may_be_row(v: Abstract) -> bool:
    return isinstance(v, (Tup, Container)) or isinstance(v, Value) and isinstance(base_type(v.type), Link)


def refuse_different_items(ev: Evaluator, item: Abstract | None = None) -> NoReturn:
    """Refuses a list whose items differ; `item`: one that is not as the others are."""
    plan = ev.functions.plan
    plan.note_mixed()
    if plan.nones and not plan.columns_for_none:
        raise plan.with_columns_for_none()
    if isinstance(item, Tup) and not any(map(_may_be_row, item.items)):  # else that is to be a row
        plan.note_met(item)
    plan.met.update(place for place, _ in plan.nested)
    plan.displays.update((cls, True) for _, cls in plan.nested)
    ev.refuse("SCT310", "the items of this list differ in structure", hint="use a list for each kind of item")


# -- joins ----------------------------------------------------------------------------------------------


def join(left: Store, right: Store, joined: Store, addrs: Mapping[tuple[Any, Any], int], inner: Set[Value],
         phi: Callable[[Operand, Operand], Operand]) -> None:
    """Notes which lists own their items, and which objects are items of lists, where both paths know it.

    addrs  the addresses of what is at one address on the left and at another on the right
    inner  what the paths define; `phi`: the operand that is one on the left and another on the right
    """
    owned = [new for (a, b), new in addrs.items()
             if isinstance(a, int) and isinstance(b, int) and left.owns(a) and right.owns(b)]
    owned += [a for a in joined.cells if (left.dead or left.owns(a)) and (right.dead or right.owns(a))]
    for addr in owned:
        joined.own(addr)
    if left.dead and right.dead:
        return
    for addr in joined.cells:
        x, y = left.items.get(addr), right.items.get(addr)
        both = x if x == y or right.dead else y if left.dead else None
        if both is not None and not (isinstance(both.at, Value) and both.at in inner):
            joined.items[addr] = both
    joined.alone = joined.owners.keys() & {
        *(new for (a, b), new in addrs.items() if a in left.alone and b in right.alone),
        *(a for a in joined.cells if (left.dead or a in left.alone) and (right.dead or a in right.alone))}
    for (a, b), addr in addrs.items():
        x, y = left.items.get(a), right.items.get(b)
        if x is not None and y is not None and x.at is not None and y.at is not None and replace(x, at=y.at) == y:
            joined.items[addr] = replace(x, at=phi(x.at, y.at), counted=x.is_front and y.is_front)
