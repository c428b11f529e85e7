"""`with`: contexts that change no number stand around the same statements in the derivative.

    with np.errstate(divide="ignore"): y = np.log(x)   ->   enter("numpy.errstate", ...); y = log(x); leave()

An object of a user's class is entered, and left on every path, as by a `finally`.
"""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import gast
import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import SEPARATE, SPECIAL, Special, statement
from sct.frontend.heap.objects import special_method
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.statements import block
from sct.frontend.interpreter.try_statement import Handler, at_last, attempt, class_of_exceptions
from sct.frontend.operators.truth import truth
from sct.frontend.source.name_scopes import parameters, reads
from sct.frontend.source.parse import source_of
from sct.frontend.values.abstract_values import Abstract, Bound, Closure, Method, ObjRef, Static
from sct.ir import Operand, Value
from sct.ir.user_objects import is_user_class
from sct.ops import enter, leave, part

__all__: list[str] = []

_CONTEXTS: dict[Any, str] = {
    np.errstate: "numpy.errstate", np.printoptions: "numpy.printoptions",
    warnings.catch_warnings: "warnings.catch_warnings", contextlib.nullcontext: ""}
"""Contexts in which numbers are the same; that without a name does nothing at all."""


def _context(fn: Any) -> Special:
    return lambda ev, args, kwargs: Bound(Static(fn), tuple(args), tuple(kwargs.items()))


SPECIAL.update((id(made), _context(made)) for made in (*_CONTEXTS, contextlib.suppress))


@statement(gast.With)
def with_(ev: Evaluator, node: Any) -> None:
    _within(ev, node, node.items)


def _within(ev: Evaluator, node: Any, items: Sequence[Any]) -> None:
    """Run the body of the `with` in these contexts, the outermost first."""
    if not items:
        return block(ev, node.body)
    item, *inner = items
    context = _context_of(ev, item.context_expr)
    if not isinstance(context, Bound):
        return _managed(ev, node, context, item, inner)
    fn = context.fn.value if isinstance(context.fn, Static) else None
    if fn is contextlib.suppress:
        if item.optional_vars is not None:
            assign(ev, item.optional_vars, Static(None))
        classes = tuple(class_of_exceptions(ev, v, item.context_expr) for v in context.args)
        attempt(ev, lambda: _within(ev, node, inner), [Handler(classes, lambda _: None)], lambda: None,
                _live_after(ev, node), False)
        return
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, _entered(ev, context))
    if name := _CONTEXTS[fn]:
        arguments = [*context.args, *dict(context.kwargs).values()]
        ev.emit(enter, *map(ev.operand, arguments), callee=name, keywords=tuple(k for k, _ in context.kwargs))
    _within(ev, node, inner)
    if name and not ev.store.dead:
        ev.emit(leave)


def _live_after(ev: Evaluator, node: Any) -> frozenset[str]:
    return ev.frames[-1].live.leaving(node) | ev.frames[-1].now


def _context_of(ev: Evaluator, node: Any) -> Abstract:
    """The context manager; an unknown one is refused before its arguments are evaluated."""
    context = ev.eval(node.func if isinstance(node, gast.Call) else node)
    if isinstance(node, gast.Call) and _makes_context(context):
        context = ev.eval(node)
    known = isinstance(context, Bound) and isinstance(context.fn, Static) and (
        context.fn.value in _CONTEXTS or context.fn.value is contextlib.suppress)
    if not (known or isinstance(context, ObjRef) and special_method(ev, context, "__enter__") is not None):
        ev.refuse("SCT101", "`with` of this is not supported", node=node,
                  why="the context would not apply to the derivative",
                  hint=f"write it around the call of the derivative, or put it into {SEPARATE}; "
                       "`with np.errstate(...)` is fine")
    return context


def _makes_context(callee: Abstract) -> bool:
    """Does a call of it make a context manager that sct knows, or may it make an object of a user's class?"""
    if not isinstance(callee, Static):
        return isinstance(callee, (Closure, Bound, Method))
    x = callee.value
    return isinstance(x, Hashable) and (x in _CONTEXTS or x is contextlib.suppress) or \
        isinstance(x, type) and is_user_class(x) or isinstance(x, types.FunctionType) and not hasattr(x, "__wrapped__")


def _entered(ev: Evaluator, context: Bound) -> Abstract:
    """The value that `with ... as name` binds."""
    if context.fn == Static(contextlib.nullcontext):
        return next(iter((*context.args, *dict(context.kwargs).values())), Static(None))
    if context.fn != Static(np.errstate):
        ev.refuse("SCT101", "the value of this context manager is not supported", hint="write `with` without `as`")
    return Static(None)


# -- objects of the user's classes -----------------------------------------------------------------------


def _managed(ev: Evaluator, node: Any, manager: Abstract, item: Any, inner: Sequence[Any]) -> None:
    """Run the body between the `__enter__` and the `__exit__` of an object."""
    start, end = special_method(ev, manager, "__enter__"), special_method(ev, manager, "__exit__")
    if start is None or end is None:
        raise_at_run_time(ev, "TypeError", "the object does not support the context manager protocol")
    value = ev.call(start, [])
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, value)

    def leave_context(error: Value | None) -> Operand:
        """Calls `__exit__`; whether the exception ends here."""
        given: list[Abstract] = [Static(None)] * 3
        if error is not None:
            given = [ev.emit(part, error, text="type(_0)"), error, ev.emit(part, error, text="_0.__traceback__")]
        return truth(ev, ev.call(end, given))

    at_last(ev, lambda: _within(ev, node, inner), leave_context, _live_after(ev, node),
            sees_exception=_reads_exception(manager))


def _reads_exception(manager: Abstract) -> bool:
    """May the `__exit__` of this object read the exception that it is given?"""
    method = getattr(manager.cls, "__exit__", None) if isinstance(manager, ObjRef) else None
    if not isinstance(method, types.FunctionType):
        return True
    node = source_of(method.__code__).node
    others = parameters(node)[1:]
    return any(name in reads(stmt) for name in others for stmt in node.body)
