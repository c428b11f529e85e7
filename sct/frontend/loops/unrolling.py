"""Loops over known items: the body once an item; and loops whose first iteration is evaluated alone."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.join_paths import evaluate_branches, run_branches
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.statements import BREAK, CONTINUE, FALL, RETURN, block, guard, read_as_bound
from sct.frontend.iteration.iteration_space import MOST_UNROLLED, IterationSpace
from sct.frontend.iteration.iterator_protocol import ENDLESS_LOOP, iterator, most, taken
from sct.frontend.loops.loop_head import FEW_ITERATIONS
from sct.frontend.operators.truth import condition
from sct.frontend.values.abstract_values import Abstract, Iteration, Key, ListRef, Ref, Slots, Static, Tup, is_literal
from sct.frontend.values.guards import NeedsFirst, NeedsStatic
from sct.frontend.values.size_terms import range_size
from sct.ir import Lit, Op, Operand, Value
from sct.ops import add, lt

__all__ = ["after_first", "few_items", "is_enough", "is_single", "loop_or_unroll", "unroll"]

LONGEST_LIST = 2_000
"""A loop that is evaluated item by item may come to so many items more than its list has at first."""


MOST_NESTED = 32
"""Loops over lists of known items, in one another, are unrolled if they come to at most so many iterations."""


def is_enough(ev: Evaluator, where: IterationSpace, need: NeedsStatic | SctError, first_alone: Callable[[], None]
              ) -> bool:
    """Is it enough that `first_alone` evaluates the first iteration of a loop alone, and the others as a loop?"""
    if not isinstance(need, NeedsFirst) or where.known_size is not None and where.known_size <= FEW_ITERATIONS:
        return False
    snapshot = ev.snapshot()
    try:
        first_alone()
    except (NeedsStatic, SctError):
        ev.restore(snapshot)
        return False
    return True


def few_items(ev: Evaluator, over: Abstract, where: IterationSpace, need: NeedsStatic | SctError) -> Abstract | None:
    """The items of a loop that has to be unrolled for this reason; guards that there are few.

    None if there may be many, and it is enough to evaluate the first iteration alone.
    """
    if isinstance(over, Iteration) and over.kind == "range" and isinstance(need, NeedsStatic):
        try:
            over = Iteration("range", tuple(Static(ev.ask(p, "the bounds of this range")) for p in over.parts))
        except (SctError, NeedsStatic):
            if isinstance(need, NeedsFirst):
                return None
            raise need from None
    n = most(ev, over)
    n = where.known_size if n is None else n
    if n is None and where.calls or n is not None and n <= MOST_UNROLLED:
        return over
    if isinstance(need, NeedsFirst):
        return None
    raise need


class _NeedsColumns(Exception):
    """Loops over known items, in one another, come to many iterations."""


def is_single(over: Abstract) -> bool:
    """Is this a range of one number, which is known when the function is compiled?"""
    if not isinstance(over, Iteration) or over.kind != "range":
        return False
    bounds = [p.value for p in over.parts if isinstance(p, Static) and type(p.value) is int]
    return len(bounds) == len(over.parts) and bounds[2:] != [0] and range_size(*bounds) == 1


def loop_or_unroll(ev: Evaluator, node: Any, over: Abstract, loop: Callable[[], None]) -> None:
    """A loop over known items.  If loops in one another come to many iterations, the lists of the outer ones get
    columns, and it is `loop`; where that cannot be, and else, it is unrolled."""
    n, lists = most(ev, over), _lists(over)
    copies = math.prod(frame.copies for frame in ev.frames)
    many = n is not None and (n > MOST_UNROLLED or copies > 1 and n * copies > MOST_NESTED)
    if many and any(frame.may_loop for frame in ev.frames):
        raise _NeedsColumns
    snapshot = ev.snapshot()
    if not many and lists:
        try:
            with ev.frames[-1].trying():
                unroll(ev, node, iterator(ev, over))
            return
        except _NeedsColumns:
            ev.restore(snapshot)
            snapshot = ev.snapshot()
    try:
        if lists:
            with _columns(ev, lists):
                loop()
            return
    except (NeedsStatic, SctError):
        ev.restore(snapshot)
    unroll(ev, node, iterator(ev, over))


@contextlib.contextmanager
def _columns(ev: Evaluator, lists: Sequence[ListRef]) -> Iterator[None]:
    """Gives the lists columns; those of known numbers that nothing writes to lose them in the end."""
    cells = {xs.addr: ev.store.slots(xs) for xs in lists if all(map(is_literal, _numbers(ev.store.slots(xs).items)))}
    for xs in lists:
        dynamic_lists.grow(ev, xs)
    grown = {addr: _contents(ev, addr) for addr in cells}
    yield
    for addr, cell in cells.items():
        if not ev.store.dead and _contents(ev, addr) == grown[addr]:
            ev.store.cells[addr] = cell


def _numbers(items: Iterable[Abstract]) -> Iterator[Abstract]:
    """The items, and those of tuples among them."""
    for x in items:
        if isinstance(x, Tup):
            yield from _numbers(x.items)
        else:
            yield x


def _contents(ev: Evaluator, addr: int) -> tuple[Any, ...]:
    """The columns of a list, and what is in them."""
    cell = ev.store.cells[addr]
    items = cell.items if isinstance(cell, Slots) else ()
    return cell, *(ev.store.cells[x.addr] for x in items if isinstance(x, Ref))


def _lists(over: Abstract) -> list[ListRef]:
    """The lists that a loop runs over, in step, if it runs over lists alone."""
    if isinstance(over, ListRef):
        return [over]
    if not isinstance(over, Iteration) or over.kind not in ("iter", "enumerate", "zip", "reversed"):
        return []
    parts = over.parts[:1] if over.kind == "enumerate" else over.parts
    lists = [_lists(p) for p in parts]
    return [xs for of_part in lists for xs in of_part] if all(lists) else []


def unroll(ev: Evaluator, node: Any, items: Iteration) -> None:
    """A loop over an iterator, asked for an item before each iteration: the body once an item."""
    with ev.frames[-1].living(), ev.temporaries.dropped(), ev.frames[-1].unrolling(most(ev, items) or 1):
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
        frame.be_at(frame.live.head[node] | outer)
        if not _iteration(ev, node, lambda: _unroll_from(ev, node, items, count, longest)):  # noqa: B023
            return
    block(ev, node.orelse)


def after_first(ev: Evaluator, node: Any, where: IterationSpace | None, need: Exception,
                loop: Callable[[IterationSpace | None], None], alone: int = 0) -> None:
    """A loop whose first iteration differs from the others: that iteration alone, then `loop` over the others.

    where  what a `for` runs over; None for a `while`
    need   the refusal of the loop as a whole, raised where the first iteration cannot be evaluated alone
    alone  the iterations of a `while` that were evaluated alone: there is another one only if its test is known
    """
    try:
        if where is None:
            runs = condition(ev, node.test)
            if alone == MOST_UNROLLED or not isinstance(runs, Lit) and (alone or not isinstance(need, NeedsFirst)):
                raise need
        elif where.count is None and where.segments is None and _is_upward(ev, where.step):
            runs = _of_ints(ev, lt, where.start, where.stop)
        else:
            raise need
        if not ev.ask(ev.wrap(runs), "whether this loop has an iteration"):
            block(ev, node.orelse)
        elif where is None:
            _peel(ev, node, lambda: None, lambda: loop(None))
        else:
            rest = replace(where, start=_of_ints(ev, add, where.start, where.step))
            _peel(ev, node, lambda: assign(ev, node.target, where.item(ev.wrap(where.start))), lambda: loop(rest))
    except (NeedsStatic, SctError):
        raise need from None


def _is_upward(ev: Evaluator, step: Operand) -> bool:
    """Is the step of a range positive?  Where it is a number of the arguments, a guard says so."""
    return bool(ev.ask(ev.wrap(_of_ints(ev, lt, Lit(0), step)), "whether the step of this range is positive"))


def _of_ints(ev: Evaluator, op: Op, a: Operand, b: Operand) -> Operand:
    """An operator of the positions of a loop."""
    if isinstance(a, Lit) and isinstance(b, Lit):
        return Lit(getattr(operator, op.name)(a.value, b.value))
    return ev.emit(op, a, b, spelling=f"operator.{op.name}")  # type: ignore[no-any-return]


def _peel(ev: Evaluator, node: Any, start: Callable[[], None], rest: Callable[[], None]) -> None:
    """The first iteration, which is `start` and the body, and then the `rest` of the loop."""
    frame = ev.frames[-1]

    def on_this_path() -> None:
        rest()
        if isinstance(ev.exit, Value) and ev.exits.least_of(ev.exit) > CONTINUE:
            guard(ev, [node], 1)  # the exits of the loop are over where the path is

    with frame.living():
        frame.be_at(frame.live.head[node] | frame.now)
        start()
        if _iteration(ev, node, on_this_path):
            rest()


def _iteration(ev: Evaluator, node: Any, rest: Callable[[], None]) -> bool:
    """Evaluates the body once: does the loop go on?  If that depends on the path, `rest` runs on the path that does."""
    with ev.frames[-1].in_unrolled_loop():
        block(ev, node.body)
    if ev.store.dead:
        return False
    kind = ev.exit
    kinds = frozenset({kind.value}) if isinstance(kind, Static) else ev.exits.kinds_of(ev.lit(kind))
    if max(kinds) <= CONTINUE:
        ev.set_exit(FALL)
        return True
    if min(kinds) > CONTINUE:
        _leave_unrolled(ev, kinds)
    else:
        assert isinstance(kind, Value)
        _guard_unrolled(ev, node, rest, kind)
    return False


def _guard_unrolled(ev: Evaluator, node: Any, rest: Callable[[], None], kind: Value) -> None:
    """The `rest` of the loop, where the exit `kind` of the iteration before lets it come to it."""
    test = ev.emit(lt, kind, BREAK, spelling="operator.lt")
    leaving = frozenset(k for k in ev.exits.kinds_of(kind) if k >= BREAK)

    def on() -> None:
        ev.set_exit(FALL)
        rest()

    live = ev.frames[-1].live
    live_names = live.head[node] | live.leaving(node)
    run_branches(ev, test, on, lambda: _leave_unrolled(ev, leaving), ev.live_after(live_names))


def _leave_unrolled(ev: Evaluator, kinds: frozenset[int]) -> None:
    """After an unrolled loop that was left: a break is over, a return goes on."""
    kind = ev.exit

    def fall() -> None:
        ev.set_exit(FALL)

    def out() -> None:
        if kinds - {BREAK} == {RETURN}:
            read_as_bound(ev, Key(ev.frames[-1].id, "<return>"))
        ev.set_exit(max(kinds) if len(kinds - {BREAK}) == 1 else kind)

    if kinds == {BREAK}:
        fall()
    elif BREAK not in kinds:
        out()
    else:
        assert isinstance(kind, Value)
        evaluate_branches(ev, ev.emit(lt, kind, RETURN, spelling="operator.lt"), fall, out)
