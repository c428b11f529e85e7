"""`try`: where a statement raises what is handled, the evaluation goes on in the handler, from the state there.

    try: y = math.log(x)            ok, e, y = attempt(x, of="log", catches=("ValueError",))
    except ValueError: y = 0.0  ->  y = cond(ok, then: y, orelse: 0.0)

A body that cannot raise what is handled is no `try` at all.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gast

from sct.frontend.arguments.lift import exception_class
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import guarding_statement
from sct.frontend.heap.join_paths import behind, join_branches, join_split, run_branch, run_branches
from sct.frontend.interpreter.assignment import assign, home_of
from sct.frontend.interpreter.statements import FALL, block, guard, rethrow
from sct.frontend.source.name_scopes import TRIES, nodes_in
from sct.frontend.source.parse import loc_of
from sct.frontend.state.fixpoint import Dead, Raised
from sct.frontend.state.store import Branch, Store
from sct.frontend.state.tries import UNKNOWN, Class, parts_slot
from sct.frontend.values.abstract_values import Abstract, Array, Key, Poison, Static, Tup
from sct.ir import Eqn, Fn, Lit, Operand, Value, is_effect, walk
from sct.ir.types import Undef
from sct.ops import cond
from sct.ops.registry import may_raise

__all__ = ["ExceptClause", "at_last", "class_of_exceptions", "evaluate_try"]


@dataclass(frozen=True)
class ExceptClause:
    """An `except` clause: the classes that it catches, and its body."""

    classes: tuple[Class, ...]
    run: Callable[[Value | None], None]


@guarding_statement(*TRIES)
def try_(ev: Evaluator, node: Any, stmts: Sequence[Any], at: int) -> bool:
    """A `try`; where one path always exits, the rest of the block `stmts`, from `at`, goes into the other: True."""
    if not node.finalbody:
        return _with_handlers(ev, node, lambda: block(ev, stmts, at) if at < len(stmts) else None,
                              ev.frames[-1].live.leaving(stmts[-1]))

    def body() -> None:
        if node.handlers:
            _with_handlers(ev, node)
        else:
            block(ev, node.body)

    def last(error: Value | None) -> Operand:
        block(ev, node.finalbody)
        return Lit(False)

    at_last(ev, body, last, ev.frames[-1].live.leaving(node) | ev.frames[-1].now)
    return False


def _with_handlers(ev: Evaluator, node: Any, rest: Callable[[], None] | None = None,
                   at_end: frozenset[str] = frozenset()) -> bool:
    handlers = [ExceptClause(_classes(ev, h), functools.partial(_handle, ev, h)) for h in node.handlers]
    needed = len(handlers) > 1 or any(_reads_exception(h) or _raises_again(h) for h in node.handlers)

    def orelse() -> None:
        if not isinstance(ev.exit, Static):
            guard(ev, node.orelse, 0)
        elif ev.exit.value == FALL:
            block(ev, node.orelse)

    after = ev.frames[-1].live.leaving(node) | ev.frames[-1].now
    return evaluate_try(ev, lambda: block(ev, node.body), handlers, orelse if node.orelse else lambda: None, after,
                        needed, rest, at_end)


def at_last(ev: Evaluator, body: Callable[[], None], last: Callable[[Value | None], Operand], after: frozenset[str],
            *, sees_exception: bool = False) -> None:
    """Runs `body` and then `last`, also where `body` raises or exits.

    Where nothing handles the exception, nobody sees what `last` has changed, but its effects and exceptions.

    last            is given the exception, and returns whether that ends here
    sees_exception  may it do something else with an exception than without one?
    """
    ends: list[Operand] = []

    def finish() -> None:
        if not ev.store.dead:
            _keeping_exit(ev, lambda: ends.append(last(None)))

    if ev.tries.slot is None and not sees_exception:
        snapshot = ev.snapshot()
        with contextlib.suppress(Dead):
            body()
            first, forks = len(ev.b.eqns), ev.tries.forks
            finish()
            # Another path through `last` may be taken where `body` has stopped earlier.
            if ends == [Lit(False)] and ev.tries.forks == forks and \
                    not any(map(_is_observable, walk(Fn("", (), tuple(ev.b.eqns[first:]), ())))):
                return
        ev.restore(snapshot)

    def handle(error: Value | None) -> None:
        assert error is not None
        with ev.tries.handling(error):
            end = last(error)
        if ev.store.dead or ev.exit != Static(FALL) or end == Lit(True):
            return
        if isinstance(end, Value):
            run_branches(ev, end, lambda: None, lambda: rethrow(ev, error, ev.tries.classes.get(error)),
                         ev.live_after(after))
        else:
            rethrow(ev, error, ev.tries.classes.get(error))

    evaluate_try(ev, body, [ExceptClause((Class(BaseException),), handle)], finish, after, True)


def _is_observable(eqn: Eqn) -> bool:
    """Has the equation an effect, or may it raise: another exception than the one that is on its way?"""
    return is_effect(eqn) or may_raise(eqn)


def _keeping_exit(ev: Evaluator, last: Callable[[], None]) -> None:
    """Runs `last`, and then exits as before."""
    exit = ev.exit
    ev.set_exit(FALL)
    last()
    if ev.exit == Static(FALL):
        ev.set_exit(exit)
    elif exit != Static(FALL):
        ev.refuse("SCT101", "a `finally` that exits is not supported", why="which exit is taken depends on the path",
                  hint="move the `return`, `break` or `continue` behind the `finally`")


def _reads_exception(handler: Any) -> bool:
    return handler.name is not None and any(
        isinstance(n, gast.Name) and n.id == handler.name.id for s in handler.body for n in gast.walk(s))


def _raises_again(handler: Any) -> bool:
    return any(isinstance(n, gast.Raise) and n.exc is None for n in nodes_in(handler))


def _handle(ev: Evaluator, handler: Any, error: Value | None) -> None:
    """Runs the body of a handler; the name of the exception is not bound after it."""
    with ev.tries.handling(error):
        if _reads_exception(handler):
            assert error is not None
            ev.tries.exceptions.add(error)
            assign(ev, handler.name, error)
        block(ev, handler.body)
    if handler.name is not None:
        ev.store.unbind(home_of(ev, handler.name))


def _classes(ev: Evaluator, handler: Any) -> tuple[Class, ...]:
    """The classes that a handler names."""
    if handler.type is None:
        return (Class(BaseException),)
    v = ev.eval(handler.type)
    return tuple(class_of_exceptions(ev, x, handler.type) for x in (v.items if isinstance(v, Tup) else (v,)))


_UNKNOWN = (Warning, MemoryError, RecursionError, KeyboardInterrupt, GeneratorExit)


def class_of_exceptions(ev: Evaluator, v: Abstract, node: Any) -> Class:
    """The class `v`, whose exceptions are caught."""
    cls = v.value if isinstance(v, Static) else None
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        ev.refuse("SCT101", "`except` of this is not supported", node=node, hint="name a class of exceptions")
    if issubclass(cls, _UNKNOWN):
        ev.refuse("SCT101", f"`except {cls.__name__}` is not supported", node=node,
                  why="which statements raise it depends on what is outside the function: free memory, signals, or "
                  "filters of warnings",
                  hint="check for the bad case first, with `if`")
    if cls is FloatingPointError:
        with ev.at(loc_of(node, ev.frames[-1].source.file)):
            ev.tries.note_float_handler(ev.loc)
    assert isinstance(v, Static)
    return exception_class(ev, v)


# -- paths -----------------------------------------------------------------------------------------------


def evaluate_try(ev: Evaluator, body: Callable[[], None], handlers: Sequence[ExceptClause], orelse: Callable[[], None],
                 after: frozenset[str], needed: bool, rest: Callable[[], None] | None = None,
                 at_end: frozenset[str] = frozenset()) -> bool:
    """Runs `body`, then `orelse` where it has not raised, and the first handler of its exception where it has.

    after   names that are live after the statement
    needed  is the exception itself read?
    rest    the rest of the block, which goes into one path if the other always exits; after it, `at_end` are live
    """
    tries, first, frame = ev.tries, len(ev.b.eqns), ev.frames[-1].id
    live = ev.live_after(after)
    slots = Key(frame, f"<raised {len(tries.handled)}>"), Key(frame, f"<exception {len(tries.handled)}>")
    classes = [c for handler in handlers for c in handler.classes]
    with tries.inside(classes, *slots, needed or tries.slot is not None, ev.b):
        ev.store.vars[slots[0]] = Static(False)
        with contextlib.suppress(Raised):
            body()
        splits, caught = tries.take(ev.b, first), list(tries.caught)
        _no_other(ev, first)
        ev.check_uses_of_taken([*ev.b.eqns[first:], *(e for s in splits for e in s.branch.builder.eqns)])
        alone = len(splits) == 1 and not tries.has_raised(ev.store) and not isinstance(ev.store.vars[slots[0]], Value)
        for split in reversed(splits) if not alone else ():
            join_split(ev, split, Branch(ev.store, behind(ev, split)), live)

    def handle(error: Abstract | None, parts: Mapping[Class, Abstract]) -> None:
        ev.set_exit(FALL)
        if isinstance(error, Value) and isinstance(error.type, Undef):
            error = ev.known_bound(error)
        _dispatch(ev, handlers, caught, error if isinstance(error, Value) else None, parts, live)

    raised = ev.store.vars.get(slots[0])
    if not alone and (ev.store.dead or not isinstance(raised, Value)):
        error, parts = _without(ev.store, slots, caught)
        if ev.store.dead or raised == Static(False):
            orelse()
        else:
            handle(error, parts)
        return False
    if alone:
        (split,) = splits
        falls, raises, test = Branch(ev.store, behind(ev, split)), split.branch, split.test
    else:
        assert isinstance(raised, Value)
        falls, raises, test = ev.fork(), ev.fork(), ev.defined(raised)
    error, parts = _without(raises.store, slots, caught)
    _without(falls.store, slots, caught)
    def otherwise() -> None:
        _read_as_bound(ev, slots[0])
        orelse()

    run_branch(ev, falls, otherwise if not falls.store.dead else lambda: None, live)
    run_branch(ev, raises, lambda: handle(error, parts), live)
    took_rest = False
    for this, other in ((falls, raises), (raises, falls)):
        if rest is not None and not took_rest and _exits(ev, other) and _falls(ev, this):
            live = ev.live_after(after | at_end)
            run_branch(ev, this, rest, live)
            took_rest = True
    join_branches(ev, test, *((raises, falls) if not alone or split.raises else (falls, raises)), live)
    return took_rest


def _read_as_bound(ev: Evaluator, slot: Key) -> None:
    """Where the body of a `try` has not raised, it has bound what it binds on this path."""
    bound = ev.tries.bound
    for key, v in ev.store.vars.items():
        if isinstance(v, Value) and bound.get(v) == slot:
            ev.store.vars[key] = ev.known_bound(v)
    for addr, cell in ev.store.cells.items():
        if isinstance(cell, Array) and isinstance(cell.value, Value) and bound.get(cell.value) == slot:
            ev.store.cells[addr] = replace(cell, value=ev.known_bound(cell.value))


def _exits(ev: Evaluator, path: Branch) -> bool:
    return not path.store.dead and isinstance(v := path.store.vars[ev.exit_key], Static) and v.value != FALL


def _falls(ev: Evaluator, path: Branch) -> bool:
    return not path.store.dead and path.store.vars[ev.exit_key] == Static(FALL)


def _without(store: Store, slots: tuple[Key, Key], caught: Sequence[Class]
             ) -> tuple[Abstract | None, Mapping[Class, Abstract]]:
    """Drops the slots of a `try` from a path; returns the exception, and what it carries, by its class."""
    error, of_parts = store.vars.get(slots[1]), {c: parts_slot(slots[1], c) for c in caught}
    parts = {c: store.vars.get(slot, UNKNOWN) for c, slot in of_parts.items()}
    for slot in (*slots, *of_parts.values()):
        store.unbind(slot)
    return error, parts


def _no_other(ev: Evaluator, first: int) -> None:
    """Refuses a body with equations that may raise what is handled, where the path could not be left."""
    for eqn in ev.b.eqns[first:]:
        if (raises := ev.uncaught([eqn])) is None:
            continue
        with ev.at(raises.loc or ev.loc):
            ev.refuse("SCT101", "what may raise an exception that a `try` handles is not supported here",
                      why="the paths of a branch around it are one again before the exception leaves the branch"
                      if eqn.op is cond else "it calls a function that calls itself, or that is differentiated here",
                      hint="check for the bad case first, with `if`")


def _may_be_of(c: Class, parts: Abstract, wanted: tuple[type, ...]) -> bool:
    """May an exception of this class with these parts be of one of the wanted classes?  One that the program makes is
    of no class below its own."""
    return issubclass(c.cls, wanted) or isinstance(parts, Poison) and any(issubclass(w, c.cls) for w in wanted)


def _run(ev: Evaluator, handler: ExceptClause, error: Value | None, parts: Mapping[Class, Abstract]) -> None:
    """Runs a handler of the exception, with what it carries."""
    if error is not None:
        wanted = tuple(c.cls for c in handler.classes)
        ev.tries.parts[error] = {c: v for c, v in parts.items() if _may_be_of(c, v, wanted)}
    handler.run(error)


def _dispatch(ev: Evaluator, handlers: Sequence[ExceptClause], caught: Sequence[Class], error: Value | None,
              parts: Mapping[Class, Abstract], live: Callable[[Key], bool]) -> None:
    """Runs the first handler of the exception, whose class is one of `caught`, or of a class below it."""
    for k, handler in enumerate(handlers):
        wanted = tuple(c.cls for c in handler.classes)
        if all(issubclass(c.cls, wanted) for c in caught):
            _run(ev, handler, error, parts)
            return
        if any(_may_be_of(c, parts.get(c, UNKNOWN), wanted) for c in caught):
            assert error is not None
            rest = handlers[k + 1:]
            run_branches(ev, ev.caught_test(error, handler.classes), lambda: _run(ev, handler, error, parts),  # noqa: B023
                         lambda: _dispatch(ev, rest, caught, error, parts, live), live)  # noqa: B023
            return
    assert error is not None
    ev.tries.parts[error] = parts
    rethrow(ev, error, None)
