"""What must not be passed: effects and exceptions happen in the order of the user's program.

    t = log(x); dx = 1.0 / x; return t, dx     log(x) stays before 1.0 / x, which raises something else where x is 0

The user's effects, and his arithmetic that may raise by value, are *ordered*. What a derivative is made of raises only
where the arithmetic that it is derived from does, so it may stand anywhere behind that. An element `dx[k]` raises what
`x[k]` does: it may also stand before `x[k]`, if nothing that is ordered comes between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sct.codegen.program.statement_ir import (
    Block,
    Evaluate,
    If,
    Jump,
    Loop,
    Return,
    Select,
    Statement,
    Update,
    blocks,
    operands,
    statements,
    targets,
)
from sct.ir.affine import Range, is_inside, range_over, term_of
from sct.ir.core import Eqn, Operand, Value, is_effect
from sct.ir.types import FLOAT, Dim, Tensor
from sct.ops.arrays.indexing import is_there
from sct.ops.registry import may_raise
from sct.ops.scalar.arithmetic import div

__all__ = ["Order"]

_KEY_AT = {"index": 1, "store": 2, "add_at": 2}
"""Ops that look elements up, and the first operand of their key."""

_OF_FINITE = frozenset(["sin", "cos", "tan"])
"""Functions of `math` that raise where their operand is infinite."""


class Order:
    """
    ordered   the statements that keep their place among each other
    derived   by statement what may raise in it and is of a derivative
    """

    def __init__(self, block: Block) -> None:
        self.made: dict[Value, Eqn] = {}
        self.ordered: set[Statement] = set()
        self.derived: dict[Statement, list[Eqn]] = {}
        self.ranges: list[Range] = []
        for s in statements(block):
            if isinstance(s, Evaluate):
                self.made.update(dict.fromkeys(s.eqn.outs, s.eqn))
        self._enter(block)

    def _enter(self, block: Block) -> None:
        for s in block:
            inner = self._range(s)
            self.ranges += inner
            for each in blocks(s):
                self._enter(each)
            del self.ranges[len(self.ranges) - len(inner):]
            self.derived[s] = list(self._derived(s))
            if self._is_ordered(s):
                self.ordered.add(s)

    def _range(self, s: Statement) -> list[Range]:
        """What is known of the index of a loop."""
        if not isinstance(s, Loop) or s.index is None or len(s.bounds) != 3:
            return []
        made = range_over(s.index, s.bounds, s.reverse, lambda x: term_of(x, self._maker))
        return [] if made is None else [made]

    def _maker(self, x: Value) -> tuple[str, Sequence[Operand]] | None:
        return (self.made[x].op.name, self.made[x].args) if x in self.made else None

    def _is_ordered(self, s: Statement) -> bool:
        if isinstance(s, Evaluate):
            return is_effect(s.eqn) or s.eqn.primal and not s.eqn.regions and self._may_raise(s.eqn, s.like)
        if isinstance(s, Update):
            return s.eqn.primal
        inner = [each for block in blocks(s) if isinstance(s, (If, Loop)) for each in statements(block)]
        return any(isinstance(each, (Jump, Return)) or each in self.ordered for each in inner)

    def _derived(self, s: Statement) -> Iterator[Eqn]:
        parts = [s.eqn] if isinstance(s, Evaluate) else [s.eqn, s.by] if isinstance(s, Update) else []
        for eqn in parts:
            if not eqn.primal and not eqn.regions and self._may_raise(eqn, s.like if isinstance(s, Evaluate) else eqn):
                yield eqn
        for block in blocks(s) if isinstance(s, (If, Loop)) else ():
            for each in block:
                yield from self.derived[each]

    def _may_raise(self, eqn: Eqn, like: Eqn) -> bool:
        x = eqn.args[0].type if eqn.args else None
        if eqn.op.name not in _KEY_AT or not isinstance(x, Tensor) or eqn.primal and eqn.op.name != "index":
            return may_raise(like)
        return not is_there(x.shape, eqn.attrs["key"], eqn.args[_KEY_AT[eqn.op.name]:], self._inside)

    def _inside(self, i: Operand, d: Dim) -> bool:
        return is_inside(term_of(i, self._maker), d, self.ranges[::-1])

    # -- where expressions are evaluated ---------------------------------------------------------

    def late(self, block: Block, end: Sequence[Operand], folded: Mapping[Value, Evaluate | Select]) -> list[Value]:
        """The expressions that are evaluated behind something of `block` that must not come before them, each the
        widest that may stand before it; `end` is read after the last statement."""
        place = {v: k for k, s in enumerate(block) for v in targets(s)}
        into = {x: v for v, s in folded.items() if v in place for x in operands(s)}
        found: list[Value] = []
        waiting: dict[Value, int] = {}
        for k, s in enumerate([*block, None]):
            made = targets(s) if isinstance(s, (Evaluate, Select)) else ()
            if made and made[0] in folded:
                waiting.update({made[0]: k} if self.is_ordered(s) else {})
                continue
            parts = _evaluated(end if s is None else operands(s), folded)
            for each, at in [*((p, place[targets(p)[0]]) for p in parts), *([(s, k)] if s is not None else [])]:
                held = [v for v, at_v in waiting.items() if at_v < at and v not in targets(each)]
                passed = [v for v in held if waiting[v] < self._until(each, at, held, place, folded)]
                there = [v for v in held if isinstance(each, (Evaluate, Update)) and self._is_same(folded[v], each.eqn)]
                found += [_widest(v, at, into, place, folded) for v in passed]
                for v in (*passed, *there, *(targets(each) if each is not s else ())):
                    waiting.pop(v, None)
        return found

    def is_ordered(self, s: Statement | None) -> bool:
        """Does this keep its place?"""
        return (s.conditional if isinstance(s, Select) else s) in self.ordered

    def _until(self, s: Statement, at: int, held: Sequence[Value], place: Mapping[Value, int],
               folded: Mapping[Value, Evaluate | Select]) -> int:
        """The place up to which `held`, in the order of places, comes before `s`, which stands at `at`."""
        if self.is_ordered(s):
            return at
        until = 0
        for eqn in self.derived.get(s.conditional if isinstance(s, Select) else s, ()):
            found = [v for v in held if not is_element(eqn) or not isinstance(made := folded[v], Evaluate)
                     or is_element(made.eqn)]
            last = max((place[v] + 1 for v in found if not self._is_same(folded[v], eqn)), default=0)
            until = max(until, next((place[v] for v in found if place[v] >= last), last))
        return until

    def _is_same(self, s: Statement, eqn: Eqn) -> bool:
        """Does `eqn` raise where `s` does, and the same?"""
        if not isinstance(s, Evaluate):
            return False
        a, b = s.eqn, eqn
        if not is_element(a) or not is_element(b):
            alike = a.op is b.op is div and a.args[1].type == FLOAT or {a.op.name, b.op.name} <= _OF_FINITE
            return alike and a.out.type == b.out.type == FLOAT and self._same(a.args[-1], b.args[-1])
        t, u = a.args[0].type, b.args[0].type
        at, of = a.args[_KEY_AT[a.op.name]:], b.args[_KEY_AT[b.op.name]:]
        return isinstance(t, Tensor) and isinstance(u, Tensor) and t.shape == u.shape \
            and a.attrs["key"] == b.attrs["key"] and all(map(self._same, at, of))

    def _same(self, x: Operand, y: Operand) -> bool:
        """Are these the same, or made in the same way?"""
        a, b = (self.made.get(v) if isinstance(v, Value) else None for v in (x, y))
        if x == y or a is None or b is None:
            return x == y
        alike = a.op is b.op and a.attrs == b.attrs and len(a.args) == len(b.args) and not a.regions
        return alike and a.op.raises == "never" and all(map(self._same, a.args, b.args))


def is_element(eqn: Eqn) -> bool:
    """Does the equation look up an element of an array?"""
    return eqn.op.name in _KEY_AT and isinstance(eqn.args[0].type, Tensor)


def _evaluated(xs: Iterable[Operand], folded: Mapping[Value, Evaluate | Select]) -> Iterator[Evaluate | Select]:
    """The expressions that operands are, as they are evaluated."""
    for x in xs:
        if isinstance(x, Value) and x in folded:
            made = folded[x]
            yield from _evaluated(operands(made), folded)
            yield made


def _widest(v: Value, at: int, into: Mapping[Operand, Value], place: Mapping[Value, int],
            folded: Mapping[Value, Evaluate | Select]) -> Value:
    """The widest expression around `v` that may stand before `at`."""
    while (out := into.get(v)) is not None and out in folded and place[out] < at:
        v = out
    return v
