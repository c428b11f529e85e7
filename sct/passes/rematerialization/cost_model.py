"""The cost of keeping a value on a tape and of computing it again, in multiplications.

    keep_cost(t) = 1.5;  recompute_cost(t = a * b) = 0.7        so t is recomputed if a and b are at hand

In:  paired regions. Out: costs of their values, for CPython or for code that Numba compiles.
An append and a pop cost about two cheap operations. An array is kept by reference for the same price, unless it or an
array that it is a view of is overwritten later: then each iteration keeps a copy. Operations on arrays are not
recomputed, except views and reads of elements.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from sct.ir.core import Lit, Operand, Value
from sct.ir.types import FLOAT, INT, List, Optional, Seq, Tensor, Type, Undef
from sct.ir.uses import reachable
from sct.ops.arrays.indexing import advanced, index
from sct.ops.registry import aliases
from sct.ops.scalar.arithmetic import div, floordiv, mod, quotient
from sct.ops.scalar.comparison import unwrap
from sct.ops.scalar.powers import pow_
from sct.passes.rematerialization.mutable_ir import Block, BlockNode
from sct.passes.rematerialization.paired_regions import PairedRegions
from sct.passes.rewriting.literals import fold_constant
from sct.passes.scalar.position_lists import is_position_list
from sct.passes.scalar.purity import is_pure

__all__ = ["FREE", "ON_ARRAYS", "OUTER", "CostModel", "can_recompute", "tape_cost"]

TAPE, SHARED, PART, COPY = 1.5, 0.3, 100.0, 1000.0
"""Keeping a value: on a tape of its own; on a tape that exists anyway; a view of an overwritten array; a copy."""
FIRST, FURTHER = 2.0, 0.5
"""A tape of one value, and each further value on it."""
FREE, CHEAP, POWER, ON_ARRAYS = 0.3, 0.7, 1.6, 12.0
"""Computing a value again: a read or a view; arithmetic on numbers; a power of a number; arithmetic on arrays."""
COUNT = 0.4
"""Arithmetic on Python ints: cheaper than a tape, so that an index is recomputed."""
DIVISIONS = (div, quotient, floordiv, mod)
QUOTIENT = 2.0
"""A division in compiled code: it stalls the processor, which a tape does not."""
OUTER = 0.1
"""An operation in an outer loop, relative to one in the inner loop."""


def can_recompute(node: BlockNode) -> bool:
    """May the node be computed again: is it pure, cheap, and without further outs?"""
    is_cheap = node.eqn.op.cost in ("free", "read", "cheap") or is_power(node) or folds_to_literal(node)
    return is_pure(node.eqn) and len(node.outs) == 1 and is_cheap or is_position_list(node.eqn)


def is_power(node: BlockNode) -> bool:
    """Is it a power of a number whose exponent is a positive literal?"""
    t = node.outs[0].type
    return node.eqn.op is pow_ and isinstance(t, Tensor) and t.is_scalar \
        and isinstance(node.args[1], Lit) and node.args[1].value > 0


def tape_cost(values: int) -> float:
    """The cost of a tape of so many values."""
    return FIRST + FURTHER * (values - 1) if values else 0.0


def folds_to_literal(node: BlockNode) -> bool:
    """Is it a function of literals, which `simplify` folds?"""
    return node.outs[0].type == FLOAT and fold_constant(node.eqn.op, node.args) is not None


class CostModel:
    """The costs of the values of a function.

    compiled  the code is compiled by Numba
    taped     the values that have a tape already
    """

    def __init__(self, regions: PairedRegions, compiled: bool = False) -> None:
        self.regions, self.compiled = regions, compiled
        self.taped: set[Value] = set()
        self._overwritten: set[Value] | None = None
        self._request_costs: dict[Value, float] = {}

    def keep_cost(self, value: Value, forward: Container[Block]) -> float:
        if self.is_on_tape(value, forward):
            return SHARED
        if _is_array(value.type) and self.may_be_overwritten(value):
            return COPY
        if _is_array(value.type) and self.is_view_of_overwritten(value):
            return PART
        return TAPE + (0.0 if value.hint else 0.01)

    def is_on_tape(self, value: Value, forward: Container[Block]) -> bool:
        """Is `value` on a tape already, or an element of a sequence that the forward loop reads?"""
        return value in self.taped or self.regions.home[value] in forward and self._is_elem(value)

    def _is_elem(self, value: Value) -> bool:
        loop = self.regions.home[value].owner
        return loop is not None and loop.name == "loop" and value in loop.elems

    def recompute_cost(self, node: BlockNode) -> float:
        if node.eqn.op is index and isinstance(node.args[0].type, Tensor) and advanced(node.attrs["key"]):
            return ON_ARRAYS
        if node.eqn.op.cost in ("free", "read") or folds_to_literal(node) or is_position_list(node.eqn):
            return FREE
        if any(_is_array(x.type) for x in (*node.args, *node.outs)):
            return ON_ARRAYS
        if node.outs[0].type == INT:
            return COUNT
        if is_power(node) and not self.compiled:
            return POWER
        return QUOTIENT if self.compiled and node.eqn.op in DIVISIONS else CHEAP

    def is_expensive(self, value: Value) -> bool:
        """Does `value` take more than a view, an element read or arithmetic on numbers?"""
        node = self.regions.node_of(value)
        return node is not None and (not can_recompute(node) or self.recompute_cost(node) in (POWER, ON_ARRAYS))

    def request_cost(self, value: Operand, block: Block) -> float:
        """The cost for the loops around `block` of making `value` available there."""
        if not isinstance(value, Value) or self.regions.in_scope(value, block):
            return 0.0
        if value not in self._request_costs:
            self._request_costs[value] = COPY
            node = self.regions.node_of(value)
            cost = COPY if _is_array(value.type) and self.may_be_overwritten(value) else OUTER * TAPE
            if self._is_index(value):
                cost = 0.0
            elif node is not None and can_recompute(node):
                recompute = OUTER * self.recompute_cost(node) + sum(self.request_cost(x, block) for x in node.args)
                cost = min(cost, recompute)
            self._request_costs[value] = cost
        return self._request_costs[value]

    def _is_index(self, value: Value) -> bool:
        loop = self.regions.home[value].owner
        return loop is not None and loop.name == "loop" and value is loop.index

    # -- overwritten buffers --------------------------------------------------------------

    def may_be_overwritten(self, value: Value) -> bool:
        """May the buffer of this array be donated to a later update?"""
        if self._overwritten is None:
            self._overwritten = self._find_overwritten()
        return value in self._overwritten

    def is_view_of_overwritten(self, value: Value) -> bool:
        """Is `value` a view of an array that may be overwritten?"""
        return any(isinstance(x, Value) and self.may_be_overwritten(x) for x in self._viewed(value))

    def _viewed(self, value: Value) -> Iterator[Operand]:
        """The arrays that `value` is a view of, the nearest first."""
        x: Operand = value
        while isinstance(x, Value) and x in self.regions.producer:
            node, _ = self.regions.producer[x]
            viewed = _viewed_operand(node)
            if viewed is None:
                return
            x = viewed
            yield x

    def _find_overwritten(self) -> set[Value]:
        """Follow the operands of updates backwards, through views, carries and branches."""
        sources: dict[Value, list[Operand]] = {}
        work: list[Operand] = []
        stack = [self.regions.top]
        while stack:
            for node in stack.pop().nodes:
                stack += node.blocks
                if node.eqn.op.updates:
                    work.append(node.args[0])
                elif node.name == "cond":
                    for k, out in enumerate(node.outs):
                        sources[out] = [branch.results[k] for branch in node.blocks]
                elif node.name == "loop":
                    for k, param in enumerate(node.params):
                        sources[param] = [node.inits[k], node.body.results[1 + k]]
                        sources[node.outs[k]] = [param, node.body.results[1 + k]]
                elif (viewed := _viewed_operand(node)) is not None:
                    sources.setdefault(node.outs[0], []).append(viewed)
        return reachable(_values(work), lambda x: _values(sources.get(x, ())))


def _values(operands: Iterable[Operand]) -> Iterator[Value]:
    return (x for x in operands if isinstance(x, Value))


def _viewed_operand(node: BlockNode) -> Operand | None:
    """The operand whose memory the out may share: the base of a view, the list of an item."""
    op = node.eqn.op
    is_item = op is unwrap or op is index and isinstance(node.args[0].type, Seq)
    return node.args[op.alias_of] if is_item or aliases(node.eqn) != "none" else None


def _is_array(t: Type) -> bool:
    while isinstance(t, (Seq, Optional, Undef)):
        if isinstance(t, List):
            return True
        t = t.elem
    return isinstance(t, Tensor) and t.rank > 0
