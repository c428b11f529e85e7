"""Which values may share a buffer.

Views share that of their base, writes in place that of their operand, moves and lists
that of what they hand on; all else is new.

    v = u[1:-1]; w = 2.0 * v    ->   u and v are one, w is another
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from sct.codegen.program.statement_ir import (
    At,
    Block,
    Let,
    Loop,
    Move,
    Pop,
    Push,
    Select,
    Statement,
    Update,
    blocks,
    statements,
)
from sct.ir.core import Eqn, Operand, Value, is_effect
from sct.ir.types import List, Opaque, Optional, Seq, Tensor, Undef
from sct.ops.program.list_ops import HOLDS
from sct.ops.registry import aliases

__all__ = ["Memory"]

_NOT_READ = ("dim", "size", "item_of")


class Memory:
    def __init__(self, block: Block) -> None:
        self._parent: dict[Value, Value] = {}
        for s in statements(block):
            self._enter(s)

    def _enter(self, s: Statement) -> None:
        if isinstance(s, Let):
            self._let(s.eqn, s.like)
        elif isinstance(s, Update):
            self._join([s.eqn.out, s.eqn.args[0]])
        elif isinstance(s, Move):
            for pair in s.pairs:
                self._join(pair)
        elif isinstance(s, Select):
            self._join([s.value, s.then, s.orelse])
        elif isinstance(s, Push):
            self._join([s.tape, *s.operands])
        elif isinstance(s, (Pop, At)):
            self._join([s.tape, *s.values])
        elif isinstance(s, Loop):
            for z in s.zipped:
                self._join([z.tape, *z.values])

    def _let(self, eqn: Eqn, like: Eqn) -> None:
        if eqn.op.name == "call":
            for k, j in eqn.attrs.get("takes", ()):
                self._join([eqn.args[k], eqn.outs[j]])
        elif eqn.inplace is not None:
            self._join([*eqn.outs, eqn.args[eqn.inplace]])
        elif len(eqn.outs) != 1 or is_effect(eqn) or eqn.op.name == "item_of":
            self._join([*eqn.outs, *eqn.args])
        elif isinstance(eqn.out.type, List):
            self._join([eqn.out, *(eqn.args if eqn.op.name in HOLDS else ())])
        elif isinstance(eqn.out.type, Seq) or aliases(like) != "none":
            self._join([eqn.out, eqn.args[eqn.op.alias_of]])

    def _join(self, xs: Iterable[Operand]) -> None:
        values = [x for x in xs if isinstance(x, Value) and _has_buffer(x)]
        for a, b in itertools.pairwise(values):
            self._parent[self.buffer(a)] = self.buffer(b)

    def buffer(self, x: Value) -> Value:
        """One value for all that may share the buffer of `x`."""
        while (parent := self._parent.get(x, x)) is not x:
            self._parent[x] = self._parent.get(parent, parent)
            x = parent
        return x

    def read(self, s: Statement, xs: Iterable[Operand]) -> set[Value]:
        """The buffers that `s` looks into, given its operands."""
        if isinstance(s, Let) and s.eqn.op.name in _NOT_READ and not isinstance(s.eqn.args[0].type, List):
            return set()
        return {self.buffer(x) for x in xs if isinstance(x, Value) and _has_buffer(x)}

    def written(self, s: Statement) -> set[Value] | None:
        """The buffers that `s` may write into; None: any."""
        found: set[Value] = set()
        for each in (s, *(inner for block in blocks(s) for inner in statements(block))):
            if isinstance(each, Update) or isinstance(each, Let) and each.eqn.inplace is not None:
                found.add(self.buffer(each.eqn.out))
            elif isinstance(each, Let) and each.eqn.attrs.get("takes"):
                found.update(self.buffer(each.eqn.outs[j]) for _, j in each.eqn.attrs["takes"])
            elif isinstance(each, Let) and is_effect(each.eqn) and each.eqn.op.name not in _WRITELESS:
                return None
        return found


def _has_buffer(x: Value) -> bool:
    t = x.type
    while isinstance(t, (Undef, Optional, Seq)):
        if isinstance(t, List):
            return True
        t = t.elem
    return isinstance(t, Tensor) and t.is_array or isinstance(t, Opaque)


_WRITELESS = ("print_", "raise_", "enter", "leave")
"""Effects that write to no array."""
