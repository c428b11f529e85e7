"""Bounds of ints that are positions in arrays: of loop indices, and of sizes.

    for i in range(n): for j in range(i): ...    ->   0 <= j < i < n

Invariant: a fact holds wherever its value is bound; what is not proved is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from sct.codegen.program.statement_ir import Block, Evaluate, Loop, statements
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import is_counted

__all__ = ["Ranges"]

DEPTH = 6


class Ranges:
    """Facts about the ints of a block."""

    def __init__(self, block: Block) -> None:
        self.loops = {s.index: s for s in statements(block)
                      if isinstance(s, Loop) and s.index is not None and is_counted(s.bounds)}
        self.definitions: dict[Operand, Eqn] = {
            s.eqn.out: s.eqn for s in statements(block) if isinstance(s, Evaluate) and len(s.eqn.outs) == 1}

    def _smaller(self, x: Operand, depth: int) -> Iterator[tuple[Operand, int]]:
        """Pairs (y, c) such that x <= y + c."""
        if depth:
            for y, c in self._related(x, True):
                yield y, c
                yield from ((z, c + d) for z, d in self._smaller(y, depth - 1))

    def _larger(self, x: Operand, depth: int) -> Iterator[tuple[Operand, int]]:
        """Pairs (y, c) such that x >= y + c."""
        if depth:
            for y, c in self._related(x, False):
                yield y, c
                yield from ((z, c + d) for z, d in self._larger(y, depth - 1))

    def _related(self, x: Operand, above: bool) -> Iterator[tuple[Operand, int]]:
        eqn = self.definitions.get(x)
        if eqn is not None and eqn.op.name in ("add", "sub") and isinstance(eqn.args[1], Lit) \
                and isinstance(eqn.args[1].value, int):
            yield eqn.args[0], eqn.args[1].value if eqn.op.name == "add" else -eqn.args[1].value
        loop = self.loops.get(x) if isinstance(x, Value) else None
        if loop is not None and isinstance(loop.bounds[2], Lit):
            start, stop, step = loop.bounds
            if step.value > 0:  # type: ignore[union-attr]
                yield (stop, -1) if above else (start, 0)
            else:
                yield (start, 0) if above else (stop, 1)

    def not_negative(self, x: Operand) -> bool:
        """Is x >= 0?"""
        return self.at_least(x, 0)

    def at_least(self, x: Operand, least: int) -> bool:
        """Is x >= least?"""
        return any(y.dim is not None and y.dim.least + c >= least
                   for y, c in ((x, 0), *self._larger(x, DEPTH)))

    def at_most(self, x: Operand, size: Dim, offset: int = 0) -> bool:
        """Is x + offset <= size?"""
        return any(y.dim is not None and (size - y.dim - c - offset).least >= 0
                   for y, c in ((x, 0), *self._smaller(x, DEPTH)))

    def inside(self, x: Operand, size: Dim) -> bool:
        """Is 0 <= x < size?"""
        return self.not_negative(x) and self.at_most(x, size, 1)
