"""What a loop carries from iteration to iteration: its head, made of what earlier walks of its body have learnt.

    s = 0; for v in x: s = s + v   ->   `s` is a carry that starts as 0 and is a float64
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.store import AMBIGUOUS, HELD, STALE, binding, of_one_class, tells
from sct.frontend.heap import dynamic_lists
from sct.frontend.iteration.iteration_space import Space
from sct.frontend.source.name_scopes import reads, writes
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Container,
    Key,
    ListRef,
    Perhaps,
    Poison,
    Ref,
    Shape,
    Slots,
    Static,
    Tup,
    is_number,
)
from sct.frontend.values.exact_keys import same_keys
from sct.ir import Lit, Operand, Value, undef
from sct.ir.types import BOOL, List, Optional, Tensor, Type, TypeMismatch, Undef, join, sym

__all__ = ["Again", "Carry", "Grown", "Head", "Memo", "is_array", "is_start"]

FEW_ITERATIONS = 8
"""A loop that grows a list is unrolled up to so many iterations."""


@dataclass
class Memo:
    """What earlier walks of a loop have learnt."""

    types: dict[Any, Type] = field(default_factory=dict)
    templates: dict[Any, Abstract] = field(default_factory=dict)
    cell_templates: dict[int, Slots] = field(default_factory=dict)
    cells: set[int] = field(default_factory=set)
    grown: dict[int, Grown] = field(default_factory=dict)
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
class Grown:
    """What is known of the items of a list that a loop makes longer or shorter; where its columns are."""

    shape: Shape
    types: list[Type]
    addrs: list[int]


class Again(Exception):
    """The walk has learnt something: walk again, from the head `of` a loop around it if it says so."""

    def __init__(self, of: Head | None = None) -> None:
        self.of = of


@dataclass
class Carry:
    init: Operand
    param: Value
    back: Operand | None = None
    out: Value | None = None


class Head:
    """The state at the head of a `for` or `while` statement, at one place of one call path.

    names    what the loop binds; `live_names` of them may be read in it or after it, `after` after it
    entry    the store before the loop; `head` that at its head
    carries  what is handed from iteration to iteration; `extra_cells` the buffers of names that have one of their own
    entered  what containers of their own stand for in the first iteration: (whose it is, at the head, before the loop)
    """

    def __init__(self, ev: Evaluator, node: Any, where: Space | None) -> None:
        self.ev, self.node, self.where = ev, node, where
        site = tuple(f.id for f in ev.frames), id(node)
        self.memo: Memo = ev.loop_memo.setdefault(site, Memo())
        frame = ev.frames[-1]
        self.frame = frame
        self.names = {Key(frame.id, n) for n in writes(node)}
        pending = frozenset(n for r in _returns(node) for n in reads(r))
        orelse = frozenset(n for stmt in node.orelse for n in reads(stmt))
        after = frame.live.after.get(node, frozenset()) | frame.live.captured | pending | orelse
        self.after = after
        self.live_names = after | frame.live.head[node]
        self.entry = ev.store

    def enter(self) -> None:
        """Make the head from what is known so far."""
        ev, memo = self.ev, self.memo
        self.carries: dict[Any, Carry] = {}
        self.extra_cells: dict[Any, int] = {}
        self.entered: list[tuple[Any, int, int]] = []
        head = self.entry.copy()
        ev.store = head
        for addr, grown in list(memo.grown.items()):
            self.grow(addr, grown)
        carried = {k for k in self.names if self.live(k)} | memo.names
        for key in sorted(carried, key=lambda k: (k.frame, k.name)):
            v = self.head_value(("var", key), head.vars.get(key), key.name)
            bound = head.is_bound(key)
            if v is None:
                head.vars.pop(key, None)
            else:
                head.vars[key] = v
                if bound is None and not tells(v) or isinstance(bound, Value):
                    head.vars[binding(key)] = self.carry(("bound", key), bound or undef(BOOL), key.name)
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
        # Names that this loop binds and nobody reads across iterations are the body's own.
        for key in self.names - carried:
            head.vars.pop(key, None)
        self.head = head.copy()

    def live(self, key: Key) -> bool:
        return key.name in self.live_names or key.name in self.frame.live.captured

    def matters(self, key: Key) -> bool:
        """May the slot be read in the loop or after it?"""
        return self.live(key) if key.frame == self.frame.id else self.ev.live_in_statement(key)

    def carry(self, id: Any, init: Operand, hint: str | None) -> Value:
        # What an earlier walk has learnt may be narrower than what comes in now.
        if id in self.memo.types and is_array(self.memo.types[id]) == is_array(init.type):
            self.widen(id, self.memo.types[id], init.type)
        t = self.memo.types.get(id, init.type)
        self.carries[id] = Carry(init, Value(t, hint if hint and hint.isidentifier() else None))
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
                slots = self.memo.cell_templates[template.addr]
                items = [self.head_value((*id, k), None, None) for k in range(len(slots.items))]
                ev.store.cells[template.addr] = replace(slots, items=tuple(x for x in items if x is not None))
                return template
            if isinstance(template, Tup):
                items = [self.head_value((*id, k), None, None) for k in range(len(template.items))]
                return None if None in items else template.with_(x for x in items if x is not None)
            if id not in memo.types:
                return None
            return self.own_cell(id, undef(memo.types[id]), hint)
        template = memo.templates.get(id)
        if isinstance(v, Static) and isinstance(template, Perhaps):
            v = Perhaps(template.of.with_([v] * len(template.of.items)))
        if isinstance(v, Perhaps):
            whole = self.head_value(id, v.of, hint)
            return Perhaps(whole) if isinstance(whole, Tup) else whole
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
                dynamic_lists.grow(ev, ListRef(kept.addr), (grown.shape, grown.types), grown.addrs, hint)
                cell = ev.slots(ListRef(kept.addr))
            slots = memo.cell_templates[kept.addr]
            if not of_one_class(v, kept) or not same_keys(cell.keys, slots.keys):
                memo.poison[id] = "it is an object of another class, or with other keys, in another iteration"
                return Poison(memo.poison[id])
            items = [self.head_value((*id, k), x, None) for k, x in enumerate(cell.items)]
            self.entered.append((id, kept.addr, v.addr))
            stale = STALE in (cell.frozen, slots.frozen)
            frozen = STALE if stale else cell.frozen or slots.frozen
            ev.store.cells[kept.addr] = replace(slots, items=tuple(x for x in items if x is not None), frozen=frozen)
            return kept
        if id in memo.types and is_number(v):
            return self.own_cell(id, ev.lit(v), hint)
        if isinstance(v, Value):
            return self.own_cell(id, v, hint)
        if is_number(v) and isinstance(v, Static) and v.value is not None and not isinstance(v.value, str):
            return self.carry(id, ev.lit(v), hint)
        if isinstance(v, Ref) and id in memo.split:
            return self.own_cell(id, ev.contents(v), hint)
        return replace(v, object=None) if isinstance(v, Ref) and v.object else v

    def own_cell(self, id: Any, init: Operand, hint: str | None) -> Abstract:
        """A carry; where it is an array, in a cell of its own (frozen if the name was split off)."""
        param = self.carry(id, init, hint)
        if not is_array(param.type):
            return param
        number = is_start(init)
        if number:
            # `s = 0` before `s = s + x`: a number that is as good as an array of it.
            assert isinstance(init, Lit)
            self.carries[id].init = Lit(init.value, param.type)
        addr = self.ev.new_addr()
        self.extra_cells[id] = addr
        held = HELD if id in self.memo.held else ""
        frozen = AMBIGUOUS if id in self.memo.split else held
        self.ev.store.cells[addr] = Array(param, frozen=frozen, merged=True, starts=number)
        return Ref(addr)

    def few(self, most: int = FEW_ITERATIONS) -> bool:
        """Are there few iterations, and known, so that they may as well be unrolled?"""
        bounds = [] if self.where is None else [self.where.start, self.where.stop, self.where.step]
        bounds_now = [b.value for b in bounds if isinstance(b, Lit)]
        return len(bounds_now) == 3 and len(range(*bounds_now)) <= most

    def grow(self, addr: int, grown: Grown) -> None:
        """Give the list at `addr` its columns; another walk around may have put another cell there."""
        cell = self.ev.store.cells.get(addr)
        if isinstance(cell, Slots) and cell.rows is None and not cell.keys:
            try:
                dynamic_lists.grow(self.ev, ListRef(addr), (grown.shape, grown.types), grown.addrs)
            except SctError:
                del self.memo.grown[addr]

    def widen(self, id: Any, old: Type, new: Type) -> bool:
        self.ev.agree(old, new)
        old, new = self.ev.resolved(old), self.ev.resolved(new)
        try:
            both = _settled(join(old, new), old, str(id))
        except TypeMismatch as error:
            self.memo.poison[id] = f"its type changes from iteration to iteration: {error}"
            return True
        if both == old:
            return False
        self.memo.types[id] = both
        return True


def _settled(both: Type, old: Type, id: str) -> Type:
    """A size that changes from iteration to iteration is a size of its own, the same at every walk."""
    if isinstance(both, (Undef, Optional)):
        return type(both)(_settled(both.elem, old.elem if isinstance(old, (Undef, Optional)) else old, id))
    if isinstance(both, List) and isinstance(old, List):
        return List(_settled(both.elem, old.elem, id))
    if not (isinstance(both, Tensor) and isinstance(old, Tensor)) or both.shape == old.shape:
        return both
    shape = tuple(d if d == o else sym(f"_{zlib.crc32(id.encode())}_{k}")
                  for k, (d, o) in enumerate(zip(both.shape, old.shape)))
    return Tensor(both.carrier, both.dtype, shape)


def _returns(node: Any) -> list[Any]:
    return [n for n in gast.walk(node) if isinstance(n, gast.Return)]


def is_start(x: Operand) -> bool:
    """Is this a literal that a sum may start as?"""
    return isinstance(x, Lit) and x.as_type is None and isinstance(x.value, (int, float))


def is_array(t: Type) -> bool:
    """Is this an array, or a list: what has a cell?"""
    while isinstance(t, (Optional, Undef)):
        t = t.elem
    return isinstance(t, Tensor) and t.is_array or isinstance(t, List)
