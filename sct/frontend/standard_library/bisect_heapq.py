"""The functions of `bisect` and `heapq`, which keep a list in order.

    insort([1.0, 3.0], 2.0)   ->   [1.0, 2.0, 3.0]
    bisect(knots, x)          ->   a loop over the array `knots`
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
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special
from sct.frontend.heap import dynamic_lists
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.numpy_library.numpy_functions import bound
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.standard_library.iterator_builtins import compared
from sct.frontend.values.abstract_values import Abstract, ListRef, Slots, Static, Tup
from sct.ir import Value

__all__: list[str] = []


def _kept_in_order(f: Callable[..., Any]) -> Special:
    """A function of `bisect` or `heapq`: Python's own, on the items of a list that are known."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        xs, *rest = args
        if not isinstance(xs, (ListRef, Tup)) or dynamic_lists.is_dynamic(ev, xs):
            ev.refuse("SCT503", f"`{f.__name__}` of a list whose items are known only at run time is not supported",
                      hint="use np.sort of an array")
        order: Any = functools.cmp_to_key(functools.partial(compared, ev))
        options = {k: ev.ask(v, f"`{k}`") for k, v in kwargs.items() if k != "key"}
        if (key := kwargs.get("key", Static(None))) != Static(None):
            options["key"] = lambda x: order(ev.call(key, [x.obj]))
        items = items_of(ev, xs)
        ordered = list(map(order, items))
        result = run_or_raise(ev, lambda: f(ordered, *map(order, rest[:1]), *(ev.ask(v, "a bound") for v in rest[1:]),
                                            **options))
        if isinstance(xs, ListRef) and (changed := tuple(x.obj for x in ordered)) != items:
            cell = ev.writable(xs.addr, "a write")
            assert isinstance(cell, Slots)
            ev.store.cells[xs.addr] = replace(cell, items=changed)
        return Static(result) if result is None or isinstance(result, int) else result.obj

    return handler


def _bisection(f: Callable[..., int], right: bool) -> Special:
    """`bisect_left` or `bisect_right`; a loop of Python where items are known only at run time."""
    known = _kept_in_order(f)

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        a, x, lo, hi, key = bound(ev, f"bisect.{f.__name__}", args, kwargs, "a", "x", "lo", "hi", "key",
                                  lo=0, hi=None, key=python_fallbacks.same)
        if isinstance(a, (ListRef, Tup)) and not dynamic_lists.is_dynamic(ev, a) and not any(
                isinstance(v, Value) for v in (*items_of(ev, a), x)):
            return known(ev, args, kwargs)
        return ev.call(Static(python_fallbacks.bisect_), [a, x, lo, hi, key, Static(right)])

    return handler


for _f in (bisect.insort_left, bisect.insort_right, heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop,
           heapq.heapreplace):
    SPECIAL[id(_f)] = _kept_in_order(_f)
SPECIAL[id(bisect.bisect_left)] = _bisection(bisect.bisect_left, False)
SPECIAL[id(bisect.bisect_right)] = _bisection(bisect.bisect_right, True)
