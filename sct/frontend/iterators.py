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

from sct.frontend import prelude
from sct.frontend.arrays import item
from sct.frontend.comparisons import compare_one
from sct.frontend.evaluator import Args, Evaluator, Kwargs, special
from sct.frontend.expressions import binary, truth
from sct.frontend.iteration import following, is_run_over, items_of, iterator
from sct.frontend.nests import of_nest
from sct.frontend.operations import call_named
from sct.frontend.raising import attempted, die
from sct.frontend.store import is_number
from sct.frontend.values import Abstract, Bound, Iteration, ListRef, Ref, Static, Tup
from sct.ir import Lit

__all__ = ["chosen", "select"]


# -- one after the other ---------------------------------------------------------------------------------


@special(iter)
def iter_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) > 1:
        ev.refuse("SCT205", "`iter` with a sentinel is not supported", hint="write `while True:` with a `break`")
    v = args[0]
    if isinstance(v, Iteration):
        return v
    return iterator(ev, v if isinstance(v, (Ref, ListRef)) else Tup(items_of(ev, v)))


@special(next)
def next_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    it = args[0]
    if isinstance(it, ListRef):  # a generator expression
        it = iterator(ev, it)
    if not (isinstance(it, Iteration) and it.kind == "iter"):
        ev.refuse("SCT503", "`next` of this is not supported", hint="write `it = iter(...)` of a list or an array")
    return following(ev, it, args[1] if len(args) > 1 else None)


@special(math.prod)
def prod(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) == 1 and is_run_over(ev, args[0]):
        return ev.call(Static(prelude.prod_), args, kwargs)
    return call_named(ev, "math.prod", args, kwargs)


@special(math.fsum)
def fsum(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return call_named(ev, "math.fsum", [Tup(items_of(ev, a)) for a in args], kwargs)


@special(map)
def map_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    rows = zip(*(items_of(ev, a) for a in args[1:]))
    return ev.new_list(tuple(ev.call(args[0], row) for row in rows))


@special(itertools.starmap)
def starmap(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.new_list(tuple(ev.call(args[0], items_of(ev, row)) for row in items_of(ev, args[1])))


@special(filter)
def filter_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.new_list(tuple(x for x in items_of(ev, args[1]) if chosen(ev, args[0], x)))


def chosen(ev: Evaluator, test: Abstract, x: Abstract) -> bool:
    """Does the test that picks items hold for `x`?  It decides what is computed, so it must be known."""
    whole = isinstance(test, Static) and test.value is None
    return bool(ev.ask(_as_abstract(truth(ev, x if whole else ev.call(test, [x]))), "what this test gives"))


def _as_abstract(x: Any) -> Abstract:
    return Static(x.value) if isinstance(x, Lit) else x


@special(itertools.takewhile)
def takewhile(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.new_list(tuple(itertools.takewhile(lambda x: chosen(ev, args[0], x), items_of(ev, args[1]))))


@special(itertools.dropwhile)
def dropwhile(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.new_list(tuple(itertools.dropwhile(lambda x: chosen(ev, args[0], x), items_of(ev, args[1]))))


@special(sorted)
def sorted_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    key = kwargs.get("key")
    items = items_of(ev, args[0])
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


def select(ev: Evaluator, name: str, items: tuple[Abstract, ...], key: Abstract) -> Abstract:
    """`max(items, key=key)`: the first item of the largest key."""
    better = gast.Gt() if name == "max" else gast.Lt()
    best, most = items[0], ev.call(key, [items[0]])
    for x in items[1:]:
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


def _run(f: Callable[..., Iterator[Any]], rows: bool, known: tuple[str, ...] = ()) -> None:
    """Registers a function of `itertools`: run over abstract items; what is called `known` is a value."""

    @special(f)
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        nest = of_nest(ev, f, args, kwargs)
        if nest is not None:
            return nest
        given = {k: ev.ask(v, f"`{k}`") if k in known else v for k, v in kwargs.items()}
        made = tuple(f(*_sources(ev, f, args), **given))
        return Tup(tuple(Tup(x) if rows else x for x in made))


def _sources(ev: Evaluator, f: Any, args: Args) -> Iterator[Any]:
    """The arguments: iterables first, numbers after the first for what takes `r` or bounds."""
    several = f in (itertools.product, itertools.chain, itertools.zip_longest)
    for k, a in enumerate(args):
        yield items_of(ev, a) if several or k == 0 else ev.ask(a, "an argument of this function")


for _f, _rows, _known in (
    (itertools.product, True, ("repeat",)), (itertools.chain, False, ()), (itertools.zip_longest, True, ()),
    (itertools.combinations, True, ("r",)), (itertools.combinations_with_replacement, True, ("r",)),
    (itertools.permutations, True, ("r",)), (itertools.islice, False, ()),
):
    _run(_f, _rows, _known)


@special(itertools.chain.from_iterable)
def chain_from(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Tup(tuple(x for part in items_of(ev, args[0]) for x in items_of(ev, part)))


@special(itertools.pairwise)
def pairwise(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x = args[0]
    if is_run_over(ev, x):
        parts = (item(ev, x, Static(slice(None, -1))), item(ev, x, Static(slice(1, None))))
        return Iteration("zip", parts)
    return Tup(tuple(map(Tup, itertools.pairwise(items_of(ev, x)))))


@special(itertools.accumulate)
def accumulate(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f = args[1] if len(args) > 1 else kwargs.get("func", Static(None))
    items = items_of(ev, args[0])
    first = kwargs.get("initial", Static(None))
    if first != Static(None):
        items = (first, *items)
    plus = f == Static(None)
    return Tup(tuple(itertools.accumulate(
        items, lambda a, b: binary(ev, gast.Add, a, b) if plus else ev.call(f, [a, b]))))


@special(itertools.repeat)
def repeat(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is None:
        return Iteration("repeat", (args[0],))
    return Tup((args[0],) * max(0, int(ev.ask(times, "the number of repetitions"))))


@special(itertools.count)
def count(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    start = args[0] if args else kwargs.get("start", Static(0))
    step = args[1] if len(args) > 1 else kwargs.get("step", Static(1))
    return Iteration("count", (start, step))


@special(itertools.cycle)
def cycle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Iteration("cycle", items_of(ev, args[0]))


# -- functools -----------------------------------------------------------------------------------------------


@special(functools.partial)
def partial(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Bound(args[0], tuple(args[1:]), tuple(kwargs.items()))


@special(functools.reduce)
def reduce(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f, over, *start = args
    if is_run_over(ev, over):
        first = start[0] if start else item(ev, over, Static(0))
        rest = over if start else item(ev, over, Static(slice(1, None)))
        return ev.call(Static(prelude.reduce_), [f, rest, first])
    items = (*start, *items_of(ev, over))
    if not items:
        die(ev, "TypeError", "reduce() of empty iterable with no initial value")
    return functools.reduce(lambda a, b: ev.call(f, [a, b]), items)


@special(functools.wraps)
def wraps(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(prelude.same)


@special(functools.update_wrapper, functools.cache)
def update_wrapper(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return args[0]


@special(functools.lru_cache)
def lru_cache(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    sized = not args or is_number(args[0])
    return Static(prelude.same) if sized else args[0]
