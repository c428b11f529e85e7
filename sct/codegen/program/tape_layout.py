"""Sequences -> lists: which lists there are, and where they are appended to, popped or read by position.

    ys = loop(body: -> v)                   tape = []; for ...: tape.append(v)
    loop(xs=ys, body: v -> ..., reverse)    for ... reversed: v = tape.pop()

- A list is popped if one loop reads it, once, in the opposite order. A pullback may run again, so it reads by position.
- Sequences that are appended to in one place and popped in one place share a list of tuples.
- A sequence of sequences is one flat list if a nest of loops like the one that fills it empties it.
- A value that only one branch of a conditional defines is appended in that branch, if only the paired branch of the
  backward pass reads it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sct.codegen.program.paired_branches import innermost_regions
from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import List, Seq, base_type, list_depth
from sct.ir.uses import DefUse

__all__ = ["Member", "TapeRead", "TapeList", "TapeLayout"]


@dataclass(frozen=True, eq=False)
class Member:
    """A sequence, from the loop that yields it to the loop that reads it.

    loop        the loop that yields it, as the output `index` of its ys
    operand     the operand that is appended, in `append_region`
    home        the loop before which the list is created: for a flat list the outermost of the nest
    path        the loops that yield it as a part of a sequence of sequences, then the loops that read these
    containers  the sequences on that path: it is a part of the first ones, and an element of the last ones
    elem        the element that the last loop of the path reads, in `read_region`; None if there is no such path
    popped      is the list popped there?
    """

    loop: LoopView
    index: int
    operand: Operand
    append_region: Fn
    home: Eqn
    path: tuple[Eqn, ...] = ()
    containers: tuple[Value, ...] = ()
    elem: Value | None = None
    read_region: Fn | None = None
    popped: bool = False

    @property
    def is_flat(self) -> bool:
        return self.home is not self.loop.eqn

    @property
    def appends_every_iteration(self) -> bool:
        """Is there one element for each iteration?"""
        return self.append_region is self.loop.body

    @property
    def sequence(self) -> Value:
        return self.loop.ys[self.index]


@dataclass(frozen=True, eq=False)
class TapeList:
    """A list of the elements of its members; `append_at` is the number of equations of the region before the append."""

    members: tuple[Member, ...]
    append_at: int

    @property
    def first(self) -> Member:
        return self.members[0]

    @property
    def filled_list(self) -> Value:
        """The list where it is filled."""
        return self.first.sequence

    @property
    def read_list(self) -> Value:
        """The list where it is read."""
        m = self.first
        return self.filled_list if m.is_flat or not m.containers else m.containers[-1]


@dataclass(frozen=True, eq=False)
class TapeRead:
    """A read of a list in each iteration.

    sequence     one of the sequences of which the list holds the elements
    filled_list  the list where it is filled
    """

    read_list: Value
    elems: tuple[Value, ...]
    sequence: Value
    filled_list: Value


class TapeLayout:
    """The lists of a function.

    created  loop -> the lists that are created before it
    pushes   region -> the lists that it appends to
    pops     region -> the lists that it pops
    """

    def __init__(self, def_use: DefUse) -> None:
        self.def_use = def_use
        self.created: dict[Eqn, list[TapeList]] = defaultdict(list)
        self.pushes: dict[Fn, list[TapeList]] = defaultdict(list)
        self.pops: dict[Fn, list[TapeList]] = defaultdict(list)
        self._tape_of: dict[Value, tuple[TapeList, int]] = {}
        self._subsumed: set[Value] = set()
        self._agreement: dict[Value, bool] = {}
        self._popped: dict[tuple[Eqn, Operand], bool] = {}
        self._in_order: dict[Operand, bool] = {}
        for eqn in reversed(def_use.parent):
            if eqn.op.name == "loop":
                self._add_loop(loop_view(eqn))
        for tapes in self.created.values():
            tapes.reverse()

    def _add_loop(self, loop: LoopView) -> None:
        groups: dict[object, list[Member]] = {}
        for k, y in enumerate(loop.ys):
            if self.def_use.uses(y) and y not in self._subsumed:
                m = self._member(loop, k)
                key = (m.path, m.popped, m.append_region, m.read_region, m.home) if m.elem is not None else k
                groups.setdefault(key, []).append(m)
        for members in reversed(groups.values()):
            for tape in reversed(list(self._group(members))):
                self._add_tape(tape)

    def _add_tape(self, tape: TapeList) -> None:
        first = tape.first
        self.created[first.home].append(tape)
        self.pushes[first.append_region].append(tape)
        for n, m in enumerate(tape.members):
            if m.elem is not None:
                self._tape_of[m.elem] = tape, n
            if m is not first or m.is_flat:
                self._subsumed.update(m.containers)
        if first.popped and first.read_region is not None:
            self.pops[first.read_region].append(tape)

    def _group(self, members: list[Member]) -> Iterator[TapeList]:
        """One list for all, or two if a carried value is overwritten before the other members are computed."""
        region, body = members[0].append_region, members[0].loop.body
        defined_at = {e: n + 1 for n, eqn in enumerate(region.eqns) for e in eqn.outs}
        place = max(_definition_index(defined_at, m.operand) for m in members)
        early = [m for m in members if region is body and _carry_redefined_at(m.loop, defined_at, m.operand) < place]
        late = [m for m in members if m not in early]
        order = {v: k for k, v in enumerate((*members[0].loop.params, *defined_at))}
        for group in filter(None, (early, late)):
            group.sort(key=lambda m: order.get(m.operand, -1) if isinstance(m.operand, Value) else -1)
            yield TapeList(tuple(group), max(_definition_index(defined_at, m.operand) for m in group))

    # -- from the loop that yields a sequence to the loop that reads it -------------------------

    def _member(self, loop: LoopView, k: int) -> Member:
        """The `k`-th sequence that the loop yields, with the place where it is read."""
        operand = loop.yields[k]
        route = self._path(loop, k)
        if route is None:
            return Member(loop, k, operand, loop.body, loop.eqn)
        path, containers, elem = route
        reader = loop_view(path[-1])
        popped = self.may_pop(reader.eqn, _sequence_of(reader.eqn, elem))
        home = path[len(containers) // 2 - 1] if containers and self._can_be_flat(path, containers) else loop.eqn
        append_region, read_region = loop.body, reader.body
        if popped:
            outer, inner = path[:len(containers) // 2], path[len(containers) // 2:-1]
            pairs = [*((loop_view(a), loop_view(b)) for a, b in zip(reversed(outer), inner)), (loop, reader)]
            append_region, operand, read_region = innermost_regions(self.def_use, pairs, operand, elem)
        return Member(loop, k, operand, append_region, home, path, containers, elem, read_region, popped)

    def _path(self, loop: LoopView, k: int) -> tuple[tuple[Eqn, ...], tuple[Value, ...], Value] | None:
        """`path`, `containers` and `elem` of a member; None if several places read the sequence."""
        s, def_use, depth = loop.ys[k], self.def_use, 0
        path: list[Eqn] = []
        containers: list[Value] = []
        while len(def_use.uses(s)) == 1:
            user, _ = def_use.uses(s)[0]
            eqn = user if isinstance(user, Eqn) else def_use.owner.get(user)
            if eqn is None or eqn.op.name != "loop":
                return None
            other = loop_view(eqn)
            path.append(eqn)
            if isinstance(user, Eqn):
                if s not in other.xs:
                    return None
                s = other.elems[other.xs.index(s)]
                if not depth:
                    return tuple(path), tuple(containers), s
                depth -= 1
            elif s not in other.yields or def_use.home[s] is not user:
                return None
            else:
                s = other.ys[other.yields.index(s)]
                depth += 1
            containers.append(s)
        return None

    def _can_be_flat(self, path: tuple[Eqn, ...], containers: tuple[Value, ...]) -> bool:
        """Is every sequence of the nest popped, by loops that do not end where the sequence is empty?"""
        outer, inner = path[:len(containers) // 2], path[len(containers) // 2:]
        read = containers[len(outer) - 1:]
        return all(self.may_pop(reader, s) for reader, s in zip(inner, read)) \
            and all(self.def_use.parent[b] is a.regions[-1] for a, b in pairwise(inner)) \
            and not any(self._counts_iterations_of(loop_view(reader), s) for reader, s in zip(inner[1:], read[1:]))

    # -- reading ----------------------------------------------------------------------

    def loop_reads(self, loop: LoopView) -> Iterator[TapeRead]:
        """The reads of the sequences of `loop` that are not in `pops`."""
        members_of: dict[Value, dict[int, tuple[Value, Value]]] = {}
        filled_lists: dict[Value, Value] = {}
        for s, elem in zip(loop.xs, loop.elems):
            if not isinstance(s, Value) or elem in self._subsumed:
                continue
            tape, n = self._tape_of.get(elem, (None, 0))
            if tape is None or not tape.first.popped:
                read_list = tape.read_list if tape else s
                filled_lists[read_list] = tape.filled_list if tape else s
                members_of.setdefault(read_list, {}).setdefault(n, (elem, s))
        for read_list, members in members_of.items():
            elems = tuple(members[n][0] for n in sorted(members))
            yield TapeRead(read_list, elems, members[min(members)][1], filled_lists[read_list])

    def may_pop(self, reader: Eqn, s: Operand) -> bool:
        """May the loop `reader` pop the list `s`?"""
        if (reader, s) not in self._popped:
            self._popped[reader, s] = (
                isinstance(s, Value) and self._is_read_once(s, self.def_use.parent[reader])
                and bool(reader.attrs.get("reverse")) == self.is_in_position_order(s))
        return self._popped[reader, s]

    def _is_read_once(self, s: Value, region: Fn) -> bool:
        """Does one place in `region` read the list `s`, once for each time that it is filled?"""
        def_use = self.def_use
        definition = def_use.definition(s)
        if len(def_use.uses(s)) != 1 or definition is None or not def_use.runs_once_from(region, def_use.home[s]):
            return False
        eqn, region_of_param, _ = definition
        if region_of_param is not None:
            loop = loop_view(eqn)
            return s in loop.elems and self.may_pop(eqn, loop.xs[loop.elems.index(s)])
        if eqn.op.name == "cond":
            k = eqn.outs.index(s)
            return all(self._is_read_once(r, f) for f in eqn.regions if isinstance(r := f.results[k], Value))
        return eqn.op.name == "loop" and s in loop_view(eqn).ys

    def exhausted_list(self, loop: LoopView) -> Value | None:
        """A list that `loop` pops in every iteration, and that is empty when the loop has to end."""
        if loop.index is None or self.def_use.uses(loop.index):
            return None
        for tape in self.pops[loop.body]:
            m = tape.first
            if m.appends_every_iteration and not m.is_flat and m.elem is not None \
                    and self._counts_iterations_of(loop, _sequence_of(loop.eqn, m.elem)):
                return tape.read_list
        return next((r.read_list for r in self.loop_reads(loop) if self._counts_iterations_of(loop, r.sequence)), None)

    def _counts_iterations_of(self, loop: LoopView, s: Operand) -> bool:
        """Is the bound of `loop` the number of iterations of the loop that yields `s`?"""
        if not loop.bounds or loop.bounds[0] != Lit(0) or loop.bounds[2] != Lit(1):
            return False
        y, stop = self.origin(s), self.origin(loop.bounds[1])
        eqn = self.def_use.defining_eqn(y)
        return eqn is not None and eqn.op.name == "loop" and stop is loop_view(eqn).iterations

    def origin(self, x: Operand) -> Operand:
        """The value that was appended, if `x` is an element that is read from a list."""
        while isinstance(x, Value) and x in self.def_use.definitions:
            eqn, region, _ = self.def_use.definitions[x]
            loop = loop_view(eqn) if region is not None and eqn.op.name == "loop" else None
            if loop is None or x not in loop.elems:
                break
            y = self.appended_element(loop.xs[loop.elems.index(x)])
            if isinstance(y.type, Seq) and y.type != x.type:
                break
            x = y
        return x

    def is_in_position_order(self, s: Operand) -> bool:
        """Is the list in the order of positions, and not in the opposite order?"""
        if s not in self._in_order:
            self._in_order[s] = self._has_position_order(s)
        return self._in_order[s]

    def _has_position_order(self, s: Operand) -> bool:
        depth = 0
        while isinstance(s, Value) and s in self.def_use.definitions:
            eqn, region, _ = self.def_use.definitions[s]
            if self._is_normalized(eqn, s):
                return True
            if region is not None:
                s, depth = _sequence_of(eqn, s), depth + 1
            elif eqn.op.name == "loop":
                if not depth:
                    return not eqn.attrs.get("reverse")
                s, depth = loop_view(eqn).yields[loop_view(eqn).ys.index(s)], depth - 1
            else:
                s = _source_of(eqn, s)
        return True

    def reversed_levels(self, x: Operand) -> list[bool]:
        """At each level of the nested list `x`, the outermost first: is it in the opposite order?"""
        return [self.is_reversed(x, depth) for depth in range(list_depth(x.type))]

    def branches_agree(self, cond: Eqn, out: Value) -> bool:
        """Do the branches of `cond` yield lists in one order for `out`?  If not, each yields the order of positions."""
        if out not in self._agreement:
            self._agreement[out] = self._yield_alike(cond, out)
        return self._agreement[out]

    def _yield_alike(self, cond: Eqn, out: Value) -> bool:
        results = [branch.results[cond.outs.index(out)] for branch in cond.regions]
        orders = [self.reversed_levels(r) for r in results if isinstance(r, Value)]
        return all(order == orders[0] for order in orders)

    def _is_normalized(self, eqn: Eqn, s: Value) -> bool:
        """Is `s`, which `eqn` binds, in the order of positions because it can come from several places?"""
        if eqn.op.name == "loop":
            return s in loop_view(eqn).params or s in loop_view(eqn).finals
        return eqn.op.name in ("unpack", "call") or eqn.op.name == "cond" and not self.branches_agree(eqn, s)

    def is_reversed(self, s: Operand, depth: int) -> bool:
        """Is the list, or are the lists `depth` levels inside it, in the opposite order?"""
        t = base_type(s.type)
        if not isinstance(t, Seq) or isinstance(t, List):
            return False
        inner = self.appended_element(s)
        return not self.is_in_position_order(s) if not depth else inner is not s and self.is_reversed(inner, depth - 1)

    def appended_element(self, s: Operand) -> Operand:
        """The operand that is appended to `s`; `s` itself if another function fills it."""
        while isinstance(s, Value) and s in self.def_use.definitions:
            eqn, region, _ = self.def_use.definitions[s]
            if self._is_normalized(eqn, s):
                break
            if region is not None:
                s = self.appended_element(_sequence_of(eqn, s))
            elif eqn.op.name == "loop":
                loop = loop_view(eqn)
                return loop.yields[loop.ys.index(s)]
            else:
                s = _source_of(eqn, s)
        return s


def _sequence_of(loop: Eqn, elem: Value) -> Operand:
    """The sequence whose element in `loop` is `elem`."""
    p = loop_view(loop)
    return p.xs[p.elems.index(elem)]


def _source_of(eqn: Eqn, s: Value) -> Operand:
    """The sequence that `s` is, if `eqn` is a conditional or yields its operand."""
    if eqn.op.name != "cond":
        return eqn.args[0]
    results = [region.results[eqn.outs.index(s)] for region in eqn.regions]
    return next((r for r in results if not isinstance(r, Lit)), results[0])


def _definition_index(defined_at: dict[Value, int], x: Operand) -> int:
    return defined_at.get(x, 0) if isinstance(x, Value) else 0


def _carry_redefined_at(loop: LoopView, defined_at: dict[Value, int], x: Operand) -> float:
    """The number of equations of the body up to the next value of the carried value `x`; infinity for others."""
    if isinstance(x, Value) and x in loop.params:
        return _definition_index(defined_at, loop.results[loop.params.index(x)]) or float("inf")
    return float("inf")
