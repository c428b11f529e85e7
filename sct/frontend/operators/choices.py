"""Members of enums that depend on the path: what is done with one is done for each, as its code says.

    state = State.RUN if c else State.STOP; state is State.RUN   ->   state = "State.RUN" ...; state == "State.RUN"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, called
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.lattice import code_of
from sct.frontend.values.abstract_values import Abstract, Choice, Static
from sct.ir import Operand
from sct.ir.types import BOOL
from sct.ops.program.effects import part

__all__ = ["for_each", "told"]


def for_each(ev: Evaluator, v: Choice, do: Callable[[Static], Abstract]) -> Abstract:
    """`do(v)`, for the member that it is."""
    first, *rest = v.members
    if not rest:
        return do(first)
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, _is(ev, v, first), lambda: do(first), lambda: for_each(ev, Choice(v.code, tuple(rest)), do))


def told(ev: Evaluator, v: Choice, test: Callable[[Static], Abstract]) -> Abstract:
    """A test that is known for each member, as a test of the code."""
    answers = [(m, test(m)) for m in v.members]
    known = [(m, x.value) for m, x in answers if isinstance(x, Static) and isinstance(x.value, bool)]
    if len(known) < len(answers):
        return for_each(ev, v, test)
    for answer in (True, False):
        rare = [m for m, x in known if x is answer]
        if not rare:
            return Static(not answer)
        if len(rare) == 1:
            return ev.wrap(_is(ev, v, rare[0], answer))
    return for_each(ev, v, test)


def _is(ev: Evaluator, v: Choice, member: Static, answer: bool = True) -> Operand:
    text = f"_0 {'==' if answer else '!='} {code_of(member)!r}"
    return ev.emit(part, v.code, text=text, type=BOOL)  # type: ignore[no-any-return]


@called(Choice)
def call_member(ev: Evaluator, fn: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a member that has a `__call__`."""
    return for_each(ev, fn, lambda m: ev.call(m, args, kwargs))
