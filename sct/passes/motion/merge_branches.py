"""Conditionals on one predicate become one:

    a = x if c else 0.0; b = 0.0 if c else y; s += a * p; t += b    ->    if c: s += x * p
                                                                          else: t += y

For numbers in adjoint code only. A cotangent is exactly zero in a branch that contributes nothing, so products with it
vanish there and sums are unchanged. `sink` then moves equations into the branches that alone read them: work moves into
a branch, never out of one.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, has_effect, is_number, rebuild, substitute, walk
from sct.ir.types import Tensor
from sct.ir.uses import outer_reads, use_counts
from sct.ops.arrays.indexing import add_at, store
from sct.ops.program.control import cond
from sct.ops.scalar.arithmetic import add, div, mul, neg, quotient, sub
from sct.ops.scalar.comparison import not_
from sct.ops.scalar.selection import logical_not, where
from sct.passes.analysis.type_inference import retype
from sct.passes.motion.sink import sink
from sct.passes.rewriting.driver import rewrite
from sct.passes.scalar.dce import dce

__all__ = ["merge_branches"]

REACH = 60
"""How many equations after a choice the next one is looked for, so that the pass takes linear time."""

ZEROS = (Lit(0.0), Lit(0))
SINGLE = Tensor("np", "f32")
FACTORS = (mul, div, quotient, neg)
"""Ops whose result is zero where their first operand is."""


def merge_branches(fn: Fn) -> Fn:
    """`fn` with the conditionals of a block that have one predicate merged, and likewise in their branches."""
    while (merging := _MergeBranches(fn)).merges:
        fn = sink(dce(retype(merging.fn), keep_raises=True))
    return fn


class _MergeBranches:
    """
    fn      the function with its conditionals merged
    merges  how many conditionals came out of it
    """

    def __init__(self, fn: Fn) -> None:
        self.merges = 0
        self.definitions = {out: eqn for eqn in walk(fn) for out in eqn.outs}
        self.uses = use_counts(fn)
        self._reads: dict[Eqn, frozenset[Operand]] = {}
        self.fn = self.region(fn)

    def region(self, fn: Fn) -> Fn:
        eqns = [e.replace(regions=tuple(map(self.region, e.regions))) if e.regions else e for e in fn.eqns]
        k = 0
        while k < len(eqns):
            choice = self.choice(eqns[k])
            group = largest_group(self, choice[0], eqns, k) if choice is not None else None
            if group is not None and group.pays():
                self.merges += 1
                eqns[k:group.end + 1] = group.merged()
            else:
                k += 1
        return fn.replace(eqns=tuple(eqns))

    def reads(self, eqn: Eqn) -> frozenset[Operand]:
        """The operands of the equation, and the values that its regions read."""
        if eqn not in self._reads:
            self._reads[eqn] = frozenset(outer_reads(eqn))
        return self._reads[eqn]

    def choice(self, eqn: Eqn) -> tuple[Operand, bool] | None:
        """(predicate, is it negated?) of a `where` of numbers or of a conditional."""
        if eqn.primal or not (eqn.op is cond or eqn.op is where and is_number(eqn.out)) or has_effect(eqn):
            return None
        definition = self.definitions.get(cast(Value, eqn.args[0]))
        if definition is not None and definition.op in (not_, logical_not) and is_number(definition.out):
            return definition.args[0], True
        return eqn.args[0], False


def largest_group(function: _MergeBranches, predicate: Operand, eqns: Sequence[Eqn], start: int) -> _Group:
    """The group of `predicate` from `start` on, without unnamed products that only other equations read."""
    excluded: set[Eqn] = set()
    while True:
        group = _Group(function, predicate, eqns, start, excluded)
        read = {x for e in group.members for x in function.reads(e)}
        ends = {e for e in group.members if e.op in FACTORS and e.out not in read and e.out.hint is None}
        if not ends:
            return group
        excluded |= ends


class _Group:
    """The equations from `start` to `end` that one conditional on the predicate can replace.

    excluded    equations that are not to be members
    members     choices by the predicate, and equations whose value is trivial in one of the branches
    dependents  the outs of other equations that depend on members
    """

    def __init__(self, function: _MergeBranches, predicate: Operand, eqns: Sequence[Eqn], start: int,
                 excluded: Set[Eqn]) -> None:
        self.function, self.predicate = function, predicate
        self.branches = (_Branch(function.definitions, 0), _Branch(function.definitions, 1))
        self.members: list[Eqn] = []
        self.dependents: set[Operand] = set()
        self.end = k = start
        while k < min(len(eqns), self.end + REACH):
            eqn, reads = eqns[k], function.reads(eqns[k])
            if eqn not in excluded and self.dependents.isdisjoint(reads) and self.admit(eqn, reads):
                self.end = k
            elif not (self.dependents.isdisjoint(reads) and reads.isdisjoint(self.branches[0].env)):
                if eqn.primal or has_effect(eqn):
                    break
                self.dependents.update(eqn.outs)
            k += 1
        self.eqns = eqns[start:self.end + 1]

    def admit(self, eqn: Eqn, reads: Set[Operand]) -> bool:
        """Make the equation a member if the predicate decides it; was it?"""
        choice = self.function.choice(eqn)
        if choice is not None and choice[0] == self.predicate:
            for branch in self.branches:
                branch.choose(eqn, choice[1])
        elif not reads.isdisjoint(self.branches[0].env) and any(branch.is_trivial(eqn) for branch in self.branches):
            for branch in self.branches:
                branch.add(eqn)
        else:
            return False
        self.members.append(eqn)
        return True

    def pays(self) -> bool:
        """Is the group more than one choice, or two choices without work?"""
        if any(e.op in (cond, add, sub, add_at) for e in self.members):
            return len(self.members) > 1
        choices = [e for e in self.members if e.op is where]
        operands = [x for e in choices for x in e.args[1:]]
        return len(choices) > 2 or len(choices) == 2 and any(map(self.is_work_for_members, operands))

    def is_work_for_members(self, x: Operand) -> bool:
        """Is `x` computed for the members alone?"""
        eqn = self.function.definitions.get(x) if isinstance(x, Value) else None
        if not isinstance(x, Value) or eqn is None or eqn.primal or eqn.op.cost == "free":
            return False
        return self.function.uses[x] == sum(e.args.count(x) for e in self.members)

    def merged(self) -> list[Eqn]:
        """The equations with one conditional in place of the members."""
        outs = tuple(out for e in self.members for out in e.outs)
        branches = tuple(branch.builder.finish(name, (), [branch.env[out] for out in outs])
                         for branch, name in zip(self.branches, ("then", "orelse")))
        mirrors = dict.fromkeys(
            k for e in self.members if e.args[0] == self.predicate for k in e.attrs.get("mirrors", ()))
        conditional = Eqn(cond, (self.predicate,), outs, {"mirrors": tuple(mirrors)}, branches, primal=False,
                          loc=self.members[0].loc)
        self.function.definitions.update((out, conditional) for out in outs)
        others = [e for e in self.eqns if e not in self.members]
        before = [e for e in others if self.dependents.isdisjoint(e.outs)]
        return [*before, conditional, *(e for e in others if not self.dependents.isdisjoint(e.outs))]


class _Branch:
    """The branch `which` of the merged conditional.

    env  for an out of a member: its value in this branch
    """

    def __init__(self, definitions: dict[Value, Eqn], which: int) -> None:
        self.which = which
        self.env: dict[Value, Operand] = {}
        self.builder = Builder(primal=False, rewrite=rewrite)
        self.builder.defs = definitions

    def choose(self, eqn: Eqn, negated: bool) -> None:
        """Add the chosen operand or branch of a choice."""
        k = self.which ^ negated
        if eqn.op is where:
            self.env[eqn.out] = substitute(eqn.args[1:], self.env)[k]
            return
        region = rebuild(eqn.regions[k], self.env)
        for e in region.eqns:
            self.builder.add(e)
        self.env.update(zip(eqn.outs, region.results))

    def is_trivial(self, eqn: Eqn) -> bool:
        """Is nothing to be computed for the equation in this branch, or is it a write of zero?"""
        writes_zero = eqn.op is store and not eqn.primal and self.env.get(cast(Value, eqn.args[1])) in ZEROS
        return writes_zero or self.trivial_value(eqn) is not None

    def trivial_value(self, eqn: Eqn) -> Operand | None:
        """The result of the equation in this branch, if nothing is to be computed for it."""
        if eqn.primal or len(eqn.outs) != 1 or eqn.regions:
            return None
        args = substitute(eqn.args, self.env)
        is_zero = [x in ZEROS for x in args]
        if eqn.op is add_at:
            return args[0] if is_zero[1] else None
        if not all(map(is_number, (eqn.out, *eqn.args))):
            return None
        if eqn.op in (add, sub) and is_zero[1]:
            return args[0]
        if eqn.op is add and is_zero[0]:
            return args[1]
        vanishes = (eqn.op in FACTORS and is_zero[0] or eqn.op is mul and is_zero[1]
                    or eqn.op is where and all(is_zero[1:]))
        return Lit(0.0) if vanishes and eqn.out.type != SINGLE else None

    def add(self, eqn: Eqn) -> None:
        """Add the equation with the operands that it has in this branch."""
        result = self.trivial_value(eqn)
        if result is None:
            self.builder.loc = eqn.loc
            result = cast(Operand, self.builder.emit(
                eqn.op, substitute(eqn.args, self.env), eqn.attrs, spelling=eqn.spelling))
            if isinstance(result, Value) and self.builder.eqns and result in self.builder.eqns[-1].outs:
                result.hint = result.hint or eqn.out.hint
        self.env[eqn.out] = result
