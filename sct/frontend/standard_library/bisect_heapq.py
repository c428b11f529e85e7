"""The functions of `bisect` and `heapq`, which keep a list in order.

    insort([1.0, 3.0], 2.0)   ->   [1.0, 2.0, 3.0]
    bisect(knots, x)          ->   a loop over the array `knots`
    heappush(queue, x)        ->   the loop that moves `x` up in the heap
"""

from __future__ import annotations

import bisect
import functools
import heapq
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, evaluated_as, special
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, item_forms
from sct.frontend.heap.inactive import template_of
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.numpy_library.numpy_functions import bound
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.standard_library.iterator_builtins import compared, is_known
from sct.frontend.values.abstract_values import Abstract, ListRef, Slots, Static, Tup
from sct.ir import Operand, Value, has_effect
from sct.ir.types import INT, Opaque
from sct.ops.program.effects import inactive

__all__: list[str] = []


def _kept_in_order(f: Callable[..., Any], in_python: Special) -> Special:
    """A function of `bisect` or `heapq`: Python's own, on the items of a list that are known.

    in_python  the same as a function that is evaluated, where items are known only at run time
    """

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        xs, *rest = args
        if not isinstance(xs, (ListRef, Tup)) or dynamic_lists.is_dynamic(ev, xs):
            return in_python(ev, args, kwargs)
        items = items_of(ev, xs)
        if not all(map(is_known, (*items, *rest))):
            if isinstance(xs, ListRef) and not f.__name__.startswith("bisect"):
                dynamic_lists.grow(ev, xs, None if items else item_forms.schema_of(ev, rest[0]))
            return in_python(ev, args, kwargs)
        order: Any = functools.cmp_to_key(functools.partial(compared, ev))
        options = {k: ev.ask(v, f"`{k}`") for k, v in kwargs.items() if k != "key"}
        if (key := kwargs.get("key", Static(None))) != Static(None):
            options["key"] = lambda x: order(ev.call(key, [x.obj]))
        ordered = list(map(order, items))
        result = run_or_raise(ev, lambda: f(ordered, *map(order, rest[:1]), *(ev.ask(v, "a bound") for v in rest[1:]),
                                            **options))
        if isinstance(xs, ListRef) and (changed := tuple(x.obj for x in ordered)) != items:
            cell = ev.writable(xs.addr, "a write")
            assert isinstance(cell, Slots)
            ev.store.cells[xs.addr] = replace(cell, items=changed)
        return Static(result) if result is None or isinstance(result, int) else result.obj

    return handler


def _by_python(ev: Evaluator, a: Abstract, x: Abstract, right: bool) -> Abstract:
    """`bisect_right(a, x)`, or `bisect_left`, of objects that sct does not see into."""
    operands: list[Operand] = []
    among, what = template_of(ev, a, operands), template_of(ev, x, operands)
    if among is None or what is None:
        ev.refuse("SCT503", "the list that `bisect` searches holds numbers that are differentiated and other objects",
                  hint="keep the objects in a list of their own")
    text = f"bisect.bisect_{'right' if right else 'left'}({among}, {what})"
    return ev.wrap(ev.emit(inactive, *operands, text=text, type=INT))


def _searching(f: Callable[..., Any], right: bool) -> Special:
    """A function of `bisect` as a loop of Python; `insort` inserts the item where it ends."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        a, x, lo, hi, key = bound(ev, f"bisect.{f.__name__}", args, kwargs, "a", "x", "lo", "hi", "key",
                                  lo=0, hi=None, key=python_fallbacks.same)
        inserts = f.__name__.startswith("insort")
        value = ev.call(key, [x]) if inserts else x
        whole = (lo, hi, key) == (Static(0), Static(None), Static(python_fallbacks.same))
        place = _by_python(ev, a, x, right) if whole and isinstance(x, Value) and isinstance(x.type, Opaque) else \
            ev.call(Static(python_fallbacks.bisect_), [a, value, lo, hi, key, Static(right)])
        if not inserts:
            return place
        if not dynamic_lists.is_dynamic(ev, a):
            ev.refuse("SCT503", f"`{f.__name__}` into this is not supported", hint="use a list")
        assert isinstance(a, ListRef)
        return dynamic_list_methods.insert(ev, a, ev.operand(place), x)

    return handler


_f: Any
for _f, _right in ((bisect.bisect_left, False), (bisect.bisect_right, True), (bisect.insort_left, False),
                   (bisect.insort_right, True)):
    SPECIAL[id(_f)] = _kept_in_order(_f, _searching(_f, _right))
for _f in (heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace):
    SPECIAL[id(_f)] = _kept_in_order(_f, evaluated_as(getattr(python_fallbacks, _f.__name__)))
for _f in (heapq.nlargest, heapq.nsmallest):
    SPECIAL[id(_f)] = evaluated_as(getattr(python_fallbacks, _f.__name__))


@special(heapq.merge)
def merge(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`heapq.merge`: the list of all items, if it makes no difference that they are not taken one by one."""
    key, reverse = kwargs.get("key", Static(None)), kwargs.get("reverse", Static(False))
    if kwargs.keys() - {"key", "reverse"} or ev.ask(reverse, "`reverse` of `merge`"):
        ev.refuse("SCT206", "`heapq.merge` with `reverse` is not supported",
                  hint="sort the items of all: `sorted([*a, *b], reverse=True)`")
    mark, cells = len(ev.b.eqns), dict(ev.store.cells)
    lists = Tup(tuple(ev.call(Static(list), [xs]) for xs in args))
    if any(map(has_effect, ev.b.eqns[mark:])) or any(
            ev.store.cells.get(addr) != cell and not (isinstance(cell, Slots) and cell.keys == ("at", "kept"))
            for addr, cell in cells.items()):
        ev.refuse("SCT206", "`heapq.merge` of iterators that have effects is not supported",
                  hint="sort the items of all: `sorted([*a, *b])`")
    key = Static(python_fallbacks.same) if key == Static(None) else key
    return ev.call(Static(iter), [ev.call(Static(python_fallbacks.merged), [lists, key])])
