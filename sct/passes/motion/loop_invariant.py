"""Loop-invariant code motion:  for ...: t = f(a); use(t)  ->  t = f(a); for ...: use(t)

Adjoint arithmetic is hoisted if it cannot raise, since the loop may run no iteration. Primal arithmetic is hoisted if
it computes arrays, if the loop is certain to run, and if no effect or exception precedes it in the first iteration.
"""

from __future__ import annotations

from collections.abc import Callable

from sct.ir.core import Fn, Lit, Operand, is_effect
from sct.ir.types import Tensor
from sct.ops.registry import aliases
from sct.passes.rewriting.mutable_ir import Block, BlockNode, blocks, to_immutable, to_mutable
from sct.passes.scalar.purity import cannot_raise, is_pure

__all__ = ["hoist", "hoist_primal"]


def hoist(fn: Fn) -> Fn:
    """`fn` with invariant adjoint equations hoisted out of loops, inner loops first."""
    return _hoist_from(fn, _invariant)


def hoist_primal(fn: Fn) -> Fn:
    """`fn` with invariant primal equations that compute arrays hoisted out of loops that run at least once."""
    return _hoist_from(fn, _invariant_primal)


def _hoist_from(fn: Fn, invariant: Callable[[BlockNode], list[BlockNode]]) -> Fn:
    top = to_mutable(fn)
    hoisted = sum(_hoist(block, invariant) for block in reversed(list(blocks(top))))
    return to_immutable(top) if hoisted else fn


def _hoist(block: Block, invariant: Callable[[BlockNode], list[BlockNode]]) -> int:
    """Hoist nodes out of the loops in this block; how many."""
    nodes: list[BlockNode] = []
    for loop in block.nodes:
        if loop.name == "loop":
            nodes += invariant(loop)
        nodes.append(loop)
    hoisted = len(nodes) - len(block.nodes)
    block.nodes = nodes
    return hoisted


def _invariant(loop: BlockNode) -> list[BlockNode]:
    """The adjoint nodes that can leave the body of the loop, detached from it."""
    bound: set[Operand] = set(loop.body.params)
    invariant = []
    for node in loop.body.nodes:
        if _may_move(node) and bound.isdisjoint(node.args):
            invariant.append(node)
        else:
            bound.update(node.outs)
    return _detach(loop, invariant)


def _invariant_primal(loop: BlockNode) -> list[BlockNode]:
    """The primal nodes that compute arrays and that the first iteration is certain to run, detached likewise."""
    bound: set[Operand] = set(loop.body.params)
    candidates: dict[Operand, BlockNode] = {}
    hoisted: dict[BlockNode, None] = {}
    is_certain = _runs_at_least_once(loop)
    for node in loop.body.nodes if is_certain else ():
        if bound.isdisjoint(node.args) and is_pure(node) and (is_certain or cannot_raise(node)):
            candidates.update((out, node) for out in node.outs)
            if _computes_array(node):
                hoisted.update(dict.fromkeys(_with_operands(node, candidates)))
            continue
        if _has_effect(node):
            break
        is_certain = is_certain and not node.blocks and cannot_raise(node)
        bound.update(node.outs)
    return _detach(loop, [node for node in loop.body.nodes if node in hoisted])


def _detach(loop: BlockNode, nodes: list[BlockNode]) -> list[BlockNode]:
    """Remove the nodes from the body of the loop; their home is now the block around it."""
    for node in nodes:
        node.home = loop.home
    if nodes:
        removed = set(nodes)
        loop.body.nodes = [node for node in loop.body.nodes if node not in removed]
    return nodes


def _with_operands(node: BlockNode, candidates: dict[Operand, BlockNode]) -> list[BlockNode]:
    """The node, and the candidates that it depends on."""
    nodes, todo = [], [node]
    while todo:
        nodes.append(todo.pop())
        todo += [candidates[a] for a in nodes[-1].args if a in candidates]
    return nodes


def _may_move(node: BlockNode) -> bool:
    return not node.eqn.primal and is_pure(node) and cannot_raise(node) and node.eqn.op.cost != "free"


def _computes_array(node: BlockNode) -> bool:
    """Does the node compute an array, rather than take a view of one?"""
    return (node.eqn.primal and node.eqn.op.cost != "free" and aliases(node.eqn) == "none"
            and any(isinstance(out.type, Tensor) and out.type.is_array for out in node.outs))


def _has_effect(node: BlockNode) -> bool:
    return is_effect(node.eqn) or any(_has_effect(n) for block in node.blocks for n in block.nodes)


def _runs_at_least_once(loop: BlockNode) -> bool:
    """Is it certain that the loop runs at least once?"""
    if not loop.counted or not loop.bounds:
        return False
    start, stop, step = loop.bounds
    if not isinstance(step, Lit) or step.value == 0 or start.dim is None or stop.dim is None:
        return False
    return (stop.dim - start.dim if step.value > 0 else start.dim - stop.dim).least >= 1
