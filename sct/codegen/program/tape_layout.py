"""How sequences become lists: which lists there are, what is appended, popped or read by position.

    ys = loop(body: -> v)                   tape = []; for ...: tape.append(v)
    loop(xs=ys, body: v -> ..., reverse)    for ... reversed: v = tape.pop()

A list is popped where it is read once, in the opposite order, by a loop that runs once
for it; a pullback, which may run again, reads by position.  Sequences that are filled
in one place and emptied in one place share a list of tuples.  A sequence of sequences
that is emptied by a nest of loops like the one that filled it is one flat list, and what
only one arm of a branch makes is appended there, if the mirrored arm alone wants it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sct.codegen.program.paired_branches import Mirror
from sct.codegen.program.scopes import Parts, Scope, parts
from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.types import List, Optional, Seq, Type, Undef

__all__ = ["Member", "Read", "Tape", "Tapes"]


@dataclass(frozen=True, eq=False)
class Member:
    """A sequence on its way.

    loop     the loop that yields it, as `position` of its ys
    operand  what is appended, in the region `filled`
    home     the loop before which the list is made: for a flat list the outermost of the nest
    way      the loops that it passes as a part of sequences of sequences, then those that take it apart
    given    the sequences that it is a part of, or an element of one of them, on that way
    elem     what the last of them reads, in its region `emptied`; None: there is no such way
    popped   are the elements taken out of the list?
    """

    loop: Parts
    position: int
    operand: Operand
    filled: Fn
    home: Eqn
    way: tuple[Eqn, ...] = ()
    given: tuple[Value, ...] = ()
    elem: Value | None = None
    emptied: Fn | None = None
    popped: bool = False

    @property
    def flat(self) -> bool:
        return self.home is not self.loop.eqn

    @property
    def whole(self) -> bool:
        """Is there one element for every trip?"""
        return self.filled is self.loop.body

    @property
    def sequence(self) -> Value:
        return self.loop.ys[self.position]


@dataclass(frozen=True, eq=False)
class Tape:
    """A list; `place` is how many equations of the region come before the append."""

    members: tuple[Member, ...]
    place: int

    @property
    def first(self) -> Member:
        return self.members[0]

    @property
    def value(self) -> Value:
        """The list where it is filled."""
        return self.first.sequence

    @property
    def taken(self) -> Value:
        """The list where it is read."""
        m = self.first
        return self.value if m.flat or not m.given else m.given[-1]


@dataclass(frozen=True, eq=False)
class Read:
    """What a trip reads of a list: its elements, one of its sequences, the list where it was filled."""

    tape: Value
    elems: tuple[Value, ...]
    sequence: Value
    filled: Value


class Tapes:
    """The lists of a function.

    made    the lists that are made before a loop
    pushes  the lists that are appended to in a region
    pops    the lists that are popped in a region
    """

    def __init__(self, scope: Scope) -> None:
        self.scope, self.mirror = scope, Mirror(scope, self)
        self.made: dict[Eqn, list[Tape]] = defaultdict(list)
        self.pushes: dict[Fn, list[Tape]] = defaultdict(list)
        self.pops: dict[Fn, list[Tape]] = defaultdict(list)
        self._tape_of: dict[Value, tuple[Tape, int]] = {}
        self._carried: set[Value] = set()
        for eqn in reversed(scope.parent):
            if eqn.op.name == "loop":
                self._enter(parts(eqn))
        for tapes in self.made.values():
            tapes.reverse()

    def _enter(self, loop: Parts) -> None:
        groups: dict[object, list[Member]] = {}
        for k, y in enumerate(loop.ys):
            if self.scope.users[y] and y not in self._carried:
                m = self._member(loop, k)
                key = (m.way, m.popped, m.filled, m.emptied, m.home) if m.elem is not None else k
                groups.setdefault(key, []).append(m)
        for members in reversed(groups.values()):
            for tape in reversed(list(self._lists(members))):
                self._add(tape)

    def _add(self, tape: Tape) -> None:
        first = tape.first
        self.made[first.home].append(tape)
        self.pushes[first.filled].append(tape)
        for n, m in enumerate(tape.members):
            if m.elem is not None:
                self._tape_of[m.elem] = tape, n
            if m is not first or m.flat:
                self._carried.update(m.given)
        if first.popped and first.emptied is not None:
            self.pops[first.emptied].append(tape)

    def _lists(self, members: list[Member]) -> Iterator[Tape]:
        """One list for all, or two where a carry is overwritten before the rest is there."""
        region, body = members[0].filled, members[0].loop.body
        made = {e: n + 1 for n, eqn in enumerate(region.eqns) for e in eqn.outs}
        place = max(_place(made, m.operand) for m in members)
        early = [m for m in members if region is body and _overwritten(m.loop, made, m.operand) < place]
        late = [m for m in members if m not in early]
        order = {v: k for k, v in enumerate((*members[0].loop.params, *made))}
        for group in filter(None, (early, late)):
            group.sort(key=lambda m: order.get(m.operand, -1) if isinstance(m.operand, Value) else -1)
            yield Tape(tuple(group), max(_place(made, m.operand) for m in group))

    # -- where a sequence goes --------------------------------------------------------------

    def _member(self, loop: Parts, k: int) -> Member:
        operand = loop.yields[k]
        found = self._way(loop, k)
        if found is None:
            return Member(loop, k, operand, loop.body, loop.eqn)
        way, given, elem = found
        reader = parts(way[-1])
        popped = self.popped(reader.eqn, _given(reader.eqn, elem))
        home = way[len(given) // 2 - 1] if given and self._is_flat(way, given) else loop.eqn
        filled, emptied = loop.body, reader.body
        if popped:
            outer, inner = way[:len(given) // 2], way[len(given) // 2:-1]
            pairs = [*((parts(a), parts(b)) for a, b in zip(reversed(outer), inner)), (loop, reader)]
            filled, operand, emptied = self.mirror.arms(pairs, operand, elem)
        return Member(loop, k, operand, filled, home, way, given, elem, emptied, popped)

    def _way(self, loop: Parts, k: int) -> tuple[tuple[Eqn, ...], tuple[Value, ...], Value] | None:
        """The loops that the sequence goes through, the sequences that it is a part of, the element at its end."""
        s, scope, depth = loop.ys[k], self.scope, 0
        way: list[Eqn] = []
        given: list[Value] = []
        while len(scope.users[s]) == 1:
            user = scope.users[s][0]
            eqn = user if isinstance(user, Eqn) else scope.owner.get(user)
            if eqn is None or eqn.op.name != "loop":
                return None
            other = parts(eqn)
            way.append(eqn)
            if isinstance(user, Eqn):
                if s not in other.xs:
                    return None
                s = other.elems[other.xs.index(s)]
                if not depth:
                    return tuple(way), tuple(given), s
                depth -= 1
            elif s not in other.yields or scope.home[s] is not user:
                return None
            else:
                s = other.ys[other.yields.index(s)]
                depth += 1
            given.append(s)
        return None

    def _is_flat(self, way: tuple[Eqn, ...], given: tuple[Value, ...]) -> bool:
        """Is every part of the nest emptied as it was filled, by a loop that knows when to end?"""
        outer, inner = way[:len(given) // 2], way[len(given) // 2:]
        taken = given[len(outer) - 1:]
        return all(self.popped(reader, s) for reader, s in zip(inner, taken)) \
            and all(self.scope.parent[b] is a.regions[-1] for a, b in pairwise(inner)) \
            and not any(self._counts(parts(reader), s) for reader, s in zip(inner[1:], taken[1:]))

    # -- reading ----------------------------------------------------------------------

    def reads(self, loop: Parts) -> Iterator[Read]:
        """What is read of the lists that are not popped by way of `pops`."""
        found: dict[Value, dict[int, tuple[Value, Value]]] = {}
        filled: dict[Value, Value] = {}
        for s, elem in zip(loop.xs, loop.elems):
            if not isinstance(s, Value) or elem in self._carried:
                continue
            tape, n = self._tape_of.get(elem, (None, 0))
            if tape is None or not tape.first.popped:
                value = tape.taken if tape else s
                filled[value] = tape.value if tape else s
                found.setdefault(value, {}).setdefault(n, (elem, s))
        for value, members in found.items():
            elems = tuple(members[n][0] for n in sorted(members))
            yield Read(value, elems, members[min(members)][1], filled[value])

    def popped(self, reader: Eqn, s: Operand) -> bool:
        """May `reader` take the elements out of the list `s`?"""
        return (isinstance(s, Value) and self._owned(s, self.scope.parent[reader])
                and bool(reader.attrs.get("reverse")) == self.forward(s))

    def _owned(self, s: Value, region: Fn) -> bool:
        """Is the list `s` read once for each time that it is filled, in `region`?"""
        scope = self.scope
        if len(scope.users[s]) != 1 or s not in scope.binder or not scope.runs_once_from(region, scope.home[s]):
            return False
        eqn, inside = scope.binder[s]
        if inside is not None:
            loop = parts(eqn)
            return s in loop.elems and self.popped(eqn, loop.xs[loop.elems.index(s)])
        if eqn.op.name == "cond":
            k = eqn.outs.index(s)
            return all(self._owned(r, f) for f in eqn.regions if isinstance(r := f.results[k], Value))
        return eqn.op.name == "loop" and s in parts(eqn).ys

    def drained(self, loop: Parts) -> Value | None:
        """The list that is empty when `loop`, which pops of it in every trip, has to end."""
        if loop.index is None or self.scope.users[loop.index]:
            return None
        for tape in self.pops[loop.body]:
            m = tape.first
            if m.whole and not m.flat and m.elem is not None and self._counts(loop, _given(loop.eqn, m.elem)):
                return tape.taken
        return next((r.tape for r in self.reads(loop) if self._counts(loop, r.sequence)), None)

    def _counts(self, loop: Parts, s: Operand) -> bool:
        """Is the number of trips of `loop` the length of `s`, of a loop that may end at any trip?"""
        if not loop.bounds or loop.bounds[0] != Lit(0) or loop.bounds[2] != Lit(1):
            return False
        y, trips = self.origin(s), self.origin(loop.bounds[1])
        made = self.scope.binder.get(y) if isinstance(y, Value) else None
        return made is not None and made[1] is None and made[0].op.name == "loop" and trips is parts(made[0]).trips

    def origin(self, x: Operand) -> Operand:
        """The value whose turn it is when `x` is taken from a list."""
        while isinstance(x, Value) and x in self.scope.binder:
            eqn, region = self.scope.binder[x]
            loop = parts(eqn) if region is not None and eqn.op.name == "loop" else None
            if loop is None or x not in loop.elems:
                break
            y = self.element(loop.xs[loop.elems.index(x)])
            if isinstance(y.type, Seq) and y.type != x.type:
                break
            x = y
        return x

    def forward(self, s: Operand) -> bool:
        """Is the list in the order of the positions, not in the opposite one?"""
        depth = 0
        while isinstance(s, Value) and s in self.scope.binder:
            eqn, region = self.scope.binder[s]
            if self._is_in_order(eqn, s):
                return True
            if region is not None:
                s, depth = _given(eqn, s), depth + 1
            elif eqn.op.name == "loop":
                if not depth:
                    return not eqn.attrs.get("reverse")
                s, depth = parts(eqn).yields[parts(eqn).ys.index(s)], depth - 1
            else:
                s = _handed_on(eqn, s)
        return True

    def turns(self, x: Operand) -> list[bool]:
        """Of the list `x`, if it is one, of those in it, and so on: are they in the opposite order?"""
        return [self.turned(x, depth) for depth in range(_lists_in(x.type))]

    def agree(self, cond: Eqn, out: Value) -> bool:
        """Do the arms of `cond` give lists in one order for `out`?  Else each hands them on as the positions are."""
        results = [arm.results[cond.outs.index(out)] for arm in cond.regions]
        given = [self.turns(r) for r in results if isinstance(r, Value)]
        return all(each == given[0] for each in given)

    def _is_in_order(self, eqn: Eqn, s: Value) -> bool:
        """Is `s`, which `eqn` binds, in the order of the positions because it may come from several places?"""
        if eqn.op.name == "loop":
            return s in parts(eqn).params or s in parts(eqn).finals
        return eqn.op.name in ("unpack", "call") or eqn.op.name == "cond" and not self.agree(eqn, s)

    def turned(self, s: Operand, depth: int = 0) -> bool:
        """Are the elements of the list, or of the lists in it, in the opposite order?"""
        t = s.type
        while isinstance(t, (Undef, Optional)):
            t = t.elem
        if not isinstance(t, Seq) or isinstance(t, List):
            return False
        inner = self.element(s)
        return not self.forward(s) if not depth else inner is not s and self.turned(inner, depth - 1)

    def element(self, s: Operand) -> Operand:
        """What the loop that fills `s` appends to it; `s` itself where that is another function's."""
        while isinstance(s, Value) and s in self.scope.binder:
            eqn, region = self.scope.binder[s]
            if self._is_in_order(eqn, s):
                break
            if region is not None:
                s = self.element(_given(eqn, s))
            elif eqn.op.name == "loop":
                loop = parts(eqn)
                return loop.yields[loop.ys.index(s)]
            else:
                s = _handed_on(eqn, s)
        return s


def _lists_in(t: Type) -> int:
    """How many lists there are around what is inmost."""
    n = 0
    while isinstance(t, (Seq, Optional, Undef)):
        n, t = n + isinstance(t, Seq), t.elem
    return n


def _given(loop: Eqn, elem: Value) -> Operand:
    """The sequence that `loop` takes `elem` from."""
    p = parts(loop)
    return p.xs[p.elems.index(elem)]


def _handed_on(eqn: Eqn, s: Value) -> Operand:
    """The sequence that is `s`, out of a branch or an equation that hands its operand on."""
    if eqn.op.name != "cond":
        return eqn.args[0]
    results = [region.results[eqn.outs.index(s)] for region in eqn.regions]
    return next((r for r in results if not isinstance(r, Lit)), results[0])


def _place(made: dict[Value, int], x: Operand) -> int:
    return made.get(x, 0) if isinstance(x, Value) else 0


def _overwritten(loop: Parts, made: dict[Value, int], x: Operand) -> float:
    """How many equations of the body come before the new value of the carry `x` is there."""
    if isinstance(x, Value) and x in loop.params:
        return _place(made, loop.results[loop.params.index(x)]) or float("inf")
    return float("inf")
