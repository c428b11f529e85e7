"""Suspended generators: the body of a generator function runs up to its next `yield` when an item is asked for.

    g = roots(x)        nothing has run
    a = next(g)         the body up to the first `yield`
    b = next(g)         from there to the second

A suspended generator is the place where its body goes on: the blocks around the `yield`, and the iterators of the
loops.  So the conditions and the numbers of iterations on the way to a `yield` are guarded.
"""

from __future__ import annotations

import functools
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.statements import BREAK, CONTINUE, FALL, block, fall_test
from sct.frontend.iteration.iterator_protocol import ENDLESS_LOOP, iterator, keep, kept, move, taken, takes, use_up
from sct.frontend.loops.generator_functions import new_run
from sct.frontend.operators.truth import condition
from sct.frontend.source.name_scopes import own_nodes, yields
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import (
    Abstract,
    Iteration,
    Level,
    Poison,
    Position,
    Static,
    Suspended,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Value

__all__: list[str] = []


@takes("function")
def _next_of_function(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    if at > ENDLESS_LOOP:
        ev.refuse("SCT306", f"the generator goes on after {ENDLESS_LOOP} items",
                  hint="loop over it, and leave the loop")
    state = kept(ev, it)
    frame = new_run(ev, it, None)
    levels = state.levels if isinstance(state, Suspended) else (Level(tuple(frame.source.node.body), 0),)
    move(ev, it, Poison("it is asked for an item while it makes one"))
    ev.frames.append(frame)
    ev.set_exit(FALL)
    try:
        with ev.at(ev.loc), ev.in_generator(), frame.living():
            item, levels = _to_next_yield(ev, list(levels))
    except NeedsStatic as need:
        need.error.hint = need.error.hint or "loop over it alone, or make a list of its items: `list(...)`"
        raise
    finally:
        ev.store.vars.pop(ev.exit_key, None)
        ev.frames.pop()
    move(ev, it, Position(at))
    keep(ev, it, Tup(()) if item is None else Suspended(levels))
    return use_up(ev, it) if item is None else item


def _to_next_yield(ev: Evaluator, levels: list[Level]) -> tuple[Abstract | None, tuple[Level, ...]]:
    """The next item, and where the body goes on then; None at the end of the body."""
    while levels:
        level = levels.pop()
        if level.at == len(level.stmts):
            if level.loop is not None:
                item = _next_iteration(ev, level, levels)
                if item is not None:
                    return item, tuple(levels)
            continue
        stmt = level.stmts[level.at]
        levels.append(Level(level.stmts, level.at + 1, level.loop, level.items))
        if yields(stmt) or isinstance(stmt, gast.If) and _exits(stmt):
            item = _enter(ev, stmt, levels)
            if item is not None:
                return item, tuple(levels)
        else:
            block(ev, [stmt])
            _leave(ev, levels)
    return None, ()


@functools.lru_cache(maxsize=4096)
def _exits(stmt: Any) -> bool:
    """May the statement leave the block that it stands in?"""
    return any(isinstance(n, (gast.Return, gast.Break, gast.Continue)) for n in own_nodes([stmt]))


def _leave(ev: Evaluator, levels: list[Level]) -> None:
    """Leaves the blocks that the statement just run has left."""
    if ev.store.dead:
        raise Dead
    kind = ev.exit
    if isinstance(kind, Value):
        for code in sorted(ev.exits.kinds_of(kind)):
            if code == FALL and ev.ask(ev.wrap(fall_test(ev, kind)), "whether the generator goes on"):
                kind = Static(FALL)
                break
        else:
            kind = Static(ev.ask(kind, "how the generator goes on"))
    ev.set_exit(FALL)
    assert isinstance(kind, Static)
    if kind.value == FALL:
        return
    if kind.value > BREAK:
        levels.clear()
        return
    while levels[-1].loop is None:
        levels.pop()
    level = levels.pop()
    if kind.value == CONTINUE:
        levels.append(Level(level.stmts, len(level.stmts), level.loop, level.items))


def _next_iteration(ev: Evaluator, level: Level, levels: list[Level]) -> Abstract | None:
    """Begins the next iteration of a loop; the item of a `yield from`."""
    loop: Any = level.loop
    _begin(ev, loop)
    if isinstance(loop, gast.While):
        if not _holds(ev, loop.test):
            levels.append(Level(tuple(loop.orelse), 0))
        else:
            levels.append(Level(tuple(loop.body), 0, loop))
        return None
    assert level.items is not None
    item = taken(ev, level.items)
    if not isinstance(loop, gast.For):  # `yield from`
        if item is not None:
            levels.append(level)
        return item
    if item is None:
        levels.append(Level(tuple(loop.orelse), 0))
        return None
    frame = ev.frames[-1]
    frame.be_at(frame.live.head[loop] | frame.live.captured)
    assign(ev, loop.target, item)
    levels.append(Level(tuple(loop.body), 0, loop, level.items))
    return None


def _begin(ev: Evaluator, stmt: Any) -> None:
    """The statement in progress is `stmt`, or the next iteration of it."""
    frame = ev.frames[-1]
    frame.be_at(frame.live.before.get(stmt, frozenset()) | frame.live.captured)


def _holds(ev: Evaluator, test: Any) -> bool:
    t = condition(ev, test)
    return bool(t.value if isinstance(t, Lit) else ev.ask(t, "this test"))


def _enter(ev: Evaluator, stmt: Any, levels: list[Level]) -> Abstract | None:
    """Enters a statement that yields: the item, if it is a `yield`."""
    _begin(ev, stmt)
    with ev.at(ev.loc):
        if isinstance(stmt, gast.If):
            levels.append(Level(tuple(stmt.body if _holds(ev, stmt.test) else stmt.orelse), 0))
            return None
        if isinstance(stmt, gast.While):
            levels.append(Level((), 0, stmt))
            return None
        if isinstance(stmt, gast.For):
            levels.append(Level((), 0, stmt, iterator(ev, ev.eval(stmt.iter))))
            return None
        value = getattr(stmt, "value", None)
        if isinstance(value, gast.YieldFrom) and isinstance(stmt, gast.Expr):
            levels.append(Level((), 0, stmt, iterator(ev, ev.eval(value.value))))
            return None
        if not isinstance(value, gast.Yield):
            ev.refuse("SCT101", "this statement that yields is not supported where items are taken one by one",
                      node=stmt, hint="loop over the generator, or make a list of it")
        item = Static(None) if value.value is None else ev.eval(value.value)
        for target in getattr(stmt, "targets", None) or ([stmt.target] if isinstance(stmt, gast.AnnAssign) else []):
            assign(ev, target, Static(None))
        return item
