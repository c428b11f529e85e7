"""Facts about predicates at a place of the text: their outcomes, and which of them negate another.

    if c: ...; d = not e        in the branch, c is True; behind it, d is True where e is False
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Union

from sct.codegen.program.statement_ir import Assign, Evaluate, Statement
from sct.ir.core import Eqn, Lit, Operand, Value

__all__ = ["PredicateFacts", "is_not"]


def is_not(eqn: Eqn) -> bool:
    return eqn.op.name == "not_" and len(eqn.outs) == 1


Truth = Union[bool, Value]


class PredicateFacts:
    """Predicates whose outcome is known at some place, and those that are the negation of another value."""

    def __init__(self, truths: Mapping[Value, Truth] | None = None) -> None:
        self.truths: dict[Value, Truth] = dict(truths or {})

    def truth(self, x: Operand) -> bool | None:
        if isinstance(x, Lit):
            return x.value if type(x.value) is bool else None
        truth = self.truths.get(x)
        if isinstance(truth, Value):
            truth = None if (of_other := self.truth(truth)) is None else not of_other
        return truth

    def negation(self, x: Operand) -> Operand | None:
        """The operand whose negation is `x`."""
        if isinstance(x, Lit):
            return Lit(not x.value) if type(x.value) is bool else None
        other = self.truths.get(x)
        return other if isinstance(other, Value) else None

    def where(self, test: Operand, outcome: bool) -> PredicateFacts:
        """The facts where `test` has this outcome."""
        facts = PredicateFacts(self.truths)
        if isinstance(test, Value):
            other = self.truths.get(test)
            facts.truths[test] = outcome
            if isinstance(other, Value):
                facts.truths[other] = not outcome
        return facts

    def forget(self, values: Iterable[Value]) -> None:
        if not self.truths:
            return
        gone = set(values)
        self.truths = {v: t for v, t in self.truths.items() if v not in gone and t not in gone}

    def after(self, s: Statement) -> None:
        """Take account of a statement without blocks."""
        assigned = [(v, t) for v, x in (s.pairs if isinstance(s, Assign) else ()) if (t := self.truth(x)) is not None]
        self.forget(s.bound)
        self.truths.update(assigned)
        if isinstance(s, Evaluate) and is_not(s.eqn) and isinstance(s.eqn.args[0], Value):
            self.truths[s.eqn.out] = s.eqn.args[0]
