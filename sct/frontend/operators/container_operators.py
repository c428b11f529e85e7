"""Operators of lists, tuples and dicts.

    xs + ys, xs * n      a new list
    xs += ys, xs *= n    the same list, for all its names; `xs += array` makes an array
    xs * 2.0             TypeError, as in Python
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, item_forms
from sct.frontend.heap.array_keys import array_of
from sct.frontend.heap.special_methods import as_index
from sct.frontend.iteration import run_time_sets
from sct.frontend.iteration.iterator_protocol import view_items
from sct.frontend.objects.objects import special_method
from sct.frontend.values.abstract_values import (
    Abstract,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    Method,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.ir import Lit, Operand, Value
from sct.ir.real_ints import unmark_real
from sct.ir.types import Tensor
from sct.ops.type_rules import numpy_dtype

__all__ = ["arrays_of", "as_set", "combined", "is_sequence", "like", "written"]


def is_sequence(v: Abstract) -> bool:
    return isinstance(v, (Tup, RunTimeTuple, ListRef, DictRef, MapRef))


def arrays_of(ev: Evaluator, a: Abstract, b: Abstract) -> tuple[Abstract, Abstract]:
    """The operands of an operator between an array and a list: NumPy makes an array of the list."""
    arrays = [ev.wrap(array_of(ev, v)) if isinstance(v, (Tup, ListRef)) else v
              for v in (x.of if isinstance(x, RunTimeTuple) else x for x in (a, b))]
    return arrays[0], arrays[1]


def as_set(ev: Evaluator, v: Abstract) -> Abstract:
    """The keys of a dict, where they are an operand, as the set that they are like."""
    if not (isinstance(v, Iteration) and v.kind == "keys"):
        return v
    return Static({ev.key(k) for k in view_items(ev, v)})


def combined(ev: Evaluator, kind: type, run: Callable[[Any, Any], Any], a: Abstract, b: Abstract) -> Abstract:
    """`a op b`, where one operand is a list, a tuple or a dict, and none is an array."""
    if kind is gast.Add and isinstance(a, Tup) and isinstance(b, Tup):
        return Tup(a.items + b.items)
    if kind is gast.Add and all(isinstance(v, (Tup, RunTimeTuple)) for v in (a, b)):
        return dynamic_list_methods.joined_tuples(ev, a, b)
    if kind is gast.Add and isinstance(a, ListRef) and isinstance(b, ListRef):
        if not (dynamic_lists.is_dynamic(ev, a) or dynamic_lists.is_dynamic(ev, b)):
            return ev.new_list(ev.slots(a).items + ev.slots(b).items)
        return dynamic_list_methods.joined(ev, a, b)
    if kind is gast.BitOr and isinstance(a, (DictRef, MapRef)) and isinstance(b, (DictRef, MapRef)):
        copy = ev.call(Method(a, "copy"), [])
        ev.call(Method(copy, "update"), [b])
        return copy
    for p, q in ((a, b), (b, a)):
        n = _count(ev, q) if kind is gast.Mult else None
        if n is not None and isinstance(p, Tup):
            return Tup(_times(ev, p.items, int(ev.ask(ev.wrap(n), "the number of repetitions of a tuple"))))
        if n is not None and isinstance(p, RunTimeTuple):
            return RunTimeTuple(dynamic_list_methods.repeated(ev, p.of, n))
        if n is not None and isinstance(p, ListRef) and isinstance(n, Value):
            return dynamic_list_methods.repeated(ev, p, n)
        if n is not None and isinstance(p, ListRef) and isinstance(n, Lit):
            if dynamic_lists.is_dynamic(ev, p):
                return dynamic_list_methods.repeated(ev, p, n)
            return ev.new_list(_times(ev, ev.slots(p).items, n.value))
    run_or_raise(ev, lambda: run(like(ev, a), like(ev, b)))
    ev.refuse("SCT503", "an operator between a list or a tuple and this is not supported", hint="make an array of it")


def _times(ev: Evaluator, items: tuple[Abstract, ...], n: int) -> tuple[Abstract, ...]:
    return run_or_raise(ev, lambda: items * n)  # type: ignore[no-any-return]


def _count(ev: Evaluator, v: Abstract) -> Operand | None:
    """The number of repetitions, if this is an integer."""
    if special_method(ev, v, "__rmul__") is not None or special_method(ev, v, "__mul__") is not None:
        return None
    v = as_index(ev, v)
    if isinstance(v, Static):
        return Lit(int(v.value)) if isinstance(v.peek, int) else None
    t = unmark_real(v.type) if isinstance(v, Value) else None
    whole = isinstance(t, Tensor) and (t.kind == "i" or t.kind == "b" and t.carrier == "py" or
                                       t.dtype in ("real", "single"))
    return ev.as_int(v) if whole else None


def like(ev: Evaluator, v: Abstract) -> Any:
    """An object of the class of `v`, to which Python applies an operator and raises as it does for `v`."""
    if is_sequence(v):
        return () if isinstance(v, (Tup, RunTimeTuple)) else [] if isinstance(v, ListRef) else {}
    if isinstance(v, Static) and is_literal(v):
        return v.value
    t = unmark_real(v.type) if isinstance(v, Value) else None
    if isinstance(t, Tensor) and t.carrier in ("py", "np") and t.dtype not in ("real", "single"):
        cls: Any = {"bool": bool, "int": int, "float": float}.get(t.dtype) or numpy_dtype(t.dtype).type
        return cls(1)
    ev.refuse("SCT503", "an operator between a list, a tuple or a dict and this is not supported")


def written(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> bool:
    """Does `a op= b` write into `a` itself?  Then it has done so."""
    if isinstance(a, ListRef) and kind is gast.Add and not isinstance(b, (Ref, Value)):
        ev.call(Method(a, "extend"), [b])
        return True
    if run_time_sets.is_set(a) and run_time_sets.in_place(ev, kind, a, b):
        return True
    if isinstance(a, (DictRef, MapRef)) and kind is gast.BitOr:
        ev.call(Method(a, "update"), [b])
        return True
    n = _count(ev, b) if isinstance(a, ListRef) and kind is gast.Mult else None
    if isinstance(a, ListRef) and n is not None:
        _repeat(ev, a, n)
        return True
    if isinstance(a, Static) and isinstance(a.peek, set) and a.path is None:
        _only_name(ev, a)
    return False


def _repeat(ev: Evaluator, xs: ListRef, n: Operand) -> None:
    """`xs *= n`"""
    cell = ev.writable(xs.addr, "a write")
    assert isinstance(cell, Slots)
    if isinstance(n, Lit) and cell.schema is None:
        ev.store.cells[xs.addr] = replace(cell, items=_times(ev, cell.items, n.value))
        return
    product = dynamic_list_methods.repeated(ev, xs, n)
    dynamic_lists.grow(ev, xs, item_forms.item_type(ev, product))
    dynamic_list_methods.resize(ev, xs)
    dynamic_list_methods.change(ev, xs, dynamic_lists.columns(ev, product))


def _only_name(ev: Evaluator, v: Static) -> None:
    """Refuses a write into a set that may have another name."""
    def holds(x: Abstract) -> int:
        if isinstance(x, Tup):
            return sum(map(holds, x.items))
        return int(isinstance(x, Static) and x.peek is v.value)

    slots = [x for cell in ev.store.cells.values() if isinstance(cell, Slots) for x in cell.items]
    if sum(map(holds, [*ev.store.vars.values(), *slots])) > 1:
        run_time_sets.note_change(ev, v.peek)
        ev.refuse("SCT303", "a set that has several names is written", why="the items of a set must be known",
                  hint="make a new set: `s = s | t`")
