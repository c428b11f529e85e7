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

from sct.codegen.mirror import Mirror
from sct.codegen.parts import Parts, Scope, parts
from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.types import Opaque, Seq

__all__ = ["Member", "Tape", "Tapes"]


@dataclass(frozen=True, eq=False)
class Member:
    """A sequence on its way.

    loop     the loop that yields it, as `position` of its ys
    operand  what is appended, in the region `filled`
    home     the loop before which the list is made: that of the nest which is outermost
    reader   the loop that takes `elem` of it, in its region `emptied`; None: no one loop does
    popped   does it take the elements out of the list?
    """

    loop: Parts
    position: int
    operand: Operand
    filled: Fn
    home: Eqn
    reader: Eqn | None = None
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


@dataclass(frozen=True, eq=False)
class Tape:
    """A list; `place` is how many equations of the region come before the append."""

    value: Value
    members: tuple[Member, ...]
    place: int

    @property
    def first(self) -> Member:
        return self.members[0]


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
        self.grouped: dict[Value, tuple[Tape, int]] = {}
        self._carried: set[Value] = set()
        for eqn in scope.parent:
            if eqn.op.name == "loop":
                self._enter(parts(eqn))

    def _enter(self, loop: Parts) -> None:
        groups: dict[object, list[Member]] = {}
        for k, y in enumerate(loop.ys):
            if self.scope.users[y] and loop.yields[k] not in self._carried and not self._carries(loop, k):
                m = self._member(loop, k)
                key = (m.reader, m.popped, m.filled, m.emptied, m.home) if m.reader else k
                groups.setdefault(key, []).append(m)
        for members in groups.values():
            for tape in self._lists(members):
                self._add(tape)

    def _add(self, tape: Tape) -> None:
        first = tape.first
        self.made[first.home].append(tape)
        self.pushes[first.filled].append(tape)
        for n, m in enumerate(tape.members):
            if m.reader is not None and m.elem is not None:
                self.grouped[m.elem] = tape, n
        if first.popped and first.emptied is not None:
            self.pops[first.emptied].append(tape)

    def _lists(self, members: list[Member]) -> Iterator[Tape]:
        """One list for all, or two where a carry is overwritten before the rest is there."""
        region, body = members[0].filled, members[0].loop.body
        made = {e: n + 1 for n, eqn in enumerate(region.eqns) for e in eqn.outs}
        place = max(_place(made, m.operand) for m in members)
        early = [m for m in members if region is body and _overwritten(m.loop, made, m.operand) < place]
        late = [m for m in members if m not in early]
        for group in filter(None, (early, late)):
            value = group[0].loop.ys[group[0].position] if len(group) == 1 else Value(Seq(Opaque()), "tape")
            yield Tape(value, tuple(group), max(_place(made, m.operand) for m in group))

    # -- where a sequence goes --------------------------------------------------------------

    def _member(self, loop: Parts, k: int) -> Member:
        operand = loop.yields[k]
        home, reader, elem = self._route(loop, k)
        if reader is None or elem is None:
            return Member(loop, k, operand, loop.body, home)
        popped = self.popped(reader, parts(reader).xs[parts(reader).elems.index(elem)])
        filled, emptied = loop.body, reader.regions[-1]
        if popped:
            filled, operand, emptied = self.mirror.arms(loop, operand, parts(reader), elem)
        return Member(loop, k, operand, filled, home, reader, elem, emptied, popped)

    def _carries(self, loop: Parts, k: int) -> bool:
        """Is this sequence only the way of inner ones, which are in a flat list?"""
        y = loop.yields[k]
        if not isinstance(y, Value) or y not in self.scope.binder or self.scope.home[y] is not loop.body:
            return False
        eqn, region = self.scope.binder[y]
        if region is not None or eqn.op.name != "loop" or y not in parts(eqn).ys:
            return False
        inner = parts(eqn)
        home, _, elem = self._route(inner, inner.ys.index(y))
        return home is not inner.eqn and elem is not None

    def _route(self, loop: Parts, k: int) -> tuple[Eqn, Eqn | None, Value | None]:
        """The outermost loop of the nest that fills the sequence, the loop that reads it and the element there."""
        s, scope = loop.ys[k], self.scope
        users = scope.users[s]
        if len(users) != 1:
            return loop.eqn, None, None
        if isinstance(users[0], Eqn):
            reader = users[0]
            if reader.op.name == "loop" and s in parts(reader).xs:
                return loop.eqn, reader, parts(reader).elems[parts(reader).xs.index(s)]
            return loop.eqn, None, None
        outer = scope.owner.get(users[0])
        if outer is None or outer.op.name != "loop" or scope.parent[loop.eqn] is not users[0] \
                or s not in parts(outer).yields:
            return loop.eqn, None, None
        home, backward, elem = self._route(parts(outer), parts(outer).yields.index(s))
        if backward is None or elem is None or not self.popped(backward, _given(backward, elem)):
            return loop.eqn, None, None
        inner = scope.users[elem]
        if len(inner) != 1 or not isinstance(inner[0], Eqn) or inner[0].op.name != "loop":
            return loop.eqn, None, None
        reader = inner[0]
        if scope.parent[reader] is not backward.regions[-1] or elem not in parts(reader).xs \
                or not self.popped(reader, elem) or self._counts(parts(reader), elem):
            return loop.eqn, None, None
        return home, reader, parts(reader).elems[parts(reader).xs.index(elem)]

    # -- reading ----------------------------------------------------------------------

    def reads(self, loop: Parts) -> Iterator[tuple[Value, list[Value], Value]]:
        """(list, the elements that a trip reads from it, one of its sequences) for each list that
        the loop reads and does not pop."""
        found: dict[Value, dict[int, tuple[Value, Value]]] = {}
        for s, elem in zip(loop.xs, loop.elems):
            if not isinstance(s, Value) or self._is_carried(elem):
                continue
            tape, n = self.grouped.get(elem, (None, 0))
            if tape is None or not tape.first.popped:
                found.setdefault(tape.value if tape else s, {}).setdefault(n, (elem, s))
        for value, members in found.items():
            yield value, [members[n][0] for n in sorted(members)], members[min(members)][1]

    def _is_carried(self, elem: Value) -> bool:
        """Does the element of a sequence of sequences only stand for a part of a flat list?"""
        users = self.scope.users[elem]
        if len(users) != 1 or not isinstance(users[0], Eqn) or users[0].op.name != "loop":
            return False
        reader = parts(users[0])
        if elem not in reader.xs:
            return False
        taken = reader.elems[reader.xs.index(elem)]
        tape, n = self.grouped.get(taken, (None, 0))
        return tape.members[n].flat if tape is not None else self._is_carried(taken)

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
                return tape.value
        return next((value for value, _, s in self.reads(loop) if self._counts(loop, s)), None)

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
            x = self.element(loop.xs[loop.elems.index(x)])
        return x

    def forward(self, s: Operand) -> bool:
        """Is the list in the order of the positions, not in the opposite one?"""
        while isinstance(s, Value):
            eqn, region = self.scope.binder[s]
            if region is not None:
                s = self.element(_given(eqn, s))
            elif eqn.op.name == "loop":
                return not eqn.attrs.get("reverse")
            else:
                s = _handed_on(eqn, s)
        return True

    def element(self, s: Operand) -> Operand:
        """What the loop that fills `s` appends to it."""
        while isinstance(s, Value):
            eqn, region = self.scope.binder[s]
            if region is not None:
                s = self.element(_given(eqn, s))
            elif eqn.op.name == "loop":
                loop = parts(eqn)
                return loop.yields[loop.ys.index(s)]
            else:
                s = _handed_on(eqn, s)
        return s


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
