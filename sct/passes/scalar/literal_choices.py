"""Choices between literals: what is compared with such a choice is what decides it.

    s = cond(c, "a", "b"); t = s == "a"                          ->   t = c
    s = cond(k == 1, "a", cond(k == 2, "b", "c")); t = s == "b"   ->   t = k == 2

In:  any IR. Out: IR that computes the same bits. The strings that tell classes and functions apart are such choices:
where one decides another, as the class of an object decides which method is called, only the first is left.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_undef, rebuild, substitute
from sct.ir.types import BOOL, Text
from sct.ops.program.control import cond
from sct.ops.program.effects import part
from sct.ops.scalar.comparison import is_none, not_

__all__ = ["compared_literal", "replace_literal_choices"]


def replace_literal_choices(fn: Fn) -> Fn:
    """`fn`, where comparisons with choices between literals are replaced."""
    pass_ = _LiteralChoices()
    changed = pass_.region(fn)
    return rebuild(changed, pass_.replaced) if pass_.replaced else changed if pass_.changed else fn


class _LiteralChoices:
    """
    definitions  the equation of each value
    replaced     comparison -> what it is
    changed      is an equation another one?
    """

    def __init__(self) -> None:
        self.definitions: dict[Operand, Eqn] = {}
        self.replaced: dict[Value, Operand] = {}
        self.changed = False

    def region(self, fn: Fn) -> Fn:
        eqns = tuple(self.eqn(eqn) for eqn in fn.eqns)
        return fn.replace(eqns=eqns) if any(a is not b for a, b in zip(eqns, fn.eqns)) else fn

    def eqn(self, eqn: Eqn) -> Eqn:
        regions = tuple(map(self.region, eqn.regions))
        if any(a is not b for a, b in zip(regions, eqn.regions)):
            eqn = eqn.replace(regions=regions)
        literal = compared_literal(eqn)
        choice = self.choice(eqn.args[0]) if literal is not None else None
        if literal is not None and choice is not None:
            eqn = self.comparison(eqn, literal, *choice)
        self.definitions.update(dict.fromkeys(eqn.outs, eqn))
        return eqn

    def choice(self, x: Operand) -> tuple[list[tuple[Value, Lit]], Lit] | None:
        """The predicates that are asked one after the other, each with the literal that `x` is then, and the last."""
        cases: list[tuple[Value, Lit]] = []
        while isinstance(x, Value) and x in self.definitions and (eqn := self.definitions[x]).op is cond:
            predicate = self.read(eqn.args[0])
            then, orelse = (region.results[eqn.outs.index(x)] for region in eqn.regions)
            if not isinstance(then, Lit) or is_undef(then) or not isinstance(predicate, Value):
                return None
            cases.append((predicate, then))
            x = orelse
        return (cases, x) if cases and isinstance(x, Lit) and not is_undef(x) else None

    def comparison(self, eqn: Eqn, literal: Lit, cases: list[tuple[Value, Lit]], last: Lit) -> Eqn:
        """The comparison `eqn` of a choice with `literal`, which is replaced, or an equation in its place."""
        equal = [x == literal for _, x in cases]
        first, _ = cases[0]
        if not any(equal) and last != literal:
            self.replaced[eqn.out] = Lit(False)
        elif equal.count(True) == 1 and last != literal:
            k = equal.index(True)
            if k == 0 and first.type == eqn.out.type == BOOL:
                self.replaced[eqn.out] = first
            elif k > 0 and (asked := self.same_question(cases, k)) is not None and eqn.out.type == BOOL:
                return self.other(eqn, args=asked.args, op=asked.op, attrs=asked.attrs)
        elif len(cases) == 1 and not equal[0] and eqn.out.type == BOOL:
            negated = self.definitions.get(first)
            if negated is None or negated.op is not not_ or negated.args[0].type != BOOL:
                return self.other(eqn, args=(first,), op=not_, attrs={})
            self.replaced[eqn.out] = self.read(negated.args[0])
        return eqn

    def other(self, eqn: Eqn, **changes: Any) -> Eqn:
        self.changed = True
        return eqn.replace(**changes)

    def same_question(self, cases: list[tuple[Value, Lit]], k: int) -> Eqn | None:
        """The equation of the `k`-th predicate, if that holds in no earlier case: all compare one string."""
        questions = [self.definitions.get(predicate) for predicate, _ in cases[:k + 1]]
        literals = [compared_literal(q) if q is not None else None for q in questions]
        last = questions[k]
        if last is None or any(q is None or q.op is not part for q in questions) \
                or not isinstance(last.args[0].type, Text):
            return None
        alike = all(q is not None and self.read(q.args[0]) is self.read(last.args[0]) for q in questions)
        return last if alike and None not in literals and literals.count(literals[k]) == 1 else None

    def read(self, x: Operand) -> Operand:
        (x,) = substitute((x,), self.replaced)
        return x


def compared_literal(eqn: Eqn) -> Lit | None:
    """The literal with which an equation compares its operand."""
    if eqn.op is is_none:
        return Lit(None)
    if eqn.op is not part or len(eqn.args) != 1 or not isinstance(eqn.args[0], Value):
        return None
    return _literal(eqn.attrs)


def _literal(attrs: Mapping[str, Any]) -> Lit | None:
    """The string in `_0 == 'string'`."""
    left, _, right = attrs["text"].partition(" == ")
    if left != "_0" or right[:1] not in ("'", '"'):
        return None
    tree = ast.parse(right, mode="eval").body
    return Lit(tree.value) if isinstance(tree, ast.Constant) and isinstance(tree.value, str) else None
