"""Exceptions that a program makes: their arguments are values, and tuples of values.

Lists, dicts and objects may change until they are read, so an exception that carries these stands for its class alone:
what it carries goes to the handler beside it.

    raise Diverged(state) ... except Diverged as e: return e.state.x   ->   `state` goes to the handler
"""

from __future__ import annotations

import builtins
from typing import Any

from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap.inactive import certainly_varied, template_of
from sct.frontend.objects.parts_of_exceptions import object_of_exception, parts_of_exception
from sct.frontend.operators.run_time_comparisons import rows_text
from sct.frontend.values.abstract_values import Abstract, Container, Ref, RunTimeTuple, Static, Tup, is_literal
from sct.ir import Lit, Operand, Value
from sct.ir.pytrees.user_objects import is_user_class
from sct.ir.types import ActiveObject, Link, MutableException, shows_number
from sct.ops import apply
from sct.ops.program.effects import part, python

__all__ = ["exception"]


def exception(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """The exception `fn(*args, **kwargs)`."""
    f, name = fn.value, fn.value.__name__
    passed = (*args, *kwargs.values())
    if any(map(_may_change, passed)) and not (ev.tries.leaves_from(ev.loc) and all(
            template_of(ev, a, []) is not None for a in passed if _may_change(a))):
        return _with_objects(ev, fn, args, kwargs)
    operands = [_exception_argument(ev, a) for a in passed]
    shows = any(shows_number(x.type) for x in operands) or any(certainly_varied(ev, a) for a in passed)
    t: dict[str, Any] = {"type": ActiveObject()} if shows else {}
    with ev.tries.none():
        if not kwargs and vars(builtins).get(name) is f:
            error = ev.emit(python, *operands, callee=name, **t)
        else:
            callee = opaque(ev, fn if fn.path is not None else Static(f, (f,)))
            error = ev.emit(apply, callee, *operands, keywords=tuple(kwargs), exception=True, **t)
    ev.tries.makes(error, f, ev.b.eqns[-1], parts_of_exception(ev, f, args, kwargs))
    return error  # type: ignore[no-any-return]


def _may_change(v: Abstract) -> bool:
    """Is this a list, a dict or an object, or a tuple that holds one?"""
    if isinstance(v, Tup):
        return any(map(_may_change, v.items)) or v.cls is not tuple
    return isinstance(v, Container) or isinstance(v, Value) and isinstance(v.type, Link) or \
        isinstance(v, Static) and (type(v.peek) in (list, dict) or is_user_class(type(v.peek)))


def _with_objects(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """The exception `fn(*args, **kwargs)`, which carries what may change."""
    name = fn.value.__name__
    carried = object_of_exception(ev, fn.value, args, kwargs)
    if carried is None:
        ev.refuse("SCT503", f"`{name}` with an argument that may change is not supported",
                  why="sct does not see into exceptions of this class",
                  hint="pass numbers, texts and tuples of these; or derive a class from Exception for it")
    if vars(builtins).get(name) is fn.value:
        error = ev.emit(part, text=f"{name}()", type=MutableException())
    else:
        callee = opaque(ev, fn if fn.path is not None else Static(fn.value, (fn.value,)))
        error = ev.emit(part, callee, text="_0.__new__(_0)", type=MutableException())
    ev.tries.makes(error, fn.value, ev.b.eqns[-1], carried)
    return error  # type: ignore[no-any-return]


def _exception_argument(ev: Evaluator, v: Abstract) -> Operand:
    """An argument of an exception: a value, or a tuple of values, which no one changes."""
    operands: list[Operand] = []
    if _may_change(v):  # it is raised here, and nothing comes between
        return _tuple(ev, v, template_of(ev, v, operands), operands)
    if isinstance(v, RunTimeTuple):
        rows = rows_text(ev, v.of, operands)
        return _tuple(ev, v, None if rows is None else f"tuple({rows.removeprefix('list')})", operands)
    if not isinstance(v, Tup) or v.cls is not tuple:
        return ev.operand(v)
    if all(map(is_literal, v.items)):
        return Lit(tuple(x.value for x in v.items if isinstance(x, Static)))
    return _tuple(ev, v, template_of(ev, v, operands) if _is_fixed(v) else None, operands)


def _is_fixed(v: Abstract) -> bool:
    """Is this a number, a string, an array, or a tuple of these?"""
    return all(map(_is_fixed, v.items)) if isinstance(v, Tup) else isinstance(v, (Static, Value, Ref))


def _tuple(ev: Evaluator, v: Abstract, text: str | None, operands: list[Operand]) -> Operand:
    if text is None:
        ev.refuse("SCT503", "a tuple that holds more than numbers, strings and tuples of these is not supported in an "
                  "exception", hint="pass its items one by one, or a text")
    t: dict[str, Any] = {"type": ActiveObject()} if certainly_varied(ev, v) else {}
    return ev.emit(part, *operands, text=text, exception=True, **t)  # type: ignore[no-any-return]
