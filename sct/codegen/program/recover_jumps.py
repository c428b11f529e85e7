"""Recovers jumps: which branches end the iteration of the loop around them.

The frontend writes `break` and `continue` as an int `kind` that guards the rest of the body. `possible_values` are the
literals that such an operand can be. `exit_from` follows a branch outwards to the end of the loop's body, and returns
the results of the body on this path if no code has to run until there.

    kind = cond(c, 2, 0); s = cond(kind == 0, rest, s0); go = kind < 2   ->   if c: break
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sct.ir.core import UNDEF, Eqn, Fn, Lit, Operand, Value, has_effect
from sct.ir.loop_view import loop_view
from sct.ir.types import Tensor
from sct.ir.uses import DefUse
from sct.ops import leave

__all__ = ["COMPARISONS", "CondPosition", "Exit", "Exits", "Facts", "MutableFacts", "raises"]

Facts = Mapping[Value, frozenset[Any]]
"""The literals that a value can be at some point of the program, where these are fewer than everywhere."""

MutableFacts = dict[Value, frozenset[Any]]

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}

_MAX_LITERALS = 16


@dataclass(frozen=True, eq=False)
class CondPosition:
    """The `cond` at `index` of a region, and the position of the `cond` around that region; None in a loop's body."""

    region: Fn
    index: int
    outer: CondPosition | None

    @property
    def eqn(self) -> Eqn:
        return self.region.eqns[self.index]


@dataclass(frozen=True, eq=False)
class Exit:
    """The end of an iteration on the path through one branch.

    results     the results of the loop's body
    go          the values that its predicate can have
    skips_code  does the path leave out code of the other branches?
    passed      the branches of later conditionals that the path goes through
    read        operand of the regions around the branch -> what it is on this path
    """

    results: tuple[Operand, ...]
    go: frozenset[Any] | None
    skips_code: bool
    passed: tuple[Fn, ...]
    read: Callable[[Operand], Operand]


class _NotEvaluated:
    """Marks a value that only code can compute that the path leaves out."""


_NOT_EVALUATED = _NotEvaluated()


def raises(region: Fn) -> bool:
    """Does the region always end in an exception?"""
    last = region.eqns[-1] if region.eqns else None
    return last is not None and (
        last.op.name == "raise_" or last.op.name == "cond" and all(map(raises, last.regions)))


class Exits:
    """The exits of the loops of a function."""

    def __init__(self, def_use: DefUse) -> None:
        self.def_use = def_use
        self._possible_values: dict[Value, frozenset[Any] | None] = {}

    # -- the literals that a value can be ------------------------------------------------

    def possible_values(self, x: Operand, facts: Facts) -> frozenset[Any] | None:
        """All literals that `x` can be, or None if it can be something else."""
        if isinstance(x, Lit):
            return frozenset([x.value]) if isinstance(x.value, (bool, int)) else None
        if x in facts:
            return facts[x]
        if x not in self._possible_values:
            self._possible_values[x] = self._reaching_literals(x)
        eqn = self.def_use.defining_eqn(x)
        if eqn is not None:
            outcomes = self._compare(eqn, facts)
            if outcomes is not None:
                return outcomes
        return self._possible_values[x]

    def _compare(self, eqn: Eqn, facts: Facts) -> frozenset[Any] | None:
        if eqn.op.name == "not_":
            values = self.possible_values(eqn.args[0], facts)
            return None if values is None else frozenset(not v for v in values)
        if eqn.op.name not in COMPARISONS or not all(_is_int(a) for a in eqn.args):
            return None
        a, b = (self.possible_values(x, facts) for x in eqn.args)
        if a is None or b is None:
            return None
        return frozenset(COMPARISONS[eqn.op.name](x, y) for x in a for y in b)

    def _reaching_literals(self, x: Value) -> frozenset[Any] | None:
        """The literals that reach `x` through branches and loops."""
        literals: set[Any] = set()
        seen: set[Value] = set()
        work: list[Operand] = [x]
        while work:
            v = work.pop()
            if isinstance(v, Lit):
                if isinstance(v.value, (bool, int)):
                    literals.add(v.value)
                elif v.value is not UNDEF:
                    return None
            elif v not in seen:
                seen.add(v)
                sources = self._sources(v)
                if sources is None or len(seen) > _MAX_LITERALS * _MAX_LITERALS:
                    return None
                work += sources
        return frozenset(literals) if 0 < len(literals) <= _MAX_LITERALS else None

    def _sources(self, v: Value) -> list[Operand] | None:
        """The operands that `v` may be, through conditionals and loops; None if it is computed."""
        if not _is_int(v) or v not in self.def_use.definitions:
            return None
        eqn, region, _ = self.def_use.definitions[v]
        if eqn.op.name == "cond":
            k = eqn.outs.index(v)
            return [branch.results[k] for branch in eqn.regions if not raises(branch)]
        if eqn.op.name == "unwrap":
            return list(eqn.args)
        if eqn.op.name != "loop":
            return None
        loop = loop_view(eqn)
        group = loop.finals if region is None else loop.params if region is loop.body else region.params
        if v not in group:
            return None
        k = group.index(v)
        return [loop.inits[k], loop.results[k]]

    def narrow(self, test: Operand, outcome: bool, facts: Facts) -> MutableFacts:
        """The facts in a branch, where the predicate `test` is `outcome`."""
        narrowed = dict(facts)
        if isinstance(test, Value):
            narrowed[test] = frozenset([outcome])
            eqn = self.def_use.defining_eqn(test)
            if eqn is not None and eqn.op.name in COMPARISONS and isinstance(eqn.args[0], Value):
                values, other = self.possible_values(eqn.args[0], facts), self.possible_values(eqn.args[1], facts)
                if values is not None and other is not None and len(other) == 1:
                    compare, (c,) = COMPARISONS[eqn.op.name], other
                    narrowed[eqn.args[0]] = frozenset(v for v in values if compare(v, c) == outcome)
        return narrowed

    # -- from a branch to the end of the iteration ---------------------------------------------

    def exit_from(self, branch: Fn, at: CondPosition | None, facts: Facts) -> Exit | None:
        """The end of the iteration after `branch`, if no code has to run until there."""
        if at is None or not self._has_exit_code(branch, at.eqn, facts):
            return None
        path = _PathEvaluation(self, dict(facts))
        results: tuple[Any, ...] = branch.results
        go = branch.results[:1]
        while at is not None:
            path.bind(at.eqn.outs, results)
            if not all(map(path.skip_equation, at.region.eqns[at.index + 1:])):
                return None
            results, go = tuple(map(path.read, at.region.results)), at.region.results[:1]
            at = at.outer
        if any(r is _NOT_EVALUATED for r in results[1:]):
            return None
        return Exit(results, self.possible_values(go[0], path.facts), path.skips_code, tuple(path.passed),
                    path.read)

    def _has_exit_code(self, branch: Fn, eqn: Eqn, facts: Facts) -> bool:
        """Is some result of `branch` the code of an exit?"""
        for out, r in zip(eqn.outs, branch.results):
            if _is_int(out):
                values = self.possible_values(r, facts)
                falls = isinstance(out.type, Tensor) and out.type.dtype == "bool"
                if values is not None and falls not in values and self.possible_values(out, {}) is not None:
                    return True
        return False


class _PathEvaluation:
    """Evaluates the rest of an iteration on one path, as far as literals decide it."""

    def __init__(self, exits: Exits, facts: MutableFacts) -> None:
        self.exits, self.facts = exits, facts
        self.env: dict[Value, Any] = {}
        self.skips_code = False
        self.passed: list[Fn] = []

    def read(self, x: Any) -> Any:
        while isinstance(x, Value) and x in self.env:
            x = self.env[x]
        return x

    def bind(self, outs: tuple[Value, ...], results: tuple[Any, ...]) -> None:
        for out, r in zip(outs, tuple(map(self.read, results))):
            if out is not r:
                self.env[out] = r
            values = None if r is _NOT_EVALUATED else self.exits.possible_values(r, self.facts)
            if values is not None:
                self.facts[out] = values

    def skip_equation(self, eqn: Eqn) -> bool:
        """Evaluate `eqn` without running it; False if it has to run."""
        if eqn.op is leave:
            return True  # the jump out of a `with` leaves it
        if has_effect(eqn) and eqn.op.name != "cond":
            return False
        if eqn.op.name == "cond":
            test = self.exits.possible_values(eqn.args[0], self.facts)
            if test is not None and len(test) == 1:
                (outcome,) = test
                branch, other = eqn.regions if outcome else eqn.regions[::-1]
                self.skips_code = self.skips_code or bool(other.eqns)
                self.passed.append(branch)
                if not all(map(self.skip_equation, branch.eqns)):
                    return False
                self.bind(eqn.outs, branch.results)
                return True
            if has_effect(eqn):
                return False
        self.env.update(dict.fromkeys(eqn.outs, _NOT_EVALUATED))
        values = self.exits.possible_values(eqn.out, self.facts) if len(eqn.outs) == 1 and not eqn.regions else None
        if values is not None:
            self.facts[eqn.out] = values
            if len(values) == 1:
                self.env[eqn.out] = Lit(*values)
        return True


def _is_int(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_scalar and x.type.kind in "ib"
