"""Written views: a write through a view is a write into the buffer of its base, and nothing is put back.

    v = y[1:]; v1 = store(v, x, 0); y1 = store(y, v1, 1:)   ->   v = y[1:]; v[0] = x; y1 = written(y, v1, 1:)

In:  a function, not changed. Out: the chains of such updates; `storage` claims their buffers as those of the base, and
replaces the last store where every update of the chain is in place. A view of a view is a chain inside of a chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sct.ir.core import Eqn, Fn, Operand, Value
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import index, store
from sct.passes.analysis.alias import is_alias

__all__ = ["WrittenView", "overwritten", "written_views"]


@dataclass(frozen=True)
class WrittenView:
    """The read of a view, the updates from it to the value that is put back, in order, and the store that does so.

    The view may have been put back before, from the values between: the base of the store is then that of the last one.

    earlier_stores  the stores that did so
    """

    read: Eqn
    updates: tuple[Eqn, ...]
    put: Eqn
    earlier_stores: frozenset[Eqn]


def written_views(fn: Fn) -> Iterator[WrittenView]:
    """The written views of a function and its regions, those inside of others first."""
    yield from _of_region(fn, {})


def _of_region(fn: Fn, bound: dict[Operand, Eqn]) -> Iterator[WrittenView]:
    """`bound`: the equations of the region, and of those around it in the same iteration."""
    for eqn in fn.eqns:
        for region in eqn.regions:
            yield from _of_region(region, dict(bound) if eqn.op.name == "cond" else {})
        if eqn.op is store and isinstance(eqn.out.type, Tensor):
            yield from _chain(eqn, bound)
        bound.update(dict.fromkeys(eqn.outs, eqn))


def overwritten(eqn: Eqn) -> int | None:
    """The position of the operand that the equation may overwrite."""
    if eqn.op.updates:
        return 0
    if eqn.op.augmented is None or eqn.primal:
        return None
    return next((k for k in range(1 + eqn.op.commutative) if eqn.args[k].type == eqn.out.type), None)


def _chain(put: Eqn, bound: dict[Operand, Eqn]) -> Iterator[WrittenView]:
    updates: list[Eqn] = []
    x = put.args[1]
    while isinstance(x, Value) and (eqn := bound.get(x)) is not None and (k := overwritten(eqn)) is not None:
        updates.append(eqn)
        x = eqn.args[k]
    updates.reverse()
    read = bound.get(x) if updates and updates[0].op.updates else None
    if read is None or read.op is not index or not is_alias(read) or not _is_same_part(read.args[1:], read, put):
        return
    base: Operand = put.args[0]
    earlier: set[Eqn] = set()
    outs = {update.out for update in updates}
    while base is not read.args[0]:
        before = bound.get(base)
        if before is None or before.op is not store or not _is_same_part(before.args[2:], before, put) \
                or before.args[1] not in outs:
            return
        earlier.add(before)
        base = before.args[0]
    yield WrittenView(read, tuple(updates), put, frozenset(earlier))


def _is_same_part(operands: tuple[Operand, ...], eqn: Eqn, put: Eqn) -> bool:
    """Does an equation read or write the part that `put` writes?"""
    return eqn.attrs["key"] == put.attrs["key"] and operands == put.args[2:]
