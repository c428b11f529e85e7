"""Generator functions: a loop over one runs its body, with the body of the loop in place of each `yield`.

    def batches(x):                                 for i in range(0, len(x), 2):
        for i in range(0, len(x), 2):                   b = x[i:i + 2]
            yield x[i:i + 2]                  ->        total += np.sum(b)

    for b in batches(x):
        total += np.sum(b)

What leaves the loop leaves the body of the generator, too: `break` and `return` are exits of the generator
(`leave_generator`), and outside its loops those of the loop again.  `yield from` is a loop whose body hands the item
on.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, expression, special, unsupported
from sct.frontend.heap.join_paths import evaluate_branches, run_branches
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.function_body import inline
from sct.frontend.interpreter.statements import BREAK, FALL, RETURN, block, leave_generator
from sct.frontend.iteration.iterator_protocol import iterable, kept, move, new_iterator, place, use_up
from sct.frontend.loops.collected_generators import (
    ITEMS,
    LIST,
    LIST_ITEM,
    append_all,
    appending,
    collected,
    loop_over,
)
from sct.frontend.source.merged_yields import COUNTER, ITEM, RANGE, count_yields, with_merged_yields
from sct.frontend.source.name_liveness import Liveness
from sct.frontend.source.name_scopes import TRIES, body_of, own_nodes, writes, yields
from sct.frontend.source.parse import loc_of
from sct.frontend.source.try_lowering import TRIED, with_yields_behind_tries
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.parts import Consumer, Frame, changed
from sct.frontend.values.abstract_values import Abstract, Closure, Iteration, Key, Poison, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Operand, Value
from sct.ops import eq, lt

__all__ = [
    "OVER", "bound_to", "hand_over", "is_fresh_function", "iterate_over", "new_generator", "new_run", "run"]

_WHOLE = (gast.Expr, gast.Assign, gast.AnnAssign)
"""Statements that a `yield` may be the value of."""

_NEVER = (gast.ClassDef, gast.AsyncFunctionDef, gast.AsyncFor, gast.AsyncWith, gast.Await)


def new_generator(ev: Evaluator, frame: Frame) -> Iteration:
    """The generator that a call makes: nothing of its body has run."""
    node = frame.source.node
    nodes = list(own_nodes(body_of(node)))
    if not ev.frames:
        first = min((n for n in nodes if isinstance(n, (gast.Yield, gast.YieldFrom))), key=lambda n: n.lineno)
        raise SctError("SCT101", "`yield` in the function to differentiate is not supported",
                       why="a generator has no value that could be differentiated",
                       hint="differentiate a function that consumes it: `def f(x): return sum(terms(x))`",
                       loc=loc_of(first, frame.source.file))
    wrong = next((n for n in nodes if isinstance(n, _NEVER)), None)
    if wrong is not None:
        word, why, hint = unsupported(wrong)
        raise SctError("SCT101", f"`{word}` is not supported", why=why, hint=hint, loc=loc_of(wrong, frame.source.file))
    whole = {n.value for n in nodes if isinstance(n, _WHOLE)}
    inner = next((n for n in nodes if isinstance(n, (gast.Yield, gast.YieldFrom)) and n not in whole), None)
    if inner is not None:
        raise SctError("SCT101", "a `yield` inside an expression is not supported",
                       why="the rest of the expression would run when the next item is asked for",
                       hint="make it a statement of its own: `v = yield x`", loc=loc_of(inner, frame.source.file))
    ev.all_frames[frame.id] = frame
    return new_iterator(ev, "function", (Closure(node, frame.id),), Tup(()))


def is_fresh_function(ev: Evaluator, v: Abstract) -> bool:
    """Is this a generator of a function that has not begun to run?"""
    return isinstance(v, Iteration) and v.kind == "function" and place(ev, v) == 0 and kept(ev, v) == Tup(())


def new_run(ev: Evaluator, it: Iteration, consumer: Consumer | None) -> Frame:
    """The call whose body a generator runs."""
    frame = _creator(ev, it)
    if consumer is None or not consumer.manages:
        frame = _behind_tries(frame)
        _no_try(frame)
    _no_endless_recursion(ev, frame)
    return _fresh(frame, consumer)


def _fresh(frame: Frame, consumer: Consumer | None) -> Frame:
    return replace(frame, consumer=consumer, returns=[], bound_at={}, loop_depth=0, returned_at=None, left=False)


def _creator(ev: Evaluator, it: Iteration) -> Frame:
    """The call that has made the generator."""
    body = it.parts[0]
    assert isinstance(body, Closure)
    return ev.all_frames[body.frame]


def _behind_tries(frame: Frame) -> Frame:
    """The call, with each `yield` that ends the body of a `try` behind that."""
    node = with_yields_behind_tries(frame.source.node)
    if node is None:
        return frame
    return replace(frame, source=replace(frame.source, node=node), live=_liveness(node),
                   locals={*frame.locals, TRIED})


def _no_try(frame: Frame) -> None:
    """Refuses a loop over a generator with a `yield` in a `try` or a `with`."""
    for n in own_nodes(frame.source.node.body):
        if isinstance(n, TRIES) and not any(map(yields, [*n.body, *n.finalbody, *n.handlers])):
            continue  # what an `else` yields is not tried
        if isinstance(n, (*TRIES, gast.With)) and yields(n):
            word = type(n).__name__.lower()
            raise SctError("SCT101", f"`{word}` around a `yield` is not supported",
                           why="the loop that takes the item would run inside it",
                           hint=f"move the `yield` behind the `{word}`", loc=loc_of(n, frame.source.file))


DEEP, DEEPEST = 8, 40
"""How deep calls of one generator are nested until its tests are guarded, and until it is refused."""


def _no_endless_recursion(ev: Evaluator, frame: Frame) -> None:
    """A generator that calls itself is run in line, so how deep its calls are nested must be known."""
    depth = sum(f.code == frame.code for f in ev.frames)
    if depth > DEEP and frame.code not in ev.functions.plan.asked | ev.functions.plan.collected:
        raise ev.functions.plan.changed(asked={frame.code})
    if depth > DEEPEST:
        ev.refuse("SCT204", f"calls of the generator `{frame.source.name}` are nested more than {DEEPEST} deep",
                  why="how deep they are nested is not known when the function is compiled",
                  hint="write it as a loop; or let it return a list of its items")


def run(ev: Evaluator, it: Iteration, take: Callable[[Abstract], None], live: frozenset[str],
        binds: frozenset[str], size: int, plain: bool = True) -> Abstract:
    """Runs a generator to its end, or until `take` leaves it: what it returns.

    size  the number of statements that `take` evaluates
    """
    around, generator = ev.frames[-1], _behind_tries(_creator(ev, it))
    live |= around.now
    if generator.collector is not None:
        consumer = Consumer(around, take, live, binds, ev.generators_in_progress, ev.loc, plain, size=size,
                            copies=ev.loops.copies)
        return _run_collected(ev, it, generator, consumer)
    copies = ev.loops.copies * count_yields(generator.source.node)
    consumer = Consumer(around, take, live, binds, ev.generators_in_progress, ev.loc, plain, size=size, copies=copies)
    frame = new_run(ev, it, consumer)
    fewer = with_merged_yields(generator.source.node) if size * copies > MOST_COPIED else None
    snapshot = ev.snapshot()
    if fewer is not None:
        copies = ev.loops.copies * count_yields(fewer)
        _be_few(ev, generator.source.name, size, copies)
        with contextlib.suppress(SctError, NeedsStatic):
            return _run(ev, it, _merged(ev, replace(frame, consumer=replace(consumer, copies=copies)), fewer))
        ev.restore(snapshot)  # what the steps yield is not alike
    _be_few(ev, generator.source.name, size, ev.loops.copies * count_yields(generator.source.node))
    return _run(ev, it, frame)


def _run_collected(ev: Evaluator, it: Iteration, generator: Frame, consumer: Consumer) -> Abstract:
    """Runs a generator whose items are first put into a list: a loop over the list."""
    node = loop_over(generator.source.node)
    frame = replace(_fresh(generator, consumer), id=ev.addresses.new_frame(), collector=None, live=_liveness(node),
                    source=replace(generator.source, node=node), locals={LIST, LIST_ITEM})
    with collected(ev, generator, frame) as items:
        ev.store.vars[Key(frame.id, LIST)] = items
        return _run(ev, it, frame)


MOST_COPIED = 32
"""At most so many statements in copies of the body of a loop, one for each `yield`, until these are merged."""

MOST_STATEMENTS = 1000
"""At most so many statements in copies of the body of a loop that stands in another one over a generator."""


def _be_few(ev: Evaluator, name: str, size: int, copies: int) -> None:
    """Refuses a loop over a generator in loops over generators, of whose body there would be too many copies."""
    if ev.loops.copies > 1 and size * copies > MOST_STATEMENTS:
        ev.refuse("SCT503", f"the body of this loop over `{name}` would stand in the program {copies} times",
                  why="a copy of it takes the place of each `yield`, and so does each loop around it",
                  hint=f"loop over an array of the items: `for v in np.array(list({name}(...)))`")


def _merged(ev: Evaluator, frame: Frame, fewer: Any) -> Frame:
    """The call, with the body that has fewer `yield` statements."""
    ev.store.vars[Key(frame.id, RANGE)] = Static(range)
    return replace(frame, source=replace(frame.source, node=fewer), live=_liveness(fewer),
                   locals={*frame.locals, COUNTER, ITEM, RANGE})


@functools.lru_cache(maxsize=4096)
def _liveness(node: Any) -> Liveness:
    return Liveness(node)


def _run(ev: Evaluator, it: Iteration, frame: Frame) -> Abstract:
    """Evaluates the body of a generator, with what its consumer does in place of each `yield`."""
    consumer = frame.consumer
    assert consumer is not None
    move(ev, it, Poison("it is asked for an item while it makes one"))
    ev.set_exit(FALL)
    with changed(consumer.frame, now=consumer.live), ev.in_generator():
        result = inline(ev, frame)
    if not frame.left:
        use_up(ev, it)
    return result


# -- yield ---------------------------------------------------------------------------------------------


@expression(gast.Yield)
def yield_(ev: Evaluator, node: Any) -> Abstract:
    item = Static(None) if node.value is None else ev.eval(node.value)
    hand_over(ev, item)
    return Static(None)


@expression(gast.YieldFrom)
def yield_from(ev: Evaluator, node: Any) -> Abstract:
    over = iterable(ev, ev.eval(node.value))
    if isinstance(over, Iteration) and is_fresh_function(ev, over):
        consumer = ev.frames[-1].consumer
        size = consumer.size if consumer is not None else 1
        return run(ev, over, lambda item: hand_over(ev, item), frozenset(), frozenset(), size, plain=False)
    with bound_to(ev, OVER, over), bound_to(ev, _ITEM, Static(None)):
        loop = _handing_on(node)
        ev.frames[-1].live.enter(loop, ev.frames[-1].now | {OVER})
        ev.exec(loop)
    return Static(None)


@special(append_all)
def _append_all(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`yield from` in a generator whose items are put into a list."""
    items, over = args[0], iterable(ev, args[1])
    own = _creator(ev, over) if isinstance(over, Iteration) and is_fresh_function(ev, over) else None
    if own is not None and own.collector is not None and isinstance(over, Iteration):
        own.collector.into(items)
        use_up(ev, over)
        return Static(None)
    assert ev.loc is not None
    with bound_to(ev, ITEMS, items), bound_to(ev, LIST, over), bound_to(ev, LIST_ITEM, Static(None)):
        loop = appending(ev.loc)
        ev.frames[-1].live.enter(loop, ev.frames[-1].now | {ITEMS, LIST})
        ev.exec(loop)
    return Static(None)


@functools.lru_cache(maxsize=4096)
def _handing_on(node: Any) -> Any:
    """`for item in over: yield item`, as if it were written here."""
    target, item = (gast.Name(_ITEM, how(), None, None) for how in (gast.Store, gast.Load))
    over = gast.Name(OVER, gast.Load(), None, None)
    loop = gast.For(target, over, [gast.Expr(gast.Yield(item))], [], None)
    for n in gast.walk(loop):
        gast.copy_location(n, node)
    return loop


OVER = "<over>"
_ITEM = "<item>"


@contextmanager
def bound_to(ev: Evaluator, name: str, v: Abstract) -> Iterator[None]:
    """Binds a name that the user cannot write to a value, while a statement that reads it is evaluated."""
    frame = ev.frames[-1]
    key = Key(frame.id, name)
    before = ev.store.vars.get(key)
    ev.store.vars[key] = v
    try:
        with frame.binding({name}):
            yield
    finally:
        ev.store.vars.pop(key, None)
        if before is not None:
            ev.store.vars[key] = before


def hand_over(ev: Evaluator, item: Abstract) -> None:
    """Runs the consumer of a generator for an item; its exit becomes one of the generator."""
    frame = ev.frames[-1]
    consumer = frame.consumer
    assert consumer is not None
    around = consumer.frame
    with ev.consuming(consumer), changed(around, loop_depth=around.loop_depth + frame.loop_depth):
        ev.set_exit(FALL)
        consumer.take(item)
        if ev.store.dead:
            raise Dead
        if consumer.manages:
            return
        kind = ev.lit(ev.exit)
        ev.set_exit(FALL)
    kinds = ev.exits.kinds_of(kind)
    least = max(BREAK, ev.exits.least_of(kind))
    leaving = sorted(k for k in kinds if k >= least)
    frame.note_leaving(bool(leaving))
    if leaving == [BREAK] and isinstance(kind, Value) and consumer.plain and not frame.loop_depth + frame.unrolled:
        ev.exits.least[kind] = least  # outside its loops, a generator has no `break` of its own
        ev.set_exit(kind)
    elif len(leaving) == len(kinds):
        _leave(ev, kind, leaving)
    elif leaving:
        test = ev.emit(lt, kind, least, spelling="operator.lt")
        evaluate_branches(ev, test, lambda: None, lambda: _leave(ev, kind, leaving))


def _leave(ev: Evaluator, kind: Operand, codes: list[int]) -> None:
    """Leaves the generator on the path where `kind` is one of these exits of its consumer."""
    if len(codes) == 1:
        return leave_generator(ev, codes[0])
    test = ev.emit(eq, kind, codes[0], spelling="operator.eq")
    evaluate_branches(ev, test, lambda: leave_generator(ev, codes[0]), lambda: _leave(ev, kind, codes[1:]))


# -- the loop over a generator -----------------------------------------------------------------------------


def iterate_over(ev: Evaluator, node: Any, it: Iteration) -> None:
    """Runs a `for` statement over a generator."""
    frame = ev.frames[-1]

    def take(item: Abstract) -> None:
        assign(ev, node.target, item)
        with frame.in_unrolled_loop():
            block(ev, node.body)

    size = sum(isinstance(n, gast.stmt) for n in own_nodes(node.body))
    run(ev, it, take, frame.live.head[node], frozenset(writes(node)), size, not node.orelse)
    _after(ev, node)


def _after(ev: Evaluator, node: Any) -> None:
    """Evaluates what follows the loop: its `else`, and the exits that leave more than the loop."""
    kind = ev.lit(ev.exit)
    kinds = ev.exits.kinds_of(kind)
    returns = frozenset(k for k in kinds if k > BREAK)
    ended, stopped = FALL in kinds, BREAK in kinds
    if isinstance(kind, Value) and ev.exits.least_of(kind) > BREAK + 1:
        return  # the exit of the generator's last loop, which is also that of this one

    def go_out() -> None:
        if not returns:
            ev.set_exit(FALL)
        elif isinstance(kind, Value):
            ev.exits.least[kind] = RETURN

    if not node.orelse or not ended:
        return go_out()

    def otherwise() -> None:
        ev.set_exit(FALL)
        block(ev, node.orelse)

    if not stopped and not returns:
        return otherwise()

    def go_on_or_out() -> None:
        if stopped and returns:  # the exit that the two paths are joined to does not mean `break`
            evaluate_branches(ev, ev.emit(lt, kind, RETURN, spelling="operator.lt"), lambda: ev.set_exit(FALL), go_out)
        else:
            go_out()

    live = ev.live_after(frame_live(ev, node))
    run_branches(ev, ev.emit(eq, kind, FALL, spelling="operator.eq"), otherwise, go_on_or_out, live)


def frame_live(ev: Evaluator, node: Any) -> frozenset[str]:
    """The variables that are live after a statement, or where what leaves it goes."""
    frame = ev.frames[-1]
    return frame.live.leaving(node) | frame.now
