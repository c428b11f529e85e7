"""Replaces an addition to an element by an assignment where only one iteration of the loop contributes to it:

    dx = zeros; for i in range(n): dx[i] += g   ->   dx = zeros; for i in range(n): dx[i] = g

Nothing else in the loop may read or write `dx`, and no index may be negative, so that no element is named twice.
"""

from __future__ import annotations

from collections import Counter

from sct.ir.core import Fn, Lit, Operand, Value
from sct.ops.arrays.indexing import add_at, split, store
from sct.passes.rewriting.mutable_ir import Block, BlockNode, blocks, to_immutable, to_mutable

__all__ = ["scatter_to_store"]


def scatter_to_store(fn: Fn) -> Fn:
    """`fn` with such additions replaced by assignments."""
    return _ScatterToStore(fn).run()


class _ScatterToStore:
    def __init__(self, fn: Fn) -> None:
        self.top = to_mutable(fn)
        self.fn = fn
        self.uses: Counter[Operand] = Counter()
        self.maker: dict[Operand, BlockNode] = {}
        for block in blocks(self.top):
            self.uses.update(block.results)
            for node in block.nodes:
                self.uses.update(node.args)
                self.maker.update((out, node) for out in node.outs)

    def run(self) -> Fn:
        loops = [node for block in blocks(self.top) for node in block.nodes if node.name == "loop"]
        additions = [add for loop in filter(_is_injective, loops) for add in self.additions(loop)]
        for add in additions:
            add.eqn = add.eqn.replace(op=store)
        return to_immutable(self.top) if additions else self.fn

    def additions(self, loop: BlockNode) -> list[BlockNode]:
        """The additions in this loop that may be assignments."""
        additions: list[BlockNode] = []
        for init, param, result in zip(loop.inits, loop.params, loop.body.results[1:]):
            initial = self.maker.get(init)
            paths = self.paths(param, result, loop.body) if initial is not None and _is_zeros(initial) else None
            if paths is not None and len(paths) == self.uses[param]:
                adds = [add for add in paths if add is not None]
                additions += adds if all(_is_indexed_by(add, loop.index) for add in adds) else []
        return additions

    def paths(self, param: Value, result: Operand, block: Block) -> list[BlockNode | None] | None:
        """The addition on each path from `param` to `result`, with None for a path without one; None if a path has
        another equation."""
        if result is param:
            return [None]
        node = self.maker.get(result)
        if node is None or node.home is not block or self.uses[result] > 1:
            return None
        if node.name == "cond":
            k = node.outs.index(result)  # type: ignore[arg-type]
            then, orelse = (self.paths(param, branch.results[k], branch) for branch in node.blocks)
            return then + orelse if then is not None and orelse is not None else None
        return [node] if node.eqn.op is add_at and node.args[0] is param else None


def _is_zeros(node: BlockNode) -> bool:
    return node.eqn.op.fill == 0.0 or node.name == "repeat" and node.args[0] == Lit(0.0)


def _is_injective(loop: BlockNode) -> bool:
    """Does the index of the loop take no value twice, and no negative value?"""
    if not loop.counted:
        return False
    start, stop, step = (x.value if isinstance(x, Lit) else None for x in loop.bounds)
    if not isinstance(step, int) or not step:
        return False
    return isinstance(start, int) and start >= 0 if step > 0 else isinstance(stop, int) and stop >= -1


def _is_indexed_by(add: BlockNode, index: Value | None) -> bool:
    """Is the index of the loop one of the subscripts, and does the key name no element twice?"""
    key = add.attrs["key"]
    return set(key).isdisjoint("am") and any(item is index for item in split(key, add.args[2:]))
