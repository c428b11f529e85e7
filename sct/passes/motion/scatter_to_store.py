"""Elements of a gradient to which only one iteration of a loop contributes are written, not added to:

    dx = zeros; for i in range(n): dx[i] += g   ->   dx = zeros; for i in range(n): dx[i] = g

where nothing else in the loop touches `dx`, and no index is negative, so that none comes twice.
"""

from __future__ import annotations

from collections import Counter

from sct.ir.core import Fn, Lit, Operand, Value
from sct.ops.arrays.indexing import add_at, split, store
from sct.passes.rewriting.mutable_ir import Block, Node, blocks, freeze, thaw

__all__ = ["once"]

ZEROS = ("zeros", "zeros_like", "zeros_of")


def once(fn: Fn) -> Fn:
    """`fn` with such additions made assignments."""
    return _Once(fn).run()


class _Once:
    def __init__(self, fn: Fn) -> None:
        self.top = thaw(fn)
        self.fn = fn
        self.uses: Counter[Operand] = Counter()
        self.maker: dict[Operand, Node] = {}
        for block in blocks(self.top):
            self.uses.update(block.results)
            for node in block.nodes:
                self.uses.update(node.args)
                self.maker.update((out, node) for out in node.outs)

    def run(self) -> Fn:
        loops = [node for block in blocks(self.top) for node in block.nodes if node.name == "loop"]
        found = [add for loop in filter(_is_injective, loops) for add in self.additions(loop)]
        for add in found:
            add.eqn = add.eqn.replace(op=store)
        return freeze(self.top) if found else self.fn

    def additions(self, loop: Node) -> list[Node]:
        """The additions of this loop that may be assignments."""
        found: list[Node] = []
        for init, param, result in zip(loop.inits, loop.params, loop.body.results[1:]):
            made = self.maker.get(init)
            paths = self.paths(param, result, loop.body) if made is not None and _is_zeros(made) else None
            if paths is not None and len(paths) == self.uses[param]:
                adds = [add for add in paths if add is not None]
                found += adds if all(_names(add, loop.index) for add in adds) else []
        return found

    def paths(self, param: Value, result: Operand, block: Block) -> list[Node | None] | None:
        """The addition on each path from `param` to `result`, None for a path without one; None if there
        is anything else on a path."""
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


def _is_zeros(made: Node) -> bool:
    return made.name in ZEROS or made.name == "repeat" and made.args[0] == Lit(0.0)


def _is_injective(loop: Node) -> bool:
    """Does the index take no value twice, and none that counts from the end?"""
    if not loop.counted:
        return False
    start, stop, step = (x.value if isinstance(x, Lit) else None for x in loop.bounds)
    if not isinstance(step, int) or not step:
        return False
    return isinstance(start, int) and start >= 0 if step > 0 else isinstance(stop, int) and stop >= -1


def _names(add: Node, index: Value | None) -> bool:
    """Is the index of the loop a subscript of its own, and no element named twice?"""
    key = add.attrs["key"]
    return set(key).isdisjoint("am") and any(item is index for item in split(key, add.args[2:]))
