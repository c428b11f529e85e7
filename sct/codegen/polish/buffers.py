"""Which values may share a buffer: a partition of the values of a block.

A view shares the buffer of its base, the result of a write in place that of its operand, the target of an assignment
that of its source, and a list those of its elements. Every other value has a buffer of its own.

    v = u[1:-1]; w = 2.0 * v    ->   {u, v}, {w}
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    Push,
    Statement,
    Update,
    statements,
)
from sct.ir.core import Eqn, Operand, Value, is_effect
from sct.ir.types import List, Opaque, Seq, holds_array, leaf_type
from sct.ops.registry import aliases

__all__ = ["Buffers"]

_READ_NO_DATA = ("dim", "size", "item_of")


class Buffers:
    """The partition, as a union-find forest over values."""

    def __init__(self, block: Block) -> None:
        self._parent: dict[Value, Value] = {}
        self._written: dict[Statement, set[Value] | None] = {}
        for s in statements(block):
            self._add(s)

    def _add(self, s: Statement) -> None:
        """Unite the values that share a buffer by `s`."""
        for read in s.list_reads:
            self._unite([read.tape, *read.values])
        if isinstance(s, Evaluate):
            self._add_equation(s.eqn, s.like)
        elif isinstance(s, Update):
            self._unite([s.eqn.out, s.eqn.args[0], *_held(s.eqn)])
        elif isinstance(s, Assign):
            for pair in s.pairs:
                self._unite(pair)
        elif isinstance(s, Push):
            self._unite([s.tape, *s.items])

    def _add_equation(self, eqn: Eqn, like: Eqn) -> None:
        if eqn.op.name == "call":
            for k, j in eqn.attrs.get("donates", ()):
                self._unite([eqn.args[k], eqn.outs[j]])
        elif eqn.inplace is not None:
            self._unite([*eqn.outs, eqn.args[eqn.inplace], *_held(eqn)])
        elif len(eqn.outs) != 1 or is_effect(eqn) or eqn.op.name == "item_of":
            self._unite([*eqn.outs, *eqn.args])
        elif isinstance(eqn.out.type, List):
            self._unite([eqn.out, *_held(eqn)])
        elif isinstance(eqn.out.type, Seq) or aliases(like) != "none":
            self._unite([eqn.out, eqn.args[eqn.op.alias_of]])

    def _unite(self, xs: Iterable[Operand]) -> None:
        values = [x for x in xs if isinstance(x, Value) and _has_buffer(x)]
        for a, b in itertools.pairwise(values):
            self._parent[self.buffer(a)] = self.buffer(b)

    def buffer(self, x: Value) -> Value:
        """The representative of the values that may share the buffer of `x`."""
        while (parent := self._parent.get(x, x)) is not x:
            self._parent[x] = self._parent.get(parent, parent)
            x = parent
        return x

    def read(self, s: Statement, xs: Iterable[Operand]) -> set[Value]:
        """The buffers that `s` reads, given its operands."""
        if isinstance(s, Evaluate) and s.eqn.op.name in _READ_NO_DATA and not isinstance(s.eqn.args[0].type, List):
            return set()
        return {self.buffer(x) for x in xs if isinstance(x, Value) and _has_buffer(x)}

    def written(self, s: Statement) -> set[Value] | None:
        """The buffers that `s` and its blocks may write into; None if it may be any."""
        if isinstance(s, Update):
            return {self.buffer(s.eqn.out)}
        if isinstance(s, Evaluate):
            return self._written_by(s.eqn)
        if s.blocks and s not in self._written:
            inner = [self.written(t) for block in s.blocks for t in block]
            self._written[s] = None if None in inner else set().union(*filter(None, inner))
        return self._written.get(s, set())

    def _written_by(self, eqn: Eqn) -> set[Value] | None:
        if eqn.inplace is not None:
            return {self.buffer(eqn.out)}
        if eqn.attrs.get("donates"):
            return {self.buffer(eqn.outs[j]) for _, j in eqn.attrs["donates"]}
        return None if is_effect(eqn) and eqn.op.name not in _WRITE_NOTHING else set()


def _held(eqn: Eqn) -> tuple[Operand, ...]:
    """The operands that the out, a list, holds."""
    return eqn.args if eqn.op.holds and isinstance(eqn.out.type, List) else ()


def _has_buffer(x: Value) -> bool:
    return holds_array(x.type) or isinstance(leaf_type(x.type), Opaque)


_WRITE_NOTHING = ("print_", "raise_", "enter", "leave")
"""Effects that write into no array."""
