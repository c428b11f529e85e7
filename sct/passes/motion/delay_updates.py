"""Moves updates of an array behind the readers of its parts:

    t = d[k]; d[k] = 0; e += f(t)     ->     t = d[k]; e += f(t); d[k] = 0

Reads of elements that an update leaves as they are stand behind it, as rules have left them; they move before it:

    e = update(d, 1); t = d[0]        ->     t = d[0]; e = update(d, 1)

In adjoint code only. A part that is a view then needs no copy, and a number that is read once can be printed where it
is read. The array needs no copy for elements that are read of it after an update.
"""

from __future__ import annotations

from collections import Counter

from sct.ir.core import Eqn, Fn, Operand
from sct.ir.types import Tensor
from sct.ir.uses import outer_reads
from sct.ops.arrays.indexing import add_at, index, store
from sct.passes.rewriting.table import is_element

__all__ = ["delay_updates"]

REACH = 30
"""How many equations an update moves at most, so that the pass takes linear time."""


def delay_updates(fn: Fn) -> Fn:
    """`fn` with updates behind the readers of parts of the array."""
    eqns = [e.replace(regions=tuple(map(delay_updates, e.regions))) if e.regions else e for e in fn.eqns]
    eqns = _reads_first(eqns)
    uses = Counter(x for e in eqns for x in outer_reads(e))
    for k in reversed(range(len(eqns))):
        u = eqns[k]
        if u.op in (store, add_at) and not u.primal:
            at = _place(eqns, k, uses)
            eqns[k:at + 1] = [*eqns[k + 1:at + 1], u]
    return fn.replace(eqns=tuple(eqns))


def _reads_first(eqns: list[Eqn]) -> list[Eqn]:
    """The equations, with reads of elements before the updates of the array that they read."""
    out: list[Eqn] = []
    for eqn in eqns:
        at = len(out)
        if eqn.op is index and not eqn.primal and is_element(eqn.attrs["key"]):
            for k in range(len(out) - 1, max(-1, len(out) - 1 - REACH), -1):
                if not set(out[k].outs).isdisjoint(eqn.args):
                    break
                if out[k].op in (store, add_at) and out[k].args[0] is eqn.args[0]:
                    at = k
        out.insert(at, eqn)
    return out


def _place(eqns: list[Eqn], k: int, uses: Counter[Operand]) -> int:
    """The position to which the update at `k` moves: that of the last reader of a part of its array."""
    u, at = eqns[k], k
    parts = {e.out for e in eqns[max(0, k - REACH):k] if e.op is index and e.args[0] is u.args[0] and _profits(e, uses)}
    for j in range(k + 1, min(len(eqns), k + REACH) if parts else k):
        operands = set(outer_reads(eqns[j]))
        if u.out in operands:
            break
        at = at if parts.isdisjoint(operands) else j
    return at


def _profits(part: Eqn, uses: Counter[Operand]) -> bool:
    """Is the part of the array a view, or a number that is read once?"""
    t = part.out.type
    return isinstance(t, Tensor) and t.is_array or uses[part.out] == 1
