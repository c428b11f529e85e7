"""Iterators, and the functions of `itertools` and `functools`: run by Python over abstract items.

    itertools.product([a, b], [1, 2])   ->   ((a, 1), (a, 2), (b, 1), (b, 2))
    reduce(f, x)                        ->   a loop over the array `x`
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import gast

from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.objects import special_call
from sct.frontend.heap.store import is_number
from sct.frontend.heap.subscripts import item
from sct.frontend.interpreter.comparisons import compare_one
from sct.frontend.interpreter.exceptions import attempted, die
from sct.frontend.interpreter.expressions import as_bool, binary, boolean, truth
from sct.frontend.interpreter.interpreter import Args, Evaluator, Kwargs, special
from sct.frontend.library import python_fallbacks
from sct.frontend.library.op_calls import call_named
from sct.frontend.loops.generator_expressions import has_items, is_long, run_through
from sct.frontend.loops.iteration_space import is_run_over, items_of
from sct.frontend.loops.iterator_protocol import (
    VIEWS,
    drained,
    is_iterator,
    iterator,
    keep,
    kept,
    new_iterator,
    taken,
    takes,
    use_up,
)
from sct.frontend.loops.nested_iteration import of_nest
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Closure,
    DictRef,
    Iteration,
    ListRef,
    Place,
    Ref,
    Static,
    Tup,
)
from sct.ir import Lit, Value
from sct.ir.types import BOOL

__all__ = ["chosen", "looked", "select"]


# -- one after the other ---------------------------------------------------------------------------------


@special(iter)
def iter_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) > 1:
        ev.refuse("SCT205", "`iter` with a sentinel is not supported", hint="write `while True:` with a `break`")
    return iterator(ev, args[0])


@special(next)
def next_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not (isinstance(args[0], Iteration) and args[0].state is not None):
        ev.refuse("SCT503", "`next` of this is not supported", hint="write `it = iter(...)` of a list or an array")
    item = taken(ev, args[0])
    if item is not None:
        return item
    return args[1] if len(args) > 1 else die(ev, "StopIteration")


@special(enumerate)
def enumerate_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    named = {"iterable": args[0], **kwargs} if args else dict(kwargs)
    first = args[1] if len(args) > 1 else named.get("start", Static(0))
    return new_iterator(ev, "enumerate", (iterator(ev, named["iterable"]), first))


@takes("enumerate")
def _enumerated(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    of, first = it.parts
    item = taken(ev, _iterator(of))
    return None if item is None else Tup((binary(ev, gast.Add, first, Static(at)) if at else first, item))


def _iterator(v: Abstract) -> Iteration:
    assert isinstance(v, Iteration)
    return v


@special(reversed)
def reversed_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v = args[0]
    own = special_call(ev, v, "__reversed__")
    if own is not None:
        return own
    v = ev.text(v)
    if isinstance(v, Static) and isinstance(v.value, (tuple, list, range, str, dict)):
        return iterator(ev, Tup(tuple(map(ev.lift, reversed(v.value)))))
    if isinstance(v, Tup):
        return iterator(ev, Tup(v.items[::-1]))
    known_set = isinstance(v, Static) and isinstance(v.value, (set, frozenset))
    if isinstance(v, Iteration) and v.state is not None or known_set:
        ev.refuse("SCT503", "`reversed` of this is not supported", why="Python raises here too",
                  hint="make a list of it: `reversed(list(...))`")
    if isinstance(v, DictRef) or isinstance(v, Iteration) and v.kind in VIEWS:
        return new_iterator(ev, "reversed", (v,), kept(ev, iterator(ev, v)))
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        columns = (c for c in dynamic_lists.columns(ev, v) if isinstance(c, Value))
        return new_iterator(ev, "reversed", (v,), Tup(tuple(columns)))
    if isinstance(v, ListRef):
        return new_iterator(ev, "reversed", (v,), Static(len(ev.slots(v).items)))
    if isinstance(v, (Ref, Iteration)):
        return new_iterator(ev, "reversed", (v,))
    ev.refuse("SCT503", "`reversed` of this is not supported", hint="give a list, a tuple, a range or an array")


@special(zip)
def zip_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    strict = bool(kwargs) and bool(ev.ask(kwargs["strict"], "`strict` of zip"))
    return new_iterator(ev, "zip", tuple(iterator(ev, a) for a in args), Static(True if strict else None))


@takes("zip")
def _zipped(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    row: list[Abstract] = []
    for k, p in enumerate(it.parts):
        item = taken(ev, _iterator(p))
        if item is None:
            if kept(ev, it) != Static(None):
                _check_lengths(ev, it, k)
            return None
        row.append(item)
    return Tup(tuple(row)) if row else None


def _check_lengths(ev: Evaluator, it: Iteration, k: int) -> None:
    """Raise what a strict zip does where its part `k` is the first to end."""
    others = {1: " 1"}
    if k:
        die(ev, "ValueError", f"zip() argument {k + 1} is shorter than argument{others.get(k, f's 1-{k}')}")
    for j, p in enumerate(it.parts[1:], 1):
        if taken(ev, _iterator(p)) is not None:
            die(ev, "ValueError", f"zip() argument {j + 1} is longer than argument{others.get(j, f's 1-{j}')}")


@special(math.prod)
def prod(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) == 1 and is_run_over(ev, args[0]):
        return ev.call(Static(python_fallbacks.prod_), args, kwargs)
    return run_through(ev, args[0], lambda v: _product(ev, v, kwargs))


def _product(ev: Evaluator, over: Abstract, kwargs: Kwargs) -> Abstract:
    if is_run_over(ev, over):
        return ev.call(Static(python_fallbacks.prod_), [over], kwargs)
    return call_named(ev, "math.prod", [Tup(items_of(ev, over)) if is_iterator(over) else over], kwargs)


@special(math.fsum)
def fsum(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return run_through(ev, args[0], lambda v: call_named(ev, "math.fsum", [Tup(items_of(ev, v))], kwargs), apart=True)


@special(map)
def map_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f, *over = args
    return new_iterator(ev, "map", (f, *(iterator(ev, a) for a in over)))


@takes("map")
def _mapped(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    f, *over = it.parts
    row = []
    for p in over:
        item = taken(ev, _iterator(p))
        if item is None:
            return None
        row.append(item)
    return ev.call(f, row)


def _with_function(f: Any, kind: str) -> None:
    """Registers what takes a function and one thing to run over."""
    @special(f)
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        return new_iterator(ev, kind, (args[0], iterator(ev, args[1])))


for _f, _kind in ((itertools.starmap, "starmap"), (filter, "filter"), (itertools.filterfalse, "filterfalse"),
                  (itertools.takewhile, "takewhile"), (itertools.dropwhile, "dropwhile")):
    _with_function(_f, _kind)


@takes("starmap")
def _starmapped(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    row = taken(ev, _iterator(it.parts[1]))
    return None if row is None else ev.call(it.parts[0], items_of(ev, row))


def _first(ev: Evaluator, it: Iteration, wanted: bool) -> Abstract | None:
    """The first item for which the test gives what is wanted."""
    test, of = it.parts
    while (item := taken(ev, _iterator(of))) is not None:
        if chosen(ev, test, item) == wanted:
            return item
    return None


@takes("filter")
def _filtered(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    return _first(ev, it, True)


@takes("filterfalse")
def _filtered_out(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    return _first(ev, it, False)


@takes("takewhile")
def _taken_while(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    item = taken(ev, _iterator(it.parts[1]))
    if item is not None and chosen(ev, it.parts[0], item):
        return item
    return None if item is None else use_up(ev, it)


@takes("dropwhile")
def _dropped_while(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    return taken(ev, _iterator(it.parts[1])) if at else _first(ev, it, False)


def chosen(ev: Evaluator, test: Abstract, x: Abstract) -> bool:
    """Does the test that picks items hold for `x`?  It decides what is computed, so it must be known."""
    whole = isinstance(test, Static) and test.value is None
    return bool(ev.ask(_as_abstract(truth(ev, x if whole else ev.call(test, [x]))), "what this test gives"))


def _as_abstract(x: Any) -> Abstract:
    return Static(x.value) if isinstance(x, Lit) else x


def looked(ev: Evaluator, take: Callable[[], Abstract | None], stops: bool) -> Abstract:
    """`any` of what is taken, which stops at what is true, or `all`: a bool."""
    return as_bool(ev, ev.lit(_decides(ev, take, stops)))


def _decides(ev: Evaluator, take: Callable[[], Abstract | None], stops: bool) -> Abstract:
    """The truth of the first item that decides, of a class of its own."""
    item = take()
    if item is None:
        return Static(not stops)
    t = truth(ev, item)
    if isinstance(t, Lit):
        return Static(stops) if t.value == stops else _decides(ev, take, stops)
    rest: list[Abstract] = []

    def others() -> Abstract:
        rest.append(_decides(ev, take, stops))
        return rest[0]

    def stop() -> Abstract:
        return Static(stops) if t.type == BOOL else boolean(t)

    made = ev.branch(t, stop, others) if stops else ev.branch(t, others, stop)
    return boolean(t) if rest == [Static(not stops)] else made


@special(sorted)
def sorted_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return run_through(ev, args[0], lambda v: _sorted(ev, items_of(ev, v), kwargs), apart=True)


def _sorted(ev: Evaluator, items: tuple[Abstract, ...], kwargs: Kwargs) -> Abstract:
    key = kwargs.get("key")
    keys = [x if key is None or key == Static(None) else ev.call(key, [x]) for x in items]
    reverse = bool(ev.ask(kwargs.get("reverse", Static(False)), "`reverse` of sorted"))
    order: Any = functools.cmp_to_key(functools.partial(_compared, ev))
    return ev.new_list(tuple(
        items[k] for k in sorted(range(len(items)), key=lambda k: order(keys[k]), reverse=reverse)))


def _compared(ev: Evaluator, a: Abstract, b: Abstract) -> int:
    """-1, 0 or 1: the order of two things that are known, up to where they differ."""
    if isinstance(a, Tup) and isinstance(b, Tup):
        for x, y in zip(a.items, b.items):
            found = _compared(ev, x, y)
            if found:
                return found
        return (len(a.items) > len(b.items)) - (len(a.items) < len(b.items))
    if a is b:
        return 0
    if not (is_number(a) and is_number(b)):
        ev.refuse("SCT503", "sorting by values known only at run time is not supported", hint="use np.sort of an array")
    x, y = ev.ask(a, "a key"), ev.ask(b, "a key")
    return int(attempted(ev, lambda: (x > y) - (x < y)))


def select(ev: Evaluator, name: str, items: Iterator[Abstract], key: Abstract) -> Abstract | None:
    """`max(items, key=key)`: the first item of the largest key; None where there is no item."""
    better = gast.Gt() if name == "max" else gast.Lt()
    best = next(items, None)
    if best is None:
        return None
    most = ev.call(key, [best])
    for x in items:
        k = ev.call(key, [x])
        t = truth(ev, compare_one(ev, better, k, most))
        if isinstance(t, Lit):
            best, most = (x, k) if t.value else (best, most)
            continue

        def other(pair: tuple[Abstract, ...] = (x, k)) -> Abstract:
            return Tup(pair)

        def same(pair: tuple[Abstract, ...] = (best, most)) -> Abstract:
            return Tup(pair)

        best, most = ev.branch(t, other, same).items
    return best


# -- itertools ---------------------------------------------------------------------------------------------


def _run(f: Callable[..., Iterator[Any]], known: tuple[str, ...]) -> None:
    """Registers a function of `itertools` that takes all items at once; what is called `known` is a value."""

    @special(f)
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        nest = of_nest(ev, f, args, kwargs)
        if nest is not None:
            return nest
        options = {k: ev.ask(v, f"`{k}`") if k in known else v for k, v in kwargs.items()}
        several = f is itertools.product
        sources = [items_of(ev, a) if several or k == 0 else ev.ask(a, "an argument of this function")
                   for k, a in enumerate(args)]
        return iterator(ev, Tup(tuple(map(Tup, f(*sources, **options)))))


for _g, _known in (
    (itertools.product, ("repeat",)), (itertools.combinations, ("r",)),
    (itertools.combinations_with_replacement, ("r",)), (itertools.permutations, ("r",)),
):
    _run(_g, _known)


@special(itertools.islice)
def islice(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    bounds = [ev.ask(a, "a bound of islice") for a in args[1:]]
    first, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    attempted(ev, lambda: itertools.islice((), first, stop, step))
    state = Tup((Place(0), Place(first or 0)))
    return new_iterator(ev, "islice", (iterator(ev, args[0]), Static(first), Static(stop), Static(step or 1)), state)


@takes("islice")
def _sliced(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    """As CPython does it: what is skipped is taken, and nothing behind the last."""
    of, _, stop, step = it.parts
    state = kept(ev, it)
    assert isinstance(state, Tup)
    count, to = (p.at or 0 for p in state.items if isinstance(p, Place))
    last, by = ev.ask(stop, "a bound of islice"), ev.ask(step, "a bound of islice")
    while count < to:
        if taken(ev, _iterator(of)) is None:
            return use_up(ev, it)
        count += 1
    item = taken(ev, _iterator(of)) if last is None or count < last else None
    if item is None:
        return use_up(ev, it)
    keep(ev, it, Tup((Place(count + 1), Place(to + by if last is None else min(to + by, last)))))
    return item


@special(itertools.chain)
def chain(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return new_iterator(ev, "chain", (iterator(ev, Tup(tuple(args))),))


@special(itertools.chain.from_iterable)
def chain_from(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return new_iterator(ev, "chain", (iterator(ev, args[0]),))


@takes("chain")
def _chained(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    while True:
        now = kept(ev, it)
        if now == Static(None):
            following = taken(ev, _iterator(it.parts[0]))
            if following is None:
                return use_up(ev, it)
            now = iterator(ev, following)
            keep(ev, it, now)
        item = taken(ev, _iterator(now))
        if item is not None:
            return item
        keep(ev, it, Static(None))


@special(itertools.zip_longest)
def zip_longest(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    fill = kwargs.get("fillvalue", Static(None))
    return new_iterator(ev, "zip_longest", (fill, *(iterator(ev, a) for a in args)))


@takes("zip_longest")
def _zipped_longest(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    fill, *parts = it.parts
    row = [taken(ev, _iterator(p)) for p in parts]
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
    first = kept(ev, it) if at else taken(ev, _iterator(of))
    second = None if first is None else taken(ev, _iterator(of))
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
        total = taken(ev, _iterator(of))
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
    """What has been given is kept, and given again."""
    saved = kept(ev, it)
    assert isinstance(saved, Tup)
    item = taken(ev, _iterator(it.parts[0])) if at == len(saved.items) else None
    if item is not None:
        keep(ev, it, Tup((*saved.items, item)))
        return item
    return saved.items[at % len(saved.items)] if saved.items else use_up(ev, it)


# -- functools -----------------------------------------------------------------------------------------------


@special(functools.partial)
def partial(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Bound(args[0], tuple(args[1:]), tuple(kwargs.items()))


@special(functools.reduce)
def reduce(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f, over, *start = args
    if is_run_over(ev, over):
        if not start and isinstance(over, ListRef):
            ev.call(Static(python_fallbacks.some), [over])
        first = start[0] if start else item(ev, over, Static(0))
        rest = over if start else item(ev, over, Static(slice(1, None)))
        return ev.call(Static(python_fallbacks.reduce_), [f, rest, first])
    it = iterator(ev, over)
    if is_long(ev, it) and (start or has_items(ev, it)):
        first = start[0] if start else ev.call(Static(next), [it])
        return ev.call(Static(python_fallbacks.reduce_), [f, it, first])
    items = drained(ev, it)
    total = start[0] if start else next(items, None)
    if total is None:
        die(ev, "TypeError", "reduce() of empty iterable with no initial value")
    for x in items:
        total = ev.call(f, [total, x])
    return total


@special(functools.wraps)
def wraps(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(python_fallbacks.same)


@special(functools.update_wrapper)
def update_wrapper(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not isinstance(args[0], (Bound, Closure)):
        ev.refuse("SCT206", "`update_wrapper` of this is not supported", hint="give it a function that is defined here")
    return args[0]
