"""How a value of a forward loop can be obtained in the backward loop without a tape.

    t = a[i] * 2.0 in the forward loop   ->   ResidualSource(RECOMPUTED, cost=0.7, operands=(a[i], 2.0))

In:  a backward loop in paired regions, and the forward values that it needs. Out: for each of them, and for the values
that it can be computed from, the cheapest source; and the values that are left without a tape, by a minimum cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeGuard

from sct.ir.check import fits
from sct.ir.core import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import INT, Tensor
from sct.ops.scalar.arithmetic import add, mul
from sct.passes.rematerialization.cost_model import FREE, ON_ARRAYS, OUTER, CostModel, can_recompute, tape_cost
from sct.passes.rematerialization.final_array_reads import FinalArrayReads
from sct.passes.rematerialization.min_cut import Network
from sct.passes.rematerialization.mutable_ir import Block, BlockNode, around, is_branch, within
from sct.passes.rematerialization.paired_regions import PairedRegions
from sct.passes.scalar.purity import cannot_raise, is_pure

__all__ = ["ResidualSource", "ResidualSources", "SourceKind", "offset_from_axis"]

REACH = 8
"""How many equations deep the search for the loop-invariant operands of a value goes."""


class SourceKind(Enum):
    """How a backward loop obtains a value of the forward loop without a tape."""

    INDEX = "it is the index of the loop, and the backward loop has the same index"
    COUNTER = "it is an affine function of the index"
    SIZE = "it is a size of arguments, which is known outside of the loops"
    NEXT_ITERATION = "it becomes a carry, which the backward loop carries back from the following iteration"
    FINAL_ARRAY = "it is still an element of an array when the forward loop has ended"
    LAST_ITERATION = "it is loop-invariant, and the forward loop carries it out"
    BEFORE_LOOP = "it is loop-invariant, and is computed again before the backward loop"
    STORED = "it was just written into the part of an array that it is read from"
    RECOMPUTED = "it is computed again in each iteration"


@dataclass(frozen=True)
class ResidualSource:
    """One way to obtain a value without a tape, its cost, and the operands that it reads."""

    kind: SourceKind
    cost: float
    operands: tuple[Operand, ...]


def offset_from_axis(size: Dim, shape: Sequence[Dim]) -> tuple[int, int] | None:
    """(axis, c) with `size == shape[axis] + c`, for the least c, if there is one."""
    offsets = [(abs(c), axis, c) for axis, d in enumerate(shape) if d.terms and (c := (size - d).value) is not None]
    return min(offsets)[1:] if offsets else None


class ResidualSources:
    """The sources of the values of the forward loops that the loop `node` mirrors.

    forward  for the body of a mirrored loop: the loop
    sources  for a value of a forward loop: how it is obtained without a tape, None if that is impossible
    untaped  the values that are obtained so; the other values are kept on tapes
    """

    def __init__(self, regions: PairedRegions, costs: CostModel, finals: FinalArrayReads, node: BlockNode) -> None:
        self.regions, self.costs, self.finals, self.node = regions, costs, finals, node
        self.forward = {body: body.owner for body in regions.mirrors[node.body] if body.owner is not None}
        self.sources: dict[Value, ResidualSource | None] = {}
        self.untaped: set[Value] = set()

    def forward_body_of(self, value: Value) -> Block | None:
        """The body of the mirrored loop that binds `value`, directly or in a branch."""
        block = self.regions.home[value]
        while block not in self.forward:
            if not is_branch(block):
                return None
            block = around(block)
        return block

    def is_forward_value(self, value: Operand) -> TypeGuard[Value]:
        """Is this a value that a mirrored loop binds?"""
        return isinstance(value, Value) and self.forward_body_of(value) is not None

    def prerequisites(self, value: Value) -> list[Value]:
        """The forward values that must be provided before `value`."""
        source = self.sources[value] if value in self.untaped else None
        if source is None or source.kind not in (SourceKind.RECOMPUTED, SourceKind.FINAL_ARRAY, SourceKind.STORED):
            return []
        return [x for x in source.operands if self.is_forward_value(x)]

    def choose(self, needs: set[Value]) -> None:
        """Choose the values without a tape, by a minimum cut of the network

            need v -> untaped v     capacity: the cost of keeping v on a tape
            untaped v -> sink       capacity: the cost of obtaining v from its source
            untaped v -> need x     infinite, for each operand x of that source
        """
        net = Network()
        work = list(needs)
        for v in needs:
            net.edge("source", ("need", v), float("inf"))
        while work:
            v = work.pop()
            if v in self.sources:
                continue
            source = self.sources[v] = self.source(v)
            keep = self.costs.keep_cost(v, self.forward)
            if source is None:
                net.edge(("need", v), "sink", keep)
                continue
            net.edge(("need", v), ("untaped", v), keep)
            net.edge(("untaped", v), "sink", source.cost)
            for x in source.operands:
                if isinstance(x, Value) and not self.regions.in_scope(x, self.node.body):
                    net.edge(("untaped", v), ("need", x), float("inf"))
                    if self.forward_body_of(x) is not None:
                        work.append(x)
                    else:
                        net.edge(("need", x), "sink", self.costs.request_cost(x, self.node.home))
        side = net.source_side("source", "sink")
        self.untaped = {v for v in self.sources if ("untaped", v) in side}
        self.remove_tape(needs)

    def remove_tape(self, needs: set[Value]) -> None:
        """Obtain all values without a tape, if that costs no more than a tape of the values that the cut keeps."""
        kept, _, _ = self.closure(needs, self.untaped)
        more, untaped, requests = self.closure(needs, set(self.sources))
        if more or any(self.costs.is_on_tape(v, self.forward) for v in untaped):
            return
        extra = [source.cost for v in untaped - self.untaped if (source := self.sources[v]) is not None]
        extra += [self.costs.request_cost(x, self.node.home) for x in requests]
        if sum(extra) <= tape_cost(len(kept)):
            self.untaped = untaped

    def closure(self, needs: set[Value], computable: set[Value]) -> tuple[set[Value], set[Value], set[Value]]:
        """(values on tapes, values without one, values of outer loops) from which `needs` are obtained, if the
        `computable` ones have no tape."""
        taped, untaped, requests, work = set(), set(), set(), list(needs)
        while work:
            v = work.pop()
            source = self.sources[v] if v in computable else None
            if source is None:
                taped.add(v)
            elif v not in untaped:
                untaped.add(v)
                for x in source.operands:
                    if isinstance(x, Value) and not self.regions.in_scope(x, self.node.body):
                        work.append(x) if self.is_forward_value(x) else requests.add(x)
        return taped, untaped, requests

    def source(self, value: Value) -> ResidualSource | None:
        """The cheapest way to obtain `value` without a tape, if there is one."""
        body = self.forward_body_of(value)
        assert body is not None
        loop = self.forward[body]
        if value is loop.index and self.has_same_index(loop):
            return ResidualSource(SourceKind.INDEX, 0.0, ())
        if self.affine_counter(loop, value) is not None:
            return ResidualSource(SourceKind.COUNTER, 0.2, ())
        if self.costs.is_expensive(value) and (leaves := self.invariant_leaves(value, REACH)) is not None:
            if self.loops_outwards(loop) is not None and all(self.regions.in_scope(x, self.node.home) for x in leaves):
                return ResidualSource(SourceKind.LAST_ITERATION, FREE, ())
            if self.invariant_leaves(value, REACH, raising=False) is not None:
                return ResidualSource(SourceKind.BEFORE_LOOP, OUTER * ON_ARRAYS, tuple(leaves))
        recomputed, body = self.recomputation(value), self.node.body
        if recomputed is not None and all(
                x is loop.index or self.regions.in_scope(x, body) for x in recomputed.operands):
            return recomputed
        if (size := self.known_size(loop, value)) is not None:
            return ResidualSource(SourceKind.SIZE, 0.0, (size,))
        final = self.finals.find(value, self.node.home)
        if final is not None:
            return ResidualSource(SourceKind.FINAL_ARRAY, FREE, (final.array, *final.operands))
        if (stored := self.finals.stored(value)) is not None:
            return ResidualSource(SourceKind.STORED, 0.0, (stored,))
        k = self.next_carry(loop, value)
        return ResidualSource(SourceKind.NEXT_ITERATION, 0.2, (loop.params[k],)) if k is not None else recomputed

    def known_size(self, loop: BlockNode, value: Value) -> Operand | None:
        """A number bound before the forward loop that is this size of arguments, or an argument that has the size, or
        one that differs from it by a literal."""
        size, node = value.dim, loop
        if value.type != INT or size is None or not size.is_of_arguments:
            return None
        while True:
            for before in node.home.nodes[:node.home.nodes.index(node)]:
                for out in before.outs:
                    if out.type == INT and out.dim == size and self.regions.in_scope(out, self.node.home):
                        return out
            if node.home.owner is None:
                params = self.regions.top.params
                offsets = [(abs(at[1]), k) for k, p in enumerate(params) if isinstance(p.type, Tensor)
                           and (at := offset_from_axis(size, p.type.shape)) is not None]
                return params[min(offsets)[1]] if offsets else None
            node = node.home.owner

    def recomputation(self, value: Value) -> ResidualSource | None:
        node = self.regions.node_of(value)
        if node is None or not can_recompute(node):
            return None
        return ResidualSource(SourceKind.RECOMPUTED, self.costs.recompute_cost(node), tuple(node.args))

    def invariant_leaves(self, value: Value, reach: int, *, raising: bool = True) -> list[Operand] | None:
        """The operands outside the forward loop from which `value` is computed, if it is loop-invariant."""
        node = self.regions.node_of(value)
        if node is None or node.home not in self.forward or not reach:
            return None
        eqn = node.eqn.replace(args=tuple(node.args))
        if not is_pure(eqn) or len(eqn.outs) > 1 or not (raising or cannot_raise(eqn)):
            return None
        leaves: list[Operand] = []
        for x in node.args:
            leaves_of_x = self.invariant_leaves(x, reach - 1, raising=raising) if self.is_forward_value(x) else [x]
            if leaves_of_x is None:
                return None
            leaves += leaves_of_x
        return leaves

    def loops_outwards(self, loop: BlockNode) -> list[BlockNode] | None:
        """The forward loop and the loops around it that this loop is outside of; None if a branch is between."""
        loops = [loop]
        while not within(self.node.home, loops[-1].home):
            owner = loops[-1].home.owner
            if owner is None or owner.name != "loop":
                return None
            loops.append(owner)
        in_parts = any(node.name == "boundary" for node in self.regions.top.nodes)
        return None if self.costs.compiled or in_parts else loops

    def has_same_index(self, loop: BlockNode) -> bool:
        return self.regions.have_same_index(self.node, loop)

    def affine_counter(self, loop: BlockNode, value: Value) -> tuple[Operand, int] | None:
        """(init, step) if `value` is a carry that equals `init + step * index` of this loop."""
        start, _, step = self.node.bounds
        if value not in loop.params or value.type != INT or (start, step) != (Lit(0), Lit(1)):
            return None
        if loop.counted and not self.has_same_index(loop):
            return None
        k = loop.params.index(value)
        producer = self.regions.producer.get(loop.body.results[1 + k])  # type: ignore[arg-type]
        if producer is None or producer[0].eqn.op is not add or producer[0].args[0] is not value:
            return None
        increment, init = producer[0].args[1], loop.inits[k]
        if not isinstance(increment, Lit) or type(increment.value) is not int or init.type != INT:
            return None
        return (init, increment.value) if self.regions.in_scope(init, self.node.body) else None

    def next_carry(self, loop: BlockNode, value: Value) -> int | None:
        """The carry that `value` becomes at the end of an iteration, if this loop visits all iterations in reverse."""
        if self.node.attrs["reverse"] == loop.attrs["reverse"] or not self.visits_all_iterations(loop):
            return None
        for k, result in enumerate(loop.body.results[1:1 + loop.carries]):
            if result is value and loop.params[k].type == loop.outs[k].type and fits(value.type, loop.outs[k].type):
                return k
        return None

    def visits_all_iterations(self, loop: BlockNode) -> bool:
        """Does this loop visit exactly the iterations that `loop` ran?"""
        if not loop.exits:
            return self.node.bounds == loop.bounds
        start, stop, step = self.node.bounds
        if not loop.counted:
            return (start, stop, step) == (Lit(0), loop.iterations, Lit(1))
        if (start, step) != (loop.bounds[0], loop.bounds[2]):
            return False
        length = stop if start == Lit(0) else self._operand(stop, add, start)
        return (length if step == Lit(1) else self._operand(length, mul, step)) is loop.iterations

    def _operand(self, x: Operand | None, op: object, other: Operand) -> Operand | None:
        """`a` if `x` is `op(a, other)` or `op(other, a)`."""
        node = None if x is None else self.regions.node_of(x)
        if node is None or node.eqn.op is not op or other not in node.args:
            return None
        return node.args[1 - node.args.index(other)]
