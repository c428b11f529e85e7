"""Generator expressions: iterators that evaluate their expression when an item is taken.

    g = (v * k for v in xs)   ->   only `xs` is evaluated
    next(g)                   ->   `v * k`, with the current value of `k`

A function that consumes the whole generator takes its items one by one if they are few and known; otherwise from a
list that a loop builds, or in a loop itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import gast

from sct.errors import Loc, SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import expression
from sct.frontend.interpreter import comprehensions
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.comprehensions import Unknown, all_hold, appended, attempted, names_of
from sct.frontend.interpreter.statements import FALL
from sct.frontend.iteration.iteration_space import (
    MOST_UNROLLED,
    NESTS,
    SPACES,
    IterationSpace,
    from_zero,
    in_step,
    space,
)
from sct.frontend.iteration.iterator_protocol import (
    iterable,
    iterator,
    keep,
    kept,
    most,
    move,
    new_iterator,
    place,
    taken,
    takes,
    use_up,
)
from sct.frontend.iteration.python_iterables import python_iterable
from sct.frontend.loops.generator_functions import OVER, bound_to
from sct.frontend.loops.streamed_iterators import streamed
from sct.frontend.source.name_scopes import reads
from sct.frontend.state.parts import Frame
from sct.frontend.values.abstract_values import Abstract, Closure, Iteration, Key, Poison, Position, Ref, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ops import gt

__all__ = ["gathered", "generator", "has_items", "is_fresh", "is_long", "quantified", "run_through"]

T = TypeVar("T")


@expression(gast.GeneratorExp)
def generator(ev: Evaluator, node: Any) -> Iteration:
    """A generator expression: only its first iterable is evaluated at once."""
    over = ev.eval(node.generators[0].iter)
    iterable = python_iterable(ev, over, node.generators[0].iter)
    first = iterator(ev, over) if iterable is None else new_iterator(ev, "python", (over, Static(iterable)))
    around = ev.frames[-1]
    frame = replace(around, id=ev.addresses.new_frame(), locals=set(names_of(node)), parent=around, loop_depth=0,
                    returns=[], now=reads(node))
    ev.all_frames[frame.id] = frame
    return new_iterator(ev, "generator", (Closure(_function(node), frame.id), first), Tup(()))


@functools.lru_cache(maxsize=4096)
def _function(node: Any) -> Any:
    """The text of a generator expression as that of a function without parameters."""
    none = gast.arguments([], [], None, [], [], None, [])
    return gast.copy_location(gast.Lambda(none, node), node)


def _text(it: Iteration) -> Any:
    """The generator expression."""
    body = it.parts[0]
    assert isinstance(body, Closure)
    return body.node.body


@contextmanager
def _running(ev: Evaluator, it: Iteration) -> Iterator[Frame]:
    """In the scope of a generator expression."""
    body = it.parts[0]
    assert isinstance(body, Closure)
    frame = ev.all_frames[body.frame]
    ev.frames.append(frame)
    ev.set_exit(FALL)
    try:
        with ev.at(ev.loc), ev.in_generator():
            yield frame
    finally:
        ev.store.vars.pop(ev.exit_key, None)
        ev.frames.pop()


# -- item by item --------------------------------------------------------------------------------------


@takes("generator")
def _generated(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    levels = kept(ev, it)
    assert isinstance(levels, Tup)
    move(ev, it, Poison("it is asked for an item while it makes one"))
    with _running(ev, it) as frame:
        item, inner = _next(ev, it, levels.items)
        if len(_text(it).generators) == 1 and not _keeps(_text(it)):
            for name in frame.locals:  # each item binds it anew
                ev.store.unbind(Key(frame.id, name))
    move(ev, it, Position(at))
    keep(ev, it, Tup(inner))
    return use_up(ev, it) if item is None else item


@functools.lru_cache(maxsize=4096)
def _keeps(node: Any) -> bool:
    """Are there functions in it, which read its variables later?"""
    return any(isinstance(n, (gast.Lambda, gast.GeneratorExp)) and n is not node for n in gast.walk(node))


def _next(ev: Evaluator, it: Iteration, inner: tuple[Abstract, ...]) -> tuple[Abstract | None, tuple[Abstract, ...]]:
    """The next item, and the iterators of the inner loops behind it."""
    node = _text(it)
    levels = [it.parts[1], *inner]
    while levels:
        gen = node.generators[len(levels) - 1]
        now = levels[-1]
        assert isinstance(now, Iteration)
        if (each := taken(ev, now)) is None:
            levels.pop()
            continue
        assign(ev, gen.target, each)
        if not all_hold(ev, gen.ifs, settled=True):
            continue
        if len(levels) == len(node.generators):
            return ev.eval(node.elt), tuple(levels[1:])
        levels.append(iterator(ev, ev.eval(node.generators[len(levels)].iter)))
        if it.state in ev.loops.few_items:
            _be_few(ev, levels[-1])
    return None, ()


def _be_few(ev: Evaluator, v: Abstract) -> None:
    n = most(ev, v)
    if n is None or n > MOST_UNROLLED:
        raise Unknown


# -- in a loop ---------------------------------------------------------------------------------------------


def _space(ev: Evaluator, it: Iteration) -> IterationSpace | None:
    """The iteration space of a generator expression with one loop and without a condition."""
    node = _text(it)
    if len(node.generators) > 1 or node.generators[0].ifs:
        return None
    parts = in_step(ev, it.parts[1:])
    if parts is None:
        return None
    (only,) = parts

    def item(i: Any) -> Abstract:
        with _running(ev, it):
            assign(ev, node.generators[0].target, only.item(i))
            return ev.eval(node.elt)

    return replace(only, calls=True, item=item)


SPACES["generator"] = _space


def is_long(ev: Evaluator, v: Abstract) -> bool:
    """Is this an iterator for a loop: one of many items, or of a number that is not known?"""
    if not isinstance(v, Iteration) or v.state is None:
        return False
    try:
        _be_few(ev, v)
    except Unknown:
        with looking(ev):
            return v.kind in NESTS or streamed(ev, v) is not None or space(ev, v) is not None
    return False


@contextmanager
def looking(ev: Evaluator) -> Iterator[None]:
    """Evaluates tentatively: equations and writes are undone."""
    snapshot = ev.snapshot()
    try:
        yield
    finally:
        ev.restore(snapshot)


def has_items(ev: Evaluator, it: Iteration) -> bool:
    """Is there certainly an item?  Guarded, if it can be computed from the arguments."""
    with looking(ev):
        if space(ev, it) is None:
            return False
        n = from_zero(ev, it).stop
        if n.dim is not None and n.dim.least > 0:
            return True
        try:
            return bool(ev.ask(ev.wrap(ev.emit(gt, n, 0, spelling="operator.gt")), "whether there are items"))
        except NeedsStatic:
            return False


def run_through(ev: Evaluator, it: Abstract, use: Callable[[Abstract], T], apart: bool = False) -> T:
    """The result of `use`, which consumes an iterator to its end, or takes all rows of an array.

    apart  the number of its items is guarded, if it can be computed from the arguments
    """
    it = iterable(ev, it)
    if isinstance(it, Ref):
        try:
            return attempted(ev, lambda: use(it))
        except NeedsStatic:
            return use(_all_listed(ev, it))
    if not isinstance(it, Iteration) or it.state is None:
        return use(it)
    if not apart:
        try:
            return attempted(ev, lambda: _few(ev, it, use))
        except (Unknown, NeedsStatic):
            pass
    ways = [lambda: use(gathered(ev, it)), lambda: use(it)]
    first, second = reversed(ways) if apart else ways
    try:
        return attempted(ev, first)
    except (SctError, NeedsStatic) as error:
        try:
            return attempted(ev, second)
        except (SctError, NeedsStatic):
            raise error from None


def _few(ev: Evaluator, it: Iteration, use: Callable[[Abstract], T]) -> T:
    assert it.state is not None
    _be_few(ev, it.parts[1] if it.kind == "generator" else it)
    ev.loops.few_items.add(it.state)
    try:
        return use(it)
    finally:
        ev.loops.few_items.discard(it.state)


def quantified(ev: Evaluator, it: Iteration, stops: bool) -> Abstract:
    """`any` of a generator expression, which stops at the first true item, or `all`."""
    node = _listed(_text(it))
    with _running(ev, it), bound_to(ev, OVER, it.parts[1]):
        result = comprehensions.quantified(ev, node, stops)
    if len(node.generators) > 1:
        move(ev, it, Poison("how many items it has given depends on what they are"))
    return result


def is_fresh(ev: Evaluator, v: Abstract) -> bool:
    """Is this a generator expression that stands in none of its inner loops?"""
    return isinstance(v, Iteration) and v.kind == "generator" and place(ev, v) is not None and kept(ev, v) == Tup(())


def gathered(ev: Evaluator, it: Iteration) -> Abstract:
    """The list of the items of an iterator, built by a loop."""
    if not is_fresh(ev, it):
        return _all_listed(ev, it)
    move(ev, it, Poison("it is asked for an item while it makes one"))
    with _running(ev, it), bound_to(ev, OVER, it.parts[1]):
        items = appended(ev, _listed(_text(it)))
    use_up(ev, it)
    return items


def _all_listed(ev: Evaluator, v: Abstract) -> Abstract:
    with bound_to(ev, OVER, v):
        return appended(ev, _list_of_all(ev))


_ITEM = "<item>"


def _list_of_all(ev: Evaluator) -> Any:
    """`[item for item in over]`, as if it were written here."""
    assert ev.loc is not None
    return _written(ev.loc)


@functools.lru_cache(maxsize=4096)
def _written(loc: Loc) -> Any:
    target, item = (gast.Name(_ITEM, how(), None, None) for how in (gast.Store, gast.Load))
    over = gast.Name(OVER, gast.Load(), None, None)
    listcomp = gast.ListComp(item, [gast.comprehension(target, over, [], 0)])
    for n in gast.walk(listcomp):
        n.lineno, n.col_offset, n.end_lineno, n.end_col_offset = loc.line, loc.col, loc.end_line, loc.end_col
    return listcomp


@functools.lru_cache(maxsize=4096)
def _listed(node: Any) -> Any:
    """The generator expression as a list comprehension over a named iterable."""
    first, *rest = node.generators
    over = gast.copy_location(gast.Name(OVER, gast.Load(), None, None), first.iter)
    head = gast.comprehension(first.target, over, first.ifs, first.is_async)
    return gast.copy_location(gast.ListComp(node.elt, [head, *rest]), node)
