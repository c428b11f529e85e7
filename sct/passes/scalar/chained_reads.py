"""Chained reads: `A[i][j]` is read as the user wrote it, where it may raise.

    A[i][j]; v = A[i, j]   ->   v = A[i][j]

In:  IR in which the frontend put a read `A[i][j]`, for its exception, before the read `A[i, j]` of the same element.
Out: IR in which the first read also gives the value, wherever the second directly follows it.
"""

from __future__ import annotations

from collections import Counter

from sct.ir.core import Eqn, Fn, Value
from sct.ir.uses import use_counts
from sct.ops.arrays.indexing import index
from sct.passes.rewriting.table import is_element

__all__ = ["merge_chained_reads"]


def merge_chained_reads(fn: Fn) -> Fn:
    """`fn`, where the reads for an exception also give the value."""
    return _region(fn, {}, use_counts(fn))


def _region(fn: Fn, views: dict[Value, Eqn], uses: Counter[Value]) -> Fn:
    eqns: list[Eqn] = []
    for eqn in fn.eqns:
        if eqn.op is index and is_element(eqn.attrs["key"]):
            views[eqn.out] = eqn
            if eqns and _is_chain(eqns[-1], eqn, views, uses):
                eqn = eqns.pop().replace(outs=eqn.outs)
        elif eqn.regions:
            eqn = eqn.replace(regions=tuple(_region(r, views, uses) for r in eqn.regions))
        eqns.append(eqn)
    return fn.replace(eqns=tuple(eqns))


def _is_chain(first: Eqn, second: Eqn, views: dict[Value, Eqn], uses: Counter[Value]) -> bool:
    """Is the first read `A[i][j]`, for its exception alone, and the second `A[i, j]`?"""
    if first.op is not index or uses[first.out]:
        return False
    view = views.get(first.args[0]) if isinstance(first.args[0], Value) else None
    return view is not None and (*view.args, *first.args[1:]) == second.args
