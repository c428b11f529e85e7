"""What the forward pass has computed in a trip is not an equation of the backward pass:

    forward: p = inv(S); y = p @ e      backward: q = inv(S); dS = f(q)   ->   dS = f(p)

Whether `p` is then kept or computed again is for `save` to choose.
"""

from __future__ import annotations

from collections.abc import Hashable

from sct.ir.core import Operand, Value, is_effect
from sct.passes.rematerialization.paired_regions import Program
from sct.passes.rewriting.mutable_ir import Block, Node, ancestors, blocks
from sct.passes.scalar.cse import ALLOCATIONS, COMMUTATIVE, frozen

__all__ = ["recall"]


def recall(program: Program) -> None:
    """Let the backward pass read the values of equal equations of the blocks that it mirrors."""
    _Recall(program).run()


class _Recall:
    """
    known  by key: equal equations of blocks that are mirrored, by these
    same   what is read instead of a value
    index  the index of a forward loop, by that of a backward one at the same positions
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Hashable, dict[Block, Node]] = {}
        self.same: dict[Operand, Operand] = {}
        self.index: dict[Operand, Operand] = {}
        for block, mirrored in program.mirrors.items():
            for forward in mirrored:
                self.enter_index(block.owner, forward.owner)
        for forward in {f: None for mirrored in program.mirrors.values() for f in mirrored}:
            for node in filter(_is_pure, forward.nodes):
                self.known.setdefault(self.key(node), {}).setdefault(forward, node)

    def enter_index(self, mine: Node | None, its: Node | None) -> None:
        counted = [n for n in (mine, its) if n is not None and n.name == "loop" and n.counted]
        if len(counted) == 2 and counted[0].bounds[::2] == counted[1].bounds[::2]:
            self.index[counted[0].body.params[0]] = counted[1].body.params[0]

    def run(self) -> None:
        for block in blocks(self.program.top):
            mirrored = {f for b in ancestors(block) for f in self.program.mirrors.get(b, ())}
            kept = []
            for node in block.nodes:
                node.args = [self.same.get(x, x) for x in node.args]
                found = self.found(node, mirrored)
                if found is None:
                    kept.append(node)
                else:
                    self.same.update((out, self.same.get(x, x)) for out, x in zip(node.outs, found.outs))
            block.nodes = kept
            block.results = [self.same.get(x, x) for x in block.results]

    def found(self, node: Node, mirrored: set[Block]) -> Node | None:
        """The equal equation of a block that is mirrored."""
        if not mirrored or node.eqn.primal or not _is_pure(node):
            return None
        equal = self.known.get(self.key(node), {})
        return next((made for home, made in equal.items() if home in mirrored and made is not node), None)

    def key(self, node: Node) -> Hashable:
        args = [self.index.get(x, x) for x in node.args]
        named = [x.id if isinstance(x, Value) else x for x in args]
        named = sorted(named, key=hash) if node.name in COMMUTATIVE else named
        return node.eqn.op, frozen(node.attrs), tuple(named), tuple(out.type for out in node.outs)


def _is_pure(node: Node) -> bool:
    return bool(node.outs) and not (
        node.blocks or is_effect(node.eqn) or node.name in ALLOCATIONS or node.eqn.op.cost == "free")
