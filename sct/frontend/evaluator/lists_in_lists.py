"""Lists that are items of another list: views of its columns, as long as they are in it.

    row = rows[0]; rows[0] = other    ->    `row` is a view until another list takes its place, and keeps its contents

What names and values on the stack lead to is detached before the items of a list move.  What leaves a list is detached
as well: it is written as any other list, if nothing else may be a name of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sct.frontend.state.store import Item
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    Container,
    Frozen,
    ListRef,
    Origin,
    Ref,
    Slots,
    Tup,
    parts,
)
from sct.ir.types import List, Never, Type

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["cut_loose", "is_item", "lists_behind", "note_write", "put_in", "take_out"]


def cut_loose(ev: Evaluator, ref: ListRef) -> None:
    """Detaches lists inside the list, whose items are about to move: names and values on the stack keep their contents.
    """
    mine = {c.addr for c in ev.store.slots(ref).items if isinstance(c, Ref)}
    for addr in sorted(_in_use(ev)):
        cell = ev.store.cells[addr]
        if isinstance(cell, Slots) and cell.parent is not None and addr != ref.addr:
            views = [column for column in cell.items if isinstance(column, Ref)]
            if all(view.addr in mine and len(view.path) > len(_path(ev, ref)) for view in views):
                own = ev.store.slots(_detached(ev, ListRef(addr)))
                ev.store.cells[addr] = replace(own, origin=cell.origin, frozen=Frozen.HELD)


def _detached(ev: Evaluator, view: ListRef) -> ListRef:
    """A list with the contents of one that is an item of another list; one that never gets items has a known length.
    """
    cell = ev.store.slots(view)
    ev.check_current(cell)
    if all(ev.type_of(c) == List(Never()) for c in cell.items):
        return ev.new_list(())
    return ev.new_dynamic_list(cell.schema or 0, [ev.read(c) for c in cell.items if isinstance(c, Ref)])


def _in_use(ev: Evaluator) -> set[int]:
    """The addresses of the lists that names that are read again, and values on the stack, lead to."""
    names = (v for key, v in ev.store.vars.items() if ev.live_in_statement(key))
    return lists_behind(ev, [*names, *ev.temporaries.values])


def _may_be(ev: Evaluator, addr: int, item: ListRef) -> bool:
    """May the list at this address be this item of another list?"""
    other, own = ev.store.slots(ListRef(addr)), ev.store.slots(item)
    if addr == item.addr or not (other.frozen or other.parent is not None):
        return False
    return other.schema is None or any(_may_be_one(ev.type_of(a), ev.type_of(b))
                                       for a, b in zip(other.items, own.items))


def _may_be_one(a: Type, b: Type) -> bool:
    """May values of these types be one object, known by two types?"""
    if isinstance(a, List) and isinstance(b, List):
        return _may_be_one(a.elem, b.elem)
    return isinstance(a, Never) or isinstance(b, Never) or isinstance(a, List) == isinstance(b, List)


def lists_behind(ev: Evaluator, values: Iterable[Abstract]) -> set[int]:
    """The addresses of the lists that these values lead to."""
    lists: set[int] = set()
    seen: set[int] = set()
    todo = [*values]
    while todo:
        v = todo.pop()
        todo += parts(v)
        if isinstance(v, ListRef):
            lists.add(v.addr)
        if isinstance(v, Container) and v.addr not in seen:
            seen.add(v.addr)
            cell = ev.store.cells[v.addr]
            todo += cell.items if isinstance(cell, Slots) and cell.schema is None else ()
    return lists


def _path(ev: Evaluator, ref: ListRef) -> tuple[Any, ...]:
    column = ev.store.slots(ref).items[0]
    return column.path if isinstance(column, Ref) else ()


def is_item(ev: Evaluator, v: ListRef) -> bool:
    """Is this list an item of another one, or may it be?"""
    cell = ev.store.slots(v)
    return cell.parent is not None or cell.frozen == Frozen.HELD and ev.store.items.get(v.addr) != Item()


def put_in(ev: Evaluator, v: ListRef, shared: bool) -> None:
    """A list becomes an item of another list; refused if it is one already, and not `shared` by lists that none writes.
    """
    cell = ev.store.slots(v)
    if not shared and is_item(ev, v):
        ev.refuse("SCT307", "one list is put into two lists", why="its aliases are not known",
                  hint="put a copy into the list: `append(list(xs))`")
    if cell.frozen == Frozen.HELD:
        ev.store.items.pop(v.addr, None)
    if cell.origin == Origin.CAPTURED:
        _note(ev, "from outside")
    ev.store.hold(v.addr)


def note_write(ev: Evaluator) -> None:
    """Notes that a list that is an item of another is written."""
    _note(ev, "written")


def _note(ev: Evaluator, what: str) -> None:
    ev.containers.nested.add(what)
    if len(ev.containers.nested) == 2:
        ev.refuse("SCT302", "a list from outside is put into a list, and an item of such a list is written",
                  why="its caller would see the write", hint="put a copy into the list: `append(list(xs))`")


def take_out(ev: Evaluator, v: Abstract) -> Abstract:
    """An item that leaves its list: lists in it are views no longer.  They are written as any others, if nothing else
    may be a name of one of them."""
    if isinstance(v, Tup):
        return v.with_(take_out(ev, x) for x in v.items)
    if isinstance(v, Choice):
        return replace(v, members=tuple(take_out(ev, m) for m in v.members))
    if isinstance(v, ListRef):
        left = _detached(ev, v)
        if any(_may_be(ev, addr, v) for addr in _in_use(ev)):
            ev.store.hold(left.addr)
            ev.store.items[left.addr] = Item()  # no list holds it
        return left
    if isinstance(v, Container):
        cell = ev.store.slots(v)
        ev.store.cells[v.addr] = replace(cell, items=tuple(take_out(ev, x) for x in cell.items))
    return v
