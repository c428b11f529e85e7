"""Pairs branches of the forward pass with the branches of the backward pass that mirror them.

    forward   t = cond(c, then: exp(x), orelse: undef, mirrors=(1,)); yields t, c
    backward  takes t', c':  cond(c', then: ... t' ..., orelse: ..., mirrors=(1,))

Only the paired branch reads `t`, so `t` is appended and popped inside the two branches.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.core import Eqn, Fn, Operand, Value, is_undef, walk
from sct.ir.loop_view import LoopView
from sct.ir.uses import DefUse

__all__ = ["innermost_regions"]


def innermost_regions(def_use: DefUse, pairs: Sequence[tuple[LoopView, LoopView]], x: Operand,
                      elem: Value) -> tuple[Fn, Operand, Fn]:
    """The innermost paired regions for the operand yielded as `x` and read as `elem`.

    Returns the region in which it is appended, the operand there, and the region in which it is read.

    pairs  nested loops of the forward pass and those of the backward pass that run over the same iterations,
           outer before inner
    """
    region, back = pairs[-1][0].body, pairs[-1][1].body
    while isinstance(x, Value) and all(_mirror(loop.eqn, reader.eqn) for loop, reader in pairs):
        pair = _enter_branch(def_use, region, x, back, elem)
        if pair is None:
            break
        region, x, back = pair
    return region, x, back


def _mirror(a: Eqn, b: Eqn) -> bool:
    return not set(a.attrs.get("mirrors", ())).isdisjoint(b.attrs.get("mirrors", ()))


def _enter_branch(def_use: DefUse, region: Fn, x: Value, back: Fn, elem: Value) -> tuple[Fn, Operand, Fn] | None:
    """The paired branches in `region` and `back`, and the operand `x` in the former; None if there are none."""
    eqn = def_use.defining_eqn(x)
    if eqn is None or eqn.op.name != "cond" or def_use.parent[eqn] is not region:
        return None
    k = eqn.outs.index(x)
    defining = [n for n, branch in enumerate(eqn.regions) if not is_undef(branch.results[k])]
    reading = _reading_branch(def_use, elem, back)
    if len(defining) != 1 or reading is None or reading[1] != defining[0]:
        return None
    (cond, n), branch = reading, eqn.regions[defining[0]]
    if not _mirror(eqn, cond) or _may_exit(branch, branch.results[k]):
        return None
    return branch, branch.results[k], cond.regions[n]


def _reading_branch(def_use: DefUse, elem: Value, back: Fn) -> tuple[Eqn, int] | None:
    """The conditional in `back` and the index of its branch, if no other code reads `elem`."""
    branches: set[tuple[Eqn, int]] = set()
    for user, _ in def_use.uses(elem):
        region = def_use.parent[user] if isinstance(user, Eqn) else user
        branch = None
        while region is not back:
            eqn = def_use.owner.get(region)
            if eqn is None:
                return None
            branch = (eqn, eqn.regions.index(region))
            region = def_use.parent[eqn]
        if branch is None or branch[0].op.name != "cond":
            return None
        branches.add(branch)
    return branches.pop() if len(branches) == 1 else None


def _may_exit(region: Fn, x: Operand) -> bool:
    """May control leave the region before `x` is computed?"""
    for eqn in region.eqns:
        if isinstance(x, Value) and x in eqn.outs:
            return False
        if eqn.op.name == "cond" or any(e.op.name == "raise_" for inner in eqn.regions for e in walk(inner)):
            return True
    return False
