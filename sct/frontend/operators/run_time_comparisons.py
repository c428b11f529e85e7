"""Comparisons of lists and tuples whose length is known only at run time, and of what may be None."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.array_keys import may_be_none
from sct.frontend.heap.dynamic_list_methods import list_behind
from sct.frontend.heap.inactive import template_of
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.objects.objects import is_member, is_object
from sct.frontend.objects.operators_of_classes import undefined
from sct.frontend.operators.truth import negated, truth
from sct.frontend.values.abstract_values import (
    Abstract,
    Container,
    ListRef,
    OptionalTuple,
    RunTimeTuple,
    Static,
    Tup,
)
from sct.ir import Operand
from sct.ir.types import BOOL, Tensor, Text, base_type, leaf_type
from sct.ops import BY_CALL, gt, is_none
from sct.ops.program.effects import membership
from sct.ops.registry import add_operand

__all__ = ["COMPARE", "apart_from_none", "compare_lists", "compare_tuples", "rows_text"]

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
    if any(isinstance(ev.slots(v).schema, tuple) for v in (a, b)):
        return _compare_rows(ev, spelling, a, b)
    columns = [dynamic_lists.as_column(ev, v) for v in (a, b)]
    for column in columns:
        elem = getattr(column.type, "elem", None)
        if not (isinstance(elem, Tensor) and elem.is_scalar):
            ev.refuse("SCT503", "lists of unknown length can be compared only if they hold numbers",
                      hint="compare their items in a loop")
    return ev.emit(BY_CALL[f"operator.{spelling}"], *columns, spelling=f"operator.{spelling}")  # type: ignore[no-any-return]


def _compare_rows(ev: Evaluator, spelling: str, a: ListRef, b: ListRef) -> Abstract:
    """`==` and `!=` of lists of which one holds tuples of numbers and strings: Python compares them."""
    operands: list[Operand] = []
    texts = [rows_text(ev, v, operands) for v in (a, b)]
    if spelling not in ("eq", "ne") or None in texts or not all(map(_is_plain, operands)):
        ev.refuse("SCT503", "this comparison of a list of tuples whose length is known only at run time is not "
                  "supported", why="`==` and `!=` of tuples of numbers and strings are",
                  hint="compare their items in a loop")
    text = f"{texts[0]} {'==' if spelling == 'eq' else '!='} {texts[1]}"
    return ev.emit(membership, *operands, text=text, type=BOOL)  # type: ignore[no-any-return]


def rows_text(ev: Evaluator, v: ListRef, operands: list[Operand]) -> str | None:
    """The template of a list: the rows of its columns, where its length is known only at run time."""
    if not dynamic_lists.is_dynamic(ev, v):
        return template_of(ev, v, operands)
    columns = dynamic_lists.columns(ev, v)

    def rows(schema: Any) -> str | None:
        if isinstance(schema, int):
            return add_operand(columns[schema], operands)
        parts = [rows(part) for part in schema] if isinstance(schema, tuple) and schema else [None]
        return None if None in parts else f"zip({', '.join(map(str, parts))})"

    text = rows(ev.slots(v).schema or 0)
    return text if text is None or not text.startswith("zip") else f"list({text})"


def _is_plain(x: Operand) -> bool:
    """Is this a number or a string, or a list of these?"""
    t = base_type(leaf_type(x.type))
    return isinstance(t, Tensor) and t.is_scalar or isinstance(t, Text)


def compare_tuples(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """A comparison with a tuple whose length is known only at run time."""
    spelling, run = COMPARE[type(op)]
    if all(isinstance(v, (Tup, RunTimeTuple)) and not is_object(v) for v in (a, b)):
        lists = [v.of if isinstance(v, RunTimeTuple) else ev.new_list(v.items) for v in (a, b)]  # type: ignore
        if any(isinstance(ev.slots(v).schema, tuple) for v in lists):
            return compare_lists(ev, op, *lists)
        return compare_lists(ev, op, list_behind(ev, a), list_behind(ev, b))
    other = a if isinstance(b, RunTimeTuple) else b
    if isinstance(other, (Container, Static)) and not is_object(other) and not is_member(other):
        return Static(spelling == "ne") if spelling in ("eq", "ne") else undefined(ev, run, a, b)
    ev.refuse("SCT503", "this comparison with a tuple whose length is known only at run time is not supported",
              hint="compare items of it, or its length")


_OF_NONE = gast.Eq, gast.NotEq, gast.In, gast.NotIn
"""Comparisons that Python makes with None, too."""


def apart_from_none(ev: Evaluator, op: Any, a: Abstract, b: Abstract,
                    compare: Callable[[Evaluator, Any, Abstract, Abstract], Abstract]) -> Abstract | None:
    """A comparison with what may be None, on a path where it is and on one where it is not: with a tuple, and in a
    `try` with any value.

    None of other comparisons: outside a `try`, Python compares numbers, strings and arrays with None as they are.
    """
    def compared(v: Abstract, x: Abstract) -> Abstract:
        return compare(ev, op, *(x if w is v else w for w in (a, b)))

    for v in (a, b) if not isinstance(op, (gast.Is, gast.IsNot)) else ():
        if isinstance(v, OptionalTuple) and not isinstance(op, (gast.In, gast.NotIn)):
            return evaluate_branches(ev, truth(ev, v), lambda v=v: compared(v, ev.present(v)),  # type: ignore
                                     lambda v=v: compared(v, Static(None)))  # type: ignore[misc]
        maybe = may_be_none(ev, v) if ev.tries.handled and isinstance(op, _OF_NONE) else None
        if maybe is not None:
            return evaluate_branches(ev, ev.emit(is_none, maybe), lambda v=v: compared(v, Static(None)),  # type: ignore
                                     lambda: compare(ev, op, a, b))
    return None
