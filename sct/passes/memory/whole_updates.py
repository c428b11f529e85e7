"""Whole updates: an array whose elements are all overwritten, and which is read again, is another array.

    w1 = store(w, div(w, s), at[...]); ... w ...   ->   w1 = div(w, s); ... w ...

In:  IR in which storage would copy `w`, and overwrite the copy. Out: IR without these updates where the new value
certainly has the memory layout of the array: it is computed from that array, element by element.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Operand, Value, walk, with_own_values
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ir.uses import DefUse, replace_values
from sct.ops.arrays.indexing import store
from sct.ops.registry import ELEMENTWISE
from sct.passes.analysis.alias import MemoryUses
from sct.passes.rewriting.table import is_full

__all__ = ["replace_whole_updates"]


def replace_whole_updates(fn: Fn) -> Fn:
    """`fn`, in which no whole update of an array that is read again is left."""
    updates = [eqn for eqn in walk(fn) if eqn.op is store and is_full(eqn.attrs["key"])]
    if not updates:
        return fn
    uses, memory = DefUse(fn), MemoryUses(fn)
    replaced: dict[Value, Operand] = {}
    hints: dict[Value, str | None] = {}
    for update in updates:
        x, value = update.args[:2]
        eqn = uses.defining_eqn(value) if isinstance(value, Value) else None
        if eqn is not None and _keeps_layout(eqn, x) and _is_read_again(memory, update):
            replaced[update.out] = eqn.out
            hints[eqn.out] = eqn.out.hint or update.out.hint
    return with_own_values(replace_values(fn, replaced), hints) if replaced else fn


def _keeps_layout(eqn: Eqn, x: Operand) -> bool:
    """Does the result of `eqn` have the type of `x`, and surely its memory layout?

    NumPy orders the axes of an elementwise result as those of the operands. An operand with at most one axis that is
    not 1 does not order any two axes.
    """
    others = [a.type for a in eqn.args if a is not x and isinstance(a.type, Tensor)]
    return eqn.op in ELEMENTWISE and x in eqn.args and eqn.out.type == x.type \
        and all(sum(d != Dim(1) for d in t.shape) <= 1 for t in others)


def _is_read_again(memory: MemoryUses, update: Eqn) -> bool:
    access = memory.access(update, 0)
    return access is not None and any(access.point.before(read.point) for read in memory.reads[access.value])
