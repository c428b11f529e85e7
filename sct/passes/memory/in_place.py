"""Storage: where a functional update is done in place, and where that takes a copy.

    u1 = store(u, v, i)  ->  u1 = store(u, v, i, inplace=0), printed `u[i] = v`

An update takes over the buffer of its operand if nothing that may share that buffer is
read afterwards and nobody else holds it; else the operand is copied first.  What is
carried by a loop whose body updates it is taken over as well: on entry, so that the
copy of an argument is made once, before the loop, and from each iteration by the next.
A view that is read after its base is overwritten is copied, not the base.
This is the only pass that makes copies; correctness never depends on the marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Union

from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Operand, Value, free_values, rebuild, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import List, Residuals, Tensor
from sct.ops.arrays.creation import copy
from sct.ops.program.list_ops import UPDATES, copy_list
from sct.ops.registry import aliases
from sct.passes.analysis.alias import (
    OWN,
    Definition,
    Flow,
    Program,
    Slot,
    depth,
    flows,
    holds_array,
    holds_twice,
    is_deep,
    is_item,
    is_shape,
    may_overlap,
    shares,
    taken,
)

__all__ = ["storage"]

Owner = Union[Eqn, Fn]

ARITHMETIC = ("add", "sub", "mul", "div")


def storage(fn: Fn, *, copies: bool = False) -> Fn:
    """`fn` with its updates in place; with `copies`, with every update of a copy (the oracle)."""
    plan = _Plan(fn)
    if not copies:
        plan.own_what_is_updated()
        plan.link()
        plan.take_over()
        plan.take_over_arithmetic()
    else:
        plan.link()
    plan.part_results()
    return _Rebuild(plan).fn(fn)


class _Plan:
    """What is decided.

    inplace    the operand whose buffer an equation takes over
    swapped    of these equations, the operands change places first
    snapshots  the copies of values that are made where they are bound
    redirects  what reads a snapshot
    copies     what reads a copy that is made right there
    deep       the copies of lists that are of the arrays in them too
    """

    def __init__(self, fn: Fn) -> None:
        self.program = Program(fn)
        self.inplace: dict[Eqn, int] = {}
        self.swapped: set[Eqn] = set()
        self.snapshots: dict[Value, Value] = {}
        self.redirects: dict[tuple[Owner, int], Value] = {}
        self.copies: dict[tuple[Owner, int], Value] = {}
        self.deep: set[Value] = set()
        self._owned: set[tuple[object, ...]] = set()
        self._inner = any(map(is_deep, (eqn for eqn, _ in self.program.eqns)))
        self._edges: dict[Value, list[tuple[Value, int]]] = {}
        self._targets: dict[Value, list[Value]] = {}
        self._pushes: dict[Value, list[Slot]] = {}
        self._sources: dict[Value, list[Slot]] = {}

    # -- which carries and results of conditionals are owned --------------------------------------

    def updates(self) -> Iterable[tuple[Eqn, Slot]]:
        """The equations that make an out in the buffer of an operand, and that operand."""
        for eqn, _ in self.program.eqns:
            for k in taken(eqn).values():
                slot = self.program.slot(eqn, k)
                if slot is not None:
                    yield eqn, slot

    def own_what_is_updated(self) -> None:
        for _, slot in self.updates():
            self.own(slot.value)
        self.own_mixed_results()
        for eqn, _ in self.program.eqns:
            if eqn.op.name == "loop":
                self.own_accumulators(eqn)
            elif eqn.op.name == "cond":
                self.own_changed(eqn)

    def own(self, v: Operand) -> None:
        """`v` is going to be overwritten: own the carries and results of conditionals that it comes from.

        What may be missing is not owned, as it cannot be copied without looking at it."""
        todo: list[Operand] = [v]
        while todo:
            v = todo.pop()
            if isinstance(v, Value) and ("value", v) not in self._owned:
                self._owned.add(("value", v))
                todo += self._origins(v, self.program.definitions[v])

    def _origins(self, v: Value, d: Definition) -> list[Operand]:
        if d.eqn is None or not isinstance(v.type, (Tensor, List)):
            return []
        if d.eqn.op.name == "loop":
            loop = loop_view(d.eqn)
            k = (loop.params if d.region else loop.finals).index(v) if v in (*loop.params, *loop.finals) else None
            if k is None or d.region is None and not self._renewed(loop.results[k], loop.body):
                return []
            self._owned.add((d.eqn, k))
            return [loop.inits[k], loop.results[k]]
        if d.eqn.op.name == "cond" and d.region is None:
            self._owned.add((d.eqn, d.index))
            return [branch.results[d.index] for branch in d.eqn.regions]
        return [d.eqn.args[d.eqn.op.alias_of]] if self._alias(d.eqn) else []

    def _renewed(self, x: Operand, body: Fn) -> bool:
        """Is `x` made anew in each iteration (so that the next may overwrite it)?"""
        if not isinstance(x, Value):
            return True
        d = self.program.definitions[x]
        if d.place.level < self.program.ends[body].level or d.escapes:
            return False
        if d.region is not None:
            return x in loop_view(d.eqn).params if d.eqn is not None and d.eqn.op.name == "loop" else False
        return not (d.eqn is not None and self._alias(d.eqn) and d.eqn.op.name != "unwrap")

    def own_mixed_results(self) -> None:
        """Outs of a conditional that are results, and an argument in one branch only: it is copied in that branch."""
        for r in self.program.fn.results:
            d = self.program.definitions.get(r) if isinstance(r, Value) else None
            if d is not None and d.eqn is not None and d.eqn.op.name == "cond" and d.region is None:
                sources = [branch.results[d.index] for branch in d.eqn.regions if not always_raises(branch)]
                found = [self.program.definitions[x].escapes for x in sources if isinstance(x, Value)]
                if isinstance(r.type, Tensor) and len(set(found)) == 2:
                    self._owned.add((d.eqn, d.index))

    def own_accumulators(self, eqn: Eqn) -> None:
        """Carries that an addition updates: `dx = dx + g`."""
        loop = loop_view(eqn)
        for k, (p, x) in enumerate(zip(loop.params, loop.results)):
            if holds_array(p.type) and (eqn, k) not in self._owned and (
                    self._accumulates(x, p) or self._is_updated(p) and self._is_new(x, loop.body)):
                self.own(p)

    def own_changed(self, eqn: Eqn) -> None:
        """Outs of a conditional: arrays that one branch updates and the other leaves as they are."""
        for k, out in enumerate(eqn.outs):
            if holds_array(out.type) and (eqn, k) not in self._owned and self._is_changed(eqn, k):
                self.own(out)

    def _is_changed(self, eqn: Eqn, k: int) -> bool:
        start, end = (self.program.place(eqn), self.program.definitions[eqn.outs[k]].place)
        results = [branch.results[k] for branch in eqn.regions if not always_raises(branch)]
        left = [x for x in results if isinstance(x, Value)
                and self.program.definitions[x].place.position < start.position]
        if not left or len(left) == len(results) or any(x is not left[0] for x in left):
            return False
        (x, *_), d = left, self.program.definitions[left[0]]
        later = any(s.place.position > end.position for s in self.program.reads.get(x, ()))
        return not (d.escapes or later or d.place.level != start.level) and all(
            r is x or self._accumulates(r, x) for r in results)

    def _is_updated(self, param: Value) -> bool:
        return any(isinstance(s.owner, Eqn) and s.index in self._steps(s.owner).values()
                   for s in self.program.reads.get(param, ()))

    def _is_new(self, x: Operand, body: Fn) -> bool:
        """Is `x` made by the body, for the next iteration alone?"""
        return self._renewed(x, body) and isinstance(x, Value) and len(self.program.reads[x]) == 1

    def _accumulates(self, x: Operand, param: Value) -> bool:
        """Is `x` got from `param` by steps that may be done in place?"""
        todo, seen = [x], set[Operand]()
        steps = 0
        while todo:
            x = todo.pop()
            if x is param or x in seen:
                continue
            seen.add(x)
            eqn = self.program.definitions[x].eqn if isinstance(x, Value) else None
            if eqn is None or self.program.definitions[x].region is not None:  # type: ignore[index]
                return False
            if x in self._steps(eqn):
                steps += 1
                todo.append(eqn.args[self._steps(eqn)[x]])
            elif eqn.op.name == "cond":
                todo += [branch.results[eqn.outs.index(x)] for branch in eqn.regions]
            elif eqn.op.name == "loop" and self._is_taken_along(loop_view(eqn), x):
                todo.append(loop_view(eqn).inits[eqn.outs.index(x)])
                steps += 1
            else:
                return False
        return steps > 0

    def _is_taken_along(self, loop: LoopView, final: Operand) -> bool:
        """Is this the end of a carry that is one buffer in all iterations?"""
        if final not in loop.finals:
            return False
        k = loop.finals.index(final)
        return (loop.eqn, k) in self._owned or self._accumulates(loop.results[k], loop.params[k])

    def _steps(self, eqn: Eqn) -> Mapping[Operand, int]:
        """The outs that may be made in the buffer of an operand, and of which."""
        if eqn.op.name in ARITHMETIC and not eqn.primal and holds_array(eqn.out.type) \
                and eqn.args[0].type == eqn.out.type and eqn.args[0].hint == eqn.out.hint:
            return {eqn.out: 0}
        return taken(eqn)

    def _alias(self, eqn: Eqn) -> bool:
        return eqn.op.name == "unwrap" or aliases(eqn) != "none"

    # -- what shares memory ------------------------------------------------------------------

    def link(self) -> None:
        """Enter what shares memory, given what is owned."""
        for eqn, _ in self.program.eqns:
            for _, flow in self._numbered(eqn):
                for slot in filter(None, (self.program.slot(*source) for source in flow.sources)):
                    for target in flow.targets:
                        self._sources.setdefault(target, []).append(slot)
            if not eqn.regions:
                if len(eqn.outs) == 1 and holds_array(eqn.out.type):
                    for x, shared in shares(eqn, self._inner):
                        self.join(x, eqn.out, shared)
                continue
            for k, flow in self._numbered(eqn):
                if (eqn, k) not in self._owned:
                    for owner, index in flow.sources:
                        x = (owner.args if isinstance(owner, Eqn) else owner.results)[index]
                        for target in flow.targets:
                            self.join(x, target)
            if eqn.op.name == "loop":
                self.link_loop(eqn)

    def _numbered(self, eqn: Eqn) -> Iterable[tuple[int, Flow]]:
        for flow in flows(eqn):
            yield (eqn.outs.index(flow.targets[-1]), flow)

    def link_loop(self, eqn: Eqn) -> None:
        loop = loop_view(eqn)
        for x, e in zip(loop.xs, loop.elems):
            self.join(x, e)
        for test in eqn.regions[:-1]:
            for x, p in zip(loop.params, test.params):
                self.join(x, p) if (eqn, loop.params.index(x)) not in self._owned else None
        for j, v in enumerate(loop.yields):
            slot = self.program.slot(loop.body, 1 + len(loop.params) + j)
            if slot is not None and isinstance(v, Value):
                self._pushes.setdefault(v, []).append(slot)
                self._sources[loop.ys[j]] = [slot]

    def join(self, x: Operand, y: Value, shared: int | None = None) -> None:
        """`x` and `y` share what is at the depth `shared`, and what is in it."""
        if isinstance(x, Value) and holds_array(x.type) and holds_array(y.type):
            shared = min(depth(x.type), depth(y.type)) if shared is None else shared
            self._targets.setdefault(x, []).append(y)
            self._edges.setdefault(x, []).append((y, shared))
            self._edges.setdefault(y, []).append((x, shared))

    def group(self, v: Value, at: int | None = None) -> list[Value]:
        """The values that may share with `v` the list that it is, or the array; or what is in it, at the depth `at`."""
        at = depth(v.type) if at is None else at
        found = {v: None}
        todo = [v]
        while todo:
            for w, shared in self._edges.get(todo.pop(), ()):
                if w not in found and shared >= at:
                    found[w] = None
                    todo.append(w)
        return list(found)

    # -- taking over -------------------------------------------------------------------------

    def take_over(self) -> None:
        slots = [slot for _, slot in self.updates()]
        for eqn, _ in self.program.eqns:
            for k, flow in self._numbered(eqn) if eqn.regions else ():
                if (eqn, k) in self._owned:
                    found = [self.program.slot(*source) for source in flow.sources]
                    slots += [slot for slot in found if slot is not None]
        for slot in sorted(slots, key=lambda s: s.place.position):
            self.consume(self.program.now(slot))
        self.inplace.update((eqn, 0) for eqn, _ in self.updates() if eqn.op.name in UPDATES)

    def consume(self, slot: Slot) -> None:
        """Make the buffer of what `slot` reads free to be overwritten there."""
        level = depth(slot.value.type)
        deep = self._inner and level > 1
        group = self.group(slot.value, level - deep)
        if deep and any((eqn := self.program.definitions[v].eqn) is not None and holds_twice(eqn) for v in group):
            self.copy_at(slot)
            return
        later, shapes = self.parted(self.later(group, slot), slot)
        pushes = [p for v in group for p in self._pushes.get(v, ())]
        views = {s.value for s in later}
        copied = all(self._is_view(v, slot) for v in views) and all(isinstance(p.value.type, Tensor) for p in pushes)
        if not copied or not self.is_ours(group, slot):
            self.copy_at(slot)
            return
        for v in views:
            self.snapshot(v, [s for s in later if s.value is v])
        for push in pushes:
            self.snapshot(push.value, [push])
        for s in shapes:
            self.redirects[s.owner, s.index] = made = slot.owner.out  # type: ignore[union-attr]
            self.program.reread(s, made)

    def parted(self, later: list[Slot], slot: Slot) -> tuple[list[Slot], list[Slot]]:
        """Of the reads after an update: those of elements, and those of the shape alone, of what is updated,
        which may read what the update makes.  The shape of a view stays as it is."""
        elements = {s.value for s in later if not is_shape(s)}
        sees = isinstance(slot.owner, Eqn) and slot.owner.op.name in UPDATES
        path = slot.place.path
        shapes = [s for s in later if s.value not in elements and (
            s.value is not slot.value or sees and s.place.path[:len(path)] == path)]
        return [s for s in later if s not in shapes], [s for s in shapes if s.value is slot.value]

    def is_ours(self, group: Iterable[Value], slot: Slot) -> bool:
        """Is the memory of the group made by this function, in this iteration of the loops around?

        What is written may have views that are read-only, and is none."""
        found = {v: self.program.definitions[v] for v in group}
        if any(d.escapes and not d.readonly or d.place.level < slot.place.level for d in found.values()):
            return False
        todo = [v for v, d in found.items() if d.readonly]
        seen = set(todo)
        while todo:
            new = set(self._targets.get(todo.pop(), ())) - seen
            seen |= new
            todo += new
        return slot.value not in seen

    def later(self, group: Iterable[Value], slot: Slot) -> list[Slot]:
        """Reads of the group that may come after `slot`, but for pushes."""
        found = []
        pushes = {p for v in group for p in self._pushes.get(v, ())}
        for v in group:
            for s in self.program.reads.get(v, ()):
                at = (s.owner, s.index)
                beside = s.place.position == slot.place.position and s != slot and at not in self.copies
                if s not in pushes and (slot.place.before(s.place) or beside and not may_overlap(slot)):
                    found.append(s)
        return found

    def _is_view(self, v: Value, slot: Slot) -> bool:
        """Is `v` part of the buffer, bound before it is overwritten, so that it may be copied instead?"""
        d = self.program.definitions[v]
        return (d.eqn is not None and not d.eqn.regions and (self._alias(d.eqn) or is_item(d.eqn))
                and d.eqn.op.name != "unwrap"
                and v is not slot.value)

    def copy_at(self, slot: Slot, *, deep: bool = False) -> None:
        """Read a copy at this slot."""
        if (slot.owner, slot.index) not in self.copies:
            self.copies[slot.owner, slot.index] = made = Value(slot.value.type, _reader(slot) or slot.value.hint)
            self.deep |= {made} if deep else set()
            self._pushes[slot.value] = [p for p in self._pushes.get(slot.value, ()) if p != slot]

    def snapshot(self, v: Value, slots: Iterable[Slot]) -> None:
        """Copy `v` where it is bound, for these slots to read."""
        if v not in self.snapshots:
            self.snapshots[v] = Value(v.type, v.hint)
        made = self.snapshots[v]
        for s in slots:
            self.redirects[s.owner, s.index] = made
            moved = self.program.redirect(s, made)
            if s in self._pushes.get(v, ()):
                self._pushes[v].remove(s)
                self._pushes.setdefault(made, []).append(moved)

    def take_over_arithmetic(self) -> None:
        """`dx = dx + g` in place, where that needs no copy."""
        for eqn, _ in self.program.eqns:
            if eqn.op.name in ARITHMETIC and not eqn.primal and holds_array(eqn.out.type) and not self._is_summed(eqn):
                places = (0, 1) if eqn.op.name in ("add", "mul") else (0,)
                k = next((k for k in places if self._free(eqn, k)), None)
                if k is not None:
                    self.inplace[eqn] = 0
                    self.swapped |= {eqn} if k else set()

    def _is_summed(self, eqn: Eqn) -> bool:
        """Is the out an operand of a sum alone?  It is written there."""
        readers = [s.owner for s in self.program.reads.get(eqn.out, ())]
        return eqn.out.hint is None and [isinstance(r, Eqn) and r.op.name for r in readers] == ["sum"]

    def _free(self, eqn: Eqn, k: int) -> bool:
        slot = self.program.slot(eqn, k)
        if slot is None or (eqn, k) in self.copies:
            return False
        x = slot.value
        if x.type != eqn.out.type or x.hint not in (eqn.out.hint, None):
            return False
        group = self.group(x)
        return (self.is_ours(group, slot) and not self.later(group, slot)
                and not any(self._pushes.get(v) for v in group))

    # -- results -------------------------------------------------------------------------------

    def part_results(self) -> None:
        """Results of the function, and of the pullbacks in it, share memory with nothing."""
        self.part(self.program.fn, 0)
        for eqn, place in self.program.eqns:
            if eqn.op.name == "closure":
                self.part(eqn.regions[0], place.level + 1)
                self.part_captured(eqn)

    def part(self, fn: Fn, level: int) -> None:
        """Results share with nothing, but for those of a forward part that are borrowed: its records may hold them."""
        records = any(isinstance(r.type, Residuals) for r in fn.results)
        own = {k for _, k in fn.donated_params} if records else set(range(len(fn.results)))
        packed: list[tuple[Owner, int]] = [(eqn, k) for eqn in walk(fn) if eqn.op.name == "pack"
                                           for k in range(len(eqn.args))]
        private: list[tuple[Owner, int]] = [(fn, k) for k in sorted(own)]
        private_groups: set[Value] = set()
        taken: set[Value] = set()
        for at in [*packed, *private, *((fn, k) for k in range(len(fn.results)) if k not in own)]:
            slot = self.program.slot(*at)
            if slot is None or at in self.copies or not isinstance(slot.value.type, (Tensor, List)):
                continue
            group = set(self.group(slot.value, 0))
            found = [self.program.definitions[v] for v in group]
            borrowed = records and at not in private
            if any(d.escapes and not (borrowed and d.borrowed) or d.place.level < level for d in found) \
                    or group & (taken if at in packed or at in private else private_groups) \
                    or any(self._pushes.get(v) for v in group) and level or self._repeats(slot.value, group):
                self.copy_at(slot, deep=True)
                continue
            taken |= group
            private_groups |= group if at in private else set()

    def _repeats(self, v: Value, group: Iterable[Value]) -> bool:
        """May the list `v` hold one array twice, or one that something else holds?"""
        return isinstance(v.type, List) and holds_array(v.type.elem) and not all(
            (eqn := self.program.definitions[w].eqn) is not None and eqn.op.name in OWN for w in group)

    def part_captured(self, eqn: Eqn) -> None:
        """A pullback keeps its own copy of what the caller can see."""
        seen = {v for k in range(len(self.program.fn.results)) if (self.program.fn, k) not in self.copies
                and (slot := self.program.slot(self.program.fn, k)) for v in self.group(slot.value)}
        seen |= {v for p in self.program.fn.params for v in self.group(p)}
        for k in range(len(free_values(eqn.regions[0]))):
            slot = self.program.slot(eqn, k)
            if slot is not None and not isinstance(slot.value.type, (Tensor, List)):
                self.part_sources(slot.value, seen)
            elif slot is not None and slot.value in seen:
                self.copy_at(slot, deep=True)

    def part_sources(self, v: Value, seen: set[Value]) -> None:
        """Copy what gets into the sequence `v`, or into `v` that may be missing, if it is in `seen`."""
        done, todo = {v}, [v]
        while todo:
            for slot in map(self.program.now, self._sources.get(todo.pop(), ())):
                if not isinstance(slot.value.type, (Tensor, List)):
                    todo += {slot.value} - done
                    done.add(slot.value)
                elif slot.value in seen:
                    self.copy_at(slot)


class _Rebuild:
    def __init__(self, plan: _Plan) -> None:
        self.plan = plan

    def fn(self, fn: Fn) -> Fn:
        eqns: list[Eqn] = []
        for p in fn.params:
            eqns += self.snapshot(p)
        for eqn in fn.eqns:
            eqns += self.eqn(eqn)
        results, copies = self.read(fn, fn.results)
        return fn.replace(eqns=(*eqns, *copies), results=results)

    def eqn(self, eqn: Eqn) -> list[Eqn]:
        args, copies = self.read(eqn, eqn.args)
        regions = tuple(map(self.fn, eqn.regions))
        if eqn.op.name == "closure":
            (region,) = eqn.regions
            free = free_values(region)
            kept, copies = self.read(eqn, tuple(free))
            regions = (rebuild(regions[0], {v: x for v, x in zip(free, kept) if x is not v}),)
        if eqn in self.plan.swapped:
            args = (args[1], args[0])
        made = [*copies, eqn.replace(args=args, regions=regions, inplace=self.plan.inplace.get(eqn))]
        for out in eqn.outs:
            made += self.snapshot(out)
        return made

    def snapshot(self, v: Value) -> list[Eqn]:
        made = self.plan.snapshots.get(v)
        return [] if made is None else [_copy(v, made), *self.snapshot(made)]

    def read(self, owner: Owner, operands: tuple[Operand, ...]) -> tuple[tuple[Operand, ...], list[Eqn]]:
        """What is read instead of the operands, and the copies that are made for it here."""
        read, copies = [], []
        for k, x in enumerate(operands):
            x = self.plan.redirects.get((owner, k), x)
            new = self.plan.copies.get((owner, k))
            if new is not None and isinstance(x, Value):
                copies.append(_copy(x, new, new in self.plan.deep))
            read.append(new or x)
        return tuple(read), copies


def _reader(slot: Slot) -> str | None:
    """The name of the carry that begins with this operand: the copy is that, not what it is made of."""
    eqn = slot.owner
    if not isinstance(eqn, Eqn) or eqn.op.name != "loop":
        return None
    k = slot.index - 3 * eqn.attrs["counted"]
    return eqn.regions[-1].params[eqn.attrs["counted"] + k].hint if 0 <= k < eqn.attrs["carries"] else None


def _copy(x: Value, out: Value, deep: bool = False) -> Eqn:
    if isinstance(x.type, List):
        return Eqn(copy_list, (x,), (out,), {"deep": deep}, primal=False)
    return Eqn(copy, (x,), (out,), primal=False)
