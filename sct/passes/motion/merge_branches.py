"""Conditionals on one predicate become one:

    a = x if c else 0.0; b = 0.0 if c else y; s += a * p; t += b    ->    if c: s += x * p
                                                                          else: t += y

Only for numbers in adjoint code.  A cotangent is exactly zero in a branch that contributes nothing, so products
with it vanish there and sums are unchanged.  `sink` then moves into the branches what they alone need: work moves
into a branch, never out of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, free_values, has_effect, rebuild, substitute, walk
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import add_at, store
from sct.ops.program.control import cond
from sct.ops.scalar.arithmetic import add, div, mul, neg, quotient, sub
from sct.ops.scalar.comparison import not_
from sct.ops.scalar.selection import logical_not, where
from sct.passes.analysis.type_inference import retype
from sct.passes.motion.sink import sink
from sct.passes.rewriting.driver import rewrite
from sct.passes.scalar.dce import dce

__all__ = ["gather"]

REACH = 60
"""How many equations behind a choice the next one is looked for, so that the pass takes linear time."""


ZEROS = (Lit(0.0), Lit(0))
SINGLE = Tensor("np", "f32")
FACTORS = (mul, div, quotient, neg)
"""What is zero where their first operand is."""


def gather(fn: Fn) -> Fn:
    """`fn` with the conditionals on one predicate in a block merged into one, and so again in its branches."""
    while (made := _Gather(fn)).found:
        fn = sink(dce(retype(made.fn), keep_raises=True))
    return fn


class _Gather:
    """
    fn     the function with its conditionals merged
    found  how many they are
    """

    def __init__(self, fn: Fn) -> None:
        self.found = 0
        self.defs = {out: eqn for eqn in walk(fn) for out in eqn.outs}
        self.uses = Counter(x for eqn in walk(fn) for x in eqn.args)
        self.read: dict[Eqn, frozenset[Operand]] = {}
        self.fn = self.region(fn)

    def region(self, fn: Fn) -> Fn:
        eqns = [e.replace(regions=tuple(map(self.region, e.regions))) if e.regions else e for e in fn.eqns]
        k = 0
        while k < len(eqns):
            asked = self.choice(eqns[k])
            group = group_of(self, asked[0], eqns, k) if asked is not None else None
            if group is not None and group.is_one():
                self.found += 1
                eqns[k:group.end + 1] = group.joined()
            else:
                k += 1
        return fn.replace(eqns=tuple(eqns))

    def reads(self, eqn: Eqn) -> frozenset[Operand]:
        if eqn not in self.read:
            self.read[eqn] = frozenset((*eqn.args, *(v for region in eqn.regions for v in free_values(region))))
        return self.read[eqn]

    def choice(self, eqn: Eqn) -> tuple[Operand, bool] | None:
        """(test, is it asked whether that is false?) of a choice between numbers, or of a conditional."""
        if eqn.primal or not (eqn.op is cond or eqn.op is where and _is_number(eqn.out)) or has_effect(eqn):
            return None
        made = self.defs.get(cast(Value, eqn.args[0]))
        if made is not None and made.op in (not_, logical_not) and _is_number(made.out):
            return made.args[0], True
        return eqn.args[0], False


def group_of(pass_: _Gather, test: Operand, eqns: Sequence[Eqn], start: int) -> _Group:
    """What `test` decides among the equations from `start` on, without products that others read, by no name."""
    left: set[Eqn] = set()
    while True:
        group = _Group(pass_, test, eqns, start, left)
        read = {x for e in group.members for x in pass_.reads(e)}
        ends = {e for e in group.members if e.op in FACTORS and e.out not in read and e.out.hint is None}
        if not ends:
            return group
        left |= ends


class _Group:
    """What `test` decides among the equations from `start`, a choice by it, to `end`.

    left     what is not to be a member
    members  the choices, and the values that are zero in one of the branches
    later    what other equations make of what these make
    """

    def __init__(self, pass_: _Gather, test: Operand, eqns: Sequence[Eqn], start: int, left: Set[Eqn]) -> None:
        self.pass_, self.test = pass_, test
        self.branches = (_Branch(pass_.defs, 0), _Branch(pass_.defs, 1))
        self.members: list[Eqn] = []
        self.later: set[Operand] = set()
        self.end = k = start
        while k < min(len(eqns), self.end + REACH):
            eqn, reads = eqns[k], pass_.reads(eqns[k])
            if eqn not in left and self.later.isdisjoint(reads) and self.takes(eqn, reads):
                self.end = k
            elif not (self.later.isdisjoint(reads) and reads.isdisjoint(self.branches[0].env)):
                if eqn.primal or has_effect(eqn):
                    break
                self.later.update(eqn.outs)
            k += 1
        self.eqns = eqns[start:self.end + 1]

    def takes(self, eqn: Eqn, reads: Set[Operand]) -> bool:
        """Is the equation decided by the test?  Then it is one more member."""
        asked = self.pass_.choice(eqn)
        if asked is not None and asked[0] == self.test:
            for branch in self.branches:
                branch.choose(eqn, asked[1])
        elif not reads.isdisjoint(self.branches[0].env) and any(branch.is_decided(eqn) for branch in self.branches):
            for branch in self.branches:
                branch.add(eqn)
        else:
            return False
        self.members.append(eqn)
        return True

    def is_one(self) -> bool:
        """Is it more than a choice, or two that take no work?"""
        if any(e.op in (cond, add, sub, add_at) for e in self.members):
            return len(self.members) > 1
        choices = [e for e in self.members if e.op is where]
        return len(choices) > 2 or len(choices) == 2 and any(self.is_work(x) for e in choices for x in e.args[1:])

    def is_work(self, x: Operand) -> bool:
        """Is it computed for the members alone?"""
        made = self.pass_.defs.get(cast(Value, x))
        read = sum(e.args.count(x) for e in self.members)
        return made is not None and not made.primal and made.op.cost != "free" and self.pass_.uses[x] == read

    def joined(self) -> list[Eqn]:
        """The equations with one conditional in place of the members."""
        outs = tuple(out for e in self.members for out in e.outs)
        branches = tuple(branch.builder.finish(name, (), [branch.env[out] for out in outs])
                     for branch, name in zip(self.branches, ("then", "orelse")))
        made = Eqn(cond, (self.test,), outs, {}, branches, primal=False, loc=self.members[0].loc)
        self.pass_.defs.update((out, made) for out in outs)
        others = [e for e in self.eqns if e not in self.members]
        before = [e for e in others if self.later.isdisjoint(e.outs)]
        return [*before, made, *(e for e in others if not self.later.isdisjoint(e.outs))]


class _Branch:
    """The branch `which` of the merged conditional, and the values of the members' outs in it."""

    def __init__(self, defs: dict[Value, Eqn], which: int) -> None:
        self.which = which
        self.env: dict[Value, Operand] = {}
        self.builder = Builder(primal=False, rewrite=rewrite)
        self.builder.defs = defs

    def choose(self, eqn: Eqn, negated: bool) -> None:
        """Add what the choice gives in this branch."""
        k = self.which ^ negated
        if eqn.op is where:
            self.env[eqn.out] = substitute(eqn.args[1:], self.env)[k]
            return
        region = rebuild(eqn.regions[k], self.env)
        for e in region.eqns:
            self.builder.add(e)
        self.env.update(zip(eqn.outs, region.results))

    def is_decided(self, eqn: Eqn) -> bool:
        """Is there nothing to be computed for it here, or nothing to be written?"""
        written = eqn.op is store and not eqn.primal and self.env.get(cast(Value, eqn.args[1])) in ZEROS
        return written or self.vanished(eqn) is not None

    def vanished(self, eqn: Eqn) -> Operand | None:
        """What the result of the equation is here, if nothing is to be computed for it."""
        if eqn.primal or len(eqn.outs) != 1 or eqn.regions:
            return None
        args = substitute(eqn.args, self.env)
        nothing = [x in ZEROS for x in args]
        if eqn.op is add_at:
            return args[0] if nothing[1] else None
        if not all(map(_is_number, (eqn.out, *eqn.args))):
            return None
        if eqn.op in (add, sub) and nothing[1]:
            return args[0]
        if eqn.op is add and nothing[0]:
            return args[1]
        zero = eqn.op in FACTORS and nothing[0] or eqn.op is mul and nothing[1] or eqn.op is where and all(nothing[1:])
        return Lit(0.0) if zero and eqn.out.type != SINGLE else None

    def add(self, eqn: Eqn) -> None:
        """Add the equation, with what it reads as it is in this branch."""
        made = self.vanished(eqn)
        if made is None:
            self.builder.loc = eqn.loc
            made = cast(Operand, self.builder.emit(
                eqn.op, substitute(eqn.args, self.env), eqn.attrs, spelling=eqn.spelling))
            if isinstance(made, Value) and self.builder.eqns and made in self.builder.eqns[-1].outs:
                made.hint = made.hint or eqn.out.hint
        self.env[eqn.out] = made


def _is_number(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_scalar
