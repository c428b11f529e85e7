"""IR -> program: regions become blocks, their results moves, exits jumps, sequences lists.

The carry of a loop, its param in the test and its final value are one value from here
on; what only hands its operand on (`unwrap`) is that operand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sct.codegen.program.argument_unpacking import parameter
from sct.codegen.program.recover_jumps import Exit, Exits, Facts, Place, raises
from sct.codegen.program.scopes import Parts, Scope, parts
from sct.codegen.program.statement_ir import (
    Assigned,
    At,
    Block,
    Define,
    If,
    Jump,
    Let,
    Loop,
    Move,
    NewList,
    Pop,
    Push,
    Return,
    Tick,
    Zip,
    blocks,
    statements,
)
from sct.codegen.program.tape_layout import Tapes
from sct.codegen.program.templates import WRITES, turned
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_effect
from sct.ir.types import List, Seq, Tensor, Undef
from sct.ops import OPS
from sct.ops.registry import template

__all__ = ["lower"]

NEVER, ALWAYS = frozenset([False]), frozenset([True])


def lower(fn: Fn, scope: Scope, *, checks: bool = False) -> Block:
    """The program of `fn`, ending in its `Return`; with `checks` where Python itself would see
    that a variable is not assigned."""
    block = _Lowering(scope).function(fn)
    return block if checks else _without_needless_checks(block)


class _Frame:
    """The loop that is being lowered: what an exit out of its body has to see to."""

    def __init__(self, loop: Parts, statement: Loop) -> None:
        self.loop, self.statement = loop, statement


class _Lowering:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.tapes, self.exits = Tapes(scope), Exits(scope)
        self.alias: dict[Value, Operand] = {}
        self.frames: list[_Frame] = []

    def function(self, fn: Fn) -> Block:
        out: Block = []
        if self.block(fn, out, None, {}):
            out.append(Return(tuple(map(self.read, fn.results))))
        return out

    def read(self, x: Operand) -> Operand:
        while isinstance(x, Value) and x in self.alias:
            x = self.alias[x]
        return x

    def reads(self, xs: Iterable[Operand]) -> tuple[Operand, ...]:
        return tuple(map(self.read, xs))

    def settled(self, x: Operand, facts: Facts) -> Operand:
        """`x`, or the one literal that it can be here: a Python number, as literals are."""
        of_numpy = isinstance(x.type, Tensor) and x.type.carrier != "py"
        values = None if of_numpy else self.exits.known(x, facts)
        return Lit(*values) if values is not None and len(values) == 1 else self.read(x)

    def unsure(self, xs: Iterable[Operand]) -> frozenset[Operand]:
        """What these are, where they may be unassigned."""
        return frozenset(self.read(x) for x in xs if isinstance(x.type, Undef))

    # -- blocks -----------------------------------------------------------------------

    def block(self, fn: Fn, out: Block, outer: Place | None, facts: dict[Value, frozenset[Any]], *,
              trip: bool = False) -> bool:
        """Append the equations of `fn`, which is the body of a loop if it is a `trip`; False if
        control does not reach its end.  `facts` are those at its start, then at its end."""
        inside = outer is not None or trip
        for tape in self.tapes.pops[fn]:
            elems = tuple(m.elem for m in tape.members if m.elem is not None)
            out.append(Pop(self.listed(tape.taken), elems, tape.value))
        for k, eqn in enumerate(fn.eqns):
            self.push(fn, k, out, facts)
            if not self.eqn(eqn, out, Place(fn, k, outer) if inside else None, facts):
                return False
        self.push(fn, len(fn.eqns), out, facts)
        return True

    def push(self, fn: Fn, place: int, out: Block, facts: Facts) -> None:
        for tape in self.tapes.pushes[fn]:
            if tape.place == place:
                operands = [m.operand for m in tape.members]
                out.append(Push(tape.value, tuple(self.settled(x, facts) for x in operands), self.unsure(operands)))

    def eqn(self, eqn: Eqn, out: Block, at: Place | None, facts: dict[Value, frozenset[Any]]) -> bool:
        name = eqn.op.name
        if name == "cond":
            return self.cond(eqn, out, at, facts)
        if name == "loop":
            self.loop(eqn, out, facts)
        elif name == "closure":
            out.append(self.closure(eqn))
        elif _hands_on(eqn) and (self.scope.users[eqn.out] or isinstance(eqn.out.type, Seq)):
            if eqn.op.name == "unwrap" and eqn.primal and not self.is_read_here(eqn):
                self.plain(eqn.with_(outs=(Value(eqn.out.type),)), out)
            self.alias[eqn.out] = x = self.read(eqn.args[0])
            if eqn.op.name == "unwrap" and eqn.primal and isinstance(x, Value) and _is_unsure(x):
                out.append(Assigned(x))
        elif name == "pack":
            self.plain(self.in_order(eqn, out), out)
        else:
            if name == "unwrap":
                x = self.read(eqn.args[0])
                out += [Assigned(x)] if isinstance(x, Value) and _is_unsure(x) else []
            self.plain(eqn, out)
        return name != "raise_"

    def in_order(self, eqn: Eqn, out: Block) -> Eqn:
        """The record `eqn`, which another function reads: its lists are in the order of the positions."""
        return eqn.with_(args=tuple(self.forwards(x, out) for x in eqn.args))

    def forwards(self, x: Operand, out: Block) -> Operand:
        """`x`, its lists in the order of the positions: as whoever reads it by several ways expects them."""
        flags = self.tapes.turns(x)
        if not any(flags):
            return x
        made = Value(x.type, x.hint)
        self.plain(Eqn(turned(*flags), (x,), (made,), primal=False), out)
        return made

    def is_read_here(self, eqn: Eqn) -> bool:
        """Is the out of `eqn` read where it is made, not only in regions further on?"""
        home = self.scope.home[eqn.out]
        return any(user is home or isinstance(user, Eqn) and self.scope.parent[user] is home
                   for user in self.scope.users[eqn.out])

    def closure(self, eqn: Eqn) -> Define:
        """A nested function; its parameters may be containers of the region's params."""
        (fn,), names, tree = eqn.regions, eqn.attrs["names"], eqn.attrs["params"]
        params: list[Value] = []
        body: Block = []
        for name, child in [(names[0], tree)] if len(names) == 1 else zip(names, tree.children):
            value, items = parameter(name, child, fn.params)
            value.hint = value.hint or name
            params.append(value)
            body += items
        frames, self.frames = self.frames, []
        body += self.function(fn)
        self.frames = frames
        return Define(eqn, tuple(params), body)

    def plain(self, like: Eqn, out: Block) -> None:
        eqn = like.with_(args=self.reads(like.args))
        if eqn.op.name in WRITES and eqn.inplace is None:
            fresh = Value(eqn.out.type, eqn.out.hint)
            name = "copy_list" if isinstance(eqn.out.type, List) else "copy"
            copied = Eqn(OPS[name], eqn.args[:1], (fresh,), primal=eqn.primal, loc=eqn.loc)
            out.append(Let(copied, copied.with_(args=like.args[:1])))
            eqn = eqn.with_(args=(fresh, *eqn.args[1:]), inplace=0)
        out.append(Let(eqn, like))

    # -- branches ---------------------------------------------------------------------

    def cond(self, eqn: Eqn, out: Block, at: Place | None, facts: dict[Value, frozenset[Any]]) -> bool:
        test = self.exits.known(eqn.args[0], facts)
        if test is not None and len(test) == 1:
            return self.taken(eqn, eqn.regions[0 if next(iter(test)) else 1], out, at, facts)
        arms: list[Block] = [[], []]
        ends: list[dict[Value, frozenset[Any]] | None] = []
        for arm, block, taken in zip(eqn.regions, arms, (True, False)):
            inner = self.exits.narrowed(eqn.args[0], taken, facts)
            ends.append(inner if self.arm(eqn, arm, block, at, inner) else None)
        self.join(eqn, ends, facts)
        then, orelse = arms
        pred = self.read(eqn.args[0])
        if ends[0] is None and ends[1] is not None:
            out.append(If(pred, then, [], eqn))
            out += orelse
        elif ends[1] is None and ends[0] is not None:
            out.append(If(pred, [], orelse, eqn))
            out += then
        else:
            out.append(If(pred, then, orelse, eqn))
        return ends[0] is not None or ends[1] is not None

    def taken(self, eqn: Eqn, arm: Fn, out: Block, at: Place | None, facts: dict[Value, frozenset[Any]]) -> bool:
        """The one arm that can be taken here, in line."""
        reached = self.arm(eqn, arm, out, at, facts)
        self.join(eqn, [facts if reached else None], facts, [arm])
        return reached

    def arm(self, eqn: Eqn, arm: Fn, out: Block, at: Place | None, facts: dict[Value, frozenset[Any]]) -> bool:
        if not self.block(arm, out, at, facts):
            return False
        if raises(arm):
            return False
        found = self.exits.leave(arm, at, facts)
        again = found is not None and found.go == ALWAYS and self.skips(found, arm, eqn)
        if found is not None and at is not None and (again or found.go == NEVER):
            self.jump(found, again, out, at)
            return False
        results = [r if self.tapes.agree(eqn, v) else self.forwards(r, out) for v, r in zip(eqn.outs, arm.results)]
        out.append(Move([(v, self.settled(r, facts)) for v, r in zip(eqn.outs, results)], self.unsure(results)))
        return True

    def skips(self, found: Exit, arm: Fn, eqn: Eqn) -> bool:
        """Does the end of this arm pass code by: behind the branch, or in its other arm?"""
        (other,) = (region for region in eqn.regions if region is not arm)
        return found.skips or len(arm.eqns) < len(other.eqns)

    def join(self, eqn: Eqn, ends: list[dict[Value, frozenset[Any]] | None], facts: dict[Value, frozenset[Any]],
             arms: list[Fn] | None = None) -> None:
        """What is known of the outs of a `cond` from the arms whose ends are reached."""
        reached = [(f, arm) for f, arm in zip(ends, arms or eqn.regions) if f is not None]
        for k, v in enumerate(eqn.outs):
            values = [self.exits.known(arm.results[k], f) for f, arm in reached]
            if values and all(each is not None for each in values):
                facts[v] = frozenset().union(*(each for each in values if each is not None))

    def jump(self, found: Exit, again: bool, out: Block, at: Place) -> None:
        """Leave the trip from `at`: append what the regions around it would have, and move the carries."""
        frame = self.frames[-1]
        loop = frame.loop
        place: Place | None = at
        while place is not None:
            for tape in self.tapes.pushes[place.region]:
                if tape.place > place.index:
                    values = [found.read(m.operand) for m in tape.members]
                    out.append(Push(tape.value, tuple(map(self.read, values)), self.unsure(values)))
            place = place.outer
        results = found.results[1:1 + len(loop.params)]
        self.move(loop.params, [self.forwards(r, out) for r in results], out)
        jump = Jump("continue" if again else "break")
        frame.statement.jumps.append(jump)
        out.append(jump)

    def move(self, targets: Iterable[Value], sources: Iterable[Operand], out: Block) -> None:
        sources = list(sources)
        pairs = [(t, self.read(s)) for t, s in zip(targets, sources)]
        pairs = [(t, s) for t, s in pairs if t is not s]
        if pairs:
            out.append(Move(pairs, self.unsure(sources)))

    # -- loops ------------------------------------------------------------------------

    def loop(self, eqn: Eqn, out: Block, facts: Facts) -> None:
        loop = parts(eqn)
        statement = Loop([], loop.index, self.reads(loop.bounds), loop.reverse, eqn=eqn)
        frame = _Frame(loop, statement)
        self.move(loop.params, [self.forwards(x, out) for x in loop.inits], out)
        for final, param in zip(loop.finals, loop.params):
            self.alias[final] = param
            param.hint = param.hint or final.hint
        out += [NewList(tape.value) for tape in self.tapes.made[eqn]]
        self.count(loop, out, statement)
        self.frames.append(frame)
        if loop.test is not None:
            self.alias.update(zip(loop.test.params, loop.params))
            test: Block = []
            self.block(loop.test, test, None, {})
            statement.test = (test, self.read(loop.test.results[0]))
        self.body(frame, facts)
        self.frames.pop()
        out.append(statement)

    def count(self, loop: Parts, out: Block, statement: Loop) -> None:
        """The number of trips, where it is read: the length of the range or a counter."""
        if loop.index is not None and loop.go == Lit(True) and _starts_at_zero(statement.bounds) \
                and all(isinstance(u, Eqn) and _only_stop(u, loop.trips) for u in self.scope.users[loop.trips]):
            self.alias[loop.trips] = statement.bounds[1]
        elif self.scope.users[loop.trips]:
            loop.trips.hint = loop.trips.hint or "trips"
            out.append(Move([(loop.trips, Lit(0))]))
            statement.body.append(Tick(loop.trips))

    def body(self, frame: _Frame, facts: Facts) -> None:
        loop, statement = frame.loop, frame.statement
        out = statement.body
        first = dict(reversed(list(zip(loop.xs, loop.elems))))
        self.alias.update((e, first[s]) for s, e in zip(loop.xs, loop.elems) if first[s] is not e)
        reads = list(self.tapes.reads(loop))
        popped = [self.tapes.popped(loop.eqn, r.sequence) for r in reads]
        tape = self.tapes.drained(loop) if all(popped) else None
        if tape is not None:
            statement.tape, statement.bounds, statement.index = self.listed(tape), (), None
        for r, pops in zip(reads, popped):
            value, filled = self.listed(r.tape), self.listed(r.filled)
            if pops:
                out.append(Pop(value, r.elems, filled))
            elif loop.index is not None and _starts_at_zero(statement.bounds) and self.tapes.forward(r.sequence):
                out.append(At(value, r.elems, filled, loop.index))
            else:
                statement.zipped.append(Zip(value, r.elems, filled, loop.reverse == self.tapes.forward(r.sequence)))
        inner: dict[Value, frozenset[Any]] = dict(facts)
        if self.block(loop.body, out, None, inner, trip=True):
            results = [self.forwards(r, out) for r in loop.results]
            self.move(loop.params, [self.settled(r, inner) for r in results], out)
            go = self.exits.known(loop.go, inner)
            if go == NEVER:
                out.append(self.leave(statement))
            elif go != ALWAYS:
                out.append(If(self.read(loop.go), [], [self.leave(statement)]))

    def listed(self, x: Value) -> Value:
        """The list that `x` is."""
        found = self.read(x)
        assert isinstance(found, Value)
        return found

    def leave(self, statement: Loop) -> Jump:
        jump = Jump("break")
        statement.jumps.append(jump)
        return jump


def _is_unsure(x: Value) -> bool:
    return isinstance(x.type, Undef) and isinstance(x.type.elem, Tensor)


def _without_needless_checks(block: Block) -> Block:
    """Keep `Assigned` where the variable is handed on before it may be assigned."""
    near: dict[Value, set[Value]] = defaultdict(set)
    work: list[Value] = []
    for s in statements(block):
        if isinstance(s, (Move, Push)):
            work += [x for x in s.unsure if isinstance(x, Value)]
        for v, x in s.pairs if isinstance(s, Move) else ():
            if isinstance(x, Value):
                near[v].add(x)
                near[x].add(v)
    found: set[Value] = set()
    while work:
        v = work.pop()
        if v not in found:
            found.add(v)
            work += near[v]
    for inner in (block, *(b for s in list(statements(block)) for b in blocks(s))):
        inner[:] = [s for s in inner if not isinstance(s, Assigned) or s.value in found]
    return block


def _hands_on(eqn: Eqn) -> bool:
    """Does this equation print as its operand?"""
    if eqn.op.name == "copy" and isinstance(eqn.out.type, Seq):
        return True  # lists are not written into after they are filled
    return len(eqn.args) == 1 and len(eqn.outs) == 1 and not is_effect(eqn) \
        and template(eqn.op, eqn.args, dict(eqn.attrs)) == "_0"


def _starts_at_zero(bounds: tuple[Operand, ...]) -> bool:
    return bool(bounds) and bounds[0] == Lit(0) and bounds[2] == Lit(1)


def _only_stop(user: Eqn, x: Value) -> bool:
    return (user.op.name == "loop" and bool(user.attrs.get("counted")) and _starts_at_zero(user.args[:3])
            and user.args[1] is x and x not in user.args[3:])

