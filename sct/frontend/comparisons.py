"""Comparisons: of numbers and arrays at run time; of objects, containers and identities as far as they are known."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from sct.frontend.evaluator import Evaluator, expression
from sct.frontend.expressions import boolean, stand_in, truth
from sct.frontend.facts import NeedsStatic
from sct.frontend.iteration import items_of
from sct.frontend.objects import is_object, reflected, special_call
from sct.frontend.raising import attempted
from sct.frontend.values import (
    Abstract,
    Array,
    Container,
    DictRef,
    ListRef,
    ObjRef,
    Perhaps,
    Ref,
    Static,
    Tup,
)
from sct.ir import Lit, Value
from sct.ir.types import Optional
from sct.ops import BY_CALL, is_none, not_

__all__ = ["COMPARE", "compare_one"]


COMPARE: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    gast.Eq: ("eq", operator.eq), gast.NotEq: ("ne", operator.ne), gast.Lt: ("lt", operator.lt),
    gast.LtE: ("le", operator.le), gast.Gt: ("gt", operator.gt), gast.GtE: ("ge", operator.ge),
}


@expression(gast.Compare)
def compare(ev: Evaluator, node: Any) -> Abstract:
    def go(left: Abstract, k: int) -> Abstract:
        right = ev.eval(node.comparators[k])
        one = compare_one(ev, node.ops[k], left, right)
        if k == len(node.ops) - 1:
            return one
        t = truth(ev, one)
        if isinstance(t, Lit):
            return go(right, k + 1) if t.value else Static(False)
        return ev.branch(t, lambda: go(right, k + 1), lambda: Static(False))  # type: ignore[no-any-return]

    return go(ev.eval(node.left), 0)


def compare_one(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    if isinstance(op, (gast.Is, gast.IsNot)):
        same = _identical(ev, a, b)
        if isinstance(op, gast.Is):
            return same
        return Static(not same.value) if isinstance(same, Static) else ev.emit(not_, ev.operand(same))
    if isinstance(op, (gast.In, gast.NotIn)):
        own = special_call(ev, b, "__contains__", a)
        if own is not None:
            t = truth(ev, own)
            if isinstance(op, gast.In):
                return boolean(t)
            return Static(not t.value) if isinstance(t, Lit) else ev.emit(not_, t)
        found = _contains(ev, b, a)
        return Static(found == isinstance(op, gast.In))
    spelling, run = COMPARE[type(op)]
    if is_object(a, b):
        made = reflected(ev, a, b, f"__{spelling}__", f"__{_REFLECTED[spelling]}__")
        if made is not None:
            return made
        if spelling not in ("eq", "ne"):
            stand_in(ev, run, a, b)
        if spelling == "ne":
            t = truth(ev, compare_one(ev, gast.Eq(), a, b))
            return Static(not t.value) if isinstance(t, Lit) else ev.emit(not_, t)
    if isinstance(a, Static) and isinstance(b, Static):
        return attempted(ev, lambda: Static(run(a.value, b.value)))  # type: ignore[no-any-return]
    if isinstance(a, (Tup, Container)) or isinstance(b, (Tup, Container)):
        return _compare_containers(ev, op, a, b)
    for x, y in ((a, b), (b, a)):
        optional = isinstance(y, (Ref, Perhaps)) or isinstance(y, Value) and isinstance(y.type, Optional)
        if isinstance(x, Static) and x.value is None and not optional:
            return Static(isinstance(op, gast.NotEq))
    return ev.call_op(BY_CALL[f"operator.{spelling}"], a, b, spelling=f"operator.{spelling}")


_REFLECTED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def _compare_containers(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """`==` and `!=` of tuples, lists, and dataclasses: item by item, up to the first that differs."""
    if not isinstance(op, (gast.Eq, gast.NotEq)):
        return _ordered(ev, op, a, b)
    left, right = _comparable(ev, a), _comparable(ev, b)
    if left is None or right is None or left[0] != right[0] or len(left[1]) != len(right[1]):
        return Static(isinstance(op, gast.NotEq))
    pairs = list(zip(left[1], right[1]))

    def go(k: int) -> Abstract:
        if k == len(pairs):
            return Static(True)
        t = truth(ev, compare_one(ev, gast.Eq(), *pairs[k]))
        if isinstance(t, Lit):
            return go(k + 1) if t.value else Static(False)
        if k == len(pairs) - 1:
            return boolean(t)
        return ev.branch(t, lambda: go(k + 1), lambda: Static(False))  # type: ignore[no-any-return]

    same = go(0)
    if isinstance(op, gast.Eq):
        return same
    return Static(not same.value) if isinstance(same, Static) else ev.emit(not_, ev.operand(same))


def _ordered(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """`<` and the like of two tuples: by the first items that differ, or by their lengths."""
    if not isinstance(a, Tup) or not isinstance(b, Tup):
        ev.refuse("SCT503", "containers other than tuples are compared with `==` and `!=` alone",
                  hint="compare their items")
    pairs, longest = list(zip(a.items, b.items)), max(len(a.items), len(b.items))

    def go(k: int) -> Abstract:
        if k == len(pairs):
            return compare_one(ev, op, Static(len(a.items)), Static(len(b.items)))
        if k == longest - 1:
            return compare_one(ev, op, *pairs[k])
        t = truth(ev, compare_one(ev, gast.Eq(), *pairs[k]))
        if isinstance(t, Lit):
            return go(k + 1) if t.value else compare_one(ev, op, *pairs[k])
        return ev.branch(t, lambda: go(k + 1), lambda: compare_one(ev, op, *pairs[k]))  # type: ignore[no-any-return]

    return go(0)


def _comparable(ev: Evaluator, v: Abstract) -> tuple[Any, tuple[Abstract, ...]] | None:
    """What an object is equal to: others of this kind with equal items."""
    if isinstance(v, Static) and isinstance(v.value, (tuple, list)):
        return type(v.value), tuple(map(Static, v.value))
    if isinstance(v, Tup):
        return tuple, v.items
    if not isinstance(v, Container):
        return None
    cell = ev.slots(v)
    if isinstance(v, DictRef):
        order = sorted(range(len(cell.keys)), key=lambda k: str(cell.keys[k]))
        return (dict, tuple(cell.keys[k] for k in order)), tuple(cell.items[k] for k in order)
    if isinstance(v, ObjRef):
        return (v.cls, cell.keys if "__dataclass_fields__" in vars(v.cls) else v.addr), cell.items
    return list, cell.items


def _identical(ev: Evaluator, a: Abstract, b: Abstract) -> Abstract:
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Static) and x.value is None:
            if isinstance(y, Ref):
                cell = ev.store.cells[y.addr]
                if isinstance(cell, Array) and isinstance(cell.value, Value) and \
                        isinstance(cell.value.type, Optional):
                    return ev.emit(is_none, cell.value)  # type: ignore[no-any-return]
            if isinstance(y, Perhaps):
                return _identical(ev, x, y.of.items[0])
            if isinstance(y, Value) and isinstance(y.type, Optional):
                return ev.emit(is_none, y)  # type: ignore[no-any-return]
            return Static(isinstance(y, Static) and y.value is None)
    if isinstance(a, Static) and isinstance(b, Static):
        return Static(a.value is b.value)
    if isinstance(a, Ref) and isinstance(b, Ref):
        return _same_array(ev, a, b)
    if isinstance(a, (Ref, Container)) and isinstance(b, (Ref, Container)):
        return Static(a == b)
    ev.refuse("SCT503", "`is` between values known only at run time is not supported", hint="use `==`")


def _same_array(ev: Evaluator, a: Ref, b: Ref) -> Abstract:
    """`a is b`: each view is an object of its own."""
    cells = [ev.store.cells[v.addr] for v in (a, b)]
    if a.addr == b.addr and None not in (a.object, b.object):
        return Static(a.object == b.object)
    if a.addr == b.addr or any(c.frozen or isinstance(c, Array) and c.merged for c in cells):
        ev.refuse("SCT503", "whether these are one array depends on the path", hint="compare their elements")
    return Static(False)


def _contains(ev: Evaluator, owner: Abstract, x: Abstract) -> bool:
    owner = ev.text(owner)
    if isinstance(owner, DictRef):
        cell = ev.slots(owner)
        try:
            return ev.ask(x, "what `in` looks for") in cell.keys
        except NeedsStatic as need:
            need.error.hint = "results of a function are kept by `functools.lru_cache`; or fill the dict in a loop"
            raise
    if isinstance(owner, Static):
        wanted = ev.ask(x, "what `in` looks for")
        return bool(attempted(ev, lambda: wanted in owner.value))
    if isinstance(owner, (Tup, ListRef)):
        return ev.ask(x, "what `in` looks for") in [ev.ask(y, "an item of this list") for y in items_of(ev, owner)]
    ev.refuse("SCT503", "`in` is supported for tuples, lists and dicts of known contents alone")
