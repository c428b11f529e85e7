"""`max` and `min`.

    max(a, b, c)                          ->   the builtin itself
    min(ps, key=lambda p: p.cost)         ->   a loop that finds the place of the item, which is read there
"""

from __future__ import annotations

import builtins
import itertools

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.array_keys import column_without_none
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.iteration.iterator_protocol import drained, iterator
from sct.frontend.loops.generator_expressions import gathered, has_items, is_long, run_through
from sct.frontend.objects.objects import is_member, is_object, special_method
from sct.frontend.operators.truth import either_expression, truth
from sct.frontend.standard_library.builtins import one_by_one
from sct.frontend.standard_library.iterator_builtins import select
from sct.frontend.standard_library.python_fallbacks import (
    largest,
    largest_by,
    largest_item,
    largest_item_by,
    same,
    smallest,
    smallest_by,
    smallest_item,
    smallest_item_by,
)
from sct.frontend.values.abstract_values import Abstract, Container, ListRef, Ref, Static, Tup, is_literal
from sct.ir import Value
from sct.ir.types import Tensor
from sct.ops import BY_CALL, OPS

__all__: list[str] = []

_EMPTY = dict.fromkeys(("max", "min"), "")
for _name in _EMPTY:
    try:
        getattr(builtins, _name)([])
    except ValueError as _error:
        _EMPTY[_name] = str(_error)


def _extremum(name: str) -> Special:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        over = args[0] if len(args) == 1 else Tup(tuple(args))
        key, default = kwargs.get("key", Static(None)), kwargs.get("default")
        if key != Static(None):
            best = _extreme_by(ev, name, over, key, default)
        elif isinstance(over, Ref) and not kwargs:
            return ev.call(Static(largest if name == "max" else smallest), args)
        else:
            best = run_through(ev, over, lambda v: _extreme(ev, name, v, default))
        return best or default or raise_at_run_time(ev, "ValueError", _EMPTY[name])

    return handler


def _extreme_by(ev: Evaluator, name: str, over: Abstract, key: Abstract, default: Abstract | None) -> Abstract | None:
    """`max(over, key=key)`, or the default; None if there are no items."""
    if dynamic_lists.is_dynamic(ev, over):
        return _item_of_list(ev, name, over, [key], default)
    it = iterator(ev, over)
    if not is_long(ev, it):
        return select(ev, name, drained(ev, it), key)
    if has_items(ev, it):
        return ev.call(Static(largest_by if name == "max" else smallest_by), [it, key])
    return _item_of_list(ev, name, gathered(ev, it), [key], default)


_ITEMS = {"max": (largest_item, largest_item_by), "min": (smallest_item, smallest_item_by)}


def _item_of_list(ev: Evaluator, name: str, over: Abstract, key: list[Abstract], default: Abstract | None) -> Abstract:
    """The largest or smallest item of a list whose length is known only at run time: a loop finds its place."""
    def best() -> Abstract:
        return ev.call(Static(_ITEMS[name][len(key)]), [over, *key])

    def none() -> Abstract:
        return default or raise_at_run_time(ev, "ValueError", _EMPTY[name])

    test = truth(ev, over)
    if not isinstance(test, Value):
        return best() if test.value else none()
    if default is not None:
        return either_expression(ev, test, best, none)
    evaluate_branches(ev, test, lambda: None, none)
    return best()


def _extreme(ev: Evaluator, name: str, over: Abstract, default: Abstract | None = None) -> Abstract | None:
    """`max` or `min` of the items, or the default of a list that is empty at run time; None if there are no items."""
    if isinstance(over, ListRef) and dynamic_lists.is_dynamic(ev, over):
        if dynamic_lists.slots(ev, over).schema != 0:
            return _item_of_list(ev, name, over, [], default)

        def best_of_items() -> Abstract:
            return ev.wrap(ev.emit(OPS[f"first_{name}"], column_without_none(ev, over)))

        test = None if default is None else truth(ev, over)
        return best_of_items() if not isinstance(test, Value) or default is None else \
            either_expression(ev, test, best_of_items, lambda: default)
    items: list[Abstract] = []
    rest = one_by_one(ev, over)
    for x in rest:
        items.append(x)
        if is_object(x) or isinstance(x, (Tup, Container)):  # it is compared before the next one is asked for
            best = _extreme(ev, name, Tup(tuple(items[:-1])))
            head = (x,) if best is None else (best, x)
            return select(ev, name, itertools.chain(head, rest), Static(same))
    if not items:
        return None
    if all(is_literal(x) or is_member(x) for x in items):
        if any(special_method(ev, x, method) is not None for x in items for method in ("__lt__", "__gt__")):
            ev.refuse("SCT503", f"`{name}` of an enum with comparisons of its own is not supported",
                      hint="compare its members")
        return lift(ev, run_or_raise(ev, lambda: getattr(builtins, name)([ev.ask(x, "an item") for x in items])))
    if len(items) == 1:
        return items[0]
    if any(isinstance(x, Ref) for x in items):
        arrays = [t for x in items if isinstance(x, Ref) and isinstance(t := ev.type_of(x), Tensor)]
        if not any(t.rank for t in arrays):
            ev.refuse("SCT501", f"builtin `{name}` of arrays without axes is not supported", hint=f"use np.{name}imum")
        ev.refuse("SCT501", f"builtin `{name}` of arrays is ambiguous", hint=f"use np.{name}imum")
    return ev.call_op(BY_CALL[f"builtins.{name}"], *items, spelling=f"builtins.{name}")


SPECIAL[id(max)] = _extremum("max")
SPECIAL[id(min)] = _extremum("min")


