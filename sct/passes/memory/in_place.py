"""Decides which functional updates are done in place, and where that takes a copy.

    u1 = store(u, v, i)  ->  u1 = store(u, v, i, inplace=0), printed `u[i] = v`

An update overwrites the buffer of its operand if no alias of the operand is read afterwards and the buffer is
exclusive to this function; otherwise the operand is copied first. A carried value that the body of a loop updates is
owned by the loop: an argument is copied once, before the loop, and each iteration overwrites the buffer of the one
before. A view that is read after its base is overwritten is copied, not the base.

This is the only pass that adds copies. The program computes the same if every `inplace` is ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from sct.ir.core import Eqn, Fn, Value, free_values, walk
from sct.ir.loop_view import loop_view
from sct.ir.types import List, Residuals, Tensor, holds_array, leaf_type, list_depth
from sct.passes.analysis.alias import (
    FRESH_LISTS,
    Access,
    Binding,
    Flow,
    MemoryUses,
    becomes_item,
    flows,
    is_alias,
    is_inner_list,
    may_repeat_items,
    may_share_items,
    reads_shape_only,
    shared_memory,
    tolerates_overlap,
    updates_outer_list,
    writes_inner_list,
    writes_items,
)
from sct.passes.memory.alias_graph import AliasGraph
from sct.passes.memory.contiguity import is_contiguous
from sct.passes.memory.decisions import Decisions, Owner, carried_out
from sct.passes.memory.ownership import Ownership, carry_hint, is_arithmetic, is_variable, overwritable, updates
from sct.passes.memory.written_views import WrittenView, overwritten, written_views

__all__ = ["storage"]


def storage(fn: Fn, *, copies: bool = False) -> Fn:
    """`fn` with its updates in place; with `copies`, every update is of a copy (the oracle)."""
    plan = _Plan(fn, () if copies else tuple(written_views(fn)))
    if not copies:
        plan.ownership.own_updated_values()
        plan.ownership.own_items()
        plan.link_aliases()
        plan.claim_buffers()
        plan.claim_for_arithmetic()
        plan.find_views_written()
    else:
        plan.link_aliases()
    plan.separate_results()
    return carried_out(plan, fn)


class _Plan(Decisions):
    """The decisions, and what they rest on.

    ownership  which carries and outs of conditionals have a buffer of their own
    put_back   for an update of a view: the store of the view into its base
    views_put  for such a store: the views that it puts back, those inside of others first
    """

    def __init__(self, fn: Fn, views: Sequence[WrittenView]) -> None:
        super().__init__()
        self.memory = MemoryUses(fn)
        self.views = views
        self.put_back = {update: view.put for view in reversed(views) for update in view.updates}
        self.views_put: dict[Owner, list[WrittenView]] = defaultdict(list)
        for view in views:
            self.views_put[view.put].append(view)
        self.ownership = Ownership(self.memory)
        self._owned = self.ownership.owned
        self._lists_of_owned = self.ownership.lists_of_owned
        self._writes_inner_lists = any(map(writes_inner_list, (eqn for eqn, _ in self.memory.eqns)))
        self.graph = AliasGraph()
        self._pushes: dict[Value, list[Access]] = {}
        self._sources: dict[Value, list[Access]] = {}
        self._flows_to: dict[tuple[Owner, int], list[Value]] = {}
        self._tapes: dict[tuple[Owner, int], Value] = {}
        self._own_buffers: set[tuple[Owner, int]] = set()

    # -- aliases ---------------------------------------------------------------------------------

    def link_aliases(self) -> None:
        """Link the values that may share memory, given which carries and outs are owned."""
        for eqn, _ in self.memory.eqns:
            for _, flow in self._numbered_flows(eqn):
                for access in filter(None, (self.memory.access(*source) for source in flow.sources)):
                    for target in flow.targets:
                        self._sources.setdefault(target, []).append(access)
                        self._flows_to.setdefault((access.owner, access.index), []).append(target)
            if not eqn.regions:
                if len(eqn.outs) == 1 and holds_array(eqn.out.type):
                    taken_over = eqn.args if writes_items(eqn) else [s.value for s in self._taken_over(eqn)]
                    for x, shared in shared_memory(eqn, self._writes_inner_lists):
                        if x not in taken_over:
                            self.graph.link(x, eqn.out, shared)
                continue
            for k, flow in self._numbered_flows(eqn):
                owned = (eqn, k) in self._owned
                for owner, index in flow.sources:
                    x = (owner.args if isinstance(owner, Eqn) else owner.results)[index]
                    for target in flow.targets:
                        if not owned:
                            self.graph.link(x, target)
                        elif isinstance(x, Value) and isinstance(target.type, List) and holds_array(
                                target.type.elem) and self._lists_of_owned.isdisjoint(flow.targets):
                            self.graph.link_items(x, target)
            if eqn.op.name == "loop":
                self.link_loop_aliases(eqn)
        for view in self.views:
            self.graph.link(view.updates[-1].out, view.put.out)

    def _taken_over(self, eqn: Eqn) -> list[Access]:
        """The operands that become items of a list which owns its arrays."""
        if eqn.out not in self._lists_of_owned or writes_items(eqn):
            return []
        held = range(len(eqn.args)) if eqn.op.name == "list_of" else (1,) if eqn.op.updates and eqn.op.holds else ()
        return [access for k in held if (access := self.memory.access(eqn, k)) is not None]

    def _numbered_flows(self, eqn: Eqn) -> Iterable[tuple[int, Flow]]:
        for flow in flows(eqn):
            yield (eqn.outs.index(flow.targets[-1]), flow)

    def link_loop_aliases(self, eqn: Eqn) -> None:
        """Link sequences with their elements, and the params of tests with those of the body."""
        loop = loop_view(eqn)
        for x, e in zip(loop.xs, loop.elems):
            self.graph.link(x, e)
        for test in eqn.regions[:-1]:
            for x, p in zip(loop.params, test.params):
                self.graph.link(x, p) if (eqn, loop.params.index(x)) not in self._owned else None
        for j, v in enumerate(loop.yields):
            access = self.memory.access(loop.body, 1 + len(loop.params) + j)
            if access is not None and isinstance(v, Value):
                self._pushes.setdefault(v, []).append(access)
                self._sources[loop.ys[j]] = [access]
                self._tapes[access.owner, access.index] = loop.ys[j]

    # -- claiming buffers ------------------------------------------------------------------------

    def claim_buffers(self) -> None:
        """Claim the buffers of all operands that are overwritten, in the order of the program."""
        accesses = [access for _, access in updates(self.memory)]
        for eqn, _ in self.memory.eqns:
            accesses += self._taken_over(eqn) if len(eqn.outs) == 1 else []
            for k, flow in self._numbered_flows(eqn) if eqn.regions else ():
                if (eqn, k) in self._owned:
                    sources = [self.memory.access(*source) for source in flow.sources]
                    accesses += [access for access in sources if access is not None]
        for access in sorted(accesses, key=lambda s: s.point.position):
            self.claim(self.memory.current(access))
        self.inplace.update((eqn, 0) for eqn, _ in updates(self.memory) if eqn.op.updates)

    def claim(self, access: Access) -> None:
        """Make sure that the buffer which `access` reads may be overwritten there, by copies if need be."""
        level = list_depth(access.value.type)
        deep = self._writes_inner_lists and level > 1 and not updates_outer_list(access)
        owns_items = self._writes_owned_items(access)
        aliases = self.graph.alias_class(access.value, 0 if owns_items else level - deep, items=True)
        aliases += self.earlier_values(access)
        if (deep or owns_items) and any((eqn := self.memory.bindings[v].eqn) is not None and
                                        (may_repeat_items(eqn) or owns_items and may_share_items(eqn))
                                        for v in aliases):
            self.copy_at(access, deep=owns_items)
            return
        if level and not deep and self._is_held(aliases, access):
            self.copy_at(access, deep=owns_items)
            return
        later, shapes = self.split_reads(self.later_reads(aliases, access), access)
        pushes = [p for v in aliases for p in self._pushes.get(v, ()) if (p.owner, p.index) not in self._own_buffers]
        views = {s.value for s in later}
        missing = [p for p in pushes if not isinstance(p.value.type, (Tensor, List))]
        copyable = (all(self._is_view(v, access) for v in views)
                    and all(isinstance(p.value.type, Tensor) or p in missing or self._is_row(p.value) for p in pushes))
        exclusive = self.is_exclusive(aliases, access)
        if copyable and not exclusive and self.copy_base(access):
            self.claim(access)
            return
        if not copyable or not exclusive:
            self.copy_at(access, deep=owns_items)
            return
        for v in views:
            self.snapshot(v, [s for s in later if s.value is v])
        for push in pushes:
            if push in missing:
                self.separate_sources(push.value, set(aliases))
                self._pushes[push.value].remove(push)
            else:
                self.snapshot(push.value, [push])
        for push in pushes:
            if push not in missing:
                self.relink_tape(push)
        for s in shapes:
            updated = _updated(access)
            assert updated is not None
            self.redirects[s.owner, s.index] = updated
            self.memory.retarget(s, updated)

    def _is_held(self, aliases: Iterable[Value], access: Access) -> bool:
        """Has one of these become an item of a list before?  What becomes of that list is not followed."""
        reads = (s for v in aliases for s in self.memory.reads.get(v, ()) if becomes_item(s))
        return any(s.point.position < access.point.position and (s.owner, s.index) not in self.copies for s in reads)

    def earlier_values(self, access: Access) -> list[Value]:
        """The earlier values of a view, and what is read from them, where `access` is the base that it is put into.

        The value that is put is none of them: the base holds it afterwards."""
        view = self.memory.access(access.owner, 1)
        if access.index or view is None or access.owner not in self.views_put:
            return []
        current = {*self.graph.alias_class(access.value), *self.graph.alias_class(view.value)}
        earlier: dict[Value, None] = {}
        for version in self.versions(access.owner):
            if version not in current and version not in earlier:
                earlier.update(dict.fromkeys(self.graph.alias_class(version)))
        return [v for v in earlier if v not in current]

    def versions(self, put: Owner) -> Iterator[Value]:
        """The values that the views which a store puts back had before, and so had the views inside of them."""
        for view in self.views_put.get(put, ()):
            for update in view.updates:
                yield from self.versions(update)
                yield update.out

    def _writes_owned_items(self, access: Access) -> bool:
        """Will the arrays in the list that this reads be overwritten?"""
        eqn = access.owner
        if not isinstance(access.value.type, List) or not isinstance(eqn, Eqn) or not eqn.op.updates:
            return access.value in self._lists_of_owned
        return writes_items(eqn) if access.index == 0 else eqn.out in self._lists_of_owned

    def split_reads(self, later: list[Access], access: Access) -> tuple[list[Access], list[Access]]:
        """(reads of elements, reads of a shape) after an update.

        A read of the shape of the updated array may read the result of the update, or of the loop that updates it. The
        shape of a view stays, and that of an array that becomes an item."""
        elements = {s.value for s in later if not reads_shape_only(s)}
        if becomes_item(access):
            return [s for s in later if s.value in elements], []
        path = access.point.path
        around = len(path) if _updated(access) is not None else None
        shapes = [s for s in later if s.value not in elements and (
            s.value is not access.value or around is not None and s.point.path[:around] == path
            and all(eqn is not access.owner for eqn, _ in s.point.path[around:]))]
        return [s for s in later if s not in shapes], [s for s in shapes if s.value is access.value]

    def is_exclusive(self, aliases: Iterable[Value], access: Access) -> bool:
        """Did this function allocate the memory of the alias class, in the current iteration of the loops around?

        The value that is overwritten may have read-only views, but must not be one."""
        bindings = {v: self.memory.bindings[v] for v in aliases}
        if any(d.escapes and not d.readonly or d.point.level < access.point.level for d in bindings.values()):
            return False
        return access.value not in self.graph.computed_from(v for v, d in bindings.items() if d.readonly)

    def later_reads(self, aliases: Iterable[Value], access: Access) -> list[Access]:
        """Reads of the alias class that may come after `access`, except pushes onto a tape."""
        reads = []
        pushes = {p for v in aliases for p in self._pushes.get(v, ())}
        puts = [(put, 0) for put in self.puts(access.owner)]
        for v in aliases:
            for s in self.memory.reads.get(v, ()):
                at = (s.owner, s.index)
                beside = s.point.position == access.point.position and s != access and at not in self.copies
                if s not in pushes and at not in puts and (
                        access.point.before(s.point) or beside and not tolerates_overlap(access, self.memory)):
                    reads.append(s)
        return reads

    def puts(self, eqn: Owner) -> Iterable[Owner]:
        """The stores by which an update of a view reaches the array that is no view: they write no other elements."""
        while eqn in self.put_back:
            eqn = self.put_back[eqn]
            yield eqn

    def copy_base(self, access: Access) -> bool:
        """Copy the array before this overwrites a view of it, and before the view is taken; False if that is no way."""
        put = list(self.puts(access.owner))[-1:]
        view = next((view for view in self.views if [view.put] == put), None)
        base = self.memory.access(view.read, 0) if view is not None else None
        if view is None or base is None or (view.read, 0) in self.copies \
                or base.point.path != self.memory.point(view.put).path:
            return False
        copied = Value(base.value.type, base.value.hint)
        self.memory.bindings[copied] = Binding(None, None, 0, base.point)
        self.copies[view.read, 0] = self.redirects[view.put, 0] = copied
        self.memory.retarget(base, copied)
        self.memory.retarget(self.memory.current(Access(view.put, 0, base.value, base.point)), copied)
        self.graph.unlink(base.value, view.read.out)
        self.graph.link(copied, view.read.out)
        return True

    def find_views_written(self) -> None:
        """Find the stores of views that are written in place."""
        for view in self.views:
            accesses = [*((update, overwritten(update)) for update in view.updates), (view.put, 0), (view.put, 1)]
            base = self.copies.get((view.read, 0), self.redirects.get((view.read, 0)))
            moved = [at for at in accesses if at in self.copies or at in self.redirects]
            base = base if view.put.args[0] is view.read.args[0] else None
            stays = self.redirects.get((view.put, 0)) is base and set(moved) <= {(view.put, 0)} - set(self.copies)
            if stays and view.earlier_stores <= self.elided_stores \
                    and all(self.inplace.get(eqn) == 0 for eqn in (*view.updates, view.put)) \
                    and all((eqn in self.swapped) == (overwritten(eqn) == 1) for eqn in view.updates):
                self.elided_stores.add(view.put)

    def _is_view(self, v: Value, access: Access) -> bool:
        """Is `v` a part of the buffer, so that `v` may be copied before the buffer is overwritten?"""
        eqn = self.memory.bindings[v].eqn
        return (eqn is not None and not eqn.regions and v is not access.value and eqn.op.name != "unwrap"
                and (is_alias(eqn) or is_inner_list(eqn) or eqn in self.put_back))

    def _is_row(self, v: Value) -> bool:
        """Is `v` a list that is read out of a list, with no arrays in it?"""
        eqn = self.memory.bindings[v].eqn
        return eqn is not None and is_inner_list(eqn) and not holds_array(leaf_type(v.type))

    def copy_at(self, access: Access, *, deep: bool = False) -> None:
        """Let this access read a copy."""
        if (access.owner, access.index) not in self.copies:
            copied = Value(access.value.type, carry_hint(access) or access.value.hint)
            self.copies[access.owner, access.index] = copied
            self.deep |= {copied} if deep else set()
            self._pushes[access.value] = [p for p in self._pushes.get(access.value, ()) if p != access]

    def snapshot(self, v: Value, accesses: Iterable[Access]) -> None:
        """Copy `v` where it is bound, and let these accesses read the copy."""
        if v not in self.snapshots:
            self.snapshots[v] = Value(v.type, v.hint)
        copied = self.snapshots[v]
        for s in accesses:
            self.redirects[s.owner, s.index] = copied
            redirected = self.memory.read_copy(s, copied)
            for target in self._flows_to.get((s.owner, s.index), ()):
                if all(self.memory.current(source).value is not v for source in self._sources[target]) \
                        and self.graph.is_linked(v, target):
                    self.graph.unlink(v, target)
                    self.graph.link(copied, target)
            if s in self._pushes.get(v, ()):
                self._pushes[v].remove(s)
                self._pushes.setdefault(copied, []).append(redirected)

    def relink_tape(self, push: Access) -> None:
        """Link the tape on which copies are pushed with these, no longer with what they are copies of.

        If each iteration makes a copy, and one loop reads the tape, once, its elements are linked in place of the tape:
        each of them has a buffer of its own.
        """
        tape, copied = self._tapes[push.owner, push.index], self.snapshots[push.value]
        readers = self.memory.reads.get(tape, ())
        linked: Sequence[Value] = [tape]
        if len(readers) == 1 and isinstance(readers[0].owner, Eqn) and readers[0].owner.op.name == "loop" \
                and readers[0].point.level == self.memory.bindings[tape].point.level \
                and self.memory.bindings[copied].point.level == push.point.level:
            loop = loop_view(readers[0].owner)
            linked = [e for x, e in zip(loop.xs, loop.elems) if x is tape]
            self.graph.isolate(tape)
            self._own_buffers.add((push.owner, push.index))
        for x in linked:
            self.graph.link(copied, x)

    def claim_for_arithmetic(self) -> None:
        """Do arithmetic such as `dx = dx + g` in place where that needs no copy."""
        for eqn, _ in self.memory.eqns:
            if is_arithmetic(eqn) and not self._is_summed(eqn) and (not eqn.primal or is_variable(eqn)):
                k = next((k for k in overwritable(eqn) if self._may_overwrite(eqn, k)), None)
                if k is not None:
                    self.inplace[eqn] = 0
                    self.swapped |= {eqn} if k else set()

    def _is_summed(self, eqn: Eqn) -> bool:
        """Is a sum the only reader of the out? The expression is then printed in the sum."""
        readers = [s.owner for s in self.memory.reads.get(eqn.out, ())]
        return eqn.out.hint is None and [isinstance(r, Eqn) and r.op.name for r in readers] == ["sum"]

    def _may_overwrite(self, eqn: Eqn, k: int) -> bool:
        access = self.memory.access(eqn, k)
        if access is None or (eqn, k) in self.copies:
            return False
        x = access.value
        if x.type != eqn.out.type or x.hint not in (self.ownership.variable(eqn.out), None):
            return False
        if not is_contiguous(x, self.memory, self) if eqn.primal else self._is_primal(x):
            return False
        aliases = self.graph.alias_class(x, items=True)
        return (self.is_exclusive(aliases, access) and not self.later_reads(aliases, access)
                and not any(self._pushes.get(v) for v in aliases))

    def _is_primal(self, x: Value) -> bool:
        """Is this a result of the user's arithmetic?  A cotangent does not take over its buffer, and so its name."""
        eqn = self.memory.bindings[x].eqn
        return eqn is not None and eqn.primal and not eqn.regions

    # -- results -------------------------------------------------------------------------------

    def separate_results(self) -> None:
        """Copy results of the function, and of the pullbacks in it, that would share memory."""
        self.separate(self.memory.fn, 0)
        for eqn, point in self.memory.eqns:
            if eqn.op.name == "closure":
                self.separate(eqn.regions[0], point.level + 1)
                if eqn.attrs.get("escapes", True):
                    self.separate_captures(eqn)

    def separate(self, fn: Fn, level: int) -> None:
        """Copy results of `fn` that share memory, and residuals that share memory with results that the caller owns.

        Borrowed results of a forward part may: its records hold them."""
        has_records = any(isinstance(r.type, Residuals) for r in fn.results)
        owned = {k for _, k in fn.donated_params} if has_records else set(range(len(fn.results)))
        packed: list[tuple[Owner, int]] = [(eqn, k) for eqn in walk(fn) if eqn.op.name == "pack"
                                           for k in range(len(eqn.args))]
        private: list[tuple[Owner, int]] = [(fn, k) for k in sorted(owned)]
        in_private: set[Value] = set()
        in_any: set[Value] = set()
        for at in [*packed, *private, *((fn, k) for k in range(len(fn.results)) if k not in owned)]:
            access = self.memory.access(*at)
            if access is None or at in self.copies or not isinstance(access.value.type, (Tensor, List)):
                continue
            aliases = set(self.graph.alias_class(access.value, 0, items=True))
            bindings = [self.memory.bindings[v] for v in aliases]
            borrowed = has_records and at not in private
            if any(d.escapes and not (borrowed and d.borrowed) or d.point.level < level for d in bindings) \
                    or aliases & (in_any if at in packed or at in private else in_private) \
                    or any(self._pushes.get(v) for v in aliases) and level or self._repeats(access.value, aliases):
                self.copy_at(access, deep=True)
                continue
            in_any |= aliases
            in_private |= aliases if at in private else set()
        for at in packed:
            access = self.memory.access(*at)
            if access is not None and at not in self.copies and not isinstance(access.value.type, (Tensor, List)):
                self.separate_sources(access.value, in_private)

    def _repeats(self, v: Value, aliases: Iterable[Value]) -> bool:
        """May the list `v` hold one array twice, or an array that another value holds?"""
        if not (isinstance(v.type, List) and holds_array(v.type.elem)):
            return False
        lists = all((eqn := self.memory.bindings[w].eqn) is not None and eqn.op.name in FRESH_LISTS
                    for w in self.graph.alias_class(v, 0))
        return not lists or any(self._is_put_again(w) for w in aliases)

    def _is_put_again(self, v: Value) -> bool:
        """Does the array become an item several times, or in each iteration of a loop that does not make it?"""
        puts = [s for s in filter(becomes_item, self.memory.reads.get(v, ())) if (s.owner, s.index) not in self.copies]
        made_at = self.memory.bindings[self.memory.base(v)].point.level
        return isinstance(v.type, Tensor) and (len(puts) > 1 or any(s.point.level > made_at for s in puts))

    def separate_captures(self, eqn: Eqn) -> None:
        """Let a pullback capture copies of the arrays that the caller can see."""
        visible = {v for k in range(len(self.memory.fn.results)) if (self.memory.fn, k) not in self.copies
                and (access := self.memory.access(self.memory.fn, k)) for v in self.graph.alias_class(access.value)}
        visible |= {v for p in self.memory.fn.params for v in self.graph.alias_class(p)}
        for k in range(len(free_values(eqn.regions[0]))):
            access = self.memory.access(eqn, k)
            if access is not None and not isinstance(access.value.type, (Tensor, List)):
                self.separate_sources(access.value, visible)
            elif access is not None and access.value in visible:
                self.copy_at(access, deep=True)

    def separate_sources(self, v: Value, visible: set[Value]) -> None:
        """Copy the `visible` arrays that flow into `v`, a sequence or a value that may be missing."""
        done, todo = {v}, [v]
        while todo:
            target = todo.pop()
            for access in map(self.memory.current, self._sources.get(target, ())):
                if not isinstance(access.value.type, (Tensor, List)):
                    todo += {access.value} - done
                    done.add(access.value)
                elif access.value in visible:
                    self.copy_at(access)
                    self.graph.unlink(access.value, target)


def _updated(access: Access) -> Value | None:
    """The value that holds the updated buffer after the equation that reads it, if it has that type."""
    eqn = access.owner
    if not isinstance(eqn, Eqn):
        return None
    if eqn.op.name == "loop":
        loop = loop_view(eqn)
        k = access.index - len(loop.bounds)
        return loop.finals[k] if k in range(len(loop.inits)) and loop.finals[k].type == access.value.type else None
    return eqn.out if eqn.op.updates else None
