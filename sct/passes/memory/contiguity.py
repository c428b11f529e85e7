"""Contiguity: which arrays of one axis surely have no gaps, as the result of an operation has none.

    x = np.zeros(n); for ...: x = x + d      x has none        x = A[:, 0]      x may have some

In:  the decisions of `storage` so far. The user's own arithmetic may take over the memory of such an array alone: BLAS
may round differently where there are gaps.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Operand, Value
from sct.ir.loop_view import loop_view
from sct.passes.analysis.alias import MemoryUses, is_alias
from sct.passes.memory.decisions import Decisions

__all__ = ["is_contiguous"]


def is_contiguous(x: Value, memory: MemoryUses, plan: Decisions) -> bool:
    """Was the memory of `x`, of one axis, allocated for it, wherever it comes from?"""
    todo: list[Operand] = [x]
    seen: set[Operand] = set()
    while todo:
        v = todo.pop()
        if not isinstance(v, Value) or v in seen:
            continue
        seen.add(v)
        sources = _sources(v, memory, plan)
        if sources is None:
            return False
        todo += sources
    return True


def _sources(v: Value, memory: MemoryUses, plan: Decisions) -> list[Operand] | None:
    """The values whose memory `v` has; None if it may have that of a view, or of the caller."""
    d = memory.bindings[v]
    eqn = d.eqn
    if eqn is None or is_alias(eqn):
        return None
    if eqn.op.name == "cond" and d.region is None:
        return [branch.results[d.index] for branch in eqn.regions if (branch, d.index) not in plan.copies]
    if eqn.op.name == "loop":
        loop = loop_view(eqn)
        carried = (*loop.params, *loop.finals)
        if v not in carried:
            return None
        k = carried.index(v) % len(loop.params)
        is_copied = (eqn, len(loop.bounds) + k) in plan.copies
        return [loop.results[k]] if is_copied else [loop.inits[k], loop.results[k]]
    if eqn.regions:
        return None
    if eqn.op.updates or plan.inplace.get(eqn) is not None:
        return _updated_operand(eqn, plan)
    return []


def _updated_operand(eqn: Eqn, plan: Decisions) -> list[Operand]:
    k = 1 if eqn in plan.swapped else 0
    return [] if (eqn, k) in plan.copies else [eqn.args[k]]
