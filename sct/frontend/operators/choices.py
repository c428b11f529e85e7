"""Objects that depend on the path: what is done with one is done for each, as the code of the choice says.

    state = State.RUN if c else State.STOP; state is State.RUN   ->   state = "State.RUN" ...; state == "State.RUN"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, called
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.iteration.iterator_protocol import iterable
from sct.frontend.objects.linked_objects import by_class, may_be_absent, may_be_several
from sct.frontend.state.choices import code_of, is_present, narrowed, test_text
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import Abstract, Choice, Static
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Operand, Value
from sct.ir.pytrees.user_objects import is_container
from sct.ir.types import BOOL, Optional
from sct.ops import is_none, not_
from sct.ops.program.effects import part

__all__ = ["distributed", "for_each", "for_each_argument", "is_one_of_several", "told"]


def is_one_of_several(v: Abstract) -> bool:
    """Is this one of several objects, by the path, or an object of one of several classes?"""
    return isinstance(v, Choice) or may_be_several(v)


def for_each(ev: Evaluator, v: Abstract, do: Callable[[Abstract], Abstract]) -> Abstract:
    """`do(v)`, for the member that it is."""
    if isinstance(v, Value) and may_be_several(v):
        return _where_present(ev, v, lambda link: for_each(ev, by_class(ev, link), do), do)
    v = narrowed(ev.store, v) if isinstance(v, Choice) else v
    if not isinstance(v, Choice):
        return do(v)
    first, *rest = v.members
    if not rest:
        return do(first)
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, _is(ev, v, first), lambda: do(first), lambda: for_each(ev, Choice(v.code, tuple(rest)), do))


def _where_present(ev: Evaluator, v: Value, do: Callable[[Value], Abstract], none: Callable[[Abstract], Abstract]
                   ) -> Abstract:
    """`do` of an object that may be None, where it is there, otherwise `none` of None."""
    v = ev.bound(v)  # type: ignore[assignment]
    if not isinstance(v.type, Optional) or is_present(ev.store, v):
        return do(ev.defined(v))
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, ev.emit(is_none, v), lambda: none(Static(None)), lambda: do(ev.defined(v)))


def told(ev: Evaluator, v: Abstract, test: Callable[[Abstract], Abstract]) -> Abstract:
    """A test that is known for each member, as a test of the code."""
    if isinstance(v, Value) and (may_be_several(v) or may_be_absent(v)):
        return _where_present(ev, v, lambda link: told(ev, by_class(ev, link), test), test)
    if not isinstance(v, Choice):
        return test(v)
    answers = [(m, _tried(ev, lambda: test(m))) for m in v.members]  # noqa: B023
    decided = [(m, x.value) for m, x in answers if isinstance(x, Static) and isinstance(x.value, bool)]
    if len(decided) < len(answers):
        return for_each(ev, v, test)
    for answer in (True, False):
        rare = [m for m, x in decided if x is answer]
        if not rare:
            return Static(not answer)
        if len(rare) == 1:
            return ev.wrap(_is(ev, v, rare[0], answer))
    return for_each(ev, v, test)


def _tried(ev: Evaluator, test: Callable[[], Abstract]) -> Abstract | None:
    """The answer of a test on a path of its own, which leaves no trace."""
    with ev.inside(ev.fork()):
        try:
            return test()
        except (Dead, SctError, NeedsStatic):
            return None


def _is(ev: Evaluator, v: Choice, member: Abstract, answer: bool = True) -> Operand:
    code, which = code_of(member), ev.bound(v.code)
    assert isinstance(which, Value)
    if code is None:
        absent = ev.emit(is_none, which)
        return absent if answer else ev.emit(not_, absent)  # type: ignore[no-any-return]
    test: Operand = ev.emit(part, which, text=test_text(code, answer), type=BOOL)
    return test


def distributed(ev: Evaluator, values: Sequence[Abstract], do: Callable[[list[Abstract]], Abstract]) -> Abstract | None:
    """`do(values)`, for the member that the first choice among them is; None if there is none."""
    k = next((k for k, v in enumerate(values) if is_one_of_several(v)), None)
    if k is None:
        return None
    return for_each(ev, values[k], lambda m: do([*values[:k], m, *values[k + 1:]]))


def for_each_argument(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of a function that is not the user's with an argument that is one of several objects."""
    if isinstance(fn.value, type) and is_container(fn.value):
        return None
    if (fn.value is isinstance or fn.value is callable) and args and (
            is_one_of_several(args[0]) or may_be_absent(args[0])):
        return told(ev, args[0], lambda m: ev.call(fn, [m, *args[1:]], kwargs))
    if fn.value is type and len(args) == 1 and may_be_several(args[0]) and not may_be_absent(args[0]):
        return None
    if any(fn.value is f for f in _GIVE_ITEMS) and any(isinstance(a, Choice) for a in args):
        items = [iterable(ev, a) if isinstance(a, Choice) else a for a in args]
        if items != list(args):
            return ev.call(fn, items, kwargs)
    values = [*args, *kwargs.values()]
    return distributed(ev, values, lambda vs: ev.call(fn, vs[:len(args)], dict(zip(kwargs, vs[len(args):]))))


_GIVE_ITEMS = (enumerate, filter, iter, map, reversed, zip)
"""Functions that give the items of their arguments: of a list or a tuple alike."""


@called(Choice)
def call_member(ev: Evaluator, fn: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a member that has a `__call__`."""
    return for_each(ev, fn, lambda m: ev.call(m, args, kwargs))
