"""Segments: a checkpointed loop becomes a loop over segments, whose body is computed again in the backward pass.

    for i in range(0, n, 1): ...   ->   segment = isqrt(n) + 1
                                        for first in range(0, n, segment):
                                            for i in range(first, min(first + segment, n), 1): ...

In:  a program before `expand`, with loops that have the attribute `segments`. Out: the same program, in which each of
them is two loops. The outer loop is `recomputed`: its transpose runs the inner loop again, and of its values only those
that it carries are kept on a tape.
Where the number of iterations is known only at the end, the segments have 1, 2, 3, ... iterations: so there are about
as many segments as the longest one has iterations.

A schedule is loops in loops, each of which keeps what it carries at the start of its iterations; `recomputed` loops may
be nested to any depth. A schedule that frees slots in the backward pass and fills them again has no form in the IR.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, rebuild, walk
from sct.ir.loop_view import LoopView, is_counted, loop_view
from sct.ir.types import BOOL, INT, Tensor, join
from sct.ops.program.attempts import is_of_raise, may_not_repeat
from sct.ops.program.control import cond, loop
from sct.ops.scalar.arithmetic import abs_, add, floordiv, mul, sub
from sct.ops.scalar.selection import pymax, pymin
from sct.ops.scalar.special_functions import isqrt
from sct.passes.scalar.purity import is_pure

__all__ = ["DEFAULT", "checkpoint_loops", "segments"]

DEFAULT = 0
"""The attribute `segments` of a loop that has about as many segments as a segment has iterations."""


def segments(program: Fn) -> Fn:
    """`program` with checkpointed loops as two loops, if it differentiates in reverse."""
    if not any(eqn.op.name in ("vjp", "pullback", "jacobian") for fn in (program, *program.functions)
               for eqn in walk(fn)):
        return program
    return _in_region(program).replace(functions=tuple(map(_in_region, program.functions)))


def checkpoint_loops(program: Fn) -> Fn:
    """`program` with the outermost loops that it differentiates in reverse checkpointed, but those with effects."""
    return _checkpoint_loops(program, False).replace(
        functions=tuple(_checkpoint_loops(fn, True) for fn in program.functions))


def _checkpoint_loops(fn: Fn, differentiated: bool) -> Fn:
    eqns = []
    for eqn in fn.eqns:
        inside = differentiated or eqn.op.name in ("vjp", "pullback", "jacobian")
        if inside and eqn.op is loop and _is_recomputable(eqn):
            eqns.append(eqn.replace(attrs={**eqn.attrs, "segments": eqn.attrs.get("segments") or DEFAULT}))
        else:
            eqns.append(eqn.replace(regions=tuple(_checkpoint_loops(region, inside) for region in eqn.regions)))
    return fn.replace(eqns=tuple(eqns))


def _is_recomputable(eqn: Eqn) -> bool:
    view = loop_view(eqn)
    return (not is_counted(view.bounds) or isinstance(view.bounds[2], Lit)) and not any(
        may_not_repeat(e) and not is_of_raise(e) for e in walk(view.body))


def _in_region(fn: Fn) -> Fn:
    new, before = _split_loops(fn)
    return new.replace(eqns=(*before, *new.eqns))


def _split_loops(fn: Fn) -> tuple[Fn, list[Eqn]]:
    """(`fn` with its checkpointed loops as two loops, equations to be computed before it)

    The length of a segment is computed before the loops around a loop, if it is the same in each of their iterations.
    """
    if not any(eqn.attrs.get("segments") is not None for eqn in walk(fn)):
        return fn, []
    bound: set[Operand] = set(fn.params)
    eqns: list[Eqn] = []
    before: list[Eqn] = []
    for eqn in fn.eqns:
        split = [_split_loops(region) for region in eqn.regions]
        eqn = eqn.replace(regions=tuple(region for region, _ in split))
        lengths = [e for _, inner in split for e in inner]
        if eqn.attrs.get("segments") is not None:
            *new, eqn = _two_levels(loop_view(eqn))
            lengths += new
        for e in lengths:
            if bound.isdisjoint(e.args):
                before.append(e)
            else:
                eqns.append(e)
                bound.update(e.outs)
        eqns.append(eqn)
        bound.update(eqn.outs)
    return fn.replace(eqns=tuple(eqns)), before


def _two_levels(view: LoopView) -> Sequence[Eqn]:
    with Builder(primal=False, loc=view.eqn.loc) as b:
        levels = _TwoLevels(view)
        if is_counted(view.bounds):
            levels.equal_segments(b)
        else:
            levels.growing_segments(b)
    return b.eqns


class _TwoLevels:
    """Builds the two loops that take the place of the loop `view`.

    params  what the outer loop carries of the loop itself; the inner loop has its params
    """

    def __init__(self, view: LoopView) -> None:
        self.view = view
        self.params = [Value(p.type, p.hint, p.dim) for p in view.params]

    def equal_segments(self, b: Builder) -> None:
        """Add the two loops of a range whose length is known."""
        (start, stop, step), slots = self.view.bounds, self.view.eqn.attrs["segments"]
        assert isinstance(step, Lit)
        length = stop if start == Lit(0) else sub(stop, start)
        if step != Lit(1):
            length = floordiv(length, step)
        if length.dim is None or length.dim.least < 0:
            length = abs_(length)
        segment = _named("segment", add(isqrt(length) if slots == DEFAULT else floordiv(length, Lit(slots)), Lit(1)))
        stride = segment if step == Lit(1) else mul(segment, step)
        first = Value(INT, "first")
        with b.nested() as outer:
            last = _named("last", (pymin if step.value > 0 else pymax)(add(first, stride), stop))
            go, results = self.add_inner_loop(outer, (first, last, step))
        self.add_outer_loop(b, (start, stop, stride), (), Fn("body", (first,), tuple(outer.eqns), (go, *results)))

    def growing_segments(self, b: Builder) -> None:
        """Add the two loops where the number of iterations is known only at the end."""
        before, bounds = Value(INT, "segment"), self.view.bounds
        with b.nested() as outer:
            segment = _named("segment", add(before, Lit(1)))
            own: tuple[tuple[Operand, Value, Operand], ...] = ((Lit(0), before, segment),)
            span: tuple[Operand, ...] = (Lit(0), segment, Lit(1))
            if bounds:
                first = Value(INT, "first")
                last = _named("last", add(first, segment if bounds[2] == Lit(1) else mul(segment, bounds[2])))
                own = (*own, (bounds[0], first, last))
                span = (first, last, bounds[2])
            go, results = self.add_inner_loop(outer, span)
        inits, params, ends = zip(*own)
        self.add_outer_loop(b, (), inits, Fn("body", params, tuple(outer.eqns), (go, *ends, *results)))

    def add_inner_loop(self, b: Builder, bounds: Sequence[Operand]) -> tuple[Operand, Sequence[Operand]]:
        """Add the loop over a segment; (does the outer loop go on, the values that it carries)."""
        view = self.view
        with b.nested() as end:
            go = view.go if view.test is None else self.go_and_test(end)
        inits: list[Operand] = [*self.params]
        params, results = [*view.params], [*view.results]
        left = _exit_predicate(view)
        if left is None:
            t = join(BOOL, view.go.type)
            inits, params, results = [*inits, Lit(True, t)], [*params, Value(t, "go")], [*results, view.go]
        outs = [Value(p.type, p.hint, p.dim) for p in params]
        body = Fn("body", (view.index or Value(INT), *params), (*view.body.eqns, *end.eqns), (go, *results))
        attrs = {"counted": True, "tested": False, "reverse": False, "carries": len(params)}
        b.add(Eqn(loop, (*bounds, *inits), (*outs, Value(INT)), attrs, (body,), loc=view.eqn.loc))
        if left is None:
            return outs[-1], outs[:-1]
        finals = {x: out for x, out in zip(view.results, outs) if isinstance(x, Value) and x.type == out.type}
        again = rebuild(rebuild(Fn("", (), tuple(left), (view.go,)), finals), fresh=True)
        b.eqns += again.eqns
        return again.results[0], outs

    def go_and_test(self, b: Builder) -> Operand:
        """Does the loop go on after an iteration, and is its test true then?"""
        assert self.view.test is not None
        copy = rebuild(self.view.test, fresh=True)
        then = rebuild(Fn("then", (), copy.eqns, copy.results), dict(zip(copy.params, self.view.results)))
        if self.view.go == Lit(True):
            b.eqns += then.eqns
            return then.results[0]
        out: Operand = b.emit(cond, (self.view.go,), regions=(then, Fn("orelse", (), (), (Lit(False),))),
                              types=[join(BOOL, then.results[0].type)])[0]
        return out

    def add_outer_loop(self, b: Builder, bounds: Sequence[Operand], inits: Sequence[Operand], body: Fn) -> None:
        """Add the loop over the segments; `body` without the params of the loop itself."""
        view, own = self.view, [Value(x.type) for x in inits]
        tests = () if view.test is None else (view.test.replace(params=(*own, *view.test.params)),)
        attrs = {"counted": bool(bounds), "tested": bool(tests), "reverse": False, "recomputed": True,
                 "carries": len(inits) + len(view.params)}
        outs = (*(Value(x.type) for x in inits), *view.finals, Value(INT))
        b.add(Eqn(loop, (*bounds, *inits, *view.inits), outs, attrs,
                  (*tests, body.replace(params=(*body.params, *self.params))), loc=view.eqn.loc))


def _exit_predicate(view: LoopView) -> list[Eqn] | None:
    """The equations that tell from the carried values whether the loop goes on after an iteration; None if none do."""
    carried = {r for r, p in zip(view.results, view.params) if r.type == p.type}
    definitions = {out: eqn for eqn in view.body.eqns for out in eqn.outs}
    chosen: set[Eqn] = set()
    work: list[Operand] = [view.go]
    while work:
        x = work.pop()
        eqn = definitions.get(x) if isinstance(x, Value) else None
        if x in carried or eqn in chosen:
            continue
        if x in view.body.params or eqn is not None and not _is_cheap(eqn):
            return None
        if eqn is not None:
            chosen.add(eqn)
            work += [*eqn.args, *(r for region in eqn.regions for r in region.results)]
    return [eqn for eqn in view.body.eqns if eqn in chosen]


def _is_cheap(eqn: Eqn) -> bool:
    """Is this arithmetic on numbers, or a choice between operands?"""
    return (is_pure(eqn) or eqn.op is cond and not any(region.eqns for region in eqn.regions)) and all(
        isinstance(x.type, Tensor) and x.type.is_scalar for x in (*eqn.args, *eqn.outs))


def _named(hint: str, x: Operand) -> Operand:
    if isinstance(x, Value) and x.hint is None:
        x.hint = hint
    return x
