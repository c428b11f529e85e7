"""Packs the residuals of an iteration into one record.

    tapes of a, of b  ->  a tape of records (a, b)

In:  a function in two parts, with tapes that a loop of the forward part fills and a loop of the backward part reads.
Out: the same function, where an iteration of the forward loop packs its residuals and the iteration of the backward
loop that mirrors it unpacks them. Only tapes that take the same path through other loops share records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sct.ir.core import Eqn, Fn, Operand, Value, boundary_index
from sct.ir.types import Residuals, Seq, Type
from sct.ops.program.call_ops import pack, unpack
from sct.passes.rewriting.mutable_ir import Block, BlockNode, ancestors, blocks, to_immutable, to_mutable

__all__ = ["pack_residuals_per_iteration"]


class Crossing(Enum):
    """How a sequence passes the boundary of a loop."""

    YIELDED = "the body yields it, and the loop returns the sequence of these"
    READ = "the loop reads it, and the body receives its element"


@dataclass(frozen=True)
class SequencePath:
    """The path of a sequence from the loop that yields it to the loop that reads its elements.

    crossings  the loops whose boundaries it passes, and how
    values     its name before each crossing, and at last the element
    """

    crossings: tuple[tuple[Crossing, BlockNode], ...]
    values: tuple[Value, ...]


def pack_residuals_per_iteration(fn: Fn) -> Fn:
    """`fn`, if it has two parts, with one tape for all that an iteration of a loop passes to the backward part."""
    return _PackResiduals(fn).run() if boundary_index(fn) is not None else fn


class _PackResiduals:
    """
    users          for an operand: the nodes and blocks that read it, and at which position
    packed         the sequences that are part of a record already
    forward_nodes  the nodes of the forward part
    """

    def __init__(self, fn: Fn) -> None:
        self.fn, self.top = fn, to_mutable(fn)
        self.users: dict[Operand, list[tuple[BlockNode | Block, int]]] = defaultdict(list)
        for block in blocks(self.top):
            for node in block.nodes:
                self._use(node, node.args)
            self._use(block, block.results)
        self.packed: set[Value] = set()
        self.forward_nodes = set(self.top.nodes[:boundary_index(fn)])

    def _use(self, user: BlockNode | Block, operands: list[Operand]) -> None:
        for k, x in enumerate(operands):
            self.users[x].append((user, k))

    def run(self) -> Fn:
        inside_out = reversed([node for block in blocks(self.top) for node in block.nodes if node.name == "loop"])
        groups = [(loop, paths) for loop in inside_out for paths in self.groups(loop)]
        for k, (loop, paths) in enumerate(groups):
            self.pack(loop, paths, Residuals(f"{self.fn.name}_iteration{k}"))
        return to_immutable(self.top).replace(donated_params=self.fn.donated_params) if groups else self.fn

    def groups(self, loop: BlockNode) -> Iterator[list[SequencePath]]:
        """The sequences of this loop that take the same path into the backward part, if they are two or more."""
        by_crossings: dict[object, list[SequencePath]] = defaultdict(list)
        for y in loop.outs[loop.carries + 1:]:
            path = self.path(y) if y not in self.packed else None
            if path is not None and self.in_forward_part(loop) and not self.in_forward_part(path.crossings[-1][1]):
                by_crossings[path.crossings].append(path)
        for paths in by_crossings.values():
            if len(paths) > 1:
                self.packed.update(v for path in paths for v in path.values[1:])
                yield paths

    def in_forward_part(self, node: BlockNode) -> bool:
        *_, outermost = [node, *(b.owner for b in ancestors(node.home) if b.owner is not None)]
        return outermost in self.forward_nodes

    def path(self, s: Value) -> SequencePath | None:
        """The path of the sequence `s`, if every sequence on it has a single reader."""
        crossings: list[tuple[Crossing, BlockNode]] = []
        values, depth = [s], 0
        while len(self.users[s]) == 1:
            user, k = self.users[s][0]
            if isinstance(user, Block):
                node, at = user.owner, k - 1
                if node is None or node.name != "loop" or user is not node.body or at < node.carries:
                    return None
                s, depth = node.outs[at + 1], depth + 1
                crossings.append((Crossing.YIELDED, node))
            else:
                at = k - 3 * user.counted - user.carries if user.name == "loop" else -1
                if at < 0:
                    return None
                s, depth = user.elems[at], depth - 1
                crossings.append((Crossing.READ, user))
            values.append(s)
            if depth < 0:
                return SequencePath(tuple(crossings), tuple(values))
        return None

    def pack(self, loop: BlockNode, paths: list[SequencePath], record: Residuals) -> None:
        """Replace the sequences of `paths`, which `loop` yields, by one sequence of records."""
        bound: list[Operand] = [*loop.body.params, *(out for node in loop.body.nodes for out in node.outs)]
        yields = loop.body.results[1 + loop.carries:]
        field = {path: yields[loop.outs[loop.carries + 1:].index(path.values[0])] for path in paths}
        paths.sort(key=lambda path: bound.index(field[path]) if field[path] in bound else -1)
        packed = Value(record)
        self.insert(loop.body, len(loop.body.nodes), Eqn(
            pack, tuple(field[path] for path in paths), (packed,), {"of": record.of}, primal=False))
        firsts = {path.values[0] for path in paths}
        self.replace_results(loop, [k for k, y in enumerate(loop.outs) if y in firsts], packed)
        s = loop.outs[-1]
        for n, (crossing, node) in enumerate(paths[0].crossings):
            before, after = {path.values[n] for path in paths}, {path.values[n + 1] for path in paths}
            if crossing is Crossing.YIELDED:
                self.replace_results(node, [k for k, y in enumerate(node.outs) if y in after], s)
                s = node.outs[-1]
            else:
                node.args[:] = [*(x for x in node.args if x not in before), s]
                s = Value(_element(s.type))
                node.body.params[:] = [*(p for p in node.body.params if p not in after), s]
        elems = tuple(path.values[-1] for path in paths)
        self.insert(node.body, 0, Eqn(unpack, (s,), elems, {"types": tuple(e.type for e in elems)}, primal=False))

    def replace_results(self, loop: BlockNode, outs: list[int], result: Value) -> None:
        """Yield `result` in place of the results that become the outs at these positions."""
        loop.body.results[:] = [*(x for k, x in enumerate(loop.body.results) if k not in outs), result]
        loop.outs[:] = [*(y for k, y in enumerate(loop.outs) if k not in outs), Value(Seq(result.type))]

    def insert(self, block: Block, at: int, eqn: Eqn) -> None:
        block.nodes.insert(at, BlockNode(eqn, block, list(eqn.args), list(eqn.outs), eqn.attrs))


def _element(t: Type) -> Type:
    assert isinstance(t, Seq)
    return t.elem
