"""Evaluation of the body of a function, in line, in the frame of a call."""

from __future__ import annotations

import functools
from typing import Any

import gast

from sct.errors import Loc, SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.own_methods import is_installed
from sct.frontend.interpreter.statements import FALL, block, guard, leave_alike
from sct.frontend.source.name_scopes import nodes_in, reads
from sct.frontend.source.parse import loc_of
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.observed_types import is_of_sct, observed_dtype
from sct.frontend.state.parts import Frame
from sct.frontend.values.abstract_values import Abstract, Key, Poison, Static
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Value
from sct.ir.types import NONE, Undef

__all__ = ["inline"]


def inline(ev: Evaluator, frame: Frame) -> Abstract:
    """Evaluates the body of a frame: the value that it returns."""
    node = frame.source.node
    ev.frames.append(frame)
    ev.all_frames[frame.id] = frame
    before, builder_loc = ev.loc, ev.b.loc
    frame.note_call(before)
    try:
        ev.set_exit(FALL)
        if isinstance(node, gast.Lambda):
            frame.be_at(frozenset(reads(node.body)))
            return ev.eval(node.body)
        key = Key(frame.id, "<return>")
        block(ev, node.body)
        if ev.store.dead:
            raise Dead
        if isinstance(ev.exit, Value) and leave_alike(ev, ev.exit):
            return Static(None)  # the value of a generator is that of `yield from`
        if not isinstance(ev.exit, Static):
            end = gast.Return(None)
            gast.copy_location(end, node.body[-1])
            guard(ev, [end], 0)
        elif ev.exit.value == FALL:
            return Static(None)
        if ev.store.dead:
            raise Dead
        if frame.consumer is not None:
            return ev.store.vars.get(key, Static(None))  # unbound where the loop over it has been left
        result = ev.store.vars[key]
        if isinstance(result, Poison):
            _take_observed_dtype(ev, frame)
            ev.refuse("SCT502", f"the result of `{frame.source.name}` depends on the path", why=result.reason,
                      node=node.body[-1])
        if isinstance(result, Value) and result.type in (NONE, Undef(NONE)):
            return Static(None)
        return ev.bound(result)
    except (SctError, NeedsStatic) as error:
        _place_at_call(error.error if isinstance(error, NeedsStatic) else error, frame, before)
        raise
    finally:
        ev.frames.pop()
        ev.returned(frame.returned_at or loc_of(node, frame.source.file), before, builder_loc)
        if not frame.live.captured and not _makes_functions(node):
            for k in [k for k in ev.store.vars if k.frame == frame.id]:
                ev.store.unbind(k)


def _take_observed_dtype(ev: Evaluator, frame: Frame) -> None:
    """Lets the call in the frame, whose arrays have another dtype on another path, have the one that was observed.

    Only calls of libraries: the paths of the user's own functions are the user's to see."""
    if is_installed(frame.source.file) and frame.code not in ev.functions.plan.of_observed_dtype \
            and observed_dtype(ev, frame) is not None:
        raise ev.functions.plan.changed(of_observed_dtype={frame.code})


def _place_at_call(refusal: SctError, frame: Frame, call: Loc | None) -> None:
    """Puts the refusal of a statement of a library at the user's call; functions of sct stand for what is called."""
    file = frame.source.file
    own = refusal.loc is None or is_installed(refusal.loc.file)  # not that of a loop over a generator
    if call is None or not own or not is_installed(file) or is_installed(call.file):
        return
    if not is_of_sct(file):
        inside = f"in {file}:{refusal.loc.line if refusal.loc else frame.source.node.lineno}, which it calls"
        refusal.why = f"{inside}: {refusal.why}" if refusal.why else inside
    refusal.loc = call


@functools.lru_cache(maxsize=4096)
def _makes_functions(node: Any) -> bool:
    return any(isinstance(n, (gast.FunctionDef, gast.Lambda)) and n is not node for n in nodes_in(node))
