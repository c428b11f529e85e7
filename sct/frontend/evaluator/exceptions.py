"""Exceptions that Python itself would raise in the user's function: the derivative raises them when it runs.

    d["c"]   ->   raise KeyError("c")

The statement `raise` is in `interpreter.statements`.
"""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from sct.frontend.evaluator.attempts import NOT_ANSWERED
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.values.abstract_values import PLAIN, Poison
from sct.ir import Lit, Operand
from sct.ir.types import ActiveText, leaf_type, shows_number
from sct.ops.program.effects import python

__all__ = [
    "NOT_ANSWERED", "bind_or_raise", "do_not_answer", "leaves_generator", "named_arguments", "raise_at_run_time",
    "refuse_reading", "run_or_raise"]

_BEFORE = "check for the bad case first, with `if`"


def raise_at_run_time(ev: Evaluator, exception: str, *args: Any) -> NoReturn:
    """Raises a builtin exception at run time; the rest of this path is not evaluated."""
    if not all(map(_is_literal, args)):
        ev.refuse("SCT505", f"this would raise {exception} with a message that sct cannot write out", hint=_BEFORE)
    if leaves_generator(ev, getattr(builtins, exception)):
        exception, args = "RuntimeError", ("generator raised StopIteration",)
    ev.throw(ev.emit(python, *map(Lit, args), callee=exception), getattr(builtins, exception))


def do_not_answer(ev: Evaluator, what: str) -> NoReturn:
    """Raises where this call, unlike others, needs what sct does not do.  The user's handlers are not to see that."""
    ev.check_not_answered(what)
    raise_at_run_time(ev, "NotImplementedError", NOT_ANSWERED + what)


def leaves_generator(ev: Evaluator, cls: type[BaseException] | None) -> bool:
    """Does a StopIteration that is raised here leave a generator, which makes it a RuntimeError?"""
    if cls is not StopIteration or not ev.generators_in_progress:
        return False
    inside = ev.tries.handled[ev.generators_in_progress[-1]:]
    return not any(c.may_catch((StopIteration,)) for c in inside)


def _is_literal(x: Any) -> bool:
    return all(map(_is_literal, x)) if type(x) is tuple else type(x) in PLAIN


def run_or_raise(ev: Evaluator, run: Callable[[], Any]) -> Any:
    """`run()`, evaluated now; an exception is raised by the program when it reaches this place."""
    try:
        return run()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, ImportError) as error:
        if not all(map(_is_literal, error.args)) or getattr(builtins, type(error).__name__, None) is not type(error):
            ev.refuse("SCT505", f"this fails: {error!r}", hint=_BEFORE)
        raise_at_run_time(ev, type(error).__name__, *error.args)


def named_arguments(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> dict[str, Any]:
    """The arguments of a call of `f`, by the names of its parameters; raises what Python does where they do not fit."""
    def fitted() -> inspect.BoundArguments:
        try:
            return inspect.signature(f).bind(*args, **kwargs)
        except TypeError:
            f(*(None for _ in args), **dict.fromkeys(kwargs))  # raises it with Python's message
            raise

    return dict(run_or_raise(ev, fitted).arguments)


def bind_or_raise(ev: Evaluator, name: str, qualname: str, params: tuple[str, ...], count: int,
           names: tuple[str, ...]) -> dict[str, Any]:
    """The argument for each parameter: a position, a tuple or dict of positions, or None for the default.

    Python itself binds the positions; if they do not fit, its TypeError is raised at run time.
    """
    places = _fitted(name, qualname, params, count, names)
    if isinstance(places, str):
        raise_at_run_time(ev, "TypeError", places)
    result: dict[str, Any] = places
    return result


@functools.lru_cache(maxsize=4096)
def _fitted(name: str, qualname: str, params: tuple[str, ...], count: int, names: tuple[str, ...]) -> Any:
    plain = name if name.isidentifier() else "f"
    namespace: dict[str, Any] = {}
    exec(f"def {plain}({', '.join(params)}): return locals()", {}, namespace)
    f = namespace[plain]
    f.__qualname__, f.__code__ = qualname or name, f.__code__.replace(co_name=name)
    try:
        return f(*range(count), **dict(zip(names, range(count, count + len(names)))))
    except TypeError as error:
        return str(error)


def refuse_reading(ev: Evaluator, shown: Iterable[Operand]) -> NoReturn:
    """Refuses a number, or an object that may hold one, that is read from what shows a differentiated one."""
    for x in shown:
        if shows_number(x.type) and not isinstance(leaf_type(x.type), ActiveText):
            why, hint = _why_not_carried(ev, x)
            ev.refuse("SCT207", "a number is read from an exception, or may be", why=why, hint=hint)
    ev.refuse("SCT207", "a number is read from a text, or may be", why="a text does not carry a derivative",
              hint="use the number that the text was made of; format it in an f-string")


def _why_not_carried(ev: Evaluator, error: Operand) -> tuple[str, str]:
    """Why it is not known what an exception carries, and what to write instead."""
    before = "bind the number to a variable before the `raise`, and read that"
    carried = ev.tries.carried(ev.store, error)
    if not carried:
        return "what an exception carries is known in its handler only, not of a variable that holds it", \
            "read in the handler what is needed behind it"
    unknown = next((parts.reason for parts in carried.values() if isinstance(parts, Poison)), None)
    if unknown is None and len(carried) > 1:
        return "it is of one of several classes, and what is read is not known for each of them", \
            "write an `except` for each class, or ask for the class: `isinstance(...)`"
    return unknown or "its class does more with its arguments than to keep them as attributes, or keeps none", before
