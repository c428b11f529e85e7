"""Loop-invariant code motion:  for ...: t = f(a); use(t)  ->  t = f(a); for ...: use(t)

Adjoint arithmetic moves if it cannot raise, since the loop may run no iteration.  The user's own moves if it makes
arrays, the first iteration is certain, and nothing is printed, drawn or raised before it there.
"""

from __future__ import annotations

from collections.abc import Callable

from sct.ir.core import Fn, Lit, Operand, is_effect
from sct.ir.types import Tensor
from sct.ops.registry import aliases
from sct.passes.rewriting.mutable_ir import Block, Node, blocks, freeze, thaw
from sct.passes.scalar.purity import cannot_raise, is_pure

__all__ = ["hoist", "hoist_primal"]


def hoist(fn: Fn) -> Fn:
    """`fn` with invariant adjoint equations moved out of loops, inner loops first."""
    return _hoisted(fn, _invariant)


def hoist_primal(fn: Fn) -> Fn:
    """`fn` with invariant equations of the user that make arrays moved out of loops that run at least once."""
    return _hoisted(fn, _invariant_primal)


def _hoisted(fn: Fn, invariant: Callable[[Node], list[Node]]) -> Fn:
    top = thaw(fn)
    moved = sum(_hoist(block, invariant) for block in reversed(list(blocks(top))))
    return freeze(top) if moved else fn


def _hoist(block: Block, invariant: Callable[[Node], list[Node]]) -> int:
    """Move what can be out of the loops in this block; how many."""
    nodes: list[Node] = []
    for loop in block.nodes:
        if loop.name == "loop":
            nodes += invariant(loop)
        nodes.append(loop)
    moved = len(nodes) - len(block.nodes)
    block.nodes = nodes
    return moved


def _invariant(loop: Node) -> list[Node]:
    """The nodes taken out of the body of the loop, now in the block around it."""
    bound: set[Operand] = set(loop.body.params)
    taken = []
    for node in loop.body.nodes:
        if _may_move(node) and bound.isdisjoint(node.args):
            taken.append(node)
        else:
            bound.update(node.outs)
    return _taken(loop, taken)


def _invariant_primal(loop: Node) -> list[Node]:
    """Likewise, of what the first iteration certainly runs."""
    bound: set[Operand] = set(loop.body.params)
    same: dict[Operand, Node] = {}
    taken: dict[Node, None] = {}
    quiet = _runs(loop)
    for node in loop.body.nodes if quiet else ():
        if bound.isdisjoint(node.args) and is_pure(node) and (quiet or cannot_raise(node)):
            same.update((out, node) for out in node.outs)
            if _is_work(node):
                taken.update(dict.fromkeys(_needed(node, same)))
            continue
        if _has_effect(node):
            break
        quiet = quiet and not node.blocks and cannot_raise(node)
        bound.update(node.outs)
    return _taken(loop, [node for node in loop.body.nodes if node in taken])


def _taken(loop: Node, nodes: list[Node]) -> list[Node]:
    for node in nodes:
        node.home = loop.home
    if nodes:
        gone = set(nodes)
        loop.body.nodes = [node for node in loop.body.nodes if node not in gone]
    return nodes


def _needed(node: Node, same: dict[Operand, Node]) -> list[Node]:
    """The node, and what it is computed from in the body."""
    found, todo = [], [node]
    while todo:
        found.append(todo.pop())
        todo += [same[a] for a in found[-1].args if a in same]
    return found


def _may_move(node: Node) -> bool:
    return not node.eqn.primal and is_pure(node) and cannot_raise(node) and node.eqn.op.cost != "free"


def _is_work(node: Node) -> bool:
    """Is this an array that is computed?"""
    return (node.eqn.primal and node.eqn.op.cost != "free" and aliases(node.eqn) == "none"
            and any(isinstance(out.type, Tensor) and out.type.is_array for out in node.outs))


def _has_effect(node: Node) -> bool:
    return is_effect(node.eqn) or any(_has_effect(n) for block in node.blocks for n in block.nodes)


def _runs(loop: Node) -> bool:
    """Is it certain that the loop runs at least once?"""
    if not loop.counted or not loop.bounds:
        return False
    start, stop, step = loop.bounds
    if not isinstance(step, Lit) or step.value == 0 or start.dim is None or stop.dim is None:
        return False
    return (stop.dim - start.dim if step.value > 0 else start.dim - stop.dim).least >= 1
