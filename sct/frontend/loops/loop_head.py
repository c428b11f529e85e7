"""The loop head: the values that a loop carries, as far as earlier rounds of the fixpoint have learnt them.

    s = 0; for v in x: s = s + v   ->   `s` is a carry that starts as 0 and is a float64
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sct.errors import SctError
from sct.frontend.arguments.lift import constant_object
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.lattice import with_attributes
from sct.frontend.iteration.iteration_space import IterationSpace
from sct.frontend.objects.class_defaults import note_unset
from sct.frontend.source.name_scopes import element_writes, reads, returned_names, writes, yields
from sct.frontend.state.choices import by_code, chosen, code, is_kept, is_of_kinds, members_of
from sct.frontend.state.fixpoint import LoopIndex, widened
from sct.frontend.state.may_alias import UNKNOWN, Relation, is_ambiguous, record, related
from sct.frontend.state.store import ONE_PATH, UNSET, Item, Store, least_length, of_one_class, tells
from sct.frontend.state.tries import is_slot
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
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
)
from sct.frontend.values.exact_keys import same_keys
from sct.frontend.values.item_kinds import filler
from sct.frontend.values.schemas import Schema
from sct.ir import Lit, Operand, Value, undef
from sct.ir.dims import Dim, carried_size
from sct.ir.types import BOOL, INT, List, Optional, Tensor, Type, TypeMismatch, base_type
from sct.ops.type_rules import size_of

__all__ = ["Carry", "GrownList", "LoopHead", "LoopMemo", "is_array", "is_start"]

FEW_ITERATIONS = 8
"""A loop that grows a list is unrolled up to so many iterations."""


@dataclass
class LoopMemo:
    """The facts about a loop that earlier rounds of the fixpoint have learnt.

    types       of carried values; `templates`: the kind of values that are bound first in the loop
    cells       the cells that the loop writes; `expected`: those of them of which only its text says so;
                `cell_templates`: containers that it rebinds
    attributes  objects that get attributes in the loop
    grown       lists that change their length; `shrinking`: tuples that may have fewer items than before the loop
    names       names of other functions that the loop binds
    split       names whose buffer changes from iteration to iteration
    moving      views at another place in each iteration: the numbers of their steps and operands that change
    frozen      cells that may not be written in the loop; `frozen_after`: nor after it; `thawed`: again after it
    held_by_python  slots with an array that Python may hold
    own_frozen  slots with a cell of their own that may not be written, or are to be read again, after an iteration
    places      containers that each iteration rebinds to an item of a list: the list, by their address at the head
    disowned    lists that do not own their items after an iteration; `displaced`: objects whose place in a list changes
    shared      lists that do not hold their arrays alone after an iteration
    aliases     arrays at the head that may share a buffer after an iteration (`nodes`)
    poison      why a value cannot be used in the loop
    """

    types: dict[Any, Type] = field(default_factory=dict)
    templates: dict[Any, Abstract] = field(default_factory=dict)
    cell_templates: dict[int, Slots] = field(default_factory=dict)
    attributes: dict[int, Slots] = field(default_factory=dict)
    cells: set[int] = field(default_factory=set)
    expected: set[int] = field(default_factory=set)
    grown: dict[int, GrownList] = field(default_factory=dict)
    shrinking: set[Any] = field(default_factory=set)
    names: set[Key] = field(default_factory=set)
    split: set[Any] = field(default_factory=set)
    moving: dict[Any, set[tuple[int, int]]] = field(default_factory=dict)
    frozen: dict[int, Frozen] = field(default_factory=dict)
    frozen_after: set[int] = field(default_factory=set)
    thawed: set[Any] = field(default_factory=set)
    held_by_python: set[Any] = field(default_factory=set)
    own_frozen: dict[Any, Frozen] = field(default_factory=dict)
    unknown_layout: set[int] = field(default_factory=set)
    places: dict[int, Item | None] = field(default_factory=dict)
    disowned: set[int] = field(default_factory=set)
    displaced: set[int] = field(default_factory=set)
    shared: set[int] = field(default_factory=set)
    aliases: Relation = field(default_factory=dict)
    poison: dict[Any, str] = field(default_factory=dict)
    exits: bool = False


@dataclass
class GrownList:
    """A list whose length a loop changes: the schema and types of its items, and the addresses of its columns."""

    schema: Schema
    types: list[Type]
    addrs: list[int]


@dataclass
class Carry:
    init: Operand
    param: Value
    back: Operand | None = None
    out: Value | None = None


class LoopHead:
    """The state at the head of a `for` or `while` statement, at one place of one call path.

    names    the names that the loop binds; `live_names`: those read in it or after it; `after`: those read after it
    iterated the private variables that hold what it runs over; `temporaries`: how many values are held meanwhile
    entry    the store before the loop; `head`: the store at its head; `last_frame`: the last call before the loop
    carries  the carried values; `extra_cells`: the addresses of carried arrays, by slot
    learnt   the round in progress has learnt something
    entered  containers in the first iteration: (slot, address at the head, address before the loop)
    copied   slots with cells of their own: (slot, the address before the loop of what is copied into them)
    """

    def __init__(self, ev: Evaluator, node: Any, where: IterationSpace | None, iterated: set[Key]) -> None:
        self.ev, self.node, self.where, self.iterated = ev, node, where, iterated
        site = tuple(f.id for f in ev.frames), id(node)
        is_first = site not in ev.loops.memo
        self.memo: LoopMemo = ev.loops.memo.setdefault(site, LoopMemo())
        frame = ev.frames[-1]
        self.frame = frame
        self.names = {Key(frame.id, n) for n in writes(node)}
        if frame.consumer is not None and yields(node):
            self.names |= set(frame.consumer.bound())
        if ev.tries.needed and ev.tries.exception is not None:
            self.names.add(ev.tries.exception)
        orelse = frozenset(n for stmt in node.orelse for n in reads(stmt))
        after = frame.live.after.get(node, frozenset()) | frame.live.captured | returned_names(node) | orelse
        self.after = after
        self.live_names = after | frame.live.head[node]
        self.entry = ev.store
        self.last_frame = ev.addresses.last_frame
        self.temporaries = len(ev.temporaries.values)
        if is_first:
            self.memo.expected = self.stored_arrays()
            self.memo.cells |= self.memo.expected

    def stored_arrays(self) -> set[int]:
        """The addresses of the arrays before the loop into which it writes elements under their names (`u[i] = x`)."""
        held = (self.entry.vars.get(Key(self.frame.id, name)) for name in element_writes(self.node) - writes(self.node))
        return {v.addr for v in held if isinstance(v, Ref) and isinstance(self.entry.cells.get(v.addr), Array)}

    def make_head(self) -> None:
        """Makes the head from what is known so far."""
        ev, memo = self.ev, self.memo
        self.learnt = False
        self.index = None if self.where is None else Value(INT)
        self.carries: dict[Any, Carry] = {}
        self.extra_cells: dict[Any, int] = {}
        self.entered: list[tuple[Any, int, int]] = []
        self.copied: list[tuple[Any, int]] = []
        head = self.entry.copy()
        head.owners = {addr: columns for addr, columns in head.owners.items() if head.owns(addr)}
        ev.go_to(head)
        for addr, grown in list(memo.grown.items()):
            self.grow(addr, grown)
        head.items = {addr: item for addr, item in head.items.items() if addr not in memo.displaced}
        carried = {k for k in self.names if self.live(k)} | memo.names
        for key in sorted(carried, key=lambda k: (k.frame, k.name)):
            v = self.head_value(("var", key), head.vars.get(key), key.name)
            bound = head.is_bound(key)
            if v is None:
                head.unbind(key)
            else:
                head.vars[key] = v
                if bound is None and not tells(v) or isinstance(bound, Value):
                    head.bound[key] = self.carry(("bound", key), bound or undef(BOOL), key.name)
        for _, kept, before in self.entered:  # an object that a list holds since it has columns
            if (frozen := head.cells[before].frozen) and head.cells[kept].frozen != Frozen.STALE:
                head.cells[kept] = replace(head.cells[kept], frozen=frozen)
        bound_here = {v.addr: key.name for key, v in head.vars.items()
                      if key in self.names and isinstance(v, Ref) and not v.path}
        arrays: dict[int, Array] = {}  # put into the store last: items start as what arrays are before the loop
        others = memo.cells.difference(self.extra_cells.values())
        for addr in sorted(others, key=lambda a: (a not in head.cells, a)):  # slots of some make others
            cell = head.cells.get(addr)
            if isinstance(cell, Array):
                param = self.carry(("cell", addr), cell.value, bound_here.get(addr, cell.value.hint))
                arrays[addr] = replace(cell, value=param, layout=addr not in memo.unknown_layout and cell.layout)
            elif isinstance(cell, Slots) and cell.schema is None:
                if addr in memo.attributes:
                    cell = with_attributes(cell, memo.attributes[addr])
                items = [self.head_value(("slot", addr, k), None if x == UNSET else x, None)
                         for k, x in enumerate(cell.items)]
                head.cells[addr] = replace(cell, items=tuple(UNSET if x is None else x for x in items))
        head.cells.update(arrays)
        for addr in memo.frozen.keys() & head.cells.keys():
            if head.cells[addr].frozen != Frozen.STALE:
                head.cells[addr] = replace(head.cells[addr], frozen=memo.frozen[addr])
        # Names that this loop binds and no iteration reads from the one before are local to the body.
        for key in self.names - carried:
            head.unbind(key)
        owned = head.owners.keys() | {kept for _, kept, before in self.entered if self.entry.owns(before)}
        head.owners = {}
        for addr in owned - memo.disowned:
            head.own(addr)
        alone = head.alone | {kept for _, kept, before in self.entered if before in self.entry.alone}
        head.alone = (alone & head.owners.keys()) - memo.shared
        self.note_aliases(head)
        self.head = head.copy()

    def note_aliases(self, store: Store) -> None:
        """Notes the aliases of the arrays at the head, or behind the loop: those before the loop, and those after
        iterations."""
        store.aliases = {}
        ambiguous = [addr for addr, cell in store.cells.items() if is_ambiguous(cell)]
        if not ambiguous:
            return
        first = related([*((addr, addr) for addr in self.entry.cells), *self.copied], self.entry)
        node = self.nodes()
        for addr in ambiguous:
            at = node(addr)
            aliases = first.get(at, frozenset()) | self.memo.aliases.get(at, frozenset())
            if at != UNKNOWN and UNKNOWN not in aliases:
                addrs = (self.extra_cells.get(x, x) for x in aliases)
                record(store, addr, frozenset(a for a in addrs if isinstance(a, int)))

    def nodes(self) -> Callable[[int], Any]:
        """What identifies an array at the head in every round: its address, or the slot whose own cell it has."""
        own = {addr: id for id, addr in self.extra_cells.items()}
        return lambda addr: own.get(addr, addr if self.lasts(addr) else UNKNOWN)

    def lasts(self, addr: int) -> bool:
        """Is this address the same in every round?"""
        return addr in self.entry.cells or addr in self.memo.cell_templates

    def is_older(self, key: Key) -> bool:
        """Is this a variable of a call that began before the loop?  Functions that the loop calls may bind it."""
        return key.name.isidentifier() and key.frame <= self.last_frame

    def live(self, key: Key) -> bool:
        """May the slot be read in the loop or after it?"""
        if is_slot(key):
            return True
        if key.frame != self.frame.id:
            return self.ev.live_in_statement(key)
        return key.name in self.live_names or key.name in self.frame.live.captured

    def carry(self, id: Any, init: Operand, hint: str | None) -> Value:
        learnt = self.memo.types.get(id)
        if learnt is not None and is_list(learnt) != is_list(init.type) and not is_start(init):
            del self.memo.types[id]  # at this address there was something else in an earlier round
        # The type that an earlier round has learnt may be narrower than that of the initial value.
        if id in self.memo.types and is_array(self.memo.types[id]) == is_array(init.type):
            first = self.index_size.first if self.index_size is not None else lambda d: d
            self.agree(id, self.memo.types[id], init.type, lambda p, q: p if first(p) == q else None)
        t = self.memo.types.get(id, init.type)
        t = t if self.index_size is None else self.index_size.at_head(t)
        self.carries[id] = Carry(init, Value(t, hint if hint and hint.isidentifier() else None))
        return self.carries[id].param

    def head_value(self, id: Any, v: Abstract | None, hint: str | None) -> Abstract | None:
        """The value of a slot at the head of the loop: `v` with its numbers as carried values."""
        ev, memo = self.ev, self.memo
        if id in memo.poison:
            return Poison(memo.poison[id])
        if v is None:
            template = memo.templates.get(id)
            if isinstance(template, Choice):
                return self.choice_at_head(id, template, None, hint)
            if isinstance(template, RunTimeTuple):
                return RunTimeTuple(self.undefined_container(id, template.of, hint))
            if template is not None and not isinstance(template, (Tup, Container)) or \
                    isinstance(template, Container) and template.addr not in memo.cell_templates:  # it is from before
                return template
            if isinstance(template, Container):
                return self.undefined_container(id, template, hint)  # type: ignore[no-any-return]
            if isinstance(template, Tup):
                items = [self.head_value((*id, k), None, None) for k in range(len(template.items))]
                return None if None in items else template.with_(x for x in items if x is not None)
            if id not in memo.types:
                return None
            return self.own_cell(id, undef(memo.types[id]), hint)
        template = memo.templates.get(id)
        if isinstance(v, Choice) or isinstance(template, Choice) and (members_of(v) or self.ev.kinds_of(v)):
            return self.choice_at_head(id, template if isinstance(template, Choice) else v, v, hint)
        if isinstance(v, Static) and isinstance(template, OptionalTuple):
            v = OptionalTuple(template.of.with_([v] * len(template.of.items)))
        if isinstance(v, OptionalTuple):
            whole = self.head_value(id, v.of, hint)
            return OptionalTuple(whole) if isinstance(whole, Tup) else whole
        if isinstance(v, RunTimeTuple) or isinstance(v, Tup) and isinstance(template, RunTimeTuple):
            return self.run_time_tuple_at_head(id, template, v, hint)
        if isinstance(v, Tup):
            items = [self.head_value((*id, k), x, hint) for k, x in enumerate(v.items)]
            return v.with_(x for x in items if x is not None)
        kept = memo.templates.get(id)
        if isinstance(v, Container) and isinstance(kept, Container):
            return self.kept_container(id, v, kept, hint)  # type: ignore[no-any-return]
        if id in memo.types and is_literal(v):
            return self.own_cell(id, ev.lit(v), hint)
        if id in memo.types:
            v = constant_object(ev, v) or v
        if isinstance(v, Value):
            return self.own_cell(id, v, hint)
        if is_literal(v) and isinstance(v, Static) and v.value is not None and not isinstance(v.value, str):
            return self.carry(id, ev.lit(v), hint)
        if isinstance(v, Ref) and id in memo.split:
            self.copied.append((id, v.addr))
            return self.own_cell(id, ev.contents(v), hint)
        if isinstance(v, Ref) and id in memo.moving:
            return self.moving_view(id, v, hint)
        return replace(v, object=None) if isinstance(v, Ref) and v.object else v

    def run_time_tuple_at_head(self, id: Any, template: Any, v: Tup | RunTimeTuple, hint: str | None) -> Abstract:
        """A tuple whose length is known only at run time: a list that each iteration makes anew."""
        kept = template.of if isinstance(template, RunTimeTuple) else template
        of = v.of if isinstance(v, RunTimeTuple) else self.ev.new_list(v.items)
        if not isinstance(kept, ListRef):
            return v
        at_head = self.kept_container(id, of, kept, hint)
        least = 0 if id in self.memo.shrinking else least_length(v)
        return RunTimeTuple(at_head, least) if isinstance(at_head, ListRef) else at_head  # a poison

    def moving_view(self, id: Any, v: Ref, hint: str | None) -> Ref:
        """A view that is at another place in each iteration: its indices as carried values."""
        places, name = self.memo.moving[id], f"{hint}_index" if hint else None
        return Ref(v.addr, tuple(
            replace(step, args=tuple(self.carry((*id, "index", k, j), x, name) if (k, j) in places else x
                                     for j, x in enumerate(step.args)))
            for k, step in enumerate(v.path)), None)

    def choice_at_head(self, id: Any, template: Any, v: Abstract | None, hint: str | None) -> Abstract:
        """An object that depends on the path: its code and the parts of its members as carried values."""
        of_kinds = is_of_kinds(template)
        before = {} if v is None else (of_kinds and self.ev.kinds_of(v)) or by_code(v)
        members = {}
        for which, member in {**before, **by_code(template)}.items():
            of_kind, at = before.get(which), (*id, which)
            at_head = self.kind_at_head(at, member) if of_kinds and of_kind is None else \
                self.head_value(at, of_kind, hint) if of_kinds or not is_kept(member) else member
            if at_head is None or isinstance(at_head, Poison):
                self.memo.poison.setdefault(id, "it is another object on another path, and its parts are not known")
                return Poison(self.memo.poison[id])
            members[which] = at_head
        init = undef(template.code.type) if v is None else code(v) if isinstance(v, Choice) or not of_kinds else \
            Lit(next(iter(before)))
        return chosen(self.carry(id, init, hint), members, v, template)

    def kind_at_head(self, id: Any, template: Abstract) -> Abstract | None:
        """A value of a kind that only iterations give: at the head, something of its type stands for its numbers."""
        if isinstance(template, Tup):
            items = [self.kind_at_head((*id, k), x) for k, x in enumerate(template.items)]
            return None if None in items else template.with_(x for x in items if x is not None)
        if isinstance(template, (Static, Ref)) and id not in self.memo.types:
            return template
        if id in self.memo.types and ((init := filler(self.memo.types[id])) != Lit(None) or isinstance(
                self.memo.types[id], Optional)):
            return self.own_cell(id, init, None)
        return self.head_value(id, None, None)

    def undefined_container(self, id: Any, kept: Any, hint: str | None) -> Any:
        """A container that each iteration binds, and that nothing is before the loop."""
        ev, memo = self.ev, self.memo
        slots = memo.cell_templates[kept.addr]
        names = [f"{hint}_{key}" if hint else None for key in slots.keys] or [None] * len(slots.items)
        items = [self.head_value((*id, k), None, name) for k, name in enumerate(names)]
        bound = [Poison("it is not known before the loop") if x is None else x for x in items]
        ev.store.cells[kept.addr] = replace(slots, items=tuple(bound))
        if (item := memo.places.get(kept.addr)) is not None:
            ev.store.items[kept.addr] = replace(item, at=self.carry((*id, "place"), undef(INT), f"{hint}_place"))
        return kept

    def kept_container(self, id: Any, v: Container, kept: Any, hint: str | None) -> Any:
        """A container that each iteration rebinds, with its slots as carried values."""
        ev, memo = self.ev, self.memo
        list_items.refresh(ev, v)
        cell, before = ev.store.slots(v), self.entry.cells.get(v.addr)
        if isinstance(before, Slots) and before.schema == cell.schema:
            cell = before  # its items may be carried values already
        if (grown := memo.grown.get(kept.addr)) is not None and cell.schema != grown.schema:
            ev.store.cells[kept.addr] = cell
            dynamic_lists.grow(ev, ListRef(kept.addr), (grown.schema, grown.types), grown.addrs, hint)
            cell = ev.slots(ListRef(kept.addr))
        slots = memo.cell_templates[kept.addr]
        if grown is None and isinstance(v, ListRef):  # at another visit of the loop it may have columns
            slots = memo.cell_templates[kept.addr] = replace(slots, schema=cell.schema)
        if not of_one_class(v, kept) or not same_keys(cell.keys, slots.keys) or cell.schema != slots.schema:
            memo.poison[id] = "it is an object of another class, or with other keys, in another iteration"
            return Poison(memo.poison[id])
        if cell.unset:
            note_unset(ev, v)
            memo.poison[id] = ONE_PATH
            return Poison(memo.poison[id])
        items = [self.head_value((*id, k), x, None) for k, x in enumerate(cell.items)]
        self.entered.append((id, kept.addr, v.addr))
        stale = Frozen.STALE in (cell.frozen, slots.frozen)
        frozen = Frozen.STALE if stale else cell.frozen or slots.frozen
        ev.store.cells[kept.addr] = replace(slots, items=tuple(x for x in items if x is not None), frozen=frozen)
        item, now = memo.places.get(kept.addr), self.entry.items.get(v.addr)
        if item is not None and now is not None and now.at is not None and replace(now, at=None) == item:
            ev.store.items[kept.addr] = replace(item, at=self.carry((*id, "place"), now.at, None))
        return kept

    def own_cell(self, id: Any, init: Operand, hint: str | None) -> Abstract:
        """A carried value; an array gets a new cell, frozen if its name was split off."""
        param = self.carry(id, init, hint)
        if not is_array(param.type):
            return param
        number = is_start(init)
        if number:
            # `s = 0` before `s = s + x`: the number stands for an array filled with it.
            assert isinstance(init, Lit)
            self.carries[id].init = Lit(init.value, param.type)
        addr = self.ev.new_addr()
        self.extra_cells[id] = addr
        frozen = self.memo.own_frozen.get(id, Frozen.AMBIGUOUS if id in self.memo.split else Frozen.NO)
        origin = Origin.PYTHON if id in self.memo.held_by_python else Origin.FRESH
        self.ev.store.cells[addr] = Array(param, origin, frozen, merged=True, starts=number)
        return Ref(addr)

    def few(self, most: int = FEW_ITERATIONS) -> bool:
        """Is the number of iterations known and at most `most`, so that the loop can be unrolled?"""
        size = None if self.where is None else self.where.known_size
        return size is not None and size <= most

    def grow(self, addr: int, grown: GrownList) -> None:
        """Gives the list at `addr` its columns, unless a round of an enclosing loop has put another cell there."""
        cell = self.ev.store.cells.get(addr)
        if isinstance(cell, Slots) and cell.schema != grown.schema and not cell.keys:
            try:
                dynamic_lists.grow(self.ev, ListRef(addr), (grown.schema, grown.types), grown.addrs)
            except SctError:
                del self.memo.grown[addr]

    @property
    def index_size(self) -> LoopIndex | None:
        """The index of a loop over a range of a known step, as a size."""
        if self.index is None or self.where is None or self.where.start.type != INT:
            return None
        step = self.where.step.value if isinstance(self.where.step, Lit) else 0
        return LoopIndex(f"__v{self.index.id}", size_of(self.where.start), step) if step else None

    def widen(self, id: Any, head: Type, end: Type) -> None:
        """Notes the type that holds what a slot is at the head and after an iteration."""
        index = self.index_size
        if index is None:
            self.agree(id, head, end, lambda p, q: None)
        else:
            self.ev.agree(head, end)
            self.agree(id, index.learnt(head), index.in_next(end), index.linear)

    def agree(self, id: Any, old: Type, new: Type, size: Callable[[Dim, Dim], Dim | None]) -> None:
        """Notes the type that holds both, with the `size` of two that differ; where that is None, it changes from
        iteration to iteration and has a symbol, the same in every round."""
        self.ev.agree(old, new)
        old, new = self.ev.resolved(old), self.ev.resolved(new)

        def of_axis(k: int, p: Dim, q: Dim) -> Dim:
            own = carried_size(str(id), k)
            return own if p == own else size(p, q) or own

        try:
            both = widened(old, new, of_axis)
        except TypeMismatch as error:
            self.memo.poison[id] = f"its type changes from iteration to iteration: {error}"
            self.learnt = True
            return
        if both != old:
            self.memo.types[id] = both
            self.learnt = True


def is_start(x: Operand) -> bool:
    """Is this a literal with which a sum may start?"""
    return isinstance(x, Lit) and x.as_type is None and isinstance(x.value, (int, float, complex))


def is_list(t: Type) -> bool:
    """Is this the type of a list with columns?"""
    return isinstance(base_type(t), List)


def is_array(t: Type) -> bool:
    """Is this the type of an array or a list, which has a cell?"""
    t = base_type(t)
    return isinstance(t, Tensor) and t.is_array or isinstance(t, List)
