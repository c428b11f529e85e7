"""The order of evaluation: effects and exceptions happen in the order of the user's program.

    t = log(x); dx = 1.0 / x; return t, dx     log(x) stays before 1.0 / x, which raises another exception where x is 0

The user's effects, and primal arithmetic that may raise by value, are *ordered*: they keep their order. Adjoint code
raises only where the arithmetic that it is derived from does, so it may stand anywhere behind that. An element `dx[k]`
raises what `x[k]` does: it may also stand before `x[k]`, if nothing ordered comes between the two.
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
    statements,
    uses_none,
)
from sct.ir.affine import Range, is_in_bounds, range_over, term_of
from sct.ir.core import Eqn, Operand, Value, is_effect
from sct.ir.dims import Dim
from sct.ir.types import FLOAT, Tensor
from sct.ops.arrays.indexing import is_there
from sct.ops.registry import may_raise
from sct.ops.scalar.arithmetic import div

__all__ = ["EvaluationOrder"]

_OF_FINITE = frozenset(["sin", "cos", "tan"])
"""Functions of `math` that raise where their operand is infinite."""


class EvaluationOrder:
    """The statements of a block that keep their order.

    definitions          value -> the equation that binds it
    ordered              the statements that keep their order
    adjoint_that_raises  statement -> the equations of adjoint code in it that may raise
    ranges               the ranges of the indices of the loops around the current statement
    """

    def __init__(self, block: Block) -> None:
        self.definitions: dict[Value, Eqn] = {}
        self.ordered: set[Statement] = set()
        self.adjoint_that_raises: dict[Statement, list[Eqn]] = {}
        self.ranges: list[Range] = []
        for s in statements(block):
            if isinstance(s, Evaluate):
                self.definitions.update(dict.fromkeys(s.eqn.outs, s.eqn))
        self._add(block)

    def _add(self, block: Block) -> None:
        for s in block:
            own = self._range(s)
            self.ranges += own
            for inner in s.blocks:
                self._add(inner)
            del self.ranges[len(self.ranges) - len(own):]
            self.adjoint_that_raises[s] = list(self._adjoint_that_raises(s))
            if self._is_ordered(s):
                self.ordered.add(s)

    def _range(self, s: Statement) -> list[Range]:
        """The range of the index of a loop; none for another statement."""
        if not isinstance(s, Loop) or s.index is None or len(s.bounds) != 3:
            return []
        index_range = range_over(s.index, s.bounds, s.reverse, lambda x: term_of(x, self._definition))
        return [] if index_range is None else [index_range]

    def _definition(self, x: Value) -> tuple[str, Sequence[Operand]] | None:
        return (self.definitions[x].op.name, self.definitions[x].args) if x in self.definitions else None

    def _is_ordered(self, s: Statement) -> bool:
        if isinstance(s, Evaluate):
            return is_effect(s.eqn) or s.eqn.primal and not s.eqn.regions and (
                self._may_raise(s.eqn, s.like) or uses_none(s))
        if isinstance(s, Update):
            return s.eqn.primal
        if isinstance(s, (Jump, Return)):
            return True
        return isinstance(s, (If, Loop)) and any(t in self.ordered for block in s.blocks for t in block)

    def _adjoint_that_raises(self, s: Statement) -> Iterator[Eqn]:
        eqns = [s.eqn] if isinstance(s, Evaluate) else [s.eqn, s.by] if isinstance(s, Update) else []
        for eqn in eqns:
            if not eqn.primal and not eqn.regions and self._may_raise(eqn, s.like if isinstance(s, Evaluate) else eqn):
                yield eqn
        for block in s.blocks if isinstance(s, (If, Loop)) else ():
            for t in block:
                yield from self.adjoint_that_raises[t]

    def _may_raise(self, eqn: Eqn, like: Eqn) -> bool:
        x = eqn.args[0].type if eqn.args else None
        if eqn.op.key_at is None or not isinstance(x, Tensor) or eqn.primal and eqn.op.name != "index":
            return may_raise(like)
        return not is_there(x.shape, eqn.attrs["key"], eqn.args[eqn.op.key_at:], self._inside)

    def _inside(self, i: Operand, d: Dim) -> bool:
        return is_in_bounds(term_of(i, self._definition), d, self.ranges[::-1])

    # -- where expressions are evaluated ---------------------------------------------------------

    def out_of_order(self, block: Block, end: Sequence[Operand],
                     inlined: Mapping[Value, Evaluate | Select]) -> list[Value]:
        """The inlined expressions that would be evaluated behind something that must not come before them.

        Of each it is the widest expression around it that may stand before that. `end` is read after the block.
        """
        place = {v: k for k, s in enumerate(block) for v in s.targets}
        inlined_into = {x: v for v in place if v in inlined for x in inlined[v].operands}
        out_of_order: list[Value] = []
        pending: dict[Value, int] = {}
        for k, s in enumerate([*block, None]):
            values = s.targets if isinstance(s, (Evaluate, Select)) else ()
            if values and values[0] in inlined:
                pending.update({values[0]: k} if self.is_ordered(s) else {})
                continue
            if not pending:
                continue
            parts = _evaluated(end if s is None else s.operands, inlined)
            for t, at in [*((p, place[p.targets[0]]) for p in parts), *([(s, k)] if s is not None else [])]:
                before = [v for v, at_v in pending.items() if at_v < at and v not in t.targets]
                passed = [v for v in before if pending[v] < self._must_follow(t, at, before, place, inlined)]
                same = [v for v in before if isinstance(t, (Evaluate, Update)) and self._raises_same(inlined[v], t.eqn)]
                out_of_order += [_widest(v, at, inlined_into, place, inlined) for v in passed]
                for v in (*passed, *same, *(t.targets if t is not s else ())):
                    pending.pop(v, None)
        return out_of_order

    def is_ordered(self, s: Statement | None) -> bool:
        """Does the statement keep its place?"""
        return (s.conditional if isinstance(s, Select) else s) in self.ordered

    def _must_follow(self, s: Statement, at: int, before: Sequence[Value], place: Mapping[Value, int],
                     inlined: Mapping[Value, Evaluate | Select]) -> int:
        """The place up to which the ordered values `before` come before `s`, which stands at `at`."""
        if self.is_ordered(s):
            return at
        until = 0
        for eqn in self.adjoint_that_raises.get(s.conditional if isinstance(s, Select) else s, ()):
            comparable = [v for v in before if not is_element(eqn) or not isinstance(by := inlined[v], Evaluate)
                          or is_element(by.eqn)]
            last = max((place[v] + 1 for v in comparable if not self._raises_same(inlined[v], eqn)), default=0)
            until = max(until, next((place[v] for v in comparable if place[v] >= last), last))
        return until

    def _raises_same(self, s: Statement, eqn: Eqn) -> bool:
        """Does `eqn` raise where `s` does, and the same exception?"""
        if not isinstance(s, Evaluate):
            return False
        a, b = s.eqn, eqn
        if not is_element(a) or not is_element(b):
            alike = a.op is b.op is div and a.args[1].type == FLOAT or {a.op.name, b.op.name} <= _OF_FINITE
            return alike and a.out.type == b.out.type == FLOAT and self._is_equal(a.args[-1], b.args[-1])
        t, u = a.args[0].type, b.args[0].type
        at, of = a.args[a.op.key_at:], b.args[b.op.key_at:]
        return isinstance(t, Tensor) and isinstance(u, Tensor) and t.shape == u.shape \
            and a.attrs["key"] == b.attrs["key"] and all(map(self._is_equal, at, of))

    def _is_equal(self, x: Operand, y: Operand) -> bool:
        """Are these the same operand, or computed by equal equations?"""
        a, b = (self.definitions.get(v) if isinstance(v, Value) else None for v in (x, y))
        if x == y or a is None or b is None:
            return x == y
        alike = a.op is b.op and a.attrs == b.attrs and len(a.args) == len(b.args) and not a.regions
        return alike and a.op.raises == "never" and all(map(self._is_equal, a.args, b.args))


def is_element(eqn: Eqn) -> bool:
    """Does the equation index an array?"""
    return eqn.op.key_at is not None and isinstance(eqn.args[0].type, Tensor)


def _evaluated(xs: Iterable[Operand], inlined: Mapping[Value, Evaluate | Select]) -> Iterator[Evaluate | Select]:
    """The expressions inlined into operands, in the order of evaluation."""
    for x in xs:
        if isinstance(x, Value) and x in inlined:
            expression = inlined[x]
            yield from _evaluated(expression.operands, inlined)
            yield expression


def _widest(v: Value, at: int, inlined_into: Mapping[Operand, Value], place: Mapping[Value, int],
            inlined: Mapping[Value, Evaluate | Select]) -> Value:
    """The widest expression around `v` that may stand before `at`."""
    while (out := inlined_into.get(v)) is not None and out in inlined and place[out] < at:
        v = out
    return v
