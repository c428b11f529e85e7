"""`with`: contexts that change no number stand around the same statements in the derivative.

    with np.errstate(divide="ignore"): y = np.log(x)   ->   enter("numpy.errstate", ...); y = log(x); leave()
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import SEPARATE, SPECIAL, Special, statement
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.statements import block
from sct.frontend.values.abstract_values import Abstract, Bound, Static
from sct.ops import enter, leave

__all__: list[str] = []

_CONTEXTS: dict[Any, str] = {
    np.errstate: "numpy.errstate", np.printoptions: "numpy.printoptions",
    warnings.catch_warnings: "warnings.catch_warnings", contextlib.nullcontext: ""}
"""Contexts in which numbers are the same; that without a name does nothing at all."""


def _context(fn: Any) -> Special:
    return lambda ev, args, kwargs: Bound(Static(fn), tuple(args), tuple(kwargs.items()))


SPECIAL.update((id(made), _context(made)) for made in _CONTEXTS)


@statement(gast.With)
def with_(ev: Evaluator, node: Any) -> None:
    _within(ev, node, node.items)


def _within(ev: Evaluator, node: Any, items: Sequence[Any]) -> None:
    """Run the body of the `with` in these contexts, the outermost first."""
    if not items:
        return block(ev, node.body)
    item, *inner = items
    name, context = _context_of(ev, item.context_expr)
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, _entered(ev, context))
    if name:
        arguments = [*context.args, *dict(context.kwargs).values()]
        ev.emit(enter, *map(ev.operand, arguments), callee=name, keywords=tuple(k for k, _ in context.kwargs))
    _within(ev, node, inner)
    if name and not ev.store.dead:
        ev.emit(leave)


def _context_of(ev: Evaluator, node: Any) -> tuple[str, Bound]:
    """The name and the class of a context manager; an unknown one is refused before its arguments are evaluated."""
    context = ev.eval(node.func if isinstance(node, gast.Call) else node)
    if isinstance(context, Static) and context.value in _CONTEXTS and isinstance(node, gast.Call):
        context = ev.eval(node)
    if not (isinstance(context, Bound) and isinstance(context.fn, Static) and context.fn.value in _CONTEXTS):
        ev.refuse("SCT101", "`with` of this is not supported", node=node,
                  why="the context would not apply to the derivative",
                  hint=f"write it around the call of the derivative, or put it into {SEPARATE}; "
                       "`with np.errstate(...)` is fine")
    return _CONTEXTS[context.fn.value], context


def _entered(ev: Evaluator, context: Bound) -> Abstract:
    """The value that `with ... as name` binds."""
    if context.fn == Static(contextlib.nullcontext):
        return next(iter((*context.args, *dict(context.kwargs).values())), Static(None))
    if context.fn != Static(np.errstate):
        ev.refuse("SCT101", "the value of this context manager is not supported", hint="write `with` without `as`")
    return Static(None)
