"""What one arm alone needs is computed there:  t = f(x); if c: use(t)  ->  if c: t = f(x); use(t)

Only for code made by differentiation; the user's own may raise where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sct.ir.core import Fn, Value, is_effect
from sct.passes.blocks import Block, Node, blocks, freeze, is_arm, thaw

__all__ = ["sink"]


def sink(fn: Fn) -> Fn:
    """`fn` with adjoint equations moved into the arms that use them."""
    top = thaw(fn)
    uses: dict[Value, Counter[Block]] = {}
    for block in blocks(top):
        for value in _reads(block):
            uses.setdefault(value, Counter())[block] += 1
    moved = sum(_sink(block, uses) for block in blocks(top))
    return freeze(top) if moved else fn


def _reads(block: Block) -> Iterator[Value]:
    for node in block.nodes:
        yield from (a for a in node.args if isinstance(a, Value))
    yield from (r for r in block.results if isinstance(r, Value))


def _sink(block: Block, uses: dict[Value, Counter[Block]]) -> int:
    """Move what can be out of this block, last first; how many."""
    kept = []
    for node in reversed(block.nodes):
        arm = _only_arm(node, uses) if _may_move(node) else None
        if arm is None:
            kept.append(node)
            continue
        arm.nodes.insert(0, node)
        node.home = arm
        for a in node.args:
            if isinstance(a, Value):
                uses[a][block] -= 1
                uses[a][arm] += 1
    moved = len(block.nodes) - len(kept)
    block.nodes = kept[::-1]
    return moved


def _may_move(node: Node) -> bool:
    return not (node.eqn.primal or node.blocks or is_effect(node.eqn)) and len(node.outs) == 1


def _only_arm(node: Node, uses: dict[Value, Counter[Block]]) -> Block | None:
    """The arm, in the block of the node, in which all uses of its out are."""
    arms = {_arm_in(node.home, block) for block, n in uses.get(node.outs[0], Counter()).items() if n}
    return arms.pop() if len(arms) == 1 else None


def _arm_in(home: Block, block: Block) -> Block | None:
    """The arm in `home` that `block` is in, if no loop or closure is around it there."""
    found = None
    while block is not home:
        if not is_arm(block) or block.owner is None:
            return None
        found, block = block, block.owner.home
    return found
