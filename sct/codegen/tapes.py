"""How sequences become lists: which lists there are, what is appended, popped or read by position.

    ys = loop(body: -> v)                   tape = []; for ...: tape.append(v)
    loop(xs=ys, body: v -> ..., reverse)    for ... reversed: v = tape.pop()

A list is popped where it is read once, in the opposite order, by a loop that runs once
for it; a pullback, which may run again, reads by position.  Sequences of one loop that
are read by one loop share a list of tuples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sct.codegen.parts import Parts, Scope, parts
from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.types import Opaque, Seq

__all__ = ["Tape", "Tapes"]


@dataclass(eq=False)
class Tape:
    """A list that a loop fills.

    value    the list
    yields   the positions among the loop's ys of what is appended together
    place    how many equations of the body come before the append
    """

    value: Value
    yields: list[int]
    place: int = 0
    elems: dict[Eqn, list[Value]] = field(default_factory=dict)


class Tapes:
    """The lists of a function; `of` the loop that fills them."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.of: dict[Eqn, list[Tape]] = {}
        self.list_of: dict[Value, Tape] = {}
        self._visit()

    def _visit(self) -> None:
        for eqn in self.scope.parent:
            if eqn.op.name == "loop":
                loop = parts(eqn)
                self.of[eqn] = list(self._lists(loop))
                self.list_of.update((loop.ys[k], tape) for tape in self.of[eqn] for k in tape.yields)

    def _lists(self, loop: Parts) -> Iterator[Tape]:
        """The lists of a loop: one for all that goes to the same reader, split where a carry is overwritten."""
        used = [k for k, y in enumerate(loop.ys) if self.scope.users[y]]
        groups: dict[object, list[int]] = {}
        for k in used:
            groups.setdefault(self._reader(loop.ys[k]) or k, []).append(k)
        made = {e: n + 1 for n, eqn in enumerate(loop.body.eqns) for e in eqn.outs}
        for ks in groups.values():
            place = max(_place(made, loop.yields[k]) for k in ks)
            early = [k for k in ks if _overwritten(loop, made, loop.yields[k]) < place]
            late = [k for k in ks if k not in early]
            for members in filter(None, (early, late)):
                at = max(_place(made, loop.yields[k]) for k in members)
                alone = len(members) == 1
                value = loop.ys[members[0]] if alone else Value(Seq(Opaque()), "tape")
                yield Tape(value, members, at)

    def _reader(self, y: Value) -> tuple[Eqn, bool] | None:
        """The one loop that reads the sequence element by element, and whether it pops."""
        users = self.scope.users[y]
        if len(users) == 1 and isinstance(users[0], Eqn) and users[0].op.name == "loop":
            return users[0], self.popped(users[0], y)
        return None

    # -- reading ----------------------------------------------------------------------

    def readers(self, loop: Parts) -> Iterator[tuple[Value, list[Value], bool]]:
        """(list, the elements that a trip takes from it, is it popped) for each list that the loop reads."""
        found: dict[Value, list[tuple[int, Value, Operand]]] = {}
        for s, elem in zip(loop.xs, loop.elems):
            if isinstance(s, Value):
                tape = self.list_of.get(s)
                k = tape.yields.index(self._position(s)) if tape else 0
                found.setdefault(tape.value if tape else s, []).append((k, elem, s))
        for value, members in found.items():
            members.sort(key=lambda m: m[0])
            yield value, [elem for _, elem, _ in members], self.popped(loop.eqn, members[0][2])

    def _position(self, s: Value) -> int:
        eqn, _ = self.scope.binder[s]
        return parts(eqn).ys.index(s)

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

    def drained(self, loop: Parts, tape: Value) -> bool:
        """Does `loop`, which pops `tape` in every trip, only count the elements of it?"""
        if loop.index is None or self.scope.users[loop.index] or loop.bounds[0] != Lit(0) or loop.bounds[2] != Lit(1):
            return False
        filled = [parts(eqn) for eqn, tapes in self.of.items() for t in tapes if t.value is self._origin(tape)]
        return bool(filled) and self._origin(loop.bounds[1]) is filled[0].trips

    def _origin(self, x: Operand) -> Operand:
        """The value whose turn it is when `x` is taken from a list."""
        while isinstance(x, Value) and x in self.scope.binder:
            eqn, region = self.scope.binder[x]
            loop = parts(eqn) if region is not None and eqn.op.name == "loop" else None
            if loop is None or x not in loop.elems:
                break
            x = self._element(loop.xs[loop.elems.index(x)])
        return x

    def forward(self, s: Operand) -> bool:
        """Is the list in the order of the positions, not in the opposite one?"""
        while isinstance(s, Value):
            eqn, region = self.scope.binder[s]
            if region is not None:
                loop = parts(eqn)
                s = self._element(loop.xs[loop.elems.index(s)])
            elif eqn.op.name == "cond":
                s = _assigned(eqn, eqn.outs.index(s))
            else:
                return not eqn.attrs.get("reverse")
        return True

    def _element(self, s: Operand) -> Operand:
        """What the loop that fills `s` appends to it."""
        while isinstance(s, Value):
            eqn, region = self.scope.binder[s]
            if region is not None:
                loop = parts(eqn)
                s = self._element(loop.xs[loop.elems.index(s)])
            elif eqn.op.name == "cond":
                s = _assigned(eqn, eqn.outs.index(s))
            else:
                loop = parts(eqn)
                return loop.yields[loop.ys.index(s)]
        return s


def _assigned(eqn: Eqn, k: int) -> Operand:
    """The result of the first arm that assigns out `k`."""
    results = [region.results[k] for region in eqn.regions]
    return next((r for r in results if not isinstance(r, Lit)), results[0])


def _place(made: dict[Value, int], x: Operand) -> int:
    return made.get(x, 0) if isinstance(x, Value) else 0


def _overwritten(loop: Parts, made: dict[Value, int], x: Operand) -> float:
    """How many equations of the body come before the new value of the carry `x` is there."""
    if isinstance(x, Value) and x in loop.params:
        return _place(made, loop.results[loop.params.index(x)]) or float("inf")
    return float("inf")
