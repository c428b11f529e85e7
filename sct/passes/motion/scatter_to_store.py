"""Replaces an addition to an element by an assignment where only one iteration of the loop contributes to it:

    dx = zeros; for i in range(n): dx[i] += g   ->   dx = zeros; for i in range(n): dx[i] = g

Nothing else in the loop may read or write `dx`, and no index may be negative, so that no element is named twice.
"""

from __future__ import annotations

from collections.abc import Set

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.uses import DefUse
from sct.ops.arrays.indexing import add_at, split, store

__all__ = ["scatter_to_store"]


def scatter_to_store(fn: Fn) -> Fn:
    """`fn` with such additions replaced by assignments."""
    loops = [loop for eqn in walk(fn) if eqn.op.name == "loop" and _is_injective(loop := loop_view(eqn))]
    def_use = DefUse(fn)
    additions = {add for loop in loops for add in _additions(loop, def_use)}
    return _with_stores(fn, additions) if additions else fn


def _with_stores(fn: Fn, additions: Set[Eqn]) -> Fn:
    return fn.replace(eqns=tuple(
        eqn.replace(op=store) if eqn in additions else
        eqn.replace(regions=tuple(_with_stores(region, additions) for region in eqn.regions)) for eqn in fn.eqns))


def _additions(loop: LoopView, def_use: DefUse) -> list[Eqn]:
    """The additions in this loop that may be assignments."""
    additions: list[Eqn] = []
    for init, param, result in zip(loop.inits, loop.params, loop.results):
        initial = def_use.defining_eqn(init)
        paths = _paths(param, result, loop.body, def_use) if initial is not None and _is_zeros(initial) else None
        if paths is not None and len(paths) == len(def_use.uses(param)):
            adds = [add for add in paths if add is not None]
            additions += adds if all(_is_indexed_by(add, loop.index) for add in adds) else []
    return additions


def _paths(param: Value, result: Operand, region: Fn, def_use: DefUse) -> list[Eqn | None] | None:
    """The addition on each path from `param` to `result`, with None for a path without one; None if a path has
    another equation."""
    if result is param:
        return [None]
    definition = def_use.definition(result)
    if definition is None or def_use.home[result] is not region or len(def_use.uses(result)) > 1:  # type: ignore[index,arg-type]
        return None
    eqn, _, k = definition
    if eqn.op.name == "cond":
        then, orelse = (_paths(param, branch.results[k], branch, def_use) for branch in eqn.regions)
        return then + orelse if then is not None and orelse is not None else None
    return [eqn] if eqn.op is add_at and eqn.args[0] is param else None


def _is_zeros(eqn: Eqn) -> bool:
    return eqn.op.fill == 0.0 or eqn.op.name == "repeat" and eqn.args[0] == Lit(0.0)


def _is_injective(loop: LoopView) -> bool:
    """Does the index of the loop take no value twice, and no negative value?"""
    if loop.index is None:
        return False
    start, stop, step = (x.value if isinstance(x, Lit) else None for x in loop.bounds)
    if not isinstance(step, int) or not step:
        return False
    return isinstance(start, int) and start >= 0 if step > 0 else isinstance(stop, int) and stop >= -1


def _is_indexed_by(add: Eqn, index: Value | None) -> bool:
    """Is the index of the loop one of the subscripts, and does the key name no element twice?"""
    key = add.attrs["key"]
    return set(key).isdisjoint("am") and any(item is index for item in split(key, add.args[2:]))
