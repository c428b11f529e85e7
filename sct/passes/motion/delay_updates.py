"""An array is updated after its parts have been used:

    t = d[k]; d[k] = 0; e += f(t)     ->     t = d[k]; e += f(t); d[k] = 0

Only for code made by differentiation.  A part that is a view then needs no copy, and one
that is a number and used once is written where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sct.ir.core import Eqn, Fn, Operand, free_values
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import add_at, index, store

__all__ = ["late"]

REACH = 30
"""How many equations an update moves at most, so that the pass takes linear time."""


def late(fn: Fn) -> Fn:
    """`fn` with updates where they disturb no reader."""
    eqns = [e.replace(regions=tuple(map(late, e.regions))) if e.regions else e for e in fn.eqns]
    uses = Counter(x for e in eqns for x in _reads(e))
    for k in reversed(range(len(eqns))):
        u = eqns[k]
        if u.op in (store, add_at) and not u.primal:
            at = _place(eqns, k, uses)
            eqns[k:at + 1] = [*eqns[k + 1:at + 1], u]
    return fn.replace(eqns=tuple(eqns))


def _place(eqns: list[Eqn], k: int, uses: Counter[Operand]) -> int:
    """Where the update at `k` is to stand: behind the last user of a part of what it updates."""
    u, at = eqns[k], k
    parts = {e.out for e in eqns[max(0, k - REACH):k] if e.op is index and e.args[0] is u.args[0] and _matters(e, uses)}
    for j in range(k + 1, min(len(eqns), k + REACH) if parts else k):
        read = set(_reads(eqns[j]))
        if u.out in read:
            break
        at = at if parts.isdisjoint(read) else j
    return at


def _matters(part: Eqn, uses: Counter[Operand]) -> bool:
    t = part.out.type
    return isinstance(t, Tensor) and t.is_array or uses[part.out] == 1


def _reads(e: Eqn) -> Iterator[Operand]:
    yield from e.args
    for region in e.regions:
        yield from free_values(region)
