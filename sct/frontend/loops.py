"""Loops: `for` and `while` as the equation `loop`, its carries found by a sticky fixpoint.

A walk of the body from assumed carries either confirms them or learns more (a type
that widens, a cell that is written, a name whose buffer changes); what was learnt is
remembered a loop site, so that nested loops do not walk their bodies again and again.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend import lists
from sct.frontend.bindings import assign
from sct.frontend.evaluator import Dead, Evaluator, statement
from sct.frontend.expressions import truth
from sct.frontend.facts import NeedsStatic
from sct.frontend.iteration import NESTS, Space, exhaust, known_items, space
from sct.frontend.lists import HELD, STALE
from sct.frontend.nests import nested
from sct.frontend.source import reads, writes
from sct.frontend.statements import BREAK, END, FALL, RETURN, block, guard
from sct.frontend.store import AMBIGUOUS, Store, conflicts, is_number, type_of
from sct.frontend.unrolling import unroll
from sct.frontend.values import (
    Abstract,
    Array,
    Closure,
    Container,
    Iteration,
    Key,
    ListRef,
    Method,
    Poison,
    Ref,
    Shape,
    Slots,
    Static,
    Tup,
)
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value, rebuild, undef
from sct.ir.types import INT, List, Optional, Tensor, Type, TypeMismatch, Undef, join, sym
from sct.ops import loop, lt
from sct.ops.types import size_of

__all__: list[str] = []


# -- statements ----------------------------------------------------------------------------------------


@statement(gast.For)
def for_(ev: Evaluator, node: Any) -> None:
    over = ev.eval(node.iter)
    if isinstance(over, Poison):
        ev.refuse("SCT502", "this cannot be iterated over", why=over.reason, node=node.iter)
    if isinstance(over, Iteration) and over.kind in NESTS:
        nested(ev, node, over)
        return
    before = ev.store.copy()
    where = space(ev, over)
    if where is None:
        items = known_items(ev, over)
        if items is None:
            ev.refuse("SCT503", "this cannot be iterated over", node=node.iter,
                      hint="iterate over a range, an array, or a tuple, list or dict of known length")
        exhaust(ev, over)
        unroll(ev, node, lambda: items_now(ev, over, items))
        return
    saved = ev.store.copy(), list(ev.b.eqns), ev._next_addr
    sites = set(ev.loop_memo)
    held = {v.addr for key, v in ev.store.vars.items() if key not in before.vars and isinstance(v, ListRef)}
    running = ev.iterated
    try:
        ev.iterated = running | held
        _Loop(ev, node, where).run()
        for key in [k for k in ev.store.vars if k.name.startswith("<iterated") and k not in before.vars]:
            del ev.store.vars[key]
    except (NeedsStatic, SctError) as need:
        if isinstance(need, SctError) and need.code != "SCT310":
            raise
        known = known_items(ev, over)
        if known is None and isinstance(over, Iteration) and over.kind == "range" and isinstance(need, NeedsStatic):
            try:
                bounds = [ev.ask(p, "the bounds of this range") for p in over.parts]
            except (SctError, NeedsStatic):
                raise need from None
            known = tuple(map(Static, range(*bounds)))
        if known is None or len(known) > MOST_UNROLLED:
            raise
        ev.store, ev.b.eqns[:], ev._next_addr = saved[0], saved[1], saved[2]
        for site in ev.loop_memo.keys() - sites:  # what was learnt is of addresses that others get now
            del ev.loop_memo[site]
        unroll(ev, node, lambda: known)
    finally:
        ev.iterated = running


def items_now(ev: Evaluator, over: Abstract, first: Sequence[Abstract]) -> Sequence[Abstract]:
    """The items of what is iterated over, which the loop may write meanwhile."""
    if not isinstance(over, (ListRef, Iteration)) or isinstance(over, Iteration) and over.kind == "range":
        return first
    now = known_items(ev, over)
    if now is None or isinstance(over, Iteration) and len(now) != len(first):
        ev.refuse("SCT306", "a list changes its length while a loop runs over it",
                  hint="run over a copy: `for x in list(xs)`")
    return now


@statement(gast.While)
def while_(ev: Evaluator, node: Any) -> None:
    _Loop(ev, node, None).run()

# -- the loop equation -------------------------------------------------------------------------------------


@dataclass
class _Memo:
    """What earlier walks of a loop have learnt."""

    types: dict[Any, Type] = field(default_factory=dict)
    templates: dict[Any, Abstract] = field(default_factory=dict)
    cell_templates: dict[int, Slots] = field(default_factory=dict)
    cells: set[int] = field(default_factory=set)
    grown: dict[int, _Grown] = field(default_factory=dict)
    names: set[Key] = field(default_factory=set)
    split: set[Any] = field(default_factory=set)
    frozen: dict[int, str] = field(default_factory=dict)
    frozen_after: set[int] = field(default_factory=set)
    thawed: set[Any] = field(default_factory=set)
    held: set[Any] = field(default_factory=set)
    unknown_layout: set[int] = field(default_factory=set)
    poison: dict[Any, str] = field(default_factory=dict)
    exits: bool = False


@dataclass
class _Grown:
    """What is known of the items of a list that a loop makes longer or shorter; where its columns are."""

    shape: Shape
    types: list[Type]
    addrs: list[int]


ITERATED = "iterated"
"""Who holds an array that a loop runs over: the loop itself."""


FEW_TRIPS, MOST_UNROLLED = 8, 64
"""A loop that makes a list longer is unrolled up to this number of trips; one that cannot be otherwise, to that."""


class _Again(Exception):
    """The walk has learnt something: walk again."""


@dataclass
class _Carry:
    init: Operand
    param: Value
    back: Operand | None = None
    out: Value | None = None


class _Loop:
    """One `for` or `while` statement, at one place of one call path."""

    def __init__(self, ev: Evaluator, node: Any, where: Space | None) -> None:
        self.ev, self.node, self.where = ev, node, where
        site = tuple(f.id for f in ev.frames), id(node)
        self.memo: _Memo = ev.loop_memo.setdefault(site, _Memo())
        frame = ev.frames[-1]
        self.frame = frame
        self.names = {Key(frame.id, n) for n in writes(node)}
        pending = frozenset(n for r in _returns(node) for n in reads(r))
        orelse = frozenset(n for stmt in node.orelse for n in reads(stmt))
        after = frame.live.after.get(node, frozenset()) | frame.live.captured | pending | orelse
        self.after = after
        self.live_names = after | frame.live.head[node]
        self.entry = ev.store

    def run(self) -> None:
        ev = self.ev
        saved = ev._next_addr, dict(ev.guards), ev._next_frame, list(self.frame.returns)
        outer, ev.many_trips = ev.many_trips, not self.few(MOST_UNROLLED)
        try:
            self.settle(saved)
        finally:
            ev.many_trips = outer

    def settle(self, saved: Any) -> None:
        """Walk the body until nothing new is learnt."""
        ev = self.ev
        for _ in range(80):
            ev._next_addr, ev.guards, ev._next_frame = saved[0], dict(saved[1]), saved[2]
            mark = len(ev.b.eqns)
            ev.store = self.entry.copy()
            try:
                self.walk()
                return
            except _Again:
                del ev.b.eqns[mark:]
                ev.store = self.entry
        ev.refuse("SCT108", "the types of this loop do not settle", node=self.node)

    # -- the head ------------------------------------------------------------------------------------------

    def walk(self) -> None:
        ev, memo = self.ev, self.memo
        self.tested = False
        self.carries: dict[Any, _Carry] = {}
        self.extra_cells: dict[Any, int] = {}
        head = self.entry.copy()
        ev.store = head
        for addr, grown in list(memo.grown.items()):
            self.grow(addr, grown)
        carried = {k for k in self.names if self.live(k)} | memo.names
        for key in sorted(carried, key=lambda k: (k.frame, k.name)):
            v = self.head_value(("var", key), head.vars.get(key), key.name)
            if v is None:
                head.vars.pop(key, None)
            else:
                head.vars[key] = v
        for addr in sorted(memo.cells):
            cell = head.cells.get(addr)
            if isinstance(cell, Array):
                param = self.carry(("cell", addr), cell.value, cell.value.hint)
                head.cells[addr] = replace(cell, value=param, layout=addr not in memo.unknown_layout and cell.layout)
            elif isinstance(cell, Slots) and cell.rows is None:
                items = [self.head_value(("slot", addr, k), x, None) for k, x in enumerate(cell.items)]
                head.cells[addr] = replace(cell, items=tuple(x for x in items if x is not None))
        for addr in memo.frozen.keys() & head.cells.keys():
            head.cells[addr] = replace(head.cells[addr], frozen=memo.frozen[addr])
        # Names that this loop binds and nobody reads across trips are the body's own.
        for key in self.names - carried:
            head.vars.pop(key, None)
        self.head = head.copy()
        kind = self.carry("kind", Lit(FALL), None) if self.memo.exits else None
        index = None
        test: Fn | None = None
        body = Builder()
        with ev.block(body):
            self.frame.loop_depth += 1
            before = self.frame.now
            self.frame.now = self.live_names
            try:
                ev.exit = Static(FALL)
                if self.where is not None:
                    index = Value(INT, self.index_name())
                    self.trips(index)
                    self.bind(index)
                else:
                    test = self.test()
                if not ev.store.dead and isinstance(ev.exit, Static) and ev.exit.value == FALL:
                    block(ev, self.node.body)
                elif not isinstance(ev.exit, Static):
                    guard(ev, self.node.body, 0)
            except Dead:
                ev.store.dead = True
            finally:
                self.frame.loop_depth -= 1
                self.frame.now = before
            end = ev.store
            go, exits = self.exit(end)
            self.close(end)
        self.finish(body, test, index, go, exits, kind)

    def index_name(self) -> str | None:
        target = self.node.target
        if isinstance(target, gast.Name) and self.where is not None and self.where.item is not None:
            probe = Value(INT)
            outer, self.ev.b = self.ev.b, Builder()
            try:
                same = self.where.item(probe) is probe
            finally:
                self.ev.b = outer
            return target.id if same and target.id.isidentifier() else None
        if isinstance(target, gast.Tuple) and isinstance(target.elts[0], gast.Name):
            probe = Value(INT)
            outer, self.ev.b = self.ev.b, Builder()
            try:
                got = self.where.item(probe) if self.where else None
            finally:
                self.ev.b = outer
            return target.elts[0].id if isinstance(got, Tup) and got.items[0] is probe else None
        return None

    def trips(self, index: Value) -> None:
        """Note between which terms the index of a loop lies."""
        assert self.where is not None
        bounds = self.where.start, self.where.stop
        step = self.where.step.value if isinstance(self.where.step, Lit) else 0
        if step and all(x.type == INT for x in bounds):
            first, stop = map(size_of, bounds)
            self.ev.trips[f"__v{index.id}"] = (first, stop - 1) if step > 0 else (stop + 1, first)

    def bind(self, index: Value) -> None:
        assert self.where is not None
        assign(self.ev, self.node.target, self.where.item(index))

    def live(self, key: Key) -> bool:
        return key.name in self.live_names or key.name in self.frame.live.captured

    def matters(self, key: Key) -> bool:
        """May the slot be read in the loop or after it?"""
        return self.live(key) if key.frame == self.frame.id else self.ev.live_in_statement(key)

    def carry(self, id: Any, init: Operand, hint: str | None) -> Value:
        # What an earlier walk has learnt may be narrower than what comes in now.
        if id in self.memo.types and _is_array(self.memo.types[id]) == _is_array(init.type):
            self.widen(id, self.memo.types[id], init.type)
        t = self.memo.types.get(id, init.type)
        self.carries[id] = _Carry(init, Value(t, hint if hint and hint.isidentifier() else None))
        return self.carries[id].param

    def head_value(self, id: Any, v: Abstract | None, hint: str | None) -> Abstract | None:
        """What a slot holds at the head of the loop: the same with numbers made carries."""
        ev, memo = self.ev, self.memo
        if id in memo.poison:
            return Poison(memo.poison[id])
        if v is None:
            template = memo.templates.get(id)
            if template is not None and not isinstance(template, (Tup, Container)):
                return template
            if isinstance(template, Container):
                made = self.memo.cell_templates[template.addr]
                items = [self.head_value((*id, k), None, None) for k in range(len(made.items))]
                ev.store.cells[template.addr] = replace(made, items=tuple(x for x in items if x is not None))
                return template
            if isinstance(template, Tup):
                items = [self.head_value((*id, k), None, None) for k in range(len(template.items))]
                return None if None in items else template.with_(x for x in items if x is not None)
            if id not in memo.types:
                return None
            return self.own_cell(id, undef(memo.types[id]), hint)
        if isinstance(v, Tup):
            items = [self.head_value((*id, k), x, hint) for k, x in enumerate(v.items)]
            return v.with_(x for x in items if x is not None)
        kept = memo.templates.get(id)
        if isinstance(v, Container) and isinstance(kept, Container):
            cell, before = ev.slots(v), self.entry.cells.get(v.addr)
            if isinstance(before, Slots) and before.rows == cell.rows:
                cell = before  # what it holds may have been made carries already
            if (grown := memo.grown.get(kept.addr)) is not None and cell.rows is None:
                ev.store.cells[kept.addr] = cell
                lists.grow(ev, ListRef(kept.addr), (grown.shape, grown.types), grown.addrs, hint)
                cell = ev.slots(ListRef(kept.addr))
            items = [self.head_value((*id, k), x, None) for k, x in enumerate(cell.items)]
            ev.store.cells[kept.addr] = replace(memo.cell_templates[kept.addr],
                                                items=tuple(x for x in items if x is not None))
            return kept
        if id in memo.types and is_number(v):
            return self.own_cell(id, ev.lit(v), hint)
        if isinstance(v, Value):
            return self.own_cell(id, v, hint)
        if is_number(v) and isinstance(v, Static) and v.value is not None and not isinstance(v.value, str):
            return self.carry(id, ev.lit(v), hint)
        if isinstance(v, Ref) and id in memo.split:
            return self.own_cell(id, ev.contents(v), hint)
        return v

    def own_cell(self, id: Any, init: Operand, hint: str | None) -> Abstract:
        """A carry; where it is an array, in a cell of its own (frozen if the name was split off)."""
        param = self.carry(id, init, hint)
        if not _is_array(param.type):
            return param
        if is_number(Static(getattr(init, "value", self))):
            # `s = 0` before `s = s + x`: a number that is as good as an array of it.
            assert isinstance(init, Lit)
            self.carries[id].init = Lit(init.value, param.type)
        addr = self.ev.new_addr()
        self.extra_cells[id] = addr
        held = HELD if id in self.memo.held else ""
        self.ev.store.cells[addr] = Array(param, frozen=AMBIGUOUS if id in self.memo.split else held)
        return Ref(addr)

    # -- the test and the exit ------------------------------------------------------------------------------

    def test(self) -> Fn | None:
        """The test of a `while`: a region of its own where it writes nothing, else the body begins with it."""
        ev = self.ev
        region = Builder()
        before = ev.store.copy()
        with ev.block(region):
            t = truth(ev, ev.eval(self.node.test))
        if isinstance(t, Lit):
            ev.b.eqns.extend(region.eqns)  # what was known may have written all the same
            if not t.value:
                ev.exit = Static(END)
            return None
        if all(before.vars.get(k) == v for k, v in ev.store.vars.items()) and all(
                before.cells.get(a) is c for a, c in ev.store.cells.items() if a in before.cells):
            self.tested = True
            return Fn("test", (), tuple(region.eqns), (t,))
        ev.b.eqns.extend(region.eqns)

        def stop() -> None:
            ev.exit = Static(END)

        ev.branch(t, lambda: None, stop, ev.live_after(self.live_names))
        return None

    def exit(self, end: Store) -> tuple[Operand, frozenset[int]]:
        """(does the loop go on after this trip, the exits that leave it)."""
        ev = self.ev
        if end.dead:
            return Lit(False), frozenset()
        kind = end.vars[ev.exit_key]
        x = ev.lit(kind)
        kinds = ev.kinds_of(x)
        leaving = frozenset(k for k in kinds if k >= END)
        falls = ev.exit_falls.get(x, 1) if isinstance(x, Value) else 1
        if falls > 1:
            leaving = frozenset(k for k in kinds if k >= falls)
        if leaving and (max(leaving) > BREAK or BREAK in leaving and self.node.orelse) and not self.memo.exits:
            self.memo.exits = True
            raise _Again
        if self.memo.exits:
            self.carries["kind"].back = x
        if not leaving:
            return Lit(True), leaving
        if leaving == kinds:
            return Lit(False), leaving
        return ev.emit(lt, x, max(END, falls), spelling="operator.lt"), leaving

    # -- the end of a trip -------------------------------------------------------------------------------------

    def close(self, end: Store) -> None:
        """Compare the end of a trip with its head; give every carry its value for the next trip."""
        ev, memo, head = self.ev, self.memo, self.head
        if end.dead:
            for carry in self.carries.values():
                carry.back = carry.back or carry.param
            return
        again = False
        self.pairs: list[tuple[Any, int, int]] = []
        self.noted: set[int] = set()
        for key, v in head.vars.items():
            if key == ev.exit_key or key.name == "<exit>":
                continue
            now = end.vars.get(key)
            candidate = key in self.names or key in memo.names
            if not candidate and now != v and self.ev.live_in_statement(key):
                memo.names.add(key)
                again = True
            elif candidate and (key.frame != self.frame.id or self.live(key)):
                again |= self.end_value(("var", key), v, now)
            elif now == v and key.name.startswith("<iterated"):
                if isinstance(v, Ref):
                    self.pairs.append((ITERATED, v.addr, v.addr))
                else:
                    self.note(v)
            elif now == v and self.matters(key):
                self.note(v)
        for key in self.names:
            if key not in head.vars and self.live(key) and key in end.vars:
                again |= self.end_value(("var", key), None, end.vars[key])
        for addr, cell in head.cells.items():
            now_cell = end.cells.get(addr)
            if now_cell is cell or now_cell is None or addr in memo.cell_templates:
                continue
            if now_cell.frozen and not cell.frozen:
                again |= self.hold(addr) if now_cell.frozen == HELD else self.freeze(addr)
            elif now_cell.frozen == STALE != cell.frozen:
                memo.frozen[addr] = STALE
                again = True
            if isinstance(cell, Array) and isinstance(now_cell, Array) and now_cell.value is cell.value or \
                    isinstance(cell, Slots) and replace(now_cell, frozen=cell.frozen) == cell:
                continue
            if isinstance(cell, Slots) and isinstance(now_cell, Slots) and cell.rows is None and not cell.keys and (
                    now_cell.rows is not None or len(cell.items) != len(now_cell.items)) and not now_cell.keys:
                self.learn_items(addr)
                again = True
            elif addr not in memo.cells and addr not in self.extra_cells.values():
                memo.cells.add(addr)
                again = True
            elif isinstance(cell, Slots) and isinstance(now_cell, Slots):
                if cell.rows is not None:
                    ev.refuse("SCT307", "a list that was taken out of another one is cut loose from it in this loop",
                              node=self.node, why=HELD, hint="take a copy: `list(xs)`")
                if cell.keys != now_cell.keys:
                    ev.refuse("SCT310", "a dict that gets new keys in a loop is not supported yet", node=self.node,
                              hint="give it all its keys before the loop")
                for k, (p, q) in enumerate(zip(cell.items, now_cell.items)):
                    again |= self.end_value(("slot", addr, k), p, q)
        again |= self.share(end)
        if again:
            raise _Again
        self.backs(end)

    def grow(self, addr: int, grown: _Grown) -> None:
        """Give the list at `addr` its columns; another walk around may have put another cell there."""
        cell = self.ev.store.cells.get(addr)
        if isinstance(cell, Slots) and cell.rows is None and not cell.keys:
            try:
                lists.grow(self.ev, ListRef(addr), (grown.shape, grown.types), grown.addrs)
            except SctError:
                del self.memo.grown[addr]

    def learn_items(self, addr: int) -> None:
        """The list at `addr` changes its length in this loop: it has columns from the head on."""
        ev, cell = self.ev, self.head.cells[addr]
        if self.few():
            ev.refuse("SCT310", "a list that grows in a loop of few trips", node=self.node)
        like = lists.items_like(ev, ListRef(addr), None)
        if isinstance(cell, Slots) and cell.items:
            ev.store, end = self.head, ev.store
            like = lists.items_like(ev, ListRef(addr), like)
            ev.store = end
        addrs = [ev.new_kept() for _ in like[1]]
        self.memo.grown[addr] = _Grown(*like, addrs)

    def few(self, most: int = FEW_TRIPS) -> bool:
        """Are there few trips, and known, so that they may as well be unrolled?"""
        bounds = [] if self.where is None else [self.where.start, self.where.stop, self.where.step]
        known = [b.value for b in bounds if isinstance(b, Lit)]
        return len(known) == 3 and len(range(*known)) <= most

    def note(self, v: Abstract) -> None:
        """An unchanged name: who it shares with still counts."""
        if isinstance(v, Ref):
            self.pairs.append((None, v.addr, v.addr))
        elif isinstance(v, Tup):
            for x in v.items:
                self.note(x)
        elif isinstance(v, Container) and v.addr not in self.noted:
            self.noted.add(v.addr)
            cell = self.head.cells[v.addr]
            assert isinstance(cell, Slots)
            for x in cell.items:
                self.note(x)

    def end_value(self, id: Any, head: Abstract | None, end: Abstract | None) -> bool:
        """Record the value of a slot at the end of a trip; True if another walk is needed."""
        ev, memo = self.ev, self.memo
        if id in memo.poison or end is None and head is None:
            return False
        if isinstance(end, Poison):
            memo.poison[id] = end.reason
            return True
        if end is None:
            memo.poison[id] = "it is deleted in the loop"
            return True
        if head is None:
            return self.learn(id, end)
        if isinstance(head, Container) and type(head) is type(end) and head != end and \
                head.addr not in memo.cell_templates and head.addr in self.entry.cells:
            # Rebound to another list a trip: a list of its own, one slot a carry.
            cell = self.entry.cells[head.addr]
            assert isinstance(cell, Slots)
            kept = replace(head, addr=ev.new_kept())
            memo.templates[id] = kept
            shared = self.others(id, head)
            if shared:
                self.freeze(head.addr)
            memo.cell_templates[kept.addr] = replace(cell, frozen=AMBIGUOUS if shared else cell.frozen)
            now = self.ev.store.cells[end.addr]
            assert isinstance(now, Slots)
            if isinstance(end, ListRef) and (now.rows is not None or len(now.items) != len(cell.items)):
                self.learn_rows(kept.addr, end)
            return True
        if isinstance(head, Container) and isinstance(end, Container) and \
                type(head) is type(end) and head.addr in memo.cell_templates:
            ours, theirs = self.ev.store.cells[head.addr], self.ev.store.cells[end.addr]
            assert isinstance(ours, Slots) and isinstance(theirs, Slots)
            mine = self.head.cells[head.addr]
            assert isinstance(mine, Slots)
            if isinstance(end, ListRef) and mine.rows is None and (
                    theirs.rows is not None or len(mine.items) != len(theirs.items)) and head.addr not in memo.grown:
                self.learn_rows(head.addr, end)
                return True
            if isinstance(end, ListRef) and mine.rows is not None:
                lists.grow(ev, end, lists.item_type(ev, ListRef(head.addr)))
                theirs = ev.store.cells[end.addr]
                assert isinstance(theirs, Slots)
            if len(ours.items) == len(theirs.items) and ours.keys == theirs.keys:
                return any([self.end_value((*id, k), p, q)
                            for k, (p, q) in enumerate(zip(mine.items, theirs.items))])
        if isinstance(head, Tup) and isinstance(end, Tup) and len(head.items) == len(end.items):
            return any([self.end_value((*id, k), p, q) for k, (p, q) in enumerate(zip(head.items, end.items))])
        if id in self.carries and not (isinstance(head, Ref)):
            carry = self.carries[id]
            if isinstance(end, Ref) and is_number(Static(getattr(carry.init, "value", None))):
                memo.types[id] = ev.type_of(end)
                return True
            if isinstance(end, Value) or is_number(end):
                carry.back = ev.lit(end)
                return self.widen(id, carry.param.type, carry.back.type)
            memo.poison[id] = f"it is {_kind(head)} before the loop and {_kind(end)} after a trip"
            return True
        if isinstance(head, Ref) and isinstance(end, Ref):
            if id in memo.split:
                self.carries[id].back = ev.contents(end)
                return self.widen(id, self.carries[id].param.type, self.carries[id].back.type)  # type: ignore[union-attr]
            if head.path != end.path:
                self.split(id, head.addr, end.addr)
                return True
            self.pairs.append((id, head.addr, end.addr))
            return False
        if is_number(head) and isinstance(head, Static) and (is_number(end) or isinstance(end, Value)):
            if head == end:
                return False
            return self.widen(id, type_of(head), type_of(end))
        if isinstance(head, Static) and head.value is None and isinstance(end, Ref):
            memo.types[id] = Optional(ev.type_of(end))
            return True
        if head == end:
            self.note(end)
            return False
        memo.poison[id] = f"it is {_kind(head)} before the loop and {_kind(end)} after a trip"
        return True

    def hold(self, addr: int) -> bool:
        """A list holds this array or list after a trip: at the head it may do so too."""
        ids = {id for id, a in self.extra_cells.items() if a == addr} - self.memo.held
        self.memo.held |= ids
        return bool(ids) or self.freeze(addr, why=HELD)

    def learn_rows(self, kept: int, end: ListRef) -> None:
        """The name is bound to a list of another length: what it stands for has columns."""
        shape, types = lists.items_like(self.ev, end, None)
        self.memo.cell_templates[kept] = replace(self.memo.cell_templates[kept], items=(), rows=shape)
        self.memo.grown[kept] = _Grown(shape, types, [self.ev.new_kept() for _ in types])

    def others(self, id: Any, v: Abstract) -> bool:
        """Is this list also known by another name that may still be read?"""
        return any(w == v for key, w in self.entry.vars.items() if ("var", key) != id and self.matters(key))

    def learn(self, id: Any, end: Abstract) -> bool:
        """A name that the loop binds first: undefined at the head."""
        if isinstance(end, Tup):
            self.memo.templates[id] = end
            for k, x in enumerate(end.items):
                self.learn((*id, k), x)
            return True
        if isinstance(end, ListRef) and end.addr not in self.entry.cells:
            # A list made in the loop and read after it: a list of its own, one slot a carry.
            cell = self.ev.store.cells[end.addr]
            assert isinstance(cell, Slots)
            kept = ListRef(self.ev.new_kept())
            self.memo.templates[id] = kept
            self.memo.cell_templates[kept.addr] = replace(cell, frozen=AMBIGUOUS)
            for k, x in enumerate(cell.items):
                self.learn((*id, k), x)
            return True
        if isinstance(end, (Closure, Method, Static)) and not is_number(end):
            self.memo.templates[id] = end
            return True
        if isinstance(end, (Value, Ref)) or is_number(end):
            t = self.ev.type_of(end) if not isinstance(end, Value) else end.type
            self.memo.types[id] = t if isinstance(t, Undef) else Undef(t)
            if isinstance(end, Ref) and end.path:
                self.split(id, end.addr)
            return True
        self.memo.poison[id] = f"it is not bound before the loop, and {_kind(end)} after a trip"
        return True

    def split(self, id: Any, *addrs: int) -> None:
        """Give a name a cell of its own: who it shares with changes from trip to trip.

        A name that is not read before the loop binds it again cannot tell what is
        written meanwhile: only after the loop it may not be written, nor its peers.
        """
        self.memo.split.add(id)
        if id[0] == "var" and len(id) == 2 and id[1].frame == self.frame.id and \
                id[1].name not in self.frame.live.carried[self.node] | self.frame.live.captured:
            self.memo.frozen_after.update(addrs)
        else:
            self.freeze(*addrs)

    def freeze(self, *addrs: int, why: str = AMBIGUOUS) -> bool:
        known = {a for a in addrs if a in self.entry.cells or a in self.memo.cells} - self.memo.frozen.keys()
        self.memo.frozen.update(dict.fromkeys(known, why))
        return bool(known)

    def widen(self, id: Any, old: Type, new: Type) -> bool:
        self.ev.agree(old, new)
        old, new = self.ev.resolved(old), self.ev.resolved(new)
        try:
            both = _settled(join(old, new), old, str(id))
        except TypeMismatch as error:
            self.memo.poison[id] = f"its type changes from trip to trip: {error}"
            return True
        if both == old:
            return False
        self.memo.types[id] = both
        return True

    def share(self, end: Store) -> bool:
        """Who shares with whom must be the same after a trip; what is not is frozen."""
        memo = self.memo
        live = self.pairs
        bad = conflicts((a, b) for _, a, b in live)
        lasting = conflicts((a, b) for id, a, b in live if id != ITERATED)
        again = False
        for id, a, b in live:
            if (a, b) not in bad:
                continue
            if id is not None and a != b and id not in memo.split:
                self.split(id, a, b)
                if (a, b) not in lasting:
                    memo.thawed.add(id)
                again = True
            elif id is None or id not in memo.split:
                again |= self.freeze(a, b)
        for _, a, b in live:
            if a != b and end.cells[b].frozen == HELD and not self.head.cells[a].frozen:
                again |= self.hold(a)
        for id, a, b in live:
            known = a in memo.cells or a in self.extra_cells.values()
            if a != b and (a, b) not in bad and not known and id is not None:
                memo.cells.add(a)
                again = True
        return again

    def backs(self, end: Store) -> None:
        """The array carries: each takes the buffer that its names hold at the end of the trip."""
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
                raise _Again
            if not isinstance(cell, Array):
                self.ev.refuse("SCT310", "an array and a container trade places in this loop", node=self.node)
            carry.back = cell.value
            if self.widen(id, carry.param.type, cell.value.type):
                if id in self.memo.poison:
                    self.ev.refuse("SCT108", f"{self.name_of(addr)} is of one type before this loop and of another "
                                   "after a trip", node=self.node, why=f"{carry.init.type} and {cell.value.type}",
                                   hint="give it one dtype and as many axes: `x = x.astype(...)` before the loop")
                raise _Again
        for id, a, b in self.pairs:
            if a != b and id is not None and isinstance(end.cells.get(b), Slots):
                self.ev.refuse("SCT310", "lists that trade places in a loop are not supported yet", node=self.node)

    def name_of(self, addr: int) -> str:
        """What an array is called at the head."""
        names = (key.name for key, v in self.head.vars.items() if isinstance(v, Ref) and v.addr == addr)
        return next((f"`{name}`" for name in names if name.isidentifier()), "an array")

    # -- the equation -------------------------------------------------------------------------------------------

    def finish(self, body: Builder, test: Fn | None, index: Value | None, go: Operand, exits: frozenset[int],
               kind: Value | None) -> None:
        ev = self.ev
        carries = list(self.carries.values())
        params = [c.param for c in carries]
        regions = []
        if test is not None:
            fresh = [Value(p.type, p.hint) for p in params]
            inner = rebuild(test, dict(zip(params, fresh)), fresh=True)
            regions.append(Fn("test", tuple(fresh), inner.eqns, inner.results))
        first = [index] if index is not None else []
        backs = [c.back if c.back is not None else c.param for c in carries]
        regions.append(Fn("body", (*first, *params), tuple(body.eqns), (go, *backs)))
        outs = [Value(p.type, p.hint) for p in params]
        for c, out in zip(carries, outs):
            c.out = out
        bounds = [self.where.start, self.where.stop, self.where.step] if self.where is not None else []
        attrs = {"counted": self.where is not None, "tested": test is not None, "reverse": False,
                 "carries": len(carries)}
        ev.b.add(Eqn(loop, (*bounds, *(c.init for c in carries)), (*outs, Value(INT, "trips")), attrs,
                     tuple(regions), loc=ev.loc))
        renamed: dict[Value, Value] = dict(zip(params, outs))
        store = self.head
        store.vars = {k: _rename(v, renamed) for k, v in store.vars.items()}
        for addr, cell in store.cells.items():
            if isinstance(cell, Array) and isinstance(cell.value, Value):
                store.cells[addr] = replace(cell, value=renamed.get(cell.value, cell.value))
            elif isinstance(cell, Slots):
                store.cells[addr] = replace(cell, items=tuple(_rename(x, renamed) for x in cell.items))
        for id in self.memo.thawed & self.extra_cells.keys():
            # What was iterated over is not any more.
            addr = self.extra_cells[id]
            store.cells[addr] = replace(store.cells[addr], frozen="")
        for addr in self.memo.frozen_after & store.cells.keys():
            store.cells[addr] = replace(store.cells[addr], frozen=AMBIGUOUS)
        for key in [k for k in store.vars if k in self.names and k.name not in self.after]:
            del store.vars[key]
        ev.store = store
        self.leave(exits, renamed.get(kind) if kind is not None else None)

    def leave(self, exits: frozenset[int], kind: Value | None) -> None:
        """What comes after the loop: its `else`, and the exits that go further."""
        ev, node = self.ev, self.node
        ev.exit = Static(FALL)
        returns = frozenset(k for k in exits if k > BREAK)
        if BREAK not in exits and not returns:
            block(ev, node.orelse)
            return
        if kind is None:
            return
        ends = isinstance(node, gast.For) or self.tested
        ev.exit_kinds[kind] = (frozenset({FALL}) if ends else frozenset()) | exits
        ev.exit_falls[kind] = BREAK + 1
        if not node.orelse:
            if returns:
                ev.exit = kind
            return
        test = ev.emit(lt, kind, BREAK, spelling="operator.lt")

        def stopped() -> None:
            if returns and BREAK in exits:
                ev.branch(ev.emit(lt, kind, RETURN, spelling="operator.lt"), fall, out)
            elif returns:
                out()

        def fall() -> None:
            ev.exit = Static(FALL)

        def out() -> None:
            ev.exit = kind if len(returns) > 1 else Static(next(iter(returns)))

        live = ev.live_after(self.after | self.frame.live.leaving(node))
        ev.either(test, lambda: block(ev, node.orelse), stopped, live)


def _settled(both: Type, old: Type, id: str) -> Type:
    """A size that changes from trip to trip is a size of its own, the same at every walk."""
    if isinstance(both, (Undef, Optional)):
        return type(both)(_settled(both.elem, old.elem if isinstance(old, (Undef, Optional)) else old, id))
    if isinstance(both, List) and isinstance(old, List):
        return List(_settled(both.elem, old.elem, id))
    if not (isinstance(both, Tensor) and isinstance(old, Tensor)) or both.shape == old.shape:
        return both
    shape = tuple(d if d == o else sym(f"_{zlib.crc32(id.encode())}_{k}")
                  for k, (d, o) in enumerate(zip(both.shape, old.shape)))
    return Tensor(both.carrier, both.dtype, shape)


def _rename(v: Abstract, names: dict[Value, Value]) -> Abstract:
    if isinstance(v, Value):
        return names.get(v, v)
    if isinstance(v, Tup):
        return v.with_(_rename(x, names) for x in v.items)
    return v


def _returns(node: Any) -> list[Any]:
    return [n for n in gast.walk(node) if isinstance(n, gast.Return)]


def _is_array(t: Type) -> bool:
    """Is this an array, or a list: what has a cell?"""
    while isinstance(t, (Optional, Undef)):
        t = t.elem
    return isinstance(t, Tensor) and t.is_array or isinstance(t, List)


def _kind(v: Abstract) -> str:
    if isinstance(v, Value):
        return str(v.type)
    if isinstance(v, Static):
        return repr(v.value)
    return {"Ref": "an array", "Tup": "a tuple", "ListRef": "a list", "DictRef": "a dict", "ObjRef": "an object"}.get(
        type(v).__name__, "a function")

