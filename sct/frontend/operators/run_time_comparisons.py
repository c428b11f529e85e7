"""Comparisons of lists and tuples whose length is known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.dynamic_list_methods import list_behind
from sct.frontend.objects.objects import is_member, is_object
from sct.frontend.objects.undefined_operators import undefined
from sct.frontend.operators.truth import negated
from sct.frontend.values.abstract_values import Abstract, Container, ListRef, RunTimeTuple, Static, Tup
from sct.ir.types import Tensor
from sct.ops import BY_CALL, gt

__all__ = ["COMPARE", "compare_lists", "compare_tuples"]

COMPARE: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    gast.Eq: ("eq", operator.eq), gast.NotEq: ("ne", operator.ne), gast.Lt: ("lt", operator.lt),
    gast.LtE: ("le", operator.le), gast.Gt: ("gt", operator.gt), gast.GtE: ("ge", operator.ge)}


def compare_lists(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """Lists whose length is not known: Python compares them, where they hold numbers."""
    assert isinstance(a, ListRef) and isinstance(b, ListRef)
    spelling, _ = COMPARE[type(op)]
    for x, y in ((a, b), (b, a)):
        if not dynamic_lists.is_dynamic(ev, x) and not ev.slots(x).items and spelling in ("eq", "ne"):
            there = ev.emit(gt, dynamic_lists.length(ev, y), 0, spelling="operator.gt")
            return there if spelling == "ne" else negated(ev, there)
    columns = [dynamic_lists.as_column(ev, v) for v in (a, b)]
    for column in columns:
        elem = getattr(column.type, "elem", None)
        if not (isinstance(elem, Tensor) and elem.is_scalar):
            ev.refuse("SCT503", "lists of unknown length can be compared only if they hold numbers",
                      hint="compare their items in a loop")
    return ev.emit(BY_CALL[f"operator.{spelling}"], *columns, spelling=f"operator.{spelling}")  # type: ignore[no-any-return]


def compare_tuples(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """A comparison with a tuple whose length is known only at run time."""
    spelling, run = COMPARE[type(op)]
    if all(isinstance(v, (Tup, RunTimeTuple)) and not is_object(v) for v in (a, b)):
        return compare_lists(ev, op, list_behind(ev, a), list_behind(ev, b))
    other = a if isinstance(b, RunTimeTuple) else b
    if isinstance(other, (Container, Static)) and not is_object(other) and not is_member(other):
        return Static(spelling == "ne") if spelling in ("eq", "ne") else undefined(ev, run, a, b)
    ev.refuse("SCT503", "this comparison with a tuple whose length is known only at run time is not supported",
              hint="compare items of it, or its length")
