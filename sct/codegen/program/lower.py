"""IR -> statement IR: regions become blocks, their results assignments, exits jumps, and sequences lists.

    s = loop(0, n, 1, 0.0; body(i, s1) -> s1 + x)   ->   s1 <- 0.0; for i in range(n): s1 <- s1 + x

Invariant: the statements compute what the equations compute, in their order. A carried value, its param in the
predicate's region and its final value are one value from here on; an equation that prints as its operand (`unwrap`)
is that operand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sct.codegen.program.argument_unpacking import unpacked_parameter
from sct.codegen.program.bound_checks import bound_by_no_path
from sct.codegen.program.recover_jumps import CondPosition, Exit, Exits, Facts, MutableFacts, raises
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
    Define,
    Evaluate,
    If,
    Increment,
    Jump,
    Loop,
    NewList,
    Pop,
    Push,
    ReadAt,
    Return,
    Zip,
    all_blocks,
    statements,
)
from sct.codegen.program.tape_layout import TapeLayout
from sct.codegen.program.templates import reverse_levels
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_effect
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import List, Optional, Seq, Tensor, Undef
from sct.ir.uses import DefUse, reachable
from sct.ops import OPS, attempt
from sct.ops.arrays.indexing import written
from sct.ops.arrays.shape import reshape, reshape_like
from sct.ops.registry import template

__all__ = ["lower"]

NEVER, ALWAYS = frozenset([False]), frozenset([True])


def lower(fn: Fn, def_use: DefUse, *, checks: bool = False) -> Block:
    """The statements of `fn`, ending in its `Return`.

    checks  keep `CheckBound` also where Python itself would raise for a variable that is not bound
    """
    block = _Lowering(def_use).function(fn)
    return block if checks else _without_needless_checks(block)


@dataclass(frozen=True)
class _LoopFrame:
    """A loop that is being lowered: exits of its body assign its carried values."""

    loop: LoopView
    statement: Loop


class _Lowering:
    """Lowers a function and its nested functions.

    alias   values that are printed as another operand
    frames  the loops around the current equation
    """

    def __init__(self, def_use: DefUse) -> None:
        self.def_use = def_use
        self.tapes, self.exits = TapeLayout(def_use), Exits(def_use)
        self.alias: dict[Value, Operand] = {}
        self.frames: list[_LoopFrame] = []

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

    def resolve(self, x: Operand, facts: Facts) -> Operand:
        """`x`, or the literal that it is if it can be only one; not for NumPy numbers, as literals are Python's."""
        of_numpy = isinstance(x.type, Tensor) and x.type.carrier != "py"
        values = None if of_numpy else self.exits.possible_values(x, facts)
        return Lit(*values) if values is not None and len(values) == 1 else self.read(x)

    def maybe_unbound(self, xs: Iterable[Operand]) -> frozenset[Operand]:
        """The operands of `xs` that are not bound on every path."""
        return frozenset(self.read(x) for x in xs if isinstance(x.type, Undef))

    # -- blocks -----------------------------------------------------------------------

    def block(self, fn: Fn, out: Block, outer: CondPosition | None, facts: MutableFacts, *,
              is_loop_body: bool = False) -> bool:
        """Append the statements of `fn` to `out`; False if control does not reach the end of `fn`.

        facts  those at its start, which become those at its end
        """
        inside = outer is not None or is_loop_body
        for tape in self.tapes.pops[fn]:
            elems = tuple(m.elem for m in tape.members if m.elem is not None)
            out.append(Pop(self.list_value(tape.read_list), elems, tape.filled_list))
        for k, eqn in enumerate(fn.eqns):
            self.append_to_tapes(fn, k, out, facts)
            if not self.equation(eqn, out, CondPosition(fn, k, outer) if inside else None, facts):
                return False
        self.append_to_tapes(fn, len(fn.eqns), out, facts)
        return True

    def append_to_tapes(self, fn: Fn, index: int, out: Block, facts: Facts) -> None:
        for tape in self.tapes.pushes[fn]:
            if tape.append_at == index:
                operands = [m.operand for m in tape.members]
                resolved = tuple(self.resolve(x, facts) for x in operands)
                out.append(Push(tape.filled_list, resolved, self.maybe_unbound(operands)))

    def equation(self, eqn: Eqn, out: Block, at: CondPosition | None, facts: MutableFacts) -> bool:
        """Append the statements of an equation; False if control does not go on behind it."""
        name = eqn.op.name
        if name == "cond":
            return self.cond(eqn, out, at, facts)
        if name == "loop":
            self.loop(eqn, out, facts)
        elif name == "closure":
            out.append(self.closure(eqn))
        elif _is_identity(eqn) and (self.def_use.uses(eqn.out) or isinstance(eqn.out.type, Seq)):
            if eqn.op.name == "unwrap" and eqn.primal and not (_is_free(eqn) or self.is_read_in_its_region(eqn)):
                self.evaluate(eqn.replace(outs=(Value(eqn.out.type),)), out)
            self.alias[eqn.out] = x = self.read(eqn.args[0])
            if isinstance(x, Value) and (tested := self.def_use.defining_eqn(x)) is not None and tested.op is attempt:
                x.hint = x.hint or eqn.out.hint
            if eqn.op.name == "unwrap" and eqn.primal and isinstance(x, Value) and _is_maybe_unbound_number(x):
                out.append(CheckBound(x, _is_free(eqn)))
        elif name == "pack":
            self.evaluate(self.record_in_position_order(eqn, out), out)
        else:
            if name == "unwrap":
                x = self.read(eqn.args[0])
                out += [CheckBound(x, _is_free(eqn))] if isinstance(x, Value) and _is_maybe_unbound_number(x) else []
            self.evaluate(eqn, out)
        return name != "raise_"

    def record_in_position_order(self, eqn: Eqn, out: Block) -> Eqn:
        """The record `eqn` with its lists in the order of positions, as another function expects them."""
        return eqn.replace(args=tuple(self.to_position_order(x, out) for x in eqn.args))

    def to_position_order(self, x: Operand, out: Block) -> Operand:
        """`x` with its lists in the order of positions, as its readers expect if it comes from several places."""
        flags = self.tapes.reversed_levels(x)
        if not any(flags):
            return x
        reordered = Value(x.type, x.hint)
        self.evaluate(Eqn(reverse_levels(*flags), (x,), (reordered,), primal=False), out)
        return reordered

    def is_read_in_its_region(self, eqn: Eqn) -> bool:
        """Is the out of `eqn` read in the region of `eqn` itself?"""
        home = self.def_use.home[eqn.out]
        return any(user is home or isinstance(user, Eqn) and self.def_use.parent[user] is home
                   for user, _ in self.def_use.uses(eqn.out))

    def closure(self, eqn: Eqn) -> Define:
        """A nested function; its parameters may be containers of the region's params."""
        (fn,), names, tree = eqn.regions, eqn.attrs["names"], eqn.attrs["params"]
        params: list[Value] = []
        body: Block = []
        for name, child in [(names[0], tree)] if len(names) == 1 else zip(names, tree.children):
            value, items = unpacked_parameter(name, child, fn.params)
            value.hint = value.hint or name
            params.append(value)
            body += items
        frames, self.frames = self.frames, []
        body += self.function(fn)
        self.frames = frames
        return Define(eqn, tuple(params), body)

    def evaluate(self, like: Eqn, out: Block) -> None:
        eqn = like.replace(args=self.reads(like.args))
        if eqn.op.updates and eqn.inplace is None:
            fresh = Value(eqn.out.type, eqn.out.hint)
            name = "copy_list" if isinstance(eqn.out.type, List) else "copy"
            copied = Eqn(OPS[name], eqn.args[:1], (fresh,), primal=eqn.primal, loc=eqn.loc)
            out.append(Evaluate(copied, copied.replace(args=like.args[:1])))
            eqn = eqn.replace(args=(fresh, *eqn.args[1:]), inplace=0)
        if eqn.op is written:  # nothing is printed for it: no expression is evaluated for its subscript
            eqn = eqn.replace(args=eqn.args[:2], attrs={"key": ()})
        elif eqn.op is reshape_like and isinstance(t := like.args[1].type, Tensor) and t.rank == 1:
            eqn, like = (e.replace(op=reshape, args=(e.args[0], Lit(-1))) for e in (eqn, like))  # the size is not read
        out.append(Evaluate(eqn, like))

    # -- branches ---------------------------------------------------------------------

    def cond(self, eqn: Eqn, out: Block, at: CondPosition | None, facts: MutableFacts) -> bool:
        """Append a conditional; False if control reaches the end of no branch."""
        predicates = self.exits.possible_values(eqn.args[0], facts)
        if predicates is not None and len(predicates) == 1:
            return self.only_branch(eqn, eqn.regions[0 if next(iter(predicates)) else 1], out, at, facts)
        branches: list[Block] = [[], []]
        ends: list[MutableFacts | None] = []
        for region, block, outcome in zip(eqn.regions, branches, (True, False)):
            inner = self.exits.narrow(eqn.args[0], outcome, facts)
            ends.append(inner if self.branch(eqn, region, block, at, inner) else None)
        self.join_facts(eqn, ends, facts)
        then, orelse = branches
        predicate = self.read(eqn.args[0])
        if ends[0] is None and ends[1] is not None:
            out.append(If(predicate, then, [], eqn))
            out += orelse
        elif ends[1] is None and ends[0] is not None:
            out.append(If(predicate, [], orelse, eqn))
            out += then
        else:
            out.append(If(predicate, then, orelse, eqn))
        return ends[0] is not None or ends[1] is not None

    def only_branch(self, eqn: Eqn, region: Fn, out: Block, at: CondPosition | None, facts: MutableFacts) -> bool:
        """Lower the only branch that can run here, in line."""
        reached = self.branch(eqn, region, out, at, facts)
        self.join_facts(eqn, [facts if reached else None], facts, [region])
        return reached

    def branch(self, eqn: Eqn, region: Fn, out: Block, at: CondPosition | None, facts: MutableFacts) -> bool:
        """Append the statements of one branch to `out`; False if control does not reach its end."""
        if not self.block(region, out, at, facts):
            return False
        if raises(region):
            return False
        loop_exit = self.exits.exit_from(region, at, facts)
        jumps_to_head = loop_exit is not None and loop_exit.go == ALWAYS and self.skips_code(loop_exit, region, eqn)
        if loop_exit is not None and at is not None and (jumps_to_head or loop_exit.go == NEVER):
            self.emit_jump(loop_exit, jumps_to_head, out, at, facts)
            return False
        results = [r if self.tapes.branches_agree(eqn, v) else self.to_position_order(r, out)
                   for v, r in zip(eqn.outs, region.results)]
        pairs = [(v, self.resolve(r, facts)) for v, r in zip(eqn.outs, results)]
        out.append(Assign(pairs, self.maybe_unbound(results)))
        return True

    def skips_code(self, loop_exit: Exit, region: Fn, eqn: Eqn) -> bool:
        """Does the exit leave out code, either after the conditional or in its other branch?"""
        (other,) = (f for f in eqn.regions if f is not region)
        return loop_exit.skips_code or len(region.eqns) < len(other.eqns)

    def join_facts(self, eqn: Eqn, ends: list[MutableFacts | None], facts: MutableFacts,
                   branches: list[Fn] | None = None) -> None:
        """Add the facts on the outs of a `cond` from those of its branches whose end is reached."""
        reached = [(f, region) for f, region in zip(ends, branches or eqn.regions) if f is not None]
        for k, v in enumerate(eqn.outs):
            literals = [self.exits.possible_values(region.results[k], f) for f, region in reached]
            if literals and all(of_branch is not None for of_branch in literals):
                facts[v] = frozenset().union(*(of_branch for of_branch in literals if of_branch is not None))

    def emit_jump(self, loop_exit: Exit, to_head: bool, out: Block, at: CondPosition, facts: Facts) -> None:
        """End the iteration at `at`: append to the tapes of the regions on its path, and assign the carried values."""
        frame = self.frames[-1]
        loop = frame.loop
        tapes = [tape for branch in loop_exit.passed for tape in self.tapes.pushes[branch]]
        position: CondPosition | None = at
        while position is not None:
            tapes += [tape for tape in self.tapes.pushes[position.region] if tape.append_at > position.index]
            position = position.outer
        for tape in tapes:
            values = [loop_exit.read(m.operand) for m in tape.members]
            resolved = tuple(self.resolve(x, facts) for x in values)
            out.append(Push(tape.filled_list, resolved, self.maybe_unbound(values)))
        results = loop_exit.results[1:1 + len(loop.params)]
        self.assign(loop.params, [self.to_position_order(r, out) for r in results], out)
        jump = Jump("continue" if to_head else "break")
        frame.statement.jumps.append(jump)
        out.append(jump)

    def assign(self, targets: Iterable[Value], sources: Iterable[Operand], out: Block) -> None:
        sources = list(sources)
        pairs = [(t, self.read(s)) for t, s in zip(targets, sources)]
        pairs = [(t, s) for t, s in pairs if t is not s]
        if pairs:
            out.append(Assign(pairs, self.maybe_unbound(sources)))

    # -- loops ------------------------------------------------------------------------

    def loop(self, eqn: Eqn, out: Block, facts: Facts) -> None:
        loop = loop_view(eqn)
        statement = Loop([], loop.index, self.reads(loop.bounds), loop.reverse, eqn=eqn)
        frame = _LoopFrame(loop, statement)
        self.assign(loop.params, [self.to_position_order(x, out) for x in loop.inits], out)
        for final, param in zip(loop.finals, loop.params):
            self.alias[final] = param
            param.hint = param.hint or final.hint
        out += [NewList(tape.filled_list) for tape in self.tapes.created[eqn]]
        self.count_iterations(loop, out, statement)
        self.frames.append(frame)
        if loop.test is not None:
            self.alias.update(zip(loop.test.params, loop.params))
            self.block(loop.test, statement.head, None, {})
            statement.test = self.read(loop.test.results[0])
        self.body(frame, facts)
        self.frames.pop()
        out.append(statement)

    def count_iterations(self, loop: LoopView, out: Block, statement: Loop) -> None:
        """Provide the number of iterations, if it is read: as the length of the range or by a counter."""
        count = loop.iterations
        readers = self.def_use.uses(count)
        if loop.index is not None and loop.go == Lit(True) and _starts_at_zero(statement.bounds) \
                and all(isinstance(u, Eqn) and _reads_only_as_stop(u, count) for u, _ in readers):
            self.alias[count] = statement.bounds[1]
        elif readers:
            count.hint = count.hint or "iterations"
            out.append(Assign([(count, Lit(0))]))
            statement.body.append(Increment(count))

    def body(self, frame: _LoopFrame, facts: Facts) -> None:
        """Fill the body of the loop: reads of lists, the equations, and the assignment of carried values."""
        loop, statement = frame.loop, frame.statement
        out = statement.body
        first = dict(reversed(list(zip(loop.xs, loop.elems))))
        self.alias.update((e, first[s]) for s, e in zip(loop.xs, loop.elems) if first[s] is not e)
        reads = list(self.tapes.loop_reads(loop))
        popped = [self.tapes.may_pop(loop.eqn, r.sequence) for r in reads]
        tape = self.tapes.exhausted_list(loop) if all(popped) else None
        if tape is not None:
            statement.tape, statement.bounds, statement.index = self.list_value(tape), (), None
        for r, pops in zip(reads, popped):
            value, filled = self.list_value(r.read_list), self.list_value(r.filled_list)
            in_order = self.tapes.is_in_position_order(r.sequence)
            if pops:
                out.append(Pop(value, r.elems, filled))
            elif loop.index is not None and _starts_at_zero(statement.bounds) and in_order:
                out.append(ReadAt(value, r.elems, filled, loop.index))
            else:
                statement.zipped.append(Zip(value, r.elems, filled, loop.reverse == in_order))
        inner: MutableFacts = dict(facts)
        if self.block(loop.body, out, None, inner, is_loop_body=True):
            results = [self.to_position_order(r, out) for r in loop.results]
            self.assign(loop.params, [self.resolve(r, inner) for r in results], out)
            go = self.exits.possible_values(loop.go, inner)
            if go == NEVER:
                out.append(self.break_out(statement))
            elif go != ALWAYS:
                out.append(If(self.read(loop.go), [], [self.break_out(statement)]))

    def list_value(self, x: Value) -> Value:
        """The value that stands for the list `x`."""
        value = self.read(x)
        assert isinstance(value, Value)
        return value

    def break_out(self, statement: Loop) -> Jump:
        jump = Jump("break")
        statement.jumps.append(jump)
        return jump


def _is_free(unwrap: Eqn) -> bool:
    """Is the variable that is read one of a function around?"""
    return bool(unwrap.attrs.get("free"))


def _is_maybe_unbound_number(x: Value) -> bool:
    """Is this a number or an array that some path leaves unbound, which may also be None?"""
    if not isinstance(x.type, Undef):
        return False
    t = x.type.elem
    return isinstance(t.elem if isinstance(t, Optional) else t, Tensor)


def _without_needless_checks(block: Block) -> Block:
    """The block without the checks that Python makes itself.

    A check stays if the variable is assigned, directly or by way of others, from an operand that may be unbound: None
    then stands for the missing value, which Python would not notice. So does that of a variable of a function around,
    since Python raises another error for it, and that of one that no path binds, which would be a name of the module.
    """
    unbound = bound_by_no_path(block)
    neighbours: dict[Value, set[Value]] = defaultdict(set)
    work: list[Value] = []
    for s in statements(block):
        if isinstance(s, (Assign, Push)):
            work += [x for x in s.maybe_unbound if isinstance(x, Value)]
        for v, x in s.pairs if isinstance(s, Assign) else ():
            if isinstance(x, Value):
                neighbours[v].add(x)
                neighbours[x].add(v)
    checked = reachable(work, neighbours.__getitem__) | unbound
    for inner in all_blocks(block):
        inner[:] = [replace(s, always=True) if isinstance(s, CheckBound) and s.value in unbound else s for s in inner
                    if not isinstance(s, CheckBound) or s.free or s.value in checked]
    return block


def _is_identity(eqn: Eqn) -> bool:
    """Does the equation print as its operand?"""
    if eqn.op.name == "copy" and isinstance(eqn.out.type, Seq):
        return True  # nothing writes into a list after it is filled
    return len(eqn.args) == 1 and len(eqn.outs) == 1 and not is_effect(eqn) \
        and template(eqn.op, eqn.args, dict(eqn.attrs)) == "_0"


def _starts_at_zero(bounds: tuple[Operand, ...]) -> bool:
    return bool(bounds) and bounds[0] == Lit(0) and bounds[2] == Lit(1)


def _reads_only_as_stop(user: Eqn, x: Value) -> bool:
    return (user.op.name == "loop" and bool(user.attrs.get("counted")) and _starts_at_zero(user.args[:3])
            and user.args[1] is x and x not in user.args[3:])

