"""Replaces an addition to an element by an assignment where only one iteration of the loop contributes to it:

    dx = zeros; for i in range(n): dx[i] += g   ->   dx = zeros; for i in range(n): dx[i] = g

Nothing else in the loop may read or write `dx`, and no index may be negative, so that no element is named twice.
The subscript may be the index and a literal: `dx[i - 1]`.
"""

from __future__ import annotations

from collections.abc import Set

from sct.ir.affine import term_of
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.uses import DefUse
from sct.ops.arrays.indexing import add_at, split, store

__all__ = ["only_additions", "scatter_to_store"]


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
        adds = only_additions(param, result, loop.body, def_use) if initial is not None and _is_zeros(initial) else None
        additions += adds if adds is not None and all(_is_indexed_by(add, loop, def_use) for add in adds) else []
    return additions


def only_additions(param: Value, result: Operand, body: Fn, def_use: DefUse) -> list[Eqn] | None:
    """The additions that lead from a param of a body to its result; None if anything else reads or writes the array."""
    paths = _paths(param, result, body, def_use)
    if paths is None or len(paths) != len(def_use.uses(param)):
        return None
    return [eqn for eqn in paths if eqn is not None]


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


def _is_indexed_by(add: Eqn, loop: LoopView, def_use: DefUse) -> bool:
    """Is a subscript the index of the loop, or a literal more or less, and does the key name no element twice?"""
    key = add.attrs["key"]
    return set(key).isdisjoint("am") and any(
        isinstance(item, (Lit, Value)) and _is_shifted(item, loop, def_use) for item in split(key, add.args[2:]))


def _is_shifted(item: Operand, loop: LoopView, def_use: DefUse) -> bool:
    """Is this the index of the loop, or the sum of that and a literal, and not negative?"""
    if item is loop.index:
        return True
    term, start = term_of(item, def_use.defining_op), loop.bounds[0]
    return term is not None and term.coefs == {loop.index: 1} and isinstance(start, Lit) \
        and loop.bounds[2].value > 0 and start.value + term.const >= 0  # type: ignore[union-attr]
