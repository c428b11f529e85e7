"""`sum`, `max` and `min`.

    sum(xs)                               ->   the builtin itself, or `+` item by item where it is another operator
    max(a, b, c)                          ->   the builtin itself
    min(ps, key=lambda p: p.cost)         ->   a loop that finds the place of the item, which is read there
"""

from __future__ import annotations

import builtins
import itertools

import gast

from sct.errors import SctError
from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, special
from sct.frontend.heap import dynamic_lists, item_forms
from sct.frontend.heap.array_keys import column_without_none, may_be_empty, require_items
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.iteration.iterator_protocol import drained, iterator
from sct.frontend.loops.generator_expressions import gathered, has_items, is_long, run_through
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.objects.objects import is_member, is_object, special_method
from sct.frontend.operators.arithmetic_operators import binary
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
    sum_of_filled,
)
from sct.frontend.standard_library.python_fallbacks import sum_ as sum_of_items
from sct.frontend.values.abstract_values import Abstract, Container, ListRef, Ref, Static, Tup, is_literal
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Operand, Value
from sct.ir.dims import is_ragged
from sct.ir.types import List, Never, Tensor
from sct.ops import BY_CALL, OPS, eq
from sct.ops.program.list_ops import sum_list

__all__: list[str] = []

@special(sum)
def sum_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    total: Abstract = args[1] if len(args) > 1 else kwargs.get("start", Static(0))
    of_run_time = isinstance(args[0], ListRef) and dynamic_lists.is_dynamic(ev, args[0])
    if isinstance(args[0], Ref) and _is_real(total, of_python=True) and (
            filled := _has_complex_items(ev, args[0])) is not None:
        if not filled:
            return total
        total = ev.call(Static(complex), [total])  # it is this number in a sum with a complex one
    if isinstance(args[0], Ref) or of_run_time and (isinstance(total, ListRef) or is_object(total) or is_link(total)):
        return ev.call(Static(sum_of_items), [args[0], total])
    return run_through(ev, args[0], lambda v: _summed(ev, v, total))


def _summed(ev: Evaluator, over: Abstract, total: Abstract) -> Abstract:
    if isinstance(over, ListRef) and dynamic_lists.is_dynamic(ev, over):
        if is_object(total) or is_link(total):
            return ev.call(Static(sum_of_items), [over, total])
        start = () if isinstance(total, Static) and total == Static(0) else (ev.operand(total),)
        column = column_without_none(ev, over, sum_list, *start, filled=True)
        elem = column.type.elem if isinstance(column.type, List) else None
        if isinstance(elem, Never):  # it never gets items
            return total
        of_complex = isinstance(elem, Tensor) and not elem.is_array and elem.kind == "c" and _is_real(total)
        if isinstance(elem, Tensor) and (of_complex or elem.is_array and not start):
            return _sum_of_items(ev, over, column, elem, total)
        if isinstance(elem, Tensor) and any(map(is_ragged, elem.shape)) and isinstance(total, Ref):
            return ev.call(Static(sum_of_items), [over, total])
        return ev.wrap(ev.emit(sum_list, column, *start))
    items: list[Abstract] = []
    rest = one_by_one(ev, over)
    other = None
    for x in rest:
        if not (isinstance(x, Value) or isinstance(x, Static) and type(x.peek) in (bool, int, float)):
            other = x  # it is added before the next one is asked for
            break
        items.append(x)
    if len(items) > 2 and any(_maybe_float(x) for x in items):
        # From 3.12 on Python sums floats with a compensation: the builtin itself is called.
        total = ev.call_op(OPS["pysum"], total, *items, spelling="builtins.sum")
    else:
        for x in items:
            total = binary(ev, gast.Add, total, x)
    for x in (() if other is None else itertools.chain((other,), rest)):
        total = binary(ev, gast.Add, total, x)
    return total


def _is_real(v: Abstract, of_python: bool = False) -> bool:
    """Is this a real number?"""
    if not isinstance(v, Value):
        return isinstance(v, Static) and type(v.peek) in (bool, int, float)
    t = v.type
    return isinstance(t, Tensor) and not t.is_array and t.kind in "bif" and (t.carrier == "py" or not of_python)


def _has_complex_items(ev: Evaluator, x: Ref) -> bool | None:
    """Has this vector of complex numbers an element?  None for other arrays, and where no guard can tell."""
    t = ev.type_of(x)
    if not isinstance(t, Tensor) or t.rank != 1 or t.kind != "c":
        return None
    try:
        return bool(ev.ask(ev.call(Static(len), [x]), "whether a vector has elements"))
    except (NeedsStatic, SctError):
        return None


def _sum_of_items(ev: Evaluator, over: ListRef, column: Operand, elem: Tensor, total: Abstract) -> Abstract:
    """The sum of arrays and the number 0, or of complex numbers and a real one, which it is of an empty list: if it
    is empty, is guarded, or for arrays tested where the derivative runs; there no `try` may handle the TypeError.
    """
    n = dynamic_lists.length(ev, over)
    filled = not may_be_empty(n)
    if not filled:
        empty = ev.wrap(ev.emit(eq, n, 0, spelling="operator.eq"))
        try:
            if ev.ask(empty, "whether a list is empty"):
                return total
            filled = True
        except (NeedsStatic, SctError):
            filled = elem.is_array and not any(c.may_catch((TypeError,)) for c in ev.tries.handled)
        if filled and not isinstance(empty, Static):
            evaluate_branches(ev, truth(ev, empty), lambda: raise_at_run_time(
                ev, "TypeError", "`sum` of an empty list of arrays gives the number 0: begin with an array, "
                "`sum(xs, np.zeros(n))`"), lambda: Static(None))
    if any(map(is_ragged, elem.shape)):
        return ev.call(Static(sum_of_filled), [over, total])
    start = () if total == Static(0) else (ev.operand(total),)
    return ev.wrap(ev.emit(sum_list, column, *start, filled=filled))


def _maybe_float(x: Abstract) -> bool:
    """Can this be a Python float?"""
    t = x.type if isinstance(x, Value) else None
    return isinstance(t, Tensor) and t.carrier in ("py", "any") and t.kind == "f"


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
            require_items(ev, over, "ValueError", _EMPTY[name])
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
        if item_forms.slots(ev, over).schema != 0:
            return _item_of_list(ev, name, over, [], default)
        column = dynamic_lists.as_column(ev, over)
        if isinstance(column.type, List) and isinstance(column.type.elem, Never):  # it never gets items
            return None

        def best_of_items() -> Abstract:
            return ev.wrap(ev.emit(OPS[f"first_{name}"], column_without_none(ev, over, OPS[f"first_{name}"])))

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


