"""List copies: a copy of a list that is only read is that list.

    ys = copy_list(xs); len(ys); ys[i]   ->   len(xs); xs[i]

Whether a list is overwritten while another name still reads it, `storage` asks later.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Operand, Value, walk
from sct.ir.uses import DefUse, replace_values
from sct.ops.arrays.indexing import index
from sct.ops.arrays.shape import dim
from sct.ops.program.list_ops import copy_list

__all__ = ["drop_list_copies"]


def drop_list_copies(fn: Fn) -> Fn:
    """`fn` without copies of lists that are only read."""
    copies = [eqn for eqn in walk(fn) if eqn.op is copy_list and not eqn.attrs.get("deep", False)]
    uses = DefUse(fn) if copies else None
    if uses is None:
        return fn
    lists: dict[Value, Operand] = {}
    for eqn in copies:
        if all(isinstance(user, Eqn) and _reads(user, eqn.out) for user, _ in uses.uses(eqn.out)):
            source = eqn.args[0]
            lists[eqn.out] = lists.get(source, source) if isinstance(source, Value) else source
    return replace_values(fn, lists) if lists else fn


def _reads(eqn: Eqn, xs: Value) -> bool:
    """Does the equation read the length or an item of `xs`, and keep nothing of it?"""
    return eqn.op is index and eqn.args[0] is xs and eqn.attrs["key"] == ("i",) or eqn.op is dim
