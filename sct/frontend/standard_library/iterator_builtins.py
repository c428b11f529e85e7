"""Builtins that make or consume iterators: iter, next, zip, map, filter, enumerate, reversed, sorted, any and all."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import gast

from sct.errors import SctError
from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.evaluator.own_methods import is_ordered_as_tuple
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, item_forms
from sct.frontend.heap.array_keys import check_not_none, column_without_none
from sct.frontend.heap.inactive import by_python, is_callers
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.special_methods import as_index
from sct.frontend.iteration import sorted_lists
from sct.frontend.iteration.counted_iterators import next_of
from sct.frontend.iteration.iteration_space import in_list_if_tried, is_run_over, items_of
from sct.frontend.iteration.iterator_protocol import (
    VIEWS,
    is_iterator,
    iterator,
    kept,
    most,
    move,
    new_iterator,
    taken,
    takes,
)
from sct.frontend.iteration.object_iterators import is_own_iterator, next_of_object, own_iterator
from sct.frontend.loops.generator_expressions import gathered, run_through
from sct.frontend.loops.streamed_iterators import streamed
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.objects.objects import special_call
from sct.frontend.operators.arithmetic_operators import binary
from sct.frontend.operators.comparisons import compare_one
from sct.frontend.operators.truth import as_bool, boolean, truth
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.values.abstract_values import (
    Abstract,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    Method,
    Poison,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Value
from sct.ir.types import BOOL, List, Never
from sct.ops.program.list_sums import fsum_list

__all__ = ["as_iterator", "chosen", "compared", "first_that", "is_known", "looked", "select", "takes_function"]


@special(iter)
def iter_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) > 1:
        ev.refuse("SCT205", "`iter` with a sentinel is not supported", hint="write `while True:` with a `break`")
    own = own_iterator(ev, args[0])
    return own if own is not None and is_own_iterator(ev, own) else iterator(ev, args[0] if own is None else own)


@special(next)
def next_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if is_own_iterator(ev, args[0]):
        return next_of_object(ev, *args)
    if not (isinstance(args[0], Iteration) and args[0].state is not None):
        text = "next({0}, {1})" if len(args) > 1 else "next({0})"
        if not is_callers(ev, args[0]) and (item := by_python(ev, text, *args)) is not None:
            return item
        ev.refuse("SCT503", "`next` of this is not supported", hint="write `it = iter(...)` of a list or an array")
    if args[0].counted is not None:
        return next_of(ev, args[0], lambda: args[1] if len(args) > 1 else raise_at_run_time(ev, "StopIteration"))
    it, snapshot = args[0], ev.snapshot()
    try:
        item = taken(ev, it)
    except NeedsStatic as need:
        ev.functions.plan.lost.add(it.site)  # its position may be a number of the program
        ev.restore(snapshot)
        if (generator := streamed(ev, it)) is None:
            raise
        try:
            item = ev.call(Static(_first_or if len(args) > 1 else _first), [generator, *args[1:]])
        except (SctError, NeedsStatic):
            raise need from None
        move(ev, it, Poison("how many items it has given depends on the path"))
    if item is not None:
        return item
    return args[1] if len(args) > 1 else raise_at_run_time(ev, "StopIteration")


def _first(items: Iterable[Any]) -> Any:
    for item in items:
        return item
    raise StopIteration


def _first_or(items: Iterable[Any], default: Any) -> Any:
    for item in items:
        return item
    return default


@special(enumerate)
def enumerate_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    named = {"iterable": args[0], **kwargs} if args else dict(kwargs)
    first = args[1] if len(args) > 1 else named.get("start", Static(0))
    return new_iterator(ev, "enumerate", (iterator(ev, named["iterable"]), as_index(ev, first)))


@takes("enumerate")
def _enumerated(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    of, first = it.parts
    item = taken(ev, as_iterator(of))
    return None if item is None else Tup((binary(ev, gast.Add, first, Static(at)) if at else first, item))


def as_iterator(v: Abstract) -> Iteration:
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
        return iterator(ev, Tup(tuple(lift(ev, x) for x in reversed(v.value))))
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
        check_not_none(ev, v, reversed)
        return new_iterator(ev, "reversed", (v,))
    ev.refuse("SCT503", "`reversed` of this is not supported", hint="give a list, a tuple, a range or an array")


@special(zip)
def zip_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    strict = bool(kwargs) and bool(ev.ask(kwargs["strict"], "`strict` of zip"))
    return new_iterator(ev, "zip", tuple(iterator(ev, a) for a in args), Static(True if strict else None))


@takes("zip")
def _zipped(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    row = _row(ev, it.parts)
    if len(row) < len(it.parts):
        if kept(ev, it) != Static(None):
            _check_lengths(ev, it, len(row))
        return None
    return Tup(row) if row else None


def _row(ev: Evaluator, parts: Sequence[Abstract]) -> tuple[Abstract, ...]:
    """An item of each of the iterators, up to the first that has none."""
    row: list[Abstract] = []
    with ev.temporaries.dropped():
        for p in parts:
            item = taken(ev, as_iterator(p))
            if item is None:
                break
            row.append(ev.temporaries.hold(item))
    return tuple(row)


def _check_lengths(ev: Evaluator, it: Iteration, k: int) -> None:
    """Raises as a strict zip does if its part `k` is the first to end."""
    others = {1: " 1"}
    if k:
        raise_at_run_time(
            ev, "ValueError", f"zip() argument {k + 1} is shorter than argument{others.get(k, f's 1-{k}')}")
    for j, p in enumerate(it.parts[1:], 1):
        if taken(ev, as_iterator(p)) is not None:
            raise_at_run_time(
                ev, "ValueError", f"zip() argument {j + 1} is longer than argument{others.get(j, f's 1-{j}')}")


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
    return run_through(ev, args[0], lambda v: _exact_sum(ev, v), apart=True)


def _exact_sum(ev: Evaluator, over: Abstract) -> Abstract:
    if isinstance(over, ListRef) and dynamic_lists.is_dynamic(ev, over):
        column = column_without_none(ev, over, fsum_list)
        never = isinstance(column.type, List) and isinstance(column.type.elem, Never)
        return Static(0.0) if never else ev.wrap(ev.emit(fsum_list, column))
    return call_named(ev, "math.fsum", [Tup(items_of(ev, over))], {})


@special(map)
def map_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    f, *over = args
    return new_iterator(ev, "map", (f, *(iterator(ev, a) for a in over)))


@takes("map")
def _mapped(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    f, *over = it.parts
    row = _row(ev, over)
    return ev.call(f, row) if len(row) == len(over) else None


def takes_function(f: Any, kind: str) -> None:
    """Registers a builtin that takes a function and one iterable."""
    @special(f)
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        return new_iterator(ev, kind, (args[0], iterator(ev, args[1])))


def first_that(ev: Evaluator, it: Iteration, wanted: bool) -> Abstract | None:
    """The first item for which the test is `wanted`."""
    test, of = it.parts
    while (item := taken(ev, as_iterator(of))) is not None:
        if chosen(ev, test, item) == wanted:
            return item
    return None


@takes("filter")
def _filtered(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    return first_that(ev, it, True)


@takes("filterfalse")
def _filtered_out(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    return first_that(ev, it, False)


def chosen(ev: Evaluator, test: Abstract, x: Abstract) -> bool:
    """Does the test that selects items hold for `x`?  It decides what is computed, so it must be known."""
    whole = isinstance(test, Static) and test.value is None
    with ev.temporaries.dropped():
        ev.temporaries.hold(x)
        return bool(ev.ask(boolean(truth(ev, x if whole else ev.call(test, [x]))), "what this test gives"))


def looked(ev: Evaluator, take: Callable[[], Abstract | None], stops: bool) -> Abstract:
    """`any` of the items, which stops at the first true one, or `all`: a bool."""
    return as_bool(ev, ev.lit(_decides(ev, take, stops)))


def _decides(ev: Evaluator, take: Callable[[], Abstract | None], stops: bool) -> Abstract:
    """The truth of the first item that decides, as a bool or a NumPy bool."""
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

    decided = evaluate_branches(ev, t, stop, others) if stops else evaluate_branches(ev, t, others, stop)
    return boolean(t) if rest == [Static(not stops)] else decided


@special(tuple)
def tuple_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not args or isinstance(args[0], RunTimeTuple):
        return args[0] if args else Tup(())
    return run_through(ev, args[0], lambda v: dynamic_list_methods.tuple_of(ev, v) if isinstance(
        v, ListRef) and dynamic_lists.is_dynamic(ev, v) else Tup(items_of(ev, v)), apart=True)


@special(sorted)
def sorted_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v = in_list_if_tried(ev, args[0])
    if isinstance(v, Iteration) and v.kind == "range" and most(ev, v) is None:
        v = gathered(ev, iterator(ev, v))
    of_dict = isinstance(v, Iteration) and v.kind == "items" and kwargs.get("key", Static(None)) == Static(None)
    snapshot = ev.snapshot()
    try:
        return run_through(ev, v, lambda v: _sorted(ev, v, kwargs), apart=True)
    except SctError as error:
        if not of_dict:
            raise
        ev.restore(snapshot)
        by_key = {**kwargs, "key": Static(operator.itemgetter(0))}  # no two keys are equal: no values are compared
        try:
            return run_through(ev, v, lambda v: _sorted(ev, v, by_key), apart=True)
        except SctError:
            raise error from None


def _sorted(ev: Evaluator, v: Abstract, kwargs: Kwargs) -> Abstract:
    key = kwargs.get("key", Static(None))
    reverse = bool(ev.ask(kwargs.get("reverse", Static(False)), "`reverse` of sorted"))
    if not dynamic_lists.is_dynamic(ev, v):
        items = items_of(ev, v)
        keys = [x if key == Static(None) else ev.call(key, [x]) for x in items]
        if _is_order_known(ev, keys) or not all(item_forms.is_alike(ev, Slots(tuple(xs))) for xs in (items, keys)):
            return _sorted_now(ev, items, keys, reverse)
        unsorted = dynamic_lists.list_of_items(ev, items)
        by_key = unsorted if key == Static(None) else dynamic_lists.list_of_items(ev, tuple(keys))
        return sorted_lists.sorted_by(ev, unsorted, by_key, reverse)
    assert isinstance(v, ListRef)
    by = sort_keys(ev, v, key)
    snapshot = ev.snapshot()
    try:
        return sorted_lists.sorted_by(ev, v, by, reverse)
    except SctError as error:  # a class may say what `<` of its objects is
        ev.restore(snapshot)
        try:
            return ev.call(Static(python_fallbacks.sorted_by_comparison), [v, by, Static(reverse)])
        except SctError:
            raise error from None


def sort_keys(ev: Evaluator, v: ListRef, key: Abstract) -> ListRef:
    """What the items of a list of run-time length are sorted by."""
    if isinstance(key, Method) and key.name == "get" and isinstance(key.owner, MapRef) \
            and ev.slots(key.owner).items[1] == v:
        key = Method(key.owner, "__getitem__")  # of its own keys, which are there
    by = v if key == Static(None) else ev.call(Static(list), [ev.call(Static(map), [key, v])])
    assert isinstance(by, ListRef)
    if not dynamic_lists.is_dynamic(ev, by):
        dynamic_lists.grow(ev, by)
    return by


_ALIKE = "sort by numbers, strings or tuples of these, all of one length"


def is_known(v: Abstract) -> bool:
    return all(map(is_known, v.items)) if isinstance(v, Tup) else is_literal(v)


def _is_order_known(ev: Evaluator, keys: Sequence[Abstract]) -> bool:
    """Are the keys known, or do they begin with items that are known and differ?"""
    if all(map(is_known, keys)):
        return True
    if not all(isinstance(key, Tup) and key.items and is_literal(key.items[0]) for key in keys):
        return False
    return len({ev.ask(cast(Tup, key).items[0], "a key") for key in keys}) == len(keys)


def _sorted_now(ev: Evaluator, items: tuple[Abstract, ...], keys: Sequence[Abstract], reverse: bool) -> Abstract:
    order: Any = functools.cmp_to_key(functools.partial(compared, ev))
    return ev.new_list(tuple(
        items[k] for k in sorted(range(len(items)), key=lambda k: order(keys[k]), reverse=reverse)))


def compared(ev: Evaluator, a: Abstract, b: Abstract, in_tuples: bool = False) -> int:
    """-1, 0 or 1: the order of two things that are known, up to where they differ.

    in_tuples  they are items of tuples, which Python orders by the first items that are neither identical nor equal
    """
    if _has_own_order(ev, a) or _has_own_order(ev, b):
        less, more = (truth(ev, compare_one(ev, gast.Lt(), x, y)) for x, y in ((a, b), (b, a)))
        return int(bool(ev.ask(boolean(more), "an order"))) - int(bool(ev.ask(boolean(less), "an order")))
    if isinstance(a, Tup) and isinstance(b, Tup):
        for x, y in zip(a.items, b.items):
            order = compared(ev, x, y, in_tuples=True)
            if order:
                return order
        return (len(a.items) > len(b.items)) - (len(a.items) < len(b.items))
    if a is b and (in_tuples or isinstance(a, Value)):
        return 0
    if not (is_literal(a) and is_literal(b)):
        ev.refuse("SCT503", "sorting by values known only at run time is not supported",
                  hint=_ALIKE if in_tuples else "use np.sort of an array")
    x, y = ev.ask(a, "a key"), ev.ask(b, "a key")
    if in_tuples and (x is y or x == y):  # such items are not ordered: they may be None
        return 0
    return int(run_or_raise(ev, lambda: -(x < y) or y < x))


def _has_own_order(ev: Evaluator, v: Abstract) -> bool:
    """Is this a named tuple whose class compares it by methods of its own, or a tuple that holds one?"""
    return isinstance(v, Tup) and (not is_ordered_as_tuple(ev, v.cls) or any(_has_own_order(ev, x) for x in v.items))


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

        best, most = evaluate_branches(ev, t, other, same).items
    return best
