"""Methods of strings and numbers that are known, and regular expressions of them: they are run when the program is
compiled.

    re.match(r"(\\d+) (\\w+)", "2 CO").groups()    ->    ("2", "CO")
"""

from __future__ import annotations

import itertools
import re
import string
import types
from collections.abc import Iterator
from typing import Any

from sct.frontend.arguments.lift import lift, opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap.sample_calls import check_method
from sct.frontend.operators.text_formatting import fstring_of
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Container,
    DefaultRef,
    DictRef,
    ListRef,
    Static,
    Tup,
    is_literal,
)
from sct.ir import Operand
from sct.ops.program.effects import inactive

__all__ = ["pure_method"]


def pure_method(ev: Evaluator, fn: Static, f: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A method of a string or number that is known, or a regular expression of these, run now; None for other calls.

    fn  the method `f`, with the way to it; a regular expression without one was made in the function
    """
    owner = getattr(f, "__self__", None)
    if any(f is g for g in _OF_REGULAR_EXPRESSIONS) or isinstance(owner, (re.Pattern, re.Match)):
        result = _regular_expression(ev, f, args, kwargs)
        if result is not None or not isinstance(owner, re.Pattern) or fn.path is not None:
            return result
        method = ev.emit(inactive, opaque(ev, Static(owner)), text=f"_0.{f.__name__}")
        return ev.call(method, args, kwargs)
    if not isinstance(f, types.BuiltinMethodType) or type(owner) not in (str, bytes, int, float, complex, bool, tuple):
        return None
    check_method(ev, (type(owner),), Static(owner), f.__name__, args, kwargs)
    cell = ev.slots(args[0]) if f.__name__ == "format_map" and args and isinstance(args[0], DictRef) else None
    if cell is not None and not isinstance(args[0], DefaultRef) and not all(map(is_literal, cell.items)):
        return _format(ev, owner, (), {k: x for k, x in zip(cell.keys, cell.items) if isinstance(k, str)})
    if f.__name__ == "format" and not all(map(is_literal, (*args, *kwargs.values()))):
        return _format(ev, owner, args, kwargs)
    values = [_known(ev, a) for a in args]
    named = {k: _known(ev, v) for k, v in kwargs.items()}
    result = run_or_raise(ev, lambda: f(*values, **named))
    return ev.new_list(tuple(lift(ev, x) for x in result)) if type(result) is list else lift(ev, result)


def _regular_expression(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """The result of a function or method of `re`; None if Python is to run it: a part is not known,
    is no regular expression, or gives many matches."""
    if not all(isinstance(v, Static) and type(v.peek) in (*PLAIN, re.RegexFlag, re.Pattern)
               for v in (*args, *kwargs.values())):
        return None
    values = [ev.known(v, "an argument of this function") for v in args]
    named = {k: ev.known(v, "an argument of this function") for k, v in kwargs.items()}
    try:
        result = run_or_raise(ev, lambda: f(*values, **named))
    except re.error:  # it is raised when the derivative runs
        return None
    if isinstance(result, (list, Iterator)):
        items = list(result)
        if len(items) > MANY_ITEMS:
            return None
        listed = ev.new_list(tuple(_constant(ev, x) for x in items))
        return listed if isinstance(result, list) else ev.call(Static(iter), [listed])
    return _constant(ev, result)


def _constant(ev: Evaluator, x: Any) -> Abstract:
    return Static(x) if isinstance(x, (re.Match, re.Pattern)) else lift(ev, x)


MANY_ITEMS = 32
"""Matches are known one by one up to this number; more are left to Python."""

_OF_REGULAR_EXPRESSIONS = (re.compile, re.escape, re.findall, re.finditer, re.fullmatch, re.match, re.search, re.split,
                           re.sub, re.subn)


def _known(ev: Evaluator, v: Abstract) -> Any:
    if isinstance(v, Tup):
        return tuple(_known(ev, x) for x in v.items)
    if isinstance(v, ListRef):
        return [_known(ev, x) for x in ev.slots(v).items]
    if isinstance(v, DictRef) and not isinstance(v, DefaultRef):
        cell = ev.slots(v)
        return dict(zip(cell.keys, (_known(ev, x) for x in cell.items)))
    return ev.known(v, "an argument of this method")


def _format(ev: Evaluator, text: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """`"{:.3f}".format(x)` as an f-string."""
    parts: list[Any] = []
    operands: list[Operand] = []
    automatic = itertools.count()
    for before, name, spec, conversion in string.Formatter().parse(text):
        if before:
            parts.append(before)
        if name is None:
            continue
        at = int(name) if name.isdigit() else next(automatic) if not name else None
        v = kwargs.get(name) if at is None else args[at] if at < len(args) else None
        if v is None or "{" in (spec or "") or isinstance(v, (Tup, Container)):
            ev.refuse("SCT206", "this format is not supported", hint="use an f-string")
        parts.append((conversion or "", spec or ""))
        operands.append(ev.operand(v))
    return fstring_of(ev, parts, operands)
