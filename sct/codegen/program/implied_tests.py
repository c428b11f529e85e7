"""Tests that another one implies: a predicate of the forward pass is None on the paths where it is not computed.

    forward    if a: ...                   backward    a, b, c = tape.pop()
               else:                                   if not a and not b and c: dx = ...
                   b = ...
                   if not b: c = ...               ->  c = tape.pop()
               tape.append((a, b, c))                  if c: dx = ...

Where `c` is bound at all, neither `a` nor `b` holds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    If,
    Loop,
    Pop,
    Push,
    ReadAt,
    Statement,
    all_blocks,
    leaves,
    statements,
)
from sct.ir.core import Lit, Operand, Value, is_undef

__all__ = ["drop_implied_tests"]

Outcomes = frozenset[tuple[Operand, bool]]
"""Predicates with the outcomes that they have on every path to a place from the start of the iteration."""


def drop_implied_tests(block: Block) -> Block:
    """The block, changed in place."""
    predicates = _Predicates(block)
    if len(predicates.columns) > 1:
        for inner in reversed(all_blocks(block)):
            for s in inner:
                if isinstance(s, If):
                    predicates.merge(s)
    return block


@dataclass
class _Column:
    """The operands that are appended for a value that is read from a tape, with the statements that append them.

    loop  the loop in each iteration of which the value is read once
    """

    loop: Loop | None
    appended: list[tuple[Push, Operand]]


class _Predicates:
    """The predicates that decide whether the statements of a block run.

    number    statement -> its number in the order of the text; `loop`: the innermost loop around it
    outcomes  statement -> the outcomes of the predicates around it in its loop
    bindings  value -> the statements that bind it
    columns   value that is read from a tape -> what is appended for it
    uses      value or tape -> how many statements read it
    """

    def __init__(self, block: Block) -> None:
        self.number: dict[Statement, int] = {}
        self.loop: dict[Statement, Loop | None] = {}
        self.outcomes: dict[Statement, Outcomes] = {}
        self.bindings: dict[Operand, list[Statement]] = {}
        self.columns: dict[Operand, _Column] = {}
        self.uses = Counter(x for s in statements(block) for x in s.reads)
        self._implied: dict[tuple[Statement, Operand, Operand, bool], bool] = {}
        self.walk(block, None, frozenset())
        pushes: dict[Value, list[Push]] = {}
        for s in self.number:
            if isinstance(s, Push):
                pushes.setdefault(s.tape, []).append(s)
        for s in self.number:
            for read in s.list_reads:
                for k, v in enumerate(read.values):
                    self.columns[v] = _Column(s if isinstance(s, Loop) else self.loop[s], [
                        (push, push.items[k]) for push in pushes.get(read.filled, ())])

    def walk(self, block: Block, loop: Loop | None, outcomes: Outcomes) -> None:
        for s in block:
            self.number[s], self.loop[s], self.outcomes[s] = len(self.number), loop, outcomes
            for v in s.bound:
                self.bindings.setdefault(v, []).append(s)
            if isinstance(s, If):
                self.walk(s.then, loop, outcomes | {(s.test, True)})
                self.walk(s.orelse, loop, outcomes | {(s.test, False)})
                outcomes |= {(s.test, outcome) for outcome, other in ((True, s.orelse), (False, s.then))
                             if leaves(other)}
            else:
                for inner in s.blocks:
                    self.walk(inner, s if isinstance(s, Loop) else loop, frozenset())

    def merge(self, s: If) -> None:
        """Let `s` test the predicate of the conditional in its branch alone, if that implies the predicate of `s`."""
        for branch, other, outcome in ((s.then, s.orelse, True), (s.orelse, s.then, False)):
            inner = next((t for t in branch if isinstance(t, If)), None)
            if inner is None or not self.is_implied(s.test, outcome, inner.test):
                continue
            before, behind = branch[:branch.index(inner)], branch[branch.index(inner) + 1:]
            copies = _copies([*inner.orelse, *behind])
            if all(map(self.is_needless, before)) and copies is not None and _copies(other) == {
                    v: copies[v] for t in behind for v in t.bound}:
                self.uses[s.test] -= 1
                s.test, s.then, s.orelse = inner.test, [*inner.then, *behind], other
                return

    def is_needless(self, s: Statement) -> bool:
        """Does `s` read from a tape what nothing needs?"""
        return isinstance(s, (Pop, ReadAt)) and not any(self.uses[v] for v in s.values) and s.tape is s.filled and \
            all(isinstance(t, Push) or t is s for t in self.number if s.tape in t.reads)

    def is_implied(self, test: Operand, outcome: bool, by: Operand) -> bool:
        """Has `test`, which is read from a tape, this outcome wherever `by`, which is read there too, holds?"""
        outer, column = self.columns.get(test), self.columns.get(by)
        if outer is None or column is None or outer.loop is not column.loop:
            return False
        tests = {self.source(push, x) for push, x in outer.appended}
        if len(tests) != 1:
            return False
        appended = tests.pop()
        return all(self.implies(push, x, appended, outcome) for push, x in column.appended)

    def source(self, s: Statement, x: Operand) -> Operand:
        """The operand that `x`, which `s` reads, is a copy of where it is bound."""
        copied = [(b, dict(b.pairs)[x]) for b in self.bindings.get(x, ())
                  if isinstance(b, Assign) and isinstance(x, Value) and self.number[b] < self.number[s]]
        sources = {self.source(b, y) for b, y in copied if not is_undef(y)}
        return sources.pop() if len(sources) == 1 and len(copied) == len(self.bindings[x]) else x

    def implies(self, s: Statement, x: Operand, test: Operand, outcome: bool) -> bool:
        """Has `test` this outcome wherever `x`, which `s` reads, holds?"""
        if is_undef(x) or x == Lit(False) or self.has_outcome(s, test, outcome):
            return True
        key = s, x, test, outcome
        if key not in self._implied:
            bindings = self.bindings.get(x, [])
            self._implied[key] = bool(bindings) and all(
                self.number[b] < self.number[s] and self.loop[b] is self.loop[s] and (
                    self.implies(b, dict(b.pairs)[x], test, outcome) if isinstance(b, Assign) and isinstance(x, Value)
                    else self.has_outcome(b, test, outcome))
                for b in bindings)
        return self._implied[key]

    def has_outcome(self, s: Statement, test: Operand, outcome: bool) -> bool:
        """Has `test` this outcome, as it is at the end of the iteration, wherever `s` runs?"""
        return (test, outcome) in self.outcomes[s] and all(
            self.number[b] < self.number[s] and self.loop[b] is self.loop[s] for b in self.bindings.get(test, ()))


def _copies(block: Block) -> dict[Value, Operand] | None:
    """The values that a block of assignments binds, by the values before it; None if it does anything else."""
    copies: dict[Operand, Operand] = {}
    for s in block:
        if not isinstance(s, Assign) or s.maybe_unbound:
            return None
        copies.update([(v, copies.get(x, x)) for v, x in s.pairs])
    return copies  # type: ignore[return-value]
