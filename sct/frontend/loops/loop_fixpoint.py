"""The back edge of a loop: it confirms the types of the carried values, or learns them for the next round.

    s = 0 at the head, a float64 at the end   ->   `s` is a float64: another round
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sct.errors import SctError
from sct.frontend.arguments.lift import constant_object
from sct.frontend.evaluator import list_items
from sct.frontend.heap import dynamic_lists, item_forms
from sct.frontend.heap.dynamic_list_methods import list_behind
from sct.frontend.heap.lattice import (
    Join,
    alike,
    conflicts,
    indices_that_differ,
    left_to_give,
    perhaps_tuple,
    use_alike,
    with_attributes,
)
from sct.frontend.iteration.iteration_space import is_held
from sct.frontend.loops.loop_learning import Learning, change_in_words, kind_in_words
from sct.frontend.objects.class_defaults import note_unset
from sct.frontend.state.choices import by_code, code, is_kept, is_of_kinds, may_be_absent
from sct.frontend.state.fixpoint import Unstable
from sct.frontend.state.may_alias import thaw_at_back_edge
from sct.frontend.state.store import (
    ONE_PATH,
    UNSET,
    Store,
    is_plain_tuple,
    is_such_tuple,
    is_written,
    least_length,
    of_one_class,
    type_of,
)
from sct.frontend.state.tries import is_slot
from sct.frontend.values.abstract_values import (
    CAPTURED,
    DELETED,
    Abstract,
    Array,
    Cell,
    Choice,
    Container,
    Frozen,
    Key,
    ListRef,
    OptionalTuple,
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
from sct.frontend.values.exact_keys import same_keys
from sct.frontend.values.guards import NeedsFirst
from sct.frontend.values.item_kinds import Kinds, are_apart
from sct.ir import Lit, Value
from sct.ir.types import Optional, Tensor, in_words

__all__ = ["ITERATED", "BackEdge"]

ITERATED = "iterated"
"""The owner of an array that a loop runs over: the loop itself."""


class BackEdge(Learning, Join[None]):
    """The end of an iteration, compared with the head: it confirms the carried values, or learns more about them.

    learnt  this round has learnt something
    pairs   (slot, address at the head, address at the end) of the arrays and containers of a slot
    """

    def compare_with_head(self, end: Store) -> None:
        """Compares the end of an iteration with the head, and gives each carried value its next value."""
        self.forget_unwritten(end)
        if end.dead:
            for carry in self.carries.values():
                carry.back = carry.back or carry.param
            return
        thaw_at_back_edge(self.ev, end, self.live, self.ev.temporaries.values[:self.temporaries])
        self.learnt = False  # what making the head has learnt holds for it
        self.pairs: list[tuple[Any, int, int]] = []
        self.noted: set[int] = set()
        self.copies: list[tuple[Any, int]] = []
        self.names |= {key for key in end.vars.keys() - self.head.vars.keys() if is_slot(key) or self.is_older(key)}
        for key, v in self.head.vars.items():
            self.compare_name(key, v, end.vars.get(key))
        for v in self.ev.temporaries.values[:self.temporaries]:
            self.note(v)
        for key in self.names:
            if key not in self.head.vars and self.live(key) and key in end.vars:
                self.compare(("var", key), None, end.vars[key])
        for addr, cell in self.head.cells.items():
            now = end.cells.get(addr)
            if now is not cell and now is not None and addr not in self.memo.cell_templates:
                self.compare_cell(addr, cell, now, end)
        self.compare_items_of_lists(end, self.pairs)
        self.share(end)
        self.learn_aliases(end, self.pairs)
        if self.learnt:
            raise Unstable(self)
        for id in self.carries:
            if id[0] == "bound":
                self.carries[id].back = end.is_bound(id[1])
        self.set_array_backs(end)

    def forget_unwritten(self, end: Store) -> None:
        """Forgets the cells that the loop was expected to write, but that this iteration has not written."""
        memo, expected = self.memo, self.memo.expected
        memo.expected = set()
        unwritten = {a for a in expected if end.dead or end.cells[a] is self.head.cells[a]}
        if unwritten:
            memo.cells -= unwritten
            raise Unstable(self)

    def compare_name(self, key: Key, v: Abstract, now: Abstract | None) -> None:
        """Compares a name that is bound at the head, where its value is `v`, with its value `now` at the end."""
        if key.name == "<exit>":
            return
        candidate = key in self.names or key in self.memo.names
        if not candidate and now != v and self.ev.live_in_statement(key):
            self.memo.names.add(key)
            self.learnt = True
        elif candidate and (key in self.memo.names or self.live(key)):
            self.compare(("var", key), v, now)
        elif now == v and key in self.iterated and isinstance(v, Ref):
            self.pairs.append((ITERATED, v.addr, v.addr))
        elif now == v and (is_held(key) or self.live(key)):
            self.note(v)

    def compare_cell(self, addr: int, cell: Cell, now: Cell, end: Store) -> None:
        """Compares a cell that an iteration has replaced."""
        ev, memo = self.ev, self.memo
        if addr not in self.extra_cells.values() and (now.frozen != Frozen.HELD or end.refers_to(addr)):
            self.freeze_as(None, addr, now.frozen)  # of other cells, what the slot holds now says it
        if isinstance(cell, Array) and isinstance(now, Array) and now.value is cell.value or \
                isinstance(cell, Slots) and not is_written(cell, now):
            return
        if isinstance(cell, Slots) and isinstance(now, Slots) and not cell.keys and not now.keys and (
                cell.schema != now.schema or cell.schema is None and len(cell.items) != len(now.items)):
            self.learn_items(addr)
        elif addr not in memo.cells and addr not in self.extra_cells.values():
            memo.cells.add(addr)
            self.learnt = True
        elif isinstance(cell, Slots) and isinstance(now, Slots):
            if cell.schema is not None:
                ev.refuse("SCT307", "this loop changes a list that is also an item of another list, and sct cannot "
                          "keep the two in step", node=self.node, why=Frozen.HELD.value,
                          hint="take a copy: `list(xs)`")
            if cell.keys != now.keys and cell.unset is not None and with_attributes(cell, now).keys == now.keys:
                memo.attributes[addr] = now
                self.learnt = True
                return
            if not same_keys(cell.keys, now.keys) or cell.ordered > now.ordered:
                ev.functions.plan.refused.update((c.site, "values") for c in (cell, now) if c.site is not None)
                self.refuse_new_keys(all(c.site is None or ev.functions.plan.known_keys for c in (cell, now)))
            self.compare_items(("slot", addr), cell.items, now.items)

    def refuse_new_keys(self, first_alone: bool) -> NoReturn:
        """Refuses new keys; `first_alone`: the first iteration alone may make all of them."""
        try:
            self.ev.refuse("SCT310", "a dict that gets new keys in a loop, or an object that gets new attributes, is "
                           "not supported yet", node=self.node,
                           hint="give it all of them before the loop, also those that its class has")
        except SctError as error:
            if first_alone:
                raise NeedsFirst(error) from None
            raise

    def note(self, v: Any) -> None:
        """Notes the aliases of an unchanged value."""
        if isinstance(v, (Ref, Container)):
            self.pairs.append((None, v.addr, v.addr))
        if isinstance(v, Container) and v.addr not in self.noted:
            self.noted.add(v.addr)
            cell, now = self.head.slots(v), self.ev.store.slots(v)
            if cell.items == now.items:  # else each slot is compared by itself
                for x in cell.items:
                    self.note(x)
        rest = left_to_give(self.head, v)
        if rest is None:
            for x in parts(v):
                self.note(x)
            return
        containers, items = rest
        self.pairs += [(None, of.addr, of.addr) for of in containers]
        if all(self.head.slots(of).items == self.ev.store.slots(of).items for of in containers[1:]):
            for x in items:  # else each slot is compared by itself
                self.note(x)

    # -- slots: the join of the value at the head and the value at the end ---------------------------------

    def compare(self, id: Any, head: Abstract | None, end: Abstract | None) -> None:
        """Records the value of a slot at the end of an iteration."""
        end = None if end == DELETED else end
        if id in self.memo.poison or end is None and head is None:
            return
        if isinstance(end, Poison):
            self.poison(id, end.reason)
        elif end is None:
            self.poison(id, "it is deleted in the loop")
        elif head is None:
            self.learn(id, end)
        elif head != end and are_apart(before := self.ev.kinds_of(head, self.head), after := self.ev.kinds_of(
                end := end if is_of_kinds(head) else self.ev.settled(end))):
            self.kinds(head, end, id, before, after)
        else:
            self.join(head, end, id)

    def kinds(self, head: Any, end: Any, id: Any, before: Kinds, after: Kinds) -> None:
        """A value of one kind at the head, and of another one, maybe, at the end."""
        first, last = (v.code if isinstance(v, Choice) else Lit(next(iter(kinds)))
                       for v, kinds in ((head, before), (end, after)))
        if not is_of_kinds(head) or after.keys() - before.keys():
            self.learn_choice(id, before, after, first, last, kinds=True)
            return
        carry = self.carries[id]
        carry.back = last
        self.widen(id, carry.param.type, last.type)
        for which, member in after.items():
            self.compare((*id, which), before[which], member)

    def compare_items(self, id: tuple[Any, ...], head: Sequence[Abstract], end: Sequence[Abstract]) -> None:
        for k, (p, q) in enumerate(zip(head, end)):
            if p == UNSET != q and not isinstance(q, (Value, Ref)) and not is_literal(q):
                self.poison((*id, k), ONE_PATH)
            elif p != UNSET or q != UNSET:
                self.compare((*id, k), None if p == UNSET else p, q)

    def choice(self, head: Any, end: Any, id: Any) -> None:
        before, after = by_code(head), by_code(end)
        if not isinstance(head, Choice) or after.keys() - before.keys():
            self.learn_choice(id, before, after, code(head), code(end), any(map(is_of_kinds, (head, end))))
            return
        carry = self.carries[id]
        carry.back = code(end)
        self.widen(id, carry.param.type, carry.back.type)
        for which, member in after.items():
            if is_kept(member):
                self.note(member)
            else:
                self.compare((*id, which), before[which], member)

    def optional_tuple(self, head: Any, end: Any, id: Any) -> None:
        if isinstance(head, OptionalTuple) and (whole := perhaps_tuple(end, head.of)) is not None:
            self.compare(id, head.of, whole)
        elif head == Static(None) and may_be_absent(end):
            optional = end if isinstance(end, OptionalTuple) else OptionalTuple(end)
            self.memo.templates[id] = optional
            types = [x.type if isinstance(x, Value) else self.ev.type_of(x) for x in optional.of.items]
            self.memo.types.update(
                ((*id, k), t if isinstance(t, Optional) else Optional(t)) for k, t in enumerate(types))
            self.learnt = True
        else:
            self.other(head, end, id)

    def run_time_tuple(self, head: Any, end: Any, id: Any) -> None:
        if not (is_plain_tuple(head) and is_plain_tuple(end)):
            self.other(head, end, id)
        elif isinstance(head, RunTimeTuple):
            self.container(head.of, list_behind(self.ev, end), id)
            if least_length(end) < head.least:
                self.memo.shrinking.add(id)
                self.learnt = True
        else:
            self.learn_tuple(id, head, end)

    def array(self, head: Any, end: Any, id: Any) -> None:
        ev, memo = self.ev, self.memo
        if isinstance(head, Ref) and isinstance(end, Ref):
            list_items.current(ev, end, refuse=False)  # where it is in its list, the next iteration does not know
            self.note_origin(id, end)
            if id in memo.split:
                carry = self.carries[id]
                self.copies.append((id, end.addr))
                carry.back = ev.contents(end)
                self.widen(id, carry.param.type, carry.back.type)
            elif head.path != end.path:
                self.move_view(id, head, end)
            else:
                self.pairs.append((id, head.addr, end.addr))
        elif head == Static(None):
            memo.types[id] = Optional(ev.type_of(end))
            self.learnt = True
        elif isinstance(end, Ref) and id in self.carries and isinstance(self.carries[id].param.type, Tensor):
            self.becomes_array(id, end)
        else:
            self.other(head, end, id)

    def move_view(self, id: Any, head: Ref, end: Ref) -> None:
        """Compares a view with that after an iteration, which is at another place."""
        places = indices_that_differ(head.path, end.path)
        if not self.ev.functions.plan.follows_views(places):
            self.split(id, head.addr, end.addr)
            return
        assert places is not None
        carried = self.memo.moving.setdefault(id, set())
        self.learnt |= not places <= carried
        for k, j in places & carried:
            index = (*id, "index", k, j)
            carry = self.carries[index]
            carry.back = end.path[k].args[j]
            self.widen(index, carry.param.type, carry.back.type)
        carried |= places
        self.pairs.append((id, head.addr, end.addr))

    def container(self, head: Any, end: Any, id: Any) -> None:
        if not (isinstance(head, Container) and isinstance(end, Container) and of_one_class(head, end)):
            self.other(head, end, id)
            return
        use_alike(self.ev, head, self.head.slots(head), self.ev.store.slots(end))
        if head.addr in self.memo.cell_templates:
            self.compare_slots(id, head, end)
        elif head == end:
            self.note(end)
        elif head.addr in self.entry.cells:
            self.rebound(id, head, end)
        else:
            self.poison(id, change_in_words(head, end))

    def rebound(self, id: Any, head: Container, end: Container) -> None:
        """Notes that each iteration binds a slot to another container: a new one, whose slots are carried values."""
        cell = self.entry.slots(head)
        kept: Any = replace(head, addr=self.ev.addresses.new_kept())
        self.memo.templates[id] = kept
        first, now = self.entry.items.get(head.addr), self.ev.store.items.get(end.addr)
        if first is not None and now is not None and first.of == now.of and first.schema == now.schema:
            self.memo.places[kept.addr] = replace(first, at=None, counted=first.is_front and now.is_front)
        why = Frozen.AMBIGUOUS if cell.origin == Origin.CAPTURED else cell.frozen
        self.memo.cell_templates[kept.addr] = replace(cell, frozen=why)
        self.learnt = True
        cells = self.ev.store.slots(end)
        if isinstance(end, ListRef) and (cells.schema is not None or len(cells.items) != len(cell.items)):
            self.learn_rows(kept.addr, head, end)

    def compare_slots(self, id: Any, head: Container, end: Container) -> None:
        """Compares the slots of a container that each iteration makes anew."""
        ev = self.ev
        mine, theirs = self.head.slots(head), ev.store.slots(end)
        self.compare_place(id, head, end)
        if theirs.unset or mine.ordered > theirs.ordered:
            note_unset(ev, end)
            self.poison(id, ONE_PATH)
            return
        if isinstance(end, ListRef) and head.addr not in self.memo.grown and (
                theirs.schema is not None and theirs.schema != mine.schema or
                mine.schema is None and len(mine.items) != len(theirs.items)):
            self.learn_rows(head.addr, head, end)
            return
        if isinstance(end, ListRef) and mine.schema is not None:
            dynamic_lists.grow(ev, end, item_forms.item_type(ev, ListRef(head.addr)))
            theirs = ev.store.slots(end)
        if alike(mine, theirs):
            self.pairs.append((id, head.addr, end.addr))
            self.compare_items(id, mine.items, theirs.items)
        else:
            self.changes_kind(id, f"it is {kind_in_words(head)} that has other items, keys or attributes after an "
                              "iteration")

    def tuples(self, head: Any, end: Any, id: Any) -> None:
        if is_such_tuple(end, head):
            self.compare_items(id, head.items, end.items)
        elif is_plain_tuple(head) and is_plain_tuple(end) and item_forms.is_alike(
                self.ev, Slots(head.items + end.items)):
            self.learn_tuple(id, head, end)
        else:
            self.other(head, end, id)

    def number(self, head: Any, end: Any, id: Any) -> None:
        if id in self.carries:
            carry = self.carries[id]
            carry.back = self.ev.lit(end)
            self.widen(id, carry.param.type, carry.back.type)
        elif head != end and is_literal(head):
            self.memo.types[id] = type_of(head)  # a string is a carry from here on
            self.widen(id, type_of(head), type_of(end))
            self.learnt = True
        else:
            self.other(head, end, id)

    def other(self, head: Any, end: Any, id: Any) -> None:
        if head == end:
            self.note(end)
        elif (first := constant_object(self.ev, head)) is not None and isinstance(end, Value):
            self.widen(id, first.type, end.type)
            self.memo.types.setdefault(id, first.type)
            self.learnt = True
        elif isinstance(head, (Tup, Container)):
            self.changes_kind(id, change_in_words(head, end))
        else:
            self.ev.functions.plan.open_sets.update(self.ev.containers.places_of_sets(head, end))
            self.poison(id, change_in_words(head, end))

    def share(self, end: Store) -> None:
        """Freezes the cells whose aliases after an iteration differ from those at the head."""
        memo = self.memo
        # A captured cell may be read at any time: it is its own alias.
        live = [*self.pairs, *((None, a, a) for pair in self.pairs for a in pair[1:] if a <= CAPTURED)]
        # Writes cannot be seen through a container whose name no iteration reads.
        read = [(id, a, b) for id, a, b in live if not (a in memo.cell_templates and self.unread(id))]
        bad = conflicts((a, b) for _, a, b in read)
        lasting = conflicts((a, b) for id, a, b in read if id != ITERATED)
        for id, a, b in read:
            if (a, b) not in bad:
                continue
            if id is not None and a != b and id not in memo.split and a not in memo.cell_templates:
                self.split(id, a, b)
                if (a, b) not in lasting:
                    memo.thawed.add(id)
            elif id is None or id not in memo.split:
                self.freeze(a, b)
        self.freeze(*self.before(read))
        for id, a, b in live:
            self.freeze_as(id, a, end.cells[b].frozen)
        for id, a, b in read:
            is_shared = a in memo.cells or a in self.extra_cells.values() or a in memo.cell_templates
            if a != b and (a, b) not in bad and not is_shared and id is not None:
                memo.cells.add(a)
                self.learnt = True
        all_bad = conflicts((a, b) for _, a, b in live)
        after = {x for _, a, b in live if (a, b) in all_bad for x in (a, b)} | self.before(live)
        memo.frozen_after |= {a for a in after if isinstance(self.head.cells.get(a), Slots) and self.lasts(a)}

    def before(self, pairs: list[tuple[Any, int, int]]) -> set[int]:
        """The addresses of cells whose aliases at the head differ from those before the loop."""
        ids = {id for id, _, _ in pairs}
        entered = [(a, b) for id, a, b in self.entered if id in ids]
        kept = {a for _, a, _ in pairs} - self.memo.cell_templates.keys()
        return {a for pair in conflicts([*entered, *((a, a) for a in kept)]) for a in pair}  # type: ignore[misc]

    def freeze_as(self, id: Any, addr: int, why: Frozen) -> None:
        """Freezes the cell of a slot at the head, since it is frozen after an iteration."""
        now = self.head.cells[addr].frozen
        if not why or now and (why != Frozen.STALE or now == Frozen.STALE):
            return
        if why == Frozen.AMBIGUOUS and self.unread(id):
            self.memo.frozen_after.add(addr)
        else:
            self.freeze_slots(addr, why)

    def set_array_backs(self, end: Store) -> None:
        """Gives each carried array the buffer that its names have at the end of the iteration."""
        moved = {a: b for _, a, b in self.pairs}
        for id, carry in self.carries.items():
            if carry.back is not None:
                continue
            addr = id[1] if id[0] == "cell" else self.extra_cells.get(id)
            if addr is None:
                carry.back = carry.param
                continue
            cell = end.cells[moved.get(addr, addr)]
            if isinstance(cell, Array) and self.head.cells[addr].layout not in (False, cell.layout):  # type: ignore[union-attr]
                self.memo.unknown_layout.add(addr)
                raise Unstable(self)
            if not isinstance(cell, Array):
                self.ev.refuse("SCT310", "an array and a container swap names in this loop", node=self.node)
            carry.back = cell.value
            self.widen(id, carry.param.type, cell.value.type)
            if self.learnt:
                if id in self.memo.poison:
                    self.ev.refuse("SCT108", f"{self.name_of(addr)} is of one type before this loop and of another "
                                   "after an iteration", node=self.node,
                                   why=f"{in_words(carry.init.type)} and {in_words(cell.value.type)}",
                                   hint="give it one dtype and as many axes: `x = x.astype(...)` before the loop")
                raise Unstable(self)

    def name_of(self, addr: int) -> str:
        """The name of an array at the head."""
        names = (key.name for key, v in self.head.vars.items() if isinstance(v, Ref) and v.addr == addr)
        return next((f"`{name}`" for name in names if name.isidentifier()), "an array")
