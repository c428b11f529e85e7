"""Iterators, and the functions of `itertools` and `functools`: run by Python over abstract items.

    itertools.product([a, b], [1, 2])   ->   ((a, 1), (a, 2), (b, 1), (b, 2))
    reduce(f, x)                        ->   a loop over the array `x`
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.array_keys import require_items
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.heap.subscripts import item
from sct.frontend.iteration.iteration_space import is_run_over, items_of
from sct.frontend.iteration.iterator_protocol import (
    drained,
    iterable,
    iterator,
    keep,
    kept,
    new_iterator,
    taken,
    takes,
    use_up,
)
from sct.frontend.loops.generator_expressions import has_items, is_long, looking
from sct.frontend.loops.nested_iteration import of_nest
from sct.frontend.objects.objects import special_method
from sct.frontend.operators.arithmetic_operators import binary
from sct.frontend.source.name_scopes import free_names
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.standard_library.iterator_builtins import as_iterator, chosen, first_that, takes_function
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Container,
    Iteration,
    Key,
    ListRef,
    Position,
    Ref,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Fn, is_effect, walk

# -- one after the other ---------------------------------------------------------------------------------


for _f, _kind in ((itertools.starmap, "starmap"), (filter, "filter"), (itertools.filterfalse, "filterfalse"),
                  (itertools.takewhile, "takewhile"), (itertools.dropwhile, "dropwhile")):
    takes_function(_f, _kind)


@takes("starmap")
def _starmapped(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    row = taken(ev, as_iterator(it.parts[1]))
    return None if row is None else ev.call(it.parts[0], items_of(ev, row))


@takes("takewhile")
def _taken_while(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    item = taken(ev, as_iterator(it.parts[1]))
    if item is not None and chosen(ev, it.parts[0], item):
        return item
    return None if item is None else use_up(ev, it)


@takes("dropwhile")
def _dropped_while(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    return taken(ev, as_iterator(it.parts[1])) if at else first_that(ev, it, False)


# -- itertools ---------------------------------------------------------------------------------------------


def _run(f: Callable[..., Iterator[Any]], asked: tuple[str, ...]) -> None:
    """Registers a function of `itertools` that takes all items at once; the options `asked` must be known."""

    @special(f)
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        nest = of_nest(ev, f, args, kwargs)
        if nest is not None:
            return nest
        options = {k: ev.ask(v, f"`{k}`") if k in asked else v for k, v in kwargs.items()}
        several = f is itertools.product
        try:
            sources = [items_of(ev, a) if several or k == 0 else ev.ask(a, "an argument of this function")
                       for k, a in enumerate(args)]
        except NeedsStatic as need:
            if is_dynamic(ev, args[0]):
                need.error.hint = "run over the positions: `for i, j in itertools.combinations(range(len(xs)), 2)`"
            raise
        return iterator(ev, Tup(tuple(map(Tup, run_or_raise(ev, lambda: f(*sources, **options))))))


for _g, _asked in (
    (itertools.product, ("repeat",)), (itertools.combinations, ("r",)),
    (itertools.combinations_with_replacement, ("r",)), (itertools.permutations, ("r",)),
):
    _run(_g, _asked)


@special(itertools.islice)
def islice(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    bounds = [ev.ask(a, "a bound of islice") for a in args[1:]]
    first, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    run_or_raise(ev, lambda: itertools.islice((), first, stop, step))
    state = Tup((Position(0), Position(first or 0)))
    return new_iterator(ev, "islice", (iterator(ev, args[0]), Static(first), Static(stop), Static(step or 1)), state)


@takes("islice")
def _sliced(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    """As in CPython: skipped items are taken, items after the last one are not."""
    of, _, stop, step = it.parts
    state = kept(ev, it)
    assert isinstance(state, Tup)
    count, to = (p.at or 0 for p in state.items if isinstance(p, Position))
    last, by = ev.ask(stop, "a bound of islice"), ev.ask(step, "a bound of islice")
    while count < to:
        if taken(ev, as_iterator(of)) is None:
            return use_up(ev, it)
        count += 1
    item = taken(ev, as_iterator(of)) if last is None or count < last else None
    if item is None:
        return use_up(ev, it)
    keep(ev, it, Tup((Position(count + 1), Position(to + by if last is None else min(to + by, last)))))
    return item


@special(itertools.chain)
def chain(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return new_iterator(ev, "chain", (iterator(ev, Tup(tuple(args))),))


@special(itertools.chain.from_iterable)
def chain_from(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if is_dynamic(ev, args[0]):
        return ev.call(Static(python_fallbacks.chained), args)
    return new_iterator(ev, "chain", (iterator(ev, args[0]),))


@takes("chain")
def _chained(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    while True:
        now = kept(ev, it)
        if now == Static(None):
            following = taken(ev, as_iterator(it.parts[0]))
            if following is None:
                return use_up(ev, it)
            now = iterator(ev, following)
            keep(ev, it, now)
        item = taken(ev, as_iterator(now))
        if item is not None:
            return item
        keep(ev, it, Static(None))


@special(itertools.compress)
def compress(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(python_fallbacks.compress_), args, kwargs)


@special(itertools.tee)
def tee(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """Iterators of one container, or of a tuple of all items where taking them has no effect."""
    n = ev.ask(args[1], "the number of iterators") if len(args) > 1 else 2
    over = iterable(ev, args[0])
    if isinstance(over, Iteration) and over.state is not None:
        first = len(ev.b.eqns)
        over = ev.call(Static(tuple), [over])
        if any(map(is_effect, walk(Fn("", (), tuple(ev.b.eqns[first:]), ())))):
            ev.refuse("SCT206", "`tee` of an iterator with effects is not supported", why="they would come too early",
                      hint="make a list of its items")
    return Tup(tuple(iterator(ev, over) for _ in range(n)))


@special(itertools.groupby)
def groupby(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The groups of items with equal keys one after the other."""
    key = args[1] if len(args) > 1 else kwargs.get("key", Static(None))
    over = ev.text(iterable(ev, args[0]))
    if is_run_over(ev, over) or isinstance(over, Iteration) and is_long(ev, over):
        return _groups_by_run_time_keys(ev, over, key)
    snapshot = ev.snapshot()
    items = items_of(ev, over)
    keys = [x if key == Static(None) else ev.call(key, [x]) for x in items]
    if not all(map(is_literal, keys)) or not all(isinstance(k, Static) for k in keys) and isinstance(over, ListRef):
        ev.restore(snapshot)
        return _groups_by_run_time_keys(ev, over, key)
    groups: list[tuple[Abstract, list[Abstract]]] = []
    for x, k in zip(items, keys):
        if not groups or ev.ask(groups[-1][0], "a key") != ev.ask(k, "a key"):
            groups.append((k, []))
        groups[-1][1].append(x)
    return iterator(ev, Tup(tuple(Tup((k, iterator(ev, Tup(tuple(xs))))) for k, xs in groups)))


def _groups_by_run_time_keys(ev: Evaluator, over: Abstract, key: Abstract) -> Abstract:
    """The groups by keys that are known only at run time: all keys are computed before the first group."""
    _refuse_rebound(ev, key)
    before, block, first = ev.store.copy(), ev.b, len(ev.b.eqns)
    items = over if isinstance(over, (ListRef, Ref)) else ev.call(Static(list), [over])
    keys = items if key == Static(None) else ev.call(Static(python_fallbacks.keys_of), [items, key])
    if ev.store.writes_since(before) or any(map(is_effect, walk(Fn("", (), tuple(block.eqns[first:]), ())))):
        ev.refuse("SCT206", "`groupby` of an iterator or with a key that has an effect is not supported",
                  why="it would come too early", hint="make a list of the keys before, in a loop")
    return ev.call(Static(python_fallbacks.groups), [items, keys])


def _refuse_rebound(ev: Evaluator, key: Abstract) -> None:
    """Refuses a key function that reads a variable which the loop over the groups may bind again; what it holds of
    arrays and containers is not written any more."""
    frame = ev.all_frames[key.frame] if isinstance(key, Closure) else None
    for name in free_names(key.node) if isinstance(key, Closure) else ():
        home = None if frame is None else frame.home(name)
        v = None if home is None else ev.store.vars.get(Key(home.id, name))
        if home is None or v is None:
            continue
        if isinstance(v, (Ref, Container)):
            ev.store.hold(v.addr)
        if sum(isinstance(n, gast.Name) and n.id == name and not isinstance(n.ctx, gast.Load)
               for n in gast.walk(home.source.node)) > 1:
            ev.refuse("SCT503", f"the key function of `groupby` reads `{name}`, which is bound more than once",
                      why="all keys are computed before the first group",
                      hint="pass what the key reads as a default: `key=lambda i, w=w: i // w`")


@special(itertools.zip_longest)
def zip_longest(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    fill = kwargs.get("fillvalue", Static(None))
    return new_iterator(ev, "zip_longest", (fill, *(iterator(ev, a) for a in args)))


@takes("zip_longest")
def _zipped_longest(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    fill, *parts = it.parts
    with ev.temporaries.dropped():
        row = [None if (x := taken(ev, as_iterator(p))) is None else ev.temporaries.hold(x) for p in parts]
    if all(x is None for x in row):
        return use_up(ev, it)
    return Tup(tuple(fill if x is None else x for x in row))


@special(itertools.pairwise)
def pairwise(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x = args[0]
    if is_run_over(ev, x):
        parts = (item(ev, x, Static(slice(None, -1))), item(ev, x, Static(slice(1, None))))
        return ev.call(Static(zip), parts)
    return new_iterator(ev, "pairwise", (iterator(ev, x),))


@takes("pairwise")
def _pairs(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    (of,) = it.parts
    first = kept(ev, it) if at else taken(ev, as_iterator(of))
    second = None if first is None else taken(ev, as_iterator(of))
    if first is None or second is None:
        return use_up(ev, it)
    keep(ev, it, second)
    return Tup((first, second))


@special(itertools.accumulate)
def accumulate(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f = args[1] if len(args) > 1 else kwargs.get("func", Static(None))
    return new_iterator(ev, "accumulate", (iterator(ev, args[0]), f, kwargs.get("initial", Static(None))))


@takes("accumulate")
def _accumulated(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    of, f, initial = it.parts
    total: Abstract | None = initial
    if at or initial == Static(None):
        total = taken(ev, as_iterator(of))
        if total is not None and at:
            before = kept(ev, it)
            total = binary(ev, gast.Add, before, total) if f == Static(None) else ev.call(f, [before, total])
    if total is None:
        return None
    keep(ev, it, total)
    return total


@special(itertools.repeat)
def repeat(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x = args[0] if args else kwargs["object"]
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is None:
        return new_iterator(ev, "repeat", (x,))
    return new_iterator(ev, "repeat", (x, Static(max(0, int(ev.ask(times, "the number of repetitions"))))))


@takes("repeat")
def _repeated(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    x, *times = it.parts
    return use_up(ev, it) if times and at >= ev.ask(times[0], "the number of repetitions") else x


@special(itertools.count)
def count(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    start = args[0] if args else kwargs.get("start", Static(0))
    step = args[1] if len(args) > 1 else kwargs.get("step", Static(1))
    for v in (start, step):
        if isinstance(v, Static) and not is_literal(v):
            run_or_raise(ev, lambda: itertools.count(ev.ask(v, "a bound of count")))  # noqa: B023
    return new_iterator(ev, "count", (start, step))


@takes("count")
def _counted(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    first, step = it.parts
    now = binary(ev, gast.Add, kept(ev, it), step) if at else first
    keep(ev, it, now)
    return now


@special(itertools.cycle)
def cycle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return new_iterator(ev, "cycle", (iterator(ev, args[0]),), Tup(()))


@takes("cycle")
def _cycled(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    """Keeps the items that were returned, and returns them again."""
    saved = kept(ev, it)
    assert isinstance(saved, Tup)
    item = taken(ev, as_iterator(it.parts[0])) if at == len(saved.items) else None
    if item is not None:
        keep(ev, it, Tup((*saved.items, item)))
        return item
    return saved.items[at % len(saved.items)] if saved.items else use_up(ev, it)


# -- functools -----------------------------------------------------------------------------------------------


@special(functools.partial)
def partial(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if isinstance(args[0], (Ref, Tup, Container)) and special_method(ev, args[0], "__call__") is None:
        raise_at_run_time(ev, "TypeError", "the first argument must be callable")
    return Bound(args[0], tuple(args[1:]), tuple(kwargs.items()))


@special(functools.reduce)
def reduce(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f, over, *start = args
    if is_run_over(ev, over):
        if not start and isinstance(over, ListRef):
            ev.call(Static(python_fallbacks.some), [over])
        elif not start and isinstance(over, Ref):
            require_items(ev, over, "TypeError", "reduce() of empty iterable with no initial value")
        first = start[0] if start else item(ev, over, Static(0))
        rest = over if start else item(ev, over, Static(slice(1, None)))
        return ev.call(Static(python_fallbacks.reduce_), [f, rest, first])
    it = iterator(ev, over)
    if is_long(ev, it) and (start or has_items(ev, it)):
        first = start[0] if start else ev.call(Static(next), [it])
        return ev.call(Static(python_fallbacks.reduce_), [f, it, first])
    if start and not _ends(ev, it):
        return ev.call(Static(python_fallbacks.reduce_), [f, it, start[0]])
    ev.temporaries.hold(it)
    items = drained(ev, it)
    total = start[0] if start else next(items, None)
    if total is None:
        raise_at_run_time(ev, "TypeError", "reduce() of empty iterable with no initial value")
    while True:
        with ev.temporaries.dropped():
            ev.temporaries.hold(total)
            x = next(items, None)
        if x is None:
            return total
        total = ev.call(f, [total, x])


def _ends(ev: Evaluator, it: Iteration) -> bool:
    """Is it known where an iterator ends?"""
    with looking(ev):
        try:
            tuple(drained(ev, it))
        except NeedsStatic:
            return False
    return True


@special(functools.wraps)
def wraps(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(python_fallbacks.same)


@special(functools.update_wrapper)
def update_wrapper(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not isinstance(args[0], (Bound, Closure)):
        ev.refuse("SCT206", "`update_wrapper` of this is not supported", hint="give it a function that is defined here")
    return args[0]
