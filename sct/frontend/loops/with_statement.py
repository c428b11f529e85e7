"""`with`: contexts that change no number stand around the same statements in the derivative.

    with np.errstate(divide="ignore"): y = np.log(x)   ->   enter("numpy.errstate", ...); y = log(x); leave()

An object of a user's class is entered, and left on every path, as by a `finally`.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import types
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from sct.frontend.arguments.abstract_arguments import LOCKS
from sct.frontend.arguments.float_errors import note_settings
from sct.frontend.arguments.lift import lift, opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import SEPARATE, SPECIAL, Special, statement
from sct.frontend.evaluator.lookup_guards import found_in
from sct.frontend.evaluator.own_methods import generator_of_context
from sct.frontend.heap.join_paths import run_branches
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.function_body import inline
from sct.frontend.interpreter.statements import block, rethrow
from sct.frontend.interpreter.try_statement import ExceptClause, at_last, class_of_exceptions, evaluate_try
from sct.frontend.iteration.iterator_protocol import use_up
from sct.frontend.loops.generator_functions import bound_to, is_fresh_function, new_run
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.objects import special_method
from sct.frontend.operators.truth import truth
from sct.frontend.source.name_scopes import (
    TRIES,
    body_of,
    own_nodes,
    parameters,
    positional_parameters,
    reads,
    yields,
)
from sct.frontend.source.parse import source_of
from sct.frontend.state.parts import Consumer, changed
from sct.frontend.state.tries import UNKNOWN, Class, parts_slot
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Iteration,
    Key,
    Method,
    ObjRef,
    Poison,
    Static,
)
from sct.ir import Operand, Value
from sct.ir.pytrees.user_objects import is_user_class
from sct.ir.types import Lock, Undef
from sct.ops import enter, leave, part
from sct.ops.program.effects import inactive

__all__: list[str] = []

_CONTEXTS: dict[Any, str] = {
    np.errstate: "numpy.errstate", np.printoptions: "numpy.printoptions",
    warnings.catch_warnings: "warnings.catch_warnings", contextlib.nullcontext: ""}
"""Contexts in which numbers are the same; that without a name does nothing at all."""


def _context(fn: Any) -> Special:
    return lambda ev, args, kwargs: Bound(Static(fn), tuple(args), tuple(kwargs.items()))


_NEW_LOCKS = {threading.Lock: "threading.Lock()", threading.RLock: "threading.RLock()"}


def _new_lock(text: str) -> Special:
    return lambda ev, args, kwargs: ev.emit(inactive, text=text, type=Lock())


SPECIAL.update((id(f), _context(f)) for f in (*_CONTEXTS, contextlib.suppress, contextlib.contextmanager))
SPECIAL.update((id(cls), _new_lock(text)) for cls, text in _NEW_LOCKS.items())


@statement(gast.With)
def with_(ev: Evaluator, node: Any) -> None:
    _within(ev, node, node.items)


def _within(ev: Evaluator, node: Any, items: Sequence[Any]) -> None:
    """Run the body of the `with` in these contexts, the outermost first."""
    if not items:
        return block(ev, node.body)
    item, *inner = items
    if not inner and getattr(node, "nested", False) and \
            ev.eval(item.context_expr.func) == Static(contextlib.ExitStack):
        assign(ev, item.optional_vars, Poison("it is a stack of contexts, of which sct knows the contexts alone"))
        return block(ev, node.body)
    context = _context_of(ev, item.context_expr)
    if isinstance(context, Iteration):
        return _generated(ev, node, context, item, inner)
    if (lock := _lock(ev, context)) is not None:
        if item.optional_vars is not None:
            assign(ev, item.optional_vars, Static(True))
        return _held(ev, node, inner, [lock], callee="")
    if not isinstance(context, Bound):
        return _managed(ev, node, context, item, inner)
    fn = context.fn.value if isinstance(context.fn, Static) else None
    if fn is contextlib.suppress:
        if item.optional_vars is not None:
            assign(ev, item.optional_vars, Static(None))
        classes = tuple(class_of_exceptions(ev, v, item.context_expr) for v in context.args)
        evaluate_try(ev, lambda: _within(ev, node, inner), [ExceptClause(classes, lambda _: None)], lambda: None,
                     _live_after(ev, node), False)
        return
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, _entered(ev, context))
    if not (name := _CONTEXTS[fn]):
        return _within(ev, node, inner)
    arguments = [*context.args, *dict(context.kwargs).values()]
    if fn is np.errstate:
        note_settings(ev, arguments)
    _held(ev, node, inner, map(ev.operand, arguments), callee=name, keywords=tuple(k for k, _ in context.kwargs))


def _held(ev: Evaluator, node: Any, inner: Sequence[Any], operands: Iterable[Operand], **attrs: Any) -> None:
    """Runs the body in a context that the derivative has too."""
    ev.emit(enter, *operands, **attrs)
    if ev.tries.slot is None:
        _within(ev, node, inner)
        if not ev.store.dead:
            ev.emit(leave)
        return
    frame = ev.frames[-1].id
    flag, kept = (Key(frame, f"<{what} in context {len(ev.tries.handled)}>") for what in ("raised", "exception"))
    ev.store.vars[flag], classes = Static(False), dict[Class, Abstract]()

    def keep(error: Value | None) -> None:
        assert error is not None
        carried = ev.tries.parts.get(error, {})
        ev.store.vars.update({flag: Static(True), kept: error, **{parts_slot(kept, c): v for c, v in carried.items()}})
        classes.update(carried)

    evaluate_try(ev, lambda: _within(ev, node, inner), [ExceptClause((Class(BaseException),), keep)], lambda: None,
                 _live_after(ev, node), True)
    if ev.store.dead:
        return
    ev.emit(leave)
    raised, error = ev.store.vars.get(flag), ev.store.vars.get(kept)
    carried = {c: ev.store.vars.get(parts_slot(kept, c), UNKNOWN) for c in classes}
    for key in (flag, kept, *(parts_slot(kept, c) for c in classes)):
        ev.store.unbind(key)
    if raised == Static(False):
        return
    assert isinstance(error, Value)

    def pass_on() -> None:
        bound = ev.known_bound(error) if isinstance(error.type, Undef) else error
        ev.tries.parts[bound] = carried
        rethrow(ev, bound, ev.tries.classes.get(error))

    if raised == Static(True):
        pass_on()
    else:
        assert raised is not None
        run_branches(ev, ev.operand(raised), pass_on, lambda: None, ev.live_after(_live_after(ev, node)))


def _lock(ev: Evaluator, context: Abstract) -> Value | None:
    """A lock of `threading`, as an operand; None for anything else."""
    if isinstance(context, Static):
        return opaque(ev, context) if isinstance(context.peek, LOCKS) else None
    return context if isinstance(context, Value) and isinstance(context.type, Lock) else None


def _live_after(ev: Evaluator, node: Any) -> frozenset[str]:
    return ev.frames[-1].live.leaving(node) | ev.frames[-1].now


def _context_of(ev: Evaluator, node: Any) -> Abstract:
    """The context manager; an unknown one is refused before its arguments are evaluated."""
    context = ev.eval(node.func if isinstance(node, gast.Call) else node)
    function = None if _is_known(context) else _generator_function(ev, context)
    if isinstance(node, gast.Call) and function is not None:
        with bound_to(ev, _MANAGER, function):
            context = ev.eval(_call_of_manager(node))
        if isinstance(context, Iteration):
            return context
    elif isinstance(node, gast.Call) and (_makes_lock(context) or _makes_context(context)):
        context = ev.eval(node)
    if not (isinstance(context, Bound) and _is_known(context.fn) or _lock(ev, context) is not None or
            isinstance(context, ObjRef) and special_method(ev, context, "__enter__") is not None):
        if context == Static(contextlib.ExitStack):
            ev.refuse("SCT101", "an `ExitStack` that is used in a branch or a loop, or by a callback, is not supported",
                      node=node, why="which contexts are left at its end depends on the path",
                      hint="enter each context by a statement of the body of the `with`; call what a callback does in "
                      "a `finally`")
        ev.refuse("SCT101", "`with` of this is not supported", node=node,
                  why="the context would not apply to the derivative",
                  hint=f"write it around the call of the derivative, or put it into {SEPARATE}; "
                       "`with np.errstate(...)` is fine")
    return context


_MANAGER = "<manager>"


@functools.lru_cache(maxsize=4096)
def _call_of_manager(node: Any) -> Any:
    """The call, of the function under the name `_MANAGER`."""
    name = gast.copy_location(gast.Name(_MANAGER, gast.Load(), None, None), node)
    return gast.copy_location(gast.Call(name, node.args, node.keywords), node)


def _generator_function(ev: Evaluator, v: Abstract) -> Abstract | None:
    """The generator function that `contextlib.contextmanager` has decorated; None if `v` is none of these."""
    if isinstance(v, Bound) and v.fn == Static(contextlib.contextmanager):
        return v.args[0]
    if isinstance(v, Bound) and v.method and (function := _generator_function(ev, v.fn)) is not None:
        return replace(v, fn=function)
    if not isinstance(v, Static) or (generator := generator_of_context(v.peek)) is None:
        return None
    return lift(ev, generator, (*(v.path or (v.peek,)), ("attr", "__wrapped__")))


def _is_known(callee: Abstract) -> bool:
    """Is this a class or function of contexts that sct knows?"""
    x = callee.value if isinstance(callee, Static) else None
    return isinstance(x, Hashable) and (x in _CONTEXTS or x is contextlib.suppress)


def _makes_lock(callee: Abstract) -> bool:
    return isinstance(callee, Static) and any(callee.value is make for make in _NEW_LOCKS)


def _makes_context(callee: Abstract) -> bool:
    """Does a call of it make a context manager that sct knows, or may it make an object of a user's class?"""
    if not isinstance(callee, Static):
        return isinstance(callee, (Closure, Bound, Method))
    x = callee.value
    return _is_known(callee) or isinstance(x, type) and is_user_class(x) or \
        isinstance(x, types.FunctionType) and not hasattr(x, "__wrapped__")


def _entered(ev: Evaluator, context: Bound) -> Abstract:
    """The value that `with ... as name` binds."""
    if context.fn == Static(contextlib.nullcontext):
        return next(iter((*context.args, *dict(context.kwargs).values())), Static(None))
    if context.fn != Static(np.errstate):
        ev.refuse("SCT101", "the value of this context manager is not supported", hint="write `with` without `as`")
    return Static(None)


# -- generators ------------------------------------------------------------------------------------------


def _generated(ev: Evaluator, node: Any, it: Iteration, item: Any, inner: Sequence[Any]) -> None:
    """Runs the body in place of the `yield` of a generator; the generator goes on behind it, whatever its exit."""
    if not is_fresh_function(ev, it) or not _yields_once(it.parts[0]):
        ev.refuse("SCT101", "`with` of a generator that does not certainly yield once is not supported",
                  node=item.context_expr, why="Python raises RuntimeError where it does not",
                  hint="let the `yield` stand in no `if` and no loop")
    around, live = ev.frames[-1], _live_after(ev, node)

    def take(value: Abstract) -> None:
        if item.optional_vars is not None:
            assign(ev, item.optional_vars, value)
        _within(ev, node, inner)

    frame = new_run(ev, it, Consumer(around, take, live, frozenset(), ev.generators_in_progress, ev.loc, manages=True))
    use_up(ev, it)
    with changed(around, now=live):
        inline(ev, frame)


def _yields_once(function: Abstract) -> bool:
    """Does the body of a generator function yield once, on each path that does not raise?"""
    stmts = list(function.node.body) if isinstance(function, Closure) else []
    count = sum(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in own_nodes(stmts))
    while stmts:
        stmt = next((s for s in stmts if yields(s)), None)
        if isinstance(stmt, (*TRIES, gast.With)):
            stmts = stmt.body
        else:
            return count == 1 and isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Yield)
    return False


# -- objects of the user's classes -----------------------------------------------------------------------


def _managed(ev: Evaluator, node: Any, manager: Abstract, item: Any, inner: Sequence[Any]) -> None:
    """Run the body between the `__enter__` and the `__exit__` of an object."""
    start, end = special_method(ev, manager, "__enter__"), special_method(ev, manager, "__exit__")
    if start is None or end is None:
        cls = python_class(ev, manager)
        run_or_raise(ev, lambda: _enter(type(cls.__name__, (), {"__enter__": id} if end is None else {})()))  # raises
    assert start is not None and end is not None
    value = ev.call(start, [])
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, value)

    def leave_context(error: Value | None) -> Operand:
        """Calls `__exit__`; whether the exception ends here."""
        arguments: list[Abstract] = [Static(None)] * 3
        if error is not None:
            ev.tries.exceptions.add(error)
            arguments = [ev.emit(part, error, text="type(_0)"), error, ev.emit(part, error, text="_0.__traceback__")]
        return truth(ev, ev.call(end, arguments))

    at_last(ev, lambda: _within(ev, node, inner), leave_context, _live_after(ev, node),
            sees_exception=_reads_exception(manager))


def _enter(manager: Any) -> None:
    with manager:
        pass


def _reads_exception(manager: Abstract) -> bool:
    """May the `__exit__` of this object read the exception that it is passed, or end it?"""
    raw, _ = found_in(manager.cls.__mro__, "__exit__") if isinstance(manager, ObjRef) else (None, object)
    if not isinstance(raw, types.FunctionType):
        return True
    node = source_of(raw.__code__).node
    body = body_of(node)
    returns = [n.value for n in own_nodes(body) if isinstance(n, gast.Return)]
    returned = [v for v in (body if isinstance(node, gast.Lambda) else returns) if v is not None]
    if not all(isinstance(v, gast.Constant) and not v.value for v in returned):
        return True
    others = {*parameters(node)}.difference(positional_parameters(node)[:1])
    return any(name in reads(part) for name in others for part in body)
