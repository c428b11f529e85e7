"""Comparisons and extrema of ints that the ranges of the loop indices decide.

    for t in range(1, n): max(t - 1, 0), t >= 1     ->     t - 1, True

Derivatives of powers ask such questions of their exponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sct.ir.affine import Range, least_value, loop_range, term_of
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.loop_view import loop_view
from sct.ir.types import INT
from sct.ops.program.control import loop
from sct.ops.scalar.comparison import ge, gt, le, lt
from sct.ops.scalar.selection import pymax, pymin
from sct.passes.rewriting.arithmetic_rules import defining_eqn

__all__ = ["IntegerRanges"]


class IntegerRanges:
    """The ranges of the indices of the loops around the current equation, inner loops first."""

    def __init__(self) -> None:
        self.ranges: list[Range] = []

    @contextmanager
    def inside(self, eqn: Eqn, args: Sequence[Operand]) -> Iterator[None]:
        """In the regions of `eqn`, whose operands are `args`."""
        index_range = loop_range(loop_view(eqn.replace(args=tuple(args))), _definition) if eqn.op is loop else None
        if index_range is None:
            yield
            return
        self.ranges.insert(0, index_range)
        yield
        self.ranges.pop(0)

    def decide(self, eqn: Eqn, args: Sequence[Operand]) -> Operand | None:
        """The result of a comparison, or the operand that `max` or `min` returns, if the ranges tell."""
        if eqn.op not in (ge, gt, le, lt, pymax, pymin) or len(args) != 2 or any(x.type != INT for x in args):
            return None
        x, y = args
        if eqn.op is pymax:
            return x if self.is_at_least(x, y) else y if self.is_at_least(y, x) else None
        if eqn.op is pymin:
            return x if self.is_at_least(y, x) else y if self.is_at_least(x, y) else None
        if eqn.op in (le, lt):
            x, y = y, x
        strict = int(eqn.op in (gt, lt))
        if self.is_at_least(x, y, strict):
            return Lit(True)
        return Lit(False) if self.is_at_least(y, x, 1 - strict) else None

    def is_at_least(self, x: Operand, y: Operand, by: int = 0) -> bool:
        """Is `x >= y + by` in all iterations?"""
        a, b = term_of(x, _definition), term_of(y, _definition)
        return a is not None and b is not None and least_value(a - b, self.ranges) >= by


def _definition(v: Value) -> tuple[str, Sequence[Operand]] | None:
    eqn = defining_eqn(v)
    return None if eqn is None else (eqn.op.name, eqn.args)
