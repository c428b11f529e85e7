"""Loop-invariant code motion:  for ...: t = f(a); use(t)  ->  t = f(a); for ...: use(t)

Adjoint arithmetic is hoisted if it cannot raise, since the loop may run no iteration. Primal arithmetic is hoisted if
it computes arrays, if the loop is certain to run, and if no effect or exception precedes it in the first iteration.
Of ints, several operations are hoisted, as in the bounds of slices.
"""

from __future__ import annotations

from collections.abc import Callable

from sct.ir.core import Eqn, Fn, Lit, Operand, has_effect
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import INT, Tensor
from sct.ir.uses import outer_reads
from sct.ops.registry import aliases
from sct.passes.scalar.purity import cannot_raise, is_pure

__all__ = ["hoist", "hoist_primal", "runs_at_least_once"]

FEWEST_OPERATIONS = 3
"""So many operations on ints take longer than a variable of their own, and are worth its name."""


def hoist(fn: Fn) -> Fn:
    """`fn` with invariant adjoint equations, and ints, hoisted out of loops, inner loops first."""
    return _hoist_from(fn, lambda loop: [*_invariant_ints(loop), *_invariant(loop)])


def hoist_primal(fn: Fn) -> Fn:
    """`fn` with invariant primal equations that compute arrays hoisted out of loops that run at least once."""
    return _hoist_from(fn, _invariant_primal)


def _hoist_from(fn: Fn, invariant: Callable[[LoopView], list[Eqn]]) -> Fn:
    eqns: list[Eqn] = []
    for eqn in fn.eqns:
        if eqn.regions:
            eqn = eqn.replace(regions=tuple(_hoist_from(region, invariant) for region in eqn.regions))
        hoisted = invariant(loop_view(eqn)) if eqn.op.name == "loop" else []
        if hoisted:
            body = eqn.regions[-1]
            body = body.replace(eqns=tuple(e for e in body.eqns if e not in hoisted))
            eqn = eqn.replace(regions=(*eqn.regions[:-1], body))
        eqns += [*hoisted, eqn]
    return fn.replace(eqns=tuple(eqns))


def _invariant(loop: LoopView) -> list[Eqn]:
    """The adjoint equations that can leave the body of the loop."""
    bound: set[Operand] = set(loop.body.params)
    invariant = []
    for eqn in loop.body.eqns:
        if _may_move(eqn) and bound.isdisjoint(eqn.args):
            invariant.append(eqn)
        else:
            bound.update(eqn.outs)
    return invariant


def _invariant_primal(loop: LoopView) -> list[Eqn]:
    """The primal equations that compute arrays and that the first iteration is certain to run."""
    bound: set[Operand] = set(loop.body.params)
    candidates: dict[Operand, Eqn] = {}
    hoisted: set[Eqn] = set()
    is_certain = runs_at_least_once(loop)
    for eqn in loop.body.eqns if is_certain else ():
        if bound.isdisjoint(eqn.args) and is_pure(eqn) and (is_certain or cannot_raise(eqn)):
            candidates.update((out, eqn) for out in eqn.outs)
            if _computes_array(eqn):
                _add_with_operands(hoisted, eqn, candidates)
            continue
        if has_effect(eqn):
            break
        is_certain = is_certain and not eqn.regions and cannot_raise(eqn)
        bound.update(eqn.outs)
    return [eqn for eqn in loop.body.eqns if eqn in hoisted]


def _invariant_ints(loop: LoopView) -> list[Eqn]:
    """The primal equations that compute ints by several operations, of which none may raise."""
    bound: set[Operand] = set(loop.body.params)
    candidates: dict[Operand, Eqn] = {}
    operations: dict[Operand, int] = {}
    hoisted: set[Eqn] = set()
    for eqn in loop.body.eqns:
        if eqn.primal and bound.isdisjoint(eqn.args) and is_pure(eqn) and cannot_raise(eqn) \
                and all(x.type == INT for x in (*eqn.outs, *eqn.args)):
            candidates[eqn.out] = eqn
            operations[eqn.out] = (eqn.op.cost != "free") + sum(operations.get(a, 0) for a in eqn.args)
            continue
        for x in outer_reads(eqn):
            if operations.get(x, 0) >= FEWEST_OPERATIONS:
                _add_with_operands(hoisted, candidates[x], candidates)
        bound.update(eqn.outs)
    return [eqn for eqn in loop.body.eqns if eqn in hoisted]


def _add_with_operands(hoisted: set[Eqn], eqn: Eqn, candidates: dict[Operand, Eqn]) -> None:
    """Add the equation, and the candidates that it depends on."""
    todo = [eqn]
    while todo:
        if (each := todo.pop()) not in hoisted:
            hoisted.add(each)
            todo += [candidates[a] for a in each.args if a in candidates]


def _may_move(eqn: Eqn) -> bool:
    return not eqn.primal and is_pure(eqn) and cannot_raise(eqn) and eqn.op.cost != "free"


def _computes_array(eqn: Eqn) -> bool:
    """Does the equation compute an array, rather than take a view of one?"""
    return (eqn.primal and eqn.op.cost != "free" and aliases(eqn) == "none"
            and any(isinstance(out.type, Tensor) and out.type.is_array for out in eqn.outs))


def runs_at_least_once(loop: LoopView) -> bool:
    """Is it certain that the loop runs at least once?"""
    if loop.index is None:
        return False
    start, stop, step = loop.bounds
    if not isinstance(step, Lit) or step.value == 0 or start.dim is None or stop.dim is None:
        return False
    return (stop.dim - start.dim if step.value > 0 else start.dim - stop.dim).least >= 1
