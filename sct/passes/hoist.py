"""What is the same in every trip is computed once:  for ...: t = f(a); use(t)  ->  t = f(a); for ...: use(t)

Only for arithmetic made by differentiation that cannot raise: the loop may run no trip.
"""

from __future__ import annotations

from sct.ir.core import Fn, Operand, is_effect
from sct.ir.types import Tensor
from sct.ops.registry import ELEMENTWISE
from sct.passes.blocks import Block, Node, blocks, freeze, thaw
from sct.passes.cse import ALLOCATIONS

__all__ = ["hoist"]


def hoist(fn: Fn) -> Fn:
    """`fn` with invariant adjoint equations moved out of loops, inner loops first."""
    top = thaw(fn)
    moved = sum(_hoist(block) for block in reversed(list(blocks(top))))
    return freeze(top) if moved else fn


def _hoist(block: Block) -> int:
    """Move what can be out of the loops in this block; how many."""
    nodes: list[Node] = []
    for loop in block.nodes:
        if loop.name == "loop":
            nodes += _invariant(loop)
        nodes.append(loop)
    moved = len(nodes) - len(block.nodes)
    block.nodes = nodes
    return moved


def _invariant(loop: Node) -> list[Node]:
    """The nodes taken out of the body of the loop, now in the block around it."""
    bound: set[Operand] = set(loop.body.params)
    taken, kept = [], []
    for node in loop.body.nodes:
        if _may_move(node) and bound.isdisjoint(node.args):
            node.home = loop.home
            taken.append(node)
        else:
            kept.append(node)
            bound.update(node.outs)
    loop.body.nodes = kept
    return taken


def _may_move(node: Node) -> bool:
    op = node.eqn.op
    return (not node.eqn.primal and not node.blocks and not is_effect(node.eqn) and _cannot_raise(node)
            and op.cost != "free" and len(node.outs) == 1 and op.name not in ALLOCATIONS)


def _cannot_raise(node: Node) -> bool:
    """Functions of Python numbers raise by value (`math.exp`), those of arrays do not."""
    op, t = node.eqn.op, node.outs[0].type
    return op.raises == "never" or op in ELEMENTWISE and isinstance(t, Tensor) and t.is_array
