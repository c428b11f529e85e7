"""Common subexpression elimination across a forward region and the backward region that mirrors it.

    forward: p = inv(S); y = p @ e      backward: q = inv(S); dS = f(q)   ->   dS = f(p)

In:  paired regions. Out: the same, where the backward pass reads `p`, a value of the forward region, out of scope.
`choose_residuals` then decides whether `p` is kept or computed again.
"""

from __future__ import annotations

from collections.abc import Hashable

from sct.ir.core import Operand, Value, is_effect
from sct.passes.rematerialization.mutable_ir import Block, BlockNode, ancestors, blocks
from sct.passes.rematerialization.paired_regions import PairedRegions
from sct.passes.scalar.cse import hashable

__all__ = ["reuse_forward_values"]


def reuse_forward_values(regions: PairedRegions) -> None:
    """Let the backward pass read the values of equal equations in the regions that it mirrors."""
    _ForwardReuse(regions).run()


class _ForwardReuse:
    """
    forward_nodes  by key: the node in each mirrored block
    replacement    for an out of a removed node: the operand that is read in its place
    forward_index  for the index of a backward loop: that of the forward loop with the same positions
    """

    def __init__(self, regions: PairedRegions) -> None:
        self.regions = regions
        self.forward_nodes: dict[Hashable, dict[Block, BlockNode]] = {}
        self.replacement: dict[Operand, Operand] = {}
        self.forward_index: dict[Operand, Operand] = {}
        for block, mirrored in regions.mirrors.items():
            for forward in mirrored:
                self.pair_indices(block.owner, forward.owner)
        for forward in {f: None for mirrored in regions.mirrors.values() for f in mirrored}:
            for node in filter(_is_pure, forward.nodes):
                self.forward_nodes.setdefault(self.key(node), {}).setdefault(forward, node)

    def pair_indices(self, backward: BlockNode | None, forward: BlockNode | None) -> None:
        counted = [n for n in (backward, forward) if n is not None and n.name == "loop" and n.counted]
        if len(counted) == 2 and counted[0].bounds[::2] == counted[1].bounds[::2]:
            self.forward_index[counted[0].body.params[0]] = counted[1].body.params[0]

    def run(self) -> None:
        for block in blocks(self.regions.top):
            mirrored = {f for b in ancestors(block) for f in self.regions.mirrors.get(b, ())}
            nodes = []
            for node in block.nodes:
                node.args = [self.replacement.get(x, x) for x in node.args]
                equal = self.equal_node(node, mirrored)
                if equal is None:
                    nodes.append(node)
                else:
                    self.replacement.update(
                        (out, self.replacement.get(x, x)) for out, x in zip(node.outs, equal.outs))
            block.nodes = nodes
            block.results = [self.replacement.get(x, x) for x in block.results]

    def equal_node(self, node: BlockNode, mirrored: set[Block]) -> BlockNode | None:
        """The node of a mirrored block that computes the same as `node`."""
        if not mirrored or node.eqn.primal or not _is_pure(node):
            return None
        equal = self.forward_nodes.get(self.key(node), {})
        return next((other for home, other in equal.items() if home in mirrored and other is not node), None)

    def key(self, node: BlockNode) -> Hashable:
        args = [self.forward_index.get(x, x) for x in node.args]
        named = [x.id if isinstance(x, Value) else x for x in args]
        named = sorted(named, key=hash) if node.eqn.op.commutative else named
        return node.eqn.op, hashable(node.attrs), tuple(named), tuple(out.type for out in node.outs)


def _is_pure(node: BlockNode) -> bool:
    return bool(node.outs) and not (
        node.blocks or is_effect(node.eqn) or node.eqn.op.allocates or node.eqn.op.cost == "free")
