"""Sinks an equation into the only branch that reads it:  t = f(x); if c: use(t)  ->  if c: t = f(x); use(t)

In adjoint code only, since primal code may raise where it stands. An equation that reads a variable which is assigned
again before the conditional stays, so that the variable keeps its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import inf

from sct.ir.core import Fn, Value, is_effect
from sct.passes.rewriting.mutable_ir import Block, BlockNode, blocks, is_branch, to_immutable, to_mutable

__all__ = ["sink"]


def sink(fn: Fn) -> Fn:
    """`fn` with adjoint equations sunk into the branches that read them."""
    top = to_mutable(fn)
    uses: dict[Value, Counter[Block]] = {}
    for block in blocks(top):
        for value in _reads(block):
            uses.setdefault(value, Counter())[block] += 1
    moved = sum(_sink(block, uses) for block in blocks(top))
    return to_immutable(top) if moved else fn


def _reads(block: Block) -> Iterator[Value]:
    for node in block.nodes:
        yield from (a for a in node.args if isinstance(a, Value))
    yield from (r for r in block.results if isinstance(r, Value))


def _sink(block: Block, uses: dict[Value, Counter[Block]]) -> int:
    """Sink nodes of this block, the last first; how many."""
    kept: list[BlockNode] = []
    place = {node: k for k, node in enumerate(block.nodes)}
    assigned: dict[str | None, int] = {}
    for node in reversed(block.nodes):
        branch = _only_branch(node, uses) if _may_move(node) else None
        if branch is None or _first_assigned(node, assigned) < place[_conditional(branch)]:
            kept.append(node)
            assigned.update((out.hint, place[node]) for out in node.outs)
            continue
        branch.nodes.insert(0, node)
        node.home = branch
        for a in node.args:
            if isinstance(a, Value):
                uses[a][block] -= 1
                uses[a][branch] += 1
    moved = len(block.nodes) - len(kept)
    block.nodes = kept[::-1]
    return moved


def _first_assigned(node: BlockNode, assigned: Mapping[str | None, int]) -> float:
    """The first position at which a variable that the node reads is assigned again."""
    names = (a.hint for a in node.args if isinstance(a, Value) and a.hint is not None)
    return min((assigned.get(name, inf) for name in names), default=inf)


def _conditional(branch: Block) -> BlockNode:
    assert branch.owner is not None
    return branch.owner


def _may_move(node: BlockNode) -> bool:
    return not (node.eqn.primal or node.blocks or is_effect(node.eqn)) and len(node.outs) == 1


def _only_branch(node: BlockNode, uses: dict[Value, Counter[Block]]) -> Block | None:
    """The branch of a conditional in the block of the node that contains all uses of its out."""
    branches = {_branch_in(node.home, block) for block, n in uses.get(node.outs[0], Counter()).items() if n}
    return branches.pop() if len(branches) == 1 else None


def _branch_in(home: Block, block: Block) -> Block | None:
    """The branch of a conditional in `home` that contains `block`, if no loop or closure stands between."""
    branch = None
    while block is not home:
        if not is_branch(block) or block.owner is None:
            return None
        branch, block = block, block.owner.home
    return branch
