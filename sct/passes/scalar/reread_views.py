"""Reread views: a view that is read again after a write through it is what was written.

    v1 = store(v, a, 0); y1 = store(y, v1, 1:); w = y1[1:]   ->   v1 = store(v, a, 0); y1 = store(y, v1, 1:); w = v1

Before differentiation, this is done where nothing else reads the array: its derivative would be the sum of two.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Operand, Value, walk, with_own_values
from sct.ir.types import Tensor
from sct.ir.uses import DefUse, replace_values
from sct.ops.arrays.indexing import index, store
from sct.ops.registry import aliases

__all__ = ["merge_reread_views"]


def merge_reread_views(fn: Fn, *, differentiated: bool) -> Fn:
    """`fn` without reads of views that have just been written; `differentiated`: nothing is differentiated any more."""
    puts = {eqn.out: eqn for eqn in walk(fn) if eqn.op is store and isinstance(eqn.out.type, Tensor)
            and isinstance(t := eqn.args[1].type, Tensor) and t.is_array}
    uses = DefUse(fn) if puts else None
    if uses is None:
        return fn
    views: dict[Value, Operand] = {}
    hints: dict[Value, str | None] = {}
    for out, put in puts.items():
        view = put.args[1]
        write = uses.defining_eqn(view) if isinstance(view, Value) else None
        readers = [user for user, _ in uses.uses(out)]
        reads = [user for user in readers if isinstance(user, Eqn) and _is_of_part(user, put)]
        if write is None or write.op is not store or not (differentiated or len(reads) == len(readers)):
            continue
        for read in reads:
            if read.op is index and read.out.type == write.out.type and aliases(read) == "view":
                views[read.out] = write.out
                hints[write.out] = write.out.hint or read.out.hint
    return with_own_values(replace_values(fn, views), hints) if views else fn


def _is_of_part(eqn: Eqn, put: Eqn) -> bool:
    """Does the equation read or overwrite the part that `put` has written?"""
    at = 1 if eqn.op is index else 2
    return eqn.op in (index, store) and eqn.args[0] is put.out and eqn.attrs["key"] == put.attrs["key"] \
        and eqn.args[at:] == put.args[2:]
