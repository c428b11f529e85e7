"""Loops over known items: the body once an item."""

from __future__ import annotations

from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.join_paths import evaluate_branches, run_branches
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.statements import BREAK, CONTINUE, FALL, RETURN, block
from sct.frontend.iteration.iterator_protocol import ENDLESS_LOOP, taken
from sct.frontend.values.abstract_values import Iteration, ListRef, Static
from sct.ir import Value
from sct.ops import lt

__all__ = ["unroll"]

LONGEST_LIST = 2_000
"""A loop that is evaluated item by item may come to so many items more than its list has at first."""


def unroll(ev: Evaluator, node: Any, items: Iteration) -> None:
    """A loop over an iterator, asked for an item before each iteration: the body once an item."""
    with ev.frames[-1].living(), ev.temporaries.dropped():
        ev.temporaries.hold(items)
        of = items.parts[0] if items.kind == "iter" else None
        longest = len(ev.store.slots(of).items) + LONGEST_LIST if isinstance(of, ListRef) else ENDLESS_LOOP
        _unroll_from(ev, node, items, 0, longest)


def _unroll_from(ev: Evaluator, node: Any, items: Iteration, count: int, longest: int) -> None:
    frame = ev.frames[-1]
    outer = frame.now
    while (item := taken(ev, items)) is not None:
        count += 1
        if count > longest and longest != ENDLESS_LOOP:
            ev.refuse("SCT306", f"the loop goes on after {longest} items of the list, to which it appends",
                      hint="read the items by position, to an end: `while i < len(xs) and i < 100:`, "
                           "`x = xs[i]; i += 1`")
        if count > longest:
            ev.refuse("SCT306", f"the loop goes on after {ENDLESS_LOOP} items", hint="use a while loop with a test")
        assign(ev, node.target, item)
        frame.now = frame.live.head[node] | outer
        with frame.in_unrolled_loop():
            block(ev, node.body)
        if ev.store.dead:
            return
        kind = ev.exit
        kinds = frozenset({kind.value}) if isinstance(kind, Static) else ev.exits.kinds_of(ev.lit(kind))
        if max(kinds) > CONTINUE:
            if min(kinds) > CONTINUE:
                _leave_unrolled(ev, kinds)
            else:
                assert isinstance(kind, Value)
                _guard_unrolled(ev, node, items, (count, longest), kind)
            return
        ev.set_exit(FALL)
    block(ev, node.orelse)


def _guard_unrolled(ev: Evaluator, node: Any, items: Iteration, count: tuple[int, int], kind: Value) -> None:
    """The items that are left, where the exit `kind` of the iteration before lets it come to them."""
    test = ev.emit(lt, kind, BREAK, spelling="operator.lt")
    leaving = frozenset(k for k in ev.exits.kinds_of(kind) if k >= BREAK)

    def on() -> None:
        ev.set_exit(FALL)
        _unroll_from(ev, node, items, *count)

    live = ev.frames[-1].live
    live_names = live.head[node] | live.leaving(node)
    run_branches(ev, test, on, lambda: _leave_unrolled(ev, leaving), ev.live_after(live_names))


def _leave_unrolled(ev: Evaluator, kinds: frozenset[int]) -> None:
    """After an unrolled loop that was left: a break is over, a return goes on."""
    kind = ev.exit

    def fall() -> None:
        ev.set_exit(FALL)

    def out() -> None:
        ev.set_exit(max(kinds) if len(kinds - {BREAK}) == 1 else kind)

    if kinds == {BREAK}:
        fall()
    elif BREAK not in kinds:
        out()
    else:
        assert isinstance(kind, Value)
        evaluate_branches(ev, ev.emit(lt, kind, RETURN, spelling="operator.lt"), fall, out)
