"""What it costs to keep a value on a tape, or to compute it again; in multiplications.

An append and a pop cost about two cheap operations.  An array is kept by reference, for the
same price, unless it, or what it is a part of, is overwritten later: then keeping it is a copy
a trip.  Operations on arrays are not repeated, but for views and element reads.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from sct.ir.core import Lit, Operand, Value, is_effect
from sct.ir.types import FLOAT, INT, List, Optional, Seq, Tensor, Type, Undef
from sct.ops.arrays.indexing import advanced
from sct.ops.program.list_ops import UPDATES
from sct.passes.rematerialization.paired_regions import Program
from sct.passes.rewriting.arithmetic_rules import FOLDED
from sct.passes.rewriting.mutable_ir import Block, Node
from sct.passes.scalar.cse import ALLOCATIONS

__all__ = ["FREE", "ON_ARRAYS", "OUTER", "Costs", "Way", "can_repeat"]

TAPE, SHARED, PART, COPY = 1.5, 0.3, 100.0, 1000.0
FREE, CHEAP, ON_ARRAYS = 0.3, 0.7, 12.0
COUNT = 0.4
"""What a step of arithmetic on Python ints costs: an index is not kept."""
QUOTIENT = 2.0
"""What a division costs where code is compiled; it waits for the processor, a tape does not."""
OUTER = 0.1
"""What a trip of an outer loop costs, spread over those of an inner one."""

ARITHMETIC = frozenset({
    "add", "sub", "mul", "neg", "pos", "div", "abs", "sign", "square", "floordiv", "mod", "int", "bool", "not_",
    "quotient", "where", "pymax", "pymin", "logical_and", "logical_or", "logical_not", "eq", "ne", "lt", "le", "gt",
    "ge", "minimum", "maximum", "isnan", "isinf", "isfinite"})
COUNTS = ("add", "sub", "mul", "neg")
VIEWS = ("index", "unwrap", "reshape", "transpose", "ravel")
READS = ("index", "dim", "size", "unwrap", "is_none", "transpose")


@dataclass(frozen=True)
class Way:
    """A way to get at a value: "index", "counter", "shift", "final", "last", "same" or "again", and what it
    reads."""

    kind: str
    cost: float
    operands: tuple[Operand, ...]


def can_repeat(node: Node) -> bool:
    """May the node be run again: is it pure, cheap, and alone?"""
    op = node.eqn.op
    return (not node.blocks and not is_effect(node.eqn) and len(node.outs) == 1 and op.name not in ALLOCATIONS
            and (op.cost == "free" or op.name in ARITHMETIC or op.name in READS or is_literal(node)))


def is_literal(node: Node) -> bool:
    """Is it a function of literals, which `simplify` computes?"""
    return node.eqn.op.name in FOLDED and all(isinstance(x, Lit) for x in node.args) and node.outs[0].type == FLOAT


class Costs:
    """Costs of the values of a program, which Numba compiles or CPython runs."""

    def __init__(self, program: Program, compiled: bool = False) -> None:
        self.program, self.compiled = program, compiled
        self.taped: set[Value] = set()
        self._written: set[Value] | None = None
        self._requests: dict[Value, float] = {}

    def keep(self, value: Value, forward: Container[Block]) -> float:
        if value in self.taped or self.program.home[value] in forward and self._is_elem(value):
            return SHARED
        if _is_array(value.type) and self.overwritten(value):
            return COPY
        if _is_array(value.type) and self.is_part(value):
            return PART
        return TAPE + (0.0 if value.hint else 0.01)

    def _is_elem(self, value: Value) -> bool:
        loop = self.program.home[value].owner
        return loop is not None and loop.name == "loop" and value in loop.elems

    def repeat(self, node: Node) -> float:
        if node.name in READS or is_literal(node) or node.eqn.op.cost == "free":
            return FREE
        if any(_is_array(x.type) for x in (*node.args, *node.outs)):
            return ON_ARRAYS
        if node.name in COUNTS and node.outs[0].type == INT:
            return COUNT
        return QUOTIENT if self.compiled and node.name in ("div", "quotient", "floordiv", "mod") else CHEAP

    def is_work(self, value: Value) -> bool:
        """Is this more than a part of an array, or arithmetic on numbers?"""
        node, _ = self.program.maker.get(value, (None, 0))
        return node is not None and (not can_repeat(node) or self.repeat(node) == ON_ARRAYS)

    def request(self, value: Operand, block: Block) -> float:
        """What it costs the loops around `block` to have `value` there."""
        if not isinstance(value, Value) or self.program.visible(value, block):
            return 0.0
        if value not in self._requests:
            self._requests[value] = COPY
            node, _ = self.program.maker.get(value, (None, 0))
            cost = COPY if _is_array(value.type) and self.overwritten(value) else OUTER * TAPE
            if self._is_index(value):
                cost = 0.0
            elif node is not None and can_repeat(node):
                again = OUTER * self.repeat(node) + sum(self.request(x, block) for x in node.args)
                cost = min(cost, again)
            self._requests[value] = cost
        return self._requests[value]

    def _is_index(self, value: Value) -> bool:
        loop = self.program.home[value].owner
        return loop is not None and loop.name == "loop" and value is loop.index

    # -- overwritten buffers --------------------------------------------------------------

    def overwritten(self, value: Value) -> bool:
        """May a later update take over the buffer of this array?"""
        if self._written is None:
            self._written = self._find_written()
        return value in self._written

    def is_part(self, value: Value) -> bool:
        """Is this a view of an array that is overwritten?"""
        return any(isinstance(x, Value) and self.overwritten(x) for x in self._bases(value))

    def _bases(self, value: Value) -> Iterator[Operand]:
        """The arrays that `value` is a view of."""
        x: Operand = value
        while isinstance(x, Value) and x in self.program.maker:
            node, _ = self.program.maker[x]
            if node.name not in VIEWS or not node.args or node.name == "index" and advanced(node.attrs["key"]):
                return
            x = node.args[0]
            yield x

    def _find_written(self) -> set[Value]:
        """Backwards from the operands of updates, through carries and arms."""
        sources: dict[Value, list[Operand]] = {}
        work: list[Operand] = []
        stack = [self.program.top]
        while stack:
            for node in stack.pop().nodes:
                stack += node.blocks
                if node.name in UPDATES:
                    work.append(node.args[0])
                elif node.name == "cond":
                    for k, out in enumerate(node.outs):
                        sources[out] = [arm.results[k] for arm in node.blocks]
                elif node.name == "loop":
                    for k, param in enumerate(node.params):
                        sources[param] = [node.inits[k], node.body.results[1 + k]]
                        sources[node.outs[k]] = [param, node.body.results[1 + k]]
                elif node.name in VIEWS and node.args:
                    sources.setdefault(node.outs[0], []).append(node.args[0])
        written: set[Value] = set()
        while work:
            x = work.pop()
            if isinstance(x, Value) and x not in written:
                written.add(x)
                work += sources.get(x, ())
        return written


def _is_array(t: Type) -> bool:
    while isinstance(t, (Seq, Optional, Undef)):
        if isinstance(t, List):
            return True
        t = t.elem
    return isinstance(t, Tensor) and t.rank > 0
