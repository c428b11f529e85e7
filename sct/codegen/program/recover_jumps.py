"""Exits found again: which arms of branches end a trip of the loop around them.

The frontend writes `break` and `continue` as an int `kind` that guards what follows.
`known` says which values such an operand can have; `leave` follows an arm outwards to
the end of the loop's body and says what the loop goes on with from there.

    kind = cond(c, 2, 0); s = cond(kind == 0, rest, s0); go = kind < 2   ->   if c: break
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sct.codegen.program.scopes import Scope, parts
from sct.ir.core import UNDEF, Eqn, Fn, Lit, Operand, Value, has_effect
from sct.ir.types import Tensor
from sct.ops import leave

__all__ = ["Exit", "Exits", "Facts", "Place", "raises"]

Facts = Mapping[Value, frozenset[Any]]
"""The literals that a value can have, where that is narrower than `Exits.known` says."""

_MOST = 16
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


@dataclass(frozen=True, eq=False)
class Place:
    """A `cond` in its block, and the place of the block's own `cond`; None at a loop's body."""

    region: Fn
    index: int
    outer: Place | None

    @property
    def eqn(self) -> Eqn:
        return self.region.eqns[self.index]


@dataclass(frozen=True, eq=False)
class Exit:
    """How an arm ends the trip: the results of the body, and whether it passes any code by.

    read  what an operand of the regions around the arm is on this path
    """

    results: tuple[Operand, ...]
    go: frozenset[Any] | None
    skips: bool
    read: Callable[[Operand], Operand]


class _Unknown:
    """What is not known without running code that was left out."""


_UNKNOWN = _Unknown()


def raises(arm: Fn) -> bool:
    """Does this arm always end in an exception?"""
    last = arm.eqns[-1] if arm.eqns else None
    return last is not None and (
        last.op.name == "raise_" or last.op.name == "cond" and all(map(raises, last.regions)))


class Exits:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._known: dict[Value, frozenset[Any] | None] = {}

    # -- the literals that a value can be ------------------------------------------------

    def known(self, x: Operand, facts: Facts) -> frozenset[Any] | None:
        """All literals that `x` can be, or None where it can be anything."""
        if isinstance(x, Lit):
            return frozenset([x.value]) if isinstance(x.value, (bool, int)) else None
        if x in facts:
            return facts[x]
        if x not in self._known:
            self._known[x] = self._possible(x)
        made = self.scope.binder.get(x)
        if made is not None and made[1] is None:
            folded = self._compared(made[0], facts)
            if folded is not None:
                return folded
        return self._known[x]

    def _compared(self, eqn: Eqn, facts: Facts) -> frozenset[Any] | None:
        if eqn.op.name == "not_":
            values = self.known(eqn.args[0], facts)
            return None if values is None else frozenset(not v for v in values)
        if eqn.op.name not in _COMPARE or not all(_is_int(a) for a in eqn.args):
            return None
        a, b = (self.known(x, facts) for x in eqn.args)
        if a is None or b is None:
            return None
        return frozenset(_COMPARE[eqn.op.name](x, y) for x in a for y in b)

    def _possible(self, x: Value) -> frozenset[Any] | None:
        """The literals that reach `x` through branches and loops."""
        found: set[Any] = set()
        seen: set[Value] = set()
        work: list[Operand] = [x]
        while work:
            v = work.pop()
            if isinstance(v, Lit):
                if isinstance(v.value, (bool, int)):
                    found.add(v.value)
                elif v.value is not UNDEF:
                    return None
            elif v not in seen:
                seen.add(v)
                sources = self._sources(v)
                if sources is None or len(seen) > _MOST * _MOST:
                    return None
                work += sources
        return frozenset(found) if 0 < len(found) <= _MOST else None

    def _sources(self, v: Value) -> list[Operand] | None:
        if not _is_int(v) or v not in self.scope.binder:
            return None
        eqn, region = self.scope.binder[v]
        if eqn.op.name == "cond":
            k = eqn.outs.index(v)
            return [arm.results[k] for arm in eqn.regions if not raises(arm)]
        if eqn.op.name == "unwrap":
            return list(eqn.args)
        if eqn.op.name != "loop":
            return None
        loop = parts(eqn)
        group = loop.finals if region is None else loop.params if region is loop.body else region.params
        if v not in group:
            return None
        k = group.index(v)
        return [loop.inits[k], loop.results[k]]

    def narrowed(self, test: Operand, taken: bool, facts: Facts) -> dict[Value, frozenset[Any]]:
        """The facts in an arm: what `test` being `taken` says of the value that it compares."""
        more = dict(facts)
        if isinstance(test, Value):
            more[test] = frozenset([taken])
            eqn, _ = self.scope.binder.get(test, (None, None))
            if eqn is not None and eqn.op.name in _COMPARE and isinstance(eqn.args[0], Value):
                values, other = self.known(eqn.args[0], facts), self.known(eqn.args[1], facts)
                if values is not None and other is not None and len(other) == 1:
                    compare, (c,) = _COMPARE[eqn.op.name], other
                    more[eqn.args[0]] = frozenset(v for v in values if compare(v, c) == taken)
        return more

    # -- from an arm to the end of the trip ------------------------------------------------

    def leave(self, arm: Fn, at: Place | None, facts: Facts) -> Exit | None:
        """What the loop goes on with after `arm`, if nothing has to run until then."""
        if at is None or not self._leaves(arm, at.eqn, facts):
            return None
        walk = _Walk(self, dict(facts))
        results: tuple[Any, ...] = arm.results
        go = arm.results[:1]
        while at is not None:
            walk.bind(at.eqn.outs, results)
            if not all(map(walk.skim, at.region.eqns[at.index + 1:])):
                return None
            results, go = tuple(map(walk.read, at.region.results)), at.region.results[:1]
            at = at.outer
        if any(r is _UNKNOWN for r in results[1:]):
            return None
        return Exit(results, self.known(go[0], walk.facts), walk.skips, walk.read)

    def _leaves(self, arm: Fn, eqn: Eqn, facts: Facts) -> bool:
        """Is some result of `arm` a code that is not that of falling through?"""
        for out, r in zip(eqn.outs, arm.results):
            if _is_int(out):
                values = self.known(r, facts)
                falls = isinstance(out.type, Tensor) and out.type.dtype == "bool"
                if values is not None and falls not in values and self.known(out, {}) is not None:
                    return True
        return False


class _Walk:
    """The rest of a trip on one path: only what is decided by literals."""

    def __init__(self, exits: Exits, facts: dict[Value, frozenset[Any]]) -> None:
        self.exits, self.facts = exits, facts
        self.env: dict[Value, Any] = {}
        self.skips = False

    def read(self, x: Any) -> Any:
        while isinstance(x, Value) and x in self.env:
            x = self.env[x]
        return x

    def bind(self, outs: tuple[Value, ...], results: tuple[Any, ...]) -> None:
        for out, r in zip(outs, tuple(map(self.read, results))):
            if out is not r:
                self.env[out] = r
            values = None if r is _UNKNOWN else self.exits.known(r, self.facts)
            if values is not None:
                self.facts[out] = values

    def skim(self, eqn: Eqn) -> bool:
        """Pass `eqn` by; False if it has to run."""
        if eqn.op is leave:
            return True  # a jump out of a `with` leaves it
        if has_effect(eqn) and eqn.op.name != "cond":
            return False
        if eqn.op.name == "cond":
            test = self.exits.known(eqn.args[0], self.facts)
            if test is not None and len(test) == 1:
                (taken,) = test
                arm, other = eqn.regions if taken else eqn.regions[::-1]
                self.skips = self.skips or bool(other.eqns)
                if not all(map(self.skim, arm.eqns)):
                    return False
                self.bind(eqn.outs, arm.results)
                return True
            if has_effect(eqn):
                return False
        self.env.update(dict.fromkeys(eqn.outs, _UNKNOWN))
        values = self.exits.known(eqn.out, self.facts) if len(eqn.outs) == 1 and not eqn.regions else None
        if values is not None:
            self.facts[eqn.out] = values
            if len(values) == 1:
                self.env[eqn.out] = Lit(*values)
        return True


def _is_int(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_scalar and x.type.kind in "ib"
