"""Masks on tapes: a forward loop compares arrays, where the backward loop reads them for that comparison alone.

    for ...: tape.append((a, b))              ->     for ...: tape.append(a <= b)
    for ...: a, b = tape.pop(); m = a <= b           for ...: m = tape.pop()

A mask takes an eighth of the memory of an operand.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, rebuild, regions
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.real_ints import result_type
from sct.ir.types import Seq, Tensor
from sct.ir.uses import DefUse
from sct.ops.registry import ELEMENTWISE

__all__ = ["compare_forward"]


def compare_forward(fn: Fn) -> Fn:
    """`fn` with such comparisons in the forward loops."""
    while (move := _next_move(fn)) is not None:
        fn = _moved(fn, move)
    return fn


class _Move(NamedTuple):
    """A comparison in the body of `backward` of values that `forward` yields."""

    eqn: Eqn
    backward: LoopView
    forward: LoopView


def _next_move(fn: Fn) -> _Move | None:
    candidates = [(eqn, loop_view(loop)) for region in regions(fn) for loop in region.eqns
                  if loop.op.name == "loop" and not loop.primal for eqn in loop.regions[-1].eqns if _is_comparison(eqn)]
    def_use = DefUse(fn) if candidates else None
    for eqn, backward in candidates:
        if def_use is not None and (forward := _forward(eqn, backward, def_use)) is not None:
            return _Move(eqn, backward, forward)
    return None


def _is_comparison(eqn: Eqn) -> bool:
    """Does the equation compare arrays?"""
    t = eqn.outs[0].type if eqn.outs else None
    return not eqn.primal and eqn.op in ELEMENTWISE and not eqn.attrs and isinstance(t, Tensor) \
        and t.kind == "b" and t.rank > 0


def _forward(eqn: Eqn, backward: LoopView, def_use: DefUse) -> LoopView | None:
    """The loop that yields all that is compared, if nothing else reads these tapes."""
    loops = set()
    for x in eqn.args:
        if isinstance(x, Lit):
            continue
        tape = cast(Value, backward.xs[backward.elems.index(x)]) if x in backward.elems else None
        definition = def_use.definition(tape) if tape is not None else None
        if tape is None or definition is None or len(def_use.uses(x)) + len(def_use.uses(tape)) != 2:
            return None
        loops.add(definition.eqn if definition.region is None and definition.eqn.op.name == "loop" else None)
    forward_eqn = loops.pop() if len(loops) == 1 else None
    if forward_eqn is None or def_use.parent[forward_eqn] is not def_use.parent[backward.eqn]:
        return None
    forward = loop_view(forward_eqn)
    return forward if all(isinstance(y, Lit) or def_use.home.get(y) is forward.body
                          for y in _compared(eqn, backward, forward)) else None


def _compared(eqn: Eqn, backward: LoopView, forward: LoopView) -> list[Operand]:
    """For each operand of the comparison, the value that the forward loop yields."""
    tapes = [x if isinstance(x, Lit) else backward.xs[backward.elems.index(x)] for x in eqn.args]
    return [t if isinstance(t, Lit) else forward.yields[forward.ys.index(t)] for t in tapes]


def _moved(fn: Fn, move: _Move) -> Fn:
    """`fn` with this comparison in the forward loop."""
    eqn, backward, forward = move
    compared = _compared(eqn, backward, forward)
    mask = Value(cast(Tensor, result_type(eqn.op, compared, eqn.attrs, eqn.spelling)), eqn.out.hint or "mask")
    tapes = [x for x, e in zip(backward.xs, backward.elems) if e in eqn.args]
    tape = Value(Seq(mask.type))
    kept = [k for k, y in enumerate(forward.ys) if y not in tapes]
    body = forward.body
    at = max((k + 1 for k, e in enumerate(body.eqns) if not set(e.outs).isdisjoint(compared)), default=0)
    body = body.replace(
        eqns=(*body.eqns[:at], eqn.replace(args=tuple(compared), outs=(mask,)), *body.eqns[at:]),
        results=(forward.go, *forward.results, *(forward.yields[k] for k in kept), mask))
    new_forward = forward.eqn.replace(
        regions=(*forward.eqn.regions[:-1], body),
        outs=(*forward.finals, forward.iterations, *(forward.ys[k] for k in kept), tape))
    back = backward.body
    elem = Value(eqn.out.type, mask.hint)
    back = rebuild(back.replace(params=(*(p for p in back.params if p not in eqn.args), elem),
                                eqns=tuple(e for e in back.eqns if e is not eqn)), {eqn.out: elem})
    new_backward = backward.eqn.replace(
        args=(*backward.bounds, *backward.inits, *(x for x in backward.xs if x not in tapes), tape),
        regions=(*backward.eqn.regions[:-1], back))
    return _with(fn, {forward.eqn: new_forward, backward.eqn: new_backward})


def _with(fn: Fn, new: dict[Eqn, Eqn]) -> Fn:
    return fn.replace(eqns=tuple(
        new[e] if e in new else e.replace(regions=tuple(_with(region, new) for region in e.regions)) for e in fn.eqns))
