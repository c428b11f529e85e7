"""The facts that a round of a loop's fixpoint learns about the loop, for the next round.

    a name that is bound first in the loop is undefined at the head; a list that grows has columns; an array whose
    aliases change is not written
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NoReturn

from sct.frontend.heap import item_forms
from sct.frontend.heap.dynamic_list_methods import list_behind
from sct.frontend.loops.loop_head import GrownList, LoopHead, is_start
from sct.frontend.objects.class_defaults import note_unset
from sct.frontend.state.choices import by_code, is_kept, mixed
from sct.frontend.state.fixpoint import Unstable
from sct.frontend.state.may_alias import related
from sct.frontend.state.store import ONE_PATH, Store
from sct.frontend.state.tries import is_slot
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Choice,
    Closure,
    Container,
    DictRef,
    Frozen,
    ListRef,
    MapRef,
    Method,
    ObjRef,
    Origin,
    Poison,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
    parts,
)
from sct.frontend.values.in_words import abstract_in_words
from sct.frontend.values.item_kinds import filler
from sct.ir import Lit, Operand, Value, undef
from sct.ir.types import Optional, Undef, in_words
from sct.ir.types import join as joined_type

__all__ = ["Learning", "change_in_words", "kind_in_words"]

DEEPEST = 12
"""Objects in objects that a loop carries, so deep: a chain that gets longer in each iteration has no end."""


def _is_read_where_handled(id: Any, v: Abstract) -> bool:
    """Is this a list that an exception carries?  Nothing reads it before an iteration has raised that exception."""
    return isinstance(v, ListRef) and id[0] == "var" and is_slot(id[1])


class Learning(LoopHead):
    """Notes what is learnt: each note makes another round necessary.

    copies  slots with cells of their own: (slot, the address after an iteration of what is copied into them)
    """

    copies: list[tuple[Any, int]]

    def learn_items(self, addr: int) -> None:
        """Notes that the list at `addr` changes its length in this loop: it has columns from the head on."""
        if self.few():
            self.ev.refuse("SCT310", "a list that grows in a loop of few iterations", node=self.node)
        self.memo.grown[addr] = self.grown(ListRef(addr), ListRef(addr))
        self.learnt = True

    def grown(self, before: ListRef, now: ListRef) -> GrownList:
        """The items of a list: their schema at the head, joined with that after an iteration."""
        ev = self.ev
        like = item_forms.items_like(ev, now, None)
        if self.head.cells[before.addr].items:  # type: ignore[union-attr]
            end = ev.store
            ev.go_to(self.head)
            like = item_forms.items_like(ev, before, like)
            ev.go_to(end)
        return GrownList(*like, [ev.addresses.new_kept() for _ in like[1]])

    def is_of_an_iteration(self, v: Abstract) -> bool:
        """Does a function in it read variables of a call that has returned: one of this iteration, maybe?"""
        frames = {frame.id for frame in self.ev.frames}
        return isinstance(v, Closure) and v.frame not in frames or any(map(self.is_of_an_iteration, parts(v)))

    def learn_choice(self, id: Any, before: Any, after: Any, first: Operand, last: Operand, kinds: bool = False
                     ) -> None:
        """Notes that a slot holds one of several objects, or values of several kinds; a short loop is unrolled instead.
        """
        members = {**after, **before}
        template = Choice(Value(joined_type(first.type, last.type)), tuple(members.values()),
                          tuple(members) if kinds else None)
        if any(map(self.is_of_an_iteration, after.values())):
            self.poison(id, "it is a function that each iteration makes anew")
            return
        if mixed(template) and self.few():
            self.ev.refuse("SCT502", "a variable of this loop is another object in another iteration", node=self.node)
        self.memo.templates[id] = template
        self.memo.types[id] = template.code.type
        self.learnt = True
        for which in after.keys() - before.keys():
            if kinds:
                self.learn_kind((*id, which), after[which])
            elif not is_kept(after[which]):
                self.learn((*id, which), after[which])

    def learn_kind(self, id: Any, end: Abstract) -> None:
        """Notes the numbers in a value of a kind that is there first after an iteration."""
        if isinstance(end, Tup):
            for k, x in enumerate(end.items):
                self.learn_kind((*id, k), x)
        elif self.is_held_before(end):
            return
        elif isinstance(end, Value) and (filler(end.type) != Lit(None) or isinstance(end.type, Optional)):
            self.memo.types[id] = end.type
        elif not isinstance(end, Static):
            self.learn(id, end)

    def is_held_before(self, v: Abstract) -> bool:
        """Is this an array, or a view of one, that a container holds since before the loop?"""
        cells = self.entry.cells.values()
        return isinstance(v, Ref) and any(v in cell.items for cell in cells if isinstance(cell, Slots))

    def poison(self, id: Any, why: str) -> None:
        """Notes that a slot cannot be used in the loop."""
        self.memo.poison[id] = why
        self.learnt = True

    def changes_kind(self, id: Any, why: str) -> None:
        """Notes that a slot holds a container of another class or with other keys; a short loop is unrolled instead."""
        if self.few():
            self.ev.refuse("SCT502", "a variable of this loop changes its kind", node=self.node, why=why)
        self.poison(id, why)

    def becomes_array(self, id: Any, end: Ref) -> NoReturn:
        """A number becomes an array: the next round starts in the enclosing loop where it is a literal."""
        with self.ev.as_array():
            t = self.ev.type_of(end)
        head: LoopHead | None = self
        while head is not None:
            init = head.carries[id].init
            if is_start(init):
                head.memo.types[id] = t
                raise Unstable(head)
            around = ((h, k) for h in reversed(self.ev.loops.heads) for k, c in h.carries.items() if c.param is init)
            head, id = next(around, (None, None))
        self.ev.becomes_array()

    def freeze_slots(self, addr: int, why: Frozen) -> None:
        """Notes that what is at this address at the head may not be written, or is to be read again, since that holds
        after an iteration."""
        ids = {id for id, a in self.extra_cells.items() if a == addr}
        if not ids:
            self.freeze(addr, why=why)
            return
        new = {id for id in ids if self.memo.own_frozen.get(id) not in (why, Frozen.STALE)}
        self.memo.own_frozen.update(dict.fromkeys(new, why))
        self.learnt |= bool(new)

    def learn_rows(self, kept: int, head: Container, end: ListRef) -> None:
        """Notes that a name is bound to a list of another length, so that the list has columns."""
        self.learnt = True
        grown = self.memo.grown[kept] = self.grown(ListRef(head.addr), end)
        self.memo.cell_templates[kept] = replace(self.memo.cell_templates[kept], items=(), schema=grown.schema)

    def learn_tuple(self, id: Any, head: Tup, end: Abstract) -> None:
        """Notes that a name is bound to a tuple of another length, so that it is the items of a list with columns; a
        short loop is unrolled instead."""
        if self.few():
            self.ev.refuse("SCT502", "a tuple that grows in a loop of few iterations", node=self.node)
        if isinstance(self.memo.templates.get(id), Tup):  # nothing is bound before the loop
            self.learn(id, RunTimeTuple(list_behind(self.ev, end)))
            return
        like = item_forms.items_like(self.ev, list_behind(self.ev, end), None)
        if head.items:
            now = self.ev.store
            self.ev.go_to(self.head.copy())
            like = item_forms.items_like(self.ev, self.ev.new_list(head.items), like)
            self.ev.go_to(now)
        kept = ListRef(self.ev.addresses.new_kept())
        self.memo.templates[id] = RunTimeTuple(kept)
        self.memo.grown[kept.addr] = GrownList(*like, [self.ev.addresses.new_kept() for _ in like[1]])
        self.memo.cell_templates[kept.addr] = Slots((), schema=like[0], frozen=Frozen.HELD)
        self.learnt = True

    def learn(self, id: Any, end: Abstract) -> None:
        """Notes the kind of a value that the loop binds first: it is undefined at the head."""
        memo, items = self.memo, tuple[Abstract, ...]()
        self.learnt = True
        if isinstance(end, Tup):
            memo.templates[id], items = end, end.items
        elif isinstance(end, RunTimeTuple):
            self.learn(id, end.of)
            if isinstance(of := memo.templates.get(id), ListRef):
                memo.templates[id] = RunTimeTuple(of)
        elif isinstance(end, ListRef) and (end.addr not in self.entry.cells or end.addr <= CAPTURED) or \
                isinstance(end, (ObjRef, DictRef, MapRef)) and len(id) < DEEPEST:
            # One made in the loop, or not written, and read after it: a new one, whose slots are carried values.
            cell = self.ev.store.slots(end)
            if cell.unset:
                note_unset(self.ev, end)
                memo.poison[id] = ONE_PATH
                return
            kept: Any = replace(end, addr=self.ev.addresses.new_kept())
            memo.templates[id], items = kept, cell.items
            why = Frozen.STALE if cell.frozen == Frozen.STALE else Frozen.AMBIGUOUS
            memo.cell_templates[kept.addr] = replace(cell, frozen=why)
            if (place := self.ev.store.items.get(end.addr)) is not None and place.of is not None:
                memo.places[kept.addr] = replace(place, at=None, counted=place.is_front)
        elif isinstance(end, Choice):
            self.learn_choice(id, {}, by_code(end), undef(end.code.type), end.code, kinds=end.codes is not None)
        elif isinstance(end, (Closure, Method, Static)) and not is_literal(end) or _is_read_where_handled(id, end):
            memo.templates[id] = end
        elif isinstance(end, (Value, Ref)) or is_literal(end):
            t = self.ev.type_of(end)
            memo.types[id] = t if isinstance(t, Undef) else Undef(t)
            self.note_origin(id, end)
            if isinstance(end, Ref) and end.path:
                self.split(id, end.addr)
        elif isinstance(end, Poison):
            memo.poison[id] = end.reason
        else:
            memo.poison[id] = f"it is not bound before the loop, and {kind_in_words(end)} after an iteration"
        for k, x in enumerate(items):
            self.learn((*id, k), x)

    def split(self, id: Any, *addrs: int) -> None:
        """Gives a name a cell of its own, as its aliases change from iteration to iteration.

        If no iteration reads the name before it binds it, writes in the loop cannot be seen through it.  Then the name
        and its aliases may not be written after the loop, but may be in it.
        """
        self.learnt = True
        self.memo.split.add(id)
        self.copies.append((id, addrs[-1]))
        if self.unread(id):
            self.memo.frozen_after.update(addrs)
        else:
            self.freeze(*addrs)

    def learn_aliases(self, end: Store, pairs: Iterable[tuple[Any, int, int]]) -> None:
        """Notes which arrays at the head may share a buffer, since what they are after an iteration may."""
        node, memo = self.nodes(), self.memo
        used = {node(addr) for addr in self.head.aliases}
        ends = [(id if id in memo.split else node(a), b) for id, a, b in pairs]
        for at, aliases in related([*ends, *self.copies], end).items():
            before = memo.aliases.get(at, frozenset())
            if new := aliases - before - {at}:
                memo.aliases[at] = before | new
                self.learnt |= at in used

    def compare_items_of_lists(self, end: Store, pairs: list[tuple[Any, int, int]]) -> None:
        """Notes which lists do not own their items after an iteration, and which objects are not in their place."""
        ends = {a: {b for _, x, b in pairs if x == a} if a in self.memo.cell_templates else {a}
                for a in self.head.owners}
        disowned = {a for a, after in ends.items() if not all(map(end.owns, after))} - self.memo.disowned
        places = [(a, a) for a in self.head.items] + [(a, b) for _, a, b in pairs if a in self.head.items]
        displaced = {a for a, b in places if end.items.get(b) != self.head.items[a]
                     and a not in self.memo.cell_templates} - self.memo.displaced
        shared = {a for a in self.head.alone if not all(b in end.alone for b in ends.get(a, {a}))} - self.memo.shared
        self.memo.shared |= shared
        self.learnt |= bool(shared)
        self.memo.disowned |= disowned
        self.memo.displaced |= displaced
        self.learnt |= bool(disowned or displaced)

    def compare_place(self, id: Any, head: Container, end: Container) -> None:
        """Compares the place of a container in its list with that at the head."""
        carry, item, now = self.carries.get((*id, "place")), self.memo.places.get(head.addr), \
            self.ev.store.items.get(end.addr)
        if item is None or carry is None:
            return
        if now is None or now.at is None or replace(now, at=None) != item:
            self.memo.places[head.addr] = None
            self.learnt = True
            return
        if item.counted and not now.is_front:
            self.memo.places[head.addr] = replace(item, counted=False)
            self.learnt = True
        carry.back = now.at
        self.widen((*id, "place"), carry.param.type, now.at.type)

    def note_origin(self, id: Any, end: Abstract) -> None:
        """Notes that a slot holds an array that Python may hold, after an iteration."""
        is_held = isinstance(end, Ref) and self.ev.store.array(end).origin == Origin.PYTHON
        if is_held and id not in self.memo.held_by_python:
            self.memo.held_by_python.add(id)
            self.learnt = True

    def unread(self, id: Any) -> bool:
        """Does the slot belong to a name that each iteration binds before it reads it?"""
        return id is not None and id[0] == "var" and id[1].frame == self.frame.id and \
            id[1].name not in self.frame.live.carried[self.node] | self.frame.live.captured

    def freeze(self, *addrs: int, why: Frozen = Frozen.AMBIGUOUS) -> None:
        frozen = {a for a in addrs if a > CAPTURED and (self.lasts(a) or a in self.memo.cells)}
        frozen -= {a for a, was in self.memo.frozen.items() if why != Frozen.STALE or was == Frozen.STALE}
        self.memo.frozen.update(dict.fromkeys(frozen, why))
        self.learnt |= bool(frozen)


def kind_in_words(v: Any) -> str:
    """The kind of a value, for a message."""
    if isinstance(v, Value):
        return in_words(v.type.elem if isinstance(v.type, Undef) else v.type)
    if isinstance(v, Choice):
        kinds = dict.fromkeys(map(kind_in_words, v.members))
        return " or ".join(kinds) if len(kinds) > 1 else f"one of several, each {next(iter(kinds))}"
    if isinstance(v, Static):
        return repr(v.value)
    return abstract_in_words(v)


def change_in_words(head: Any, end: Any) -> str:
    """How a value differs from that at the head, for a message."""
    if isinstance(head, Tup) and isinstance(end, Tup) and len(head.items) != len(end.items):
        return f"it is a tuple of length {len(head.items)} before the loop and {len(end.items)} after an iteration"
    return f"it is {kind_in_words(head)} before the loop and {kind_in_words(end)} after an iteration"
