"""Swaps of two items of a list of arrays or of lists: `xs[i], xs[j] = xs[j], xs[i]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gast

from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import dynamic_list_methods, dynamic_lists
from sct.frontend.values.abstract_values import Abstract, Frozen, ListRef, ObjRef, Ref, Static
from sct.ir import Operand, Value, is_effect
from sct.ir.types import Undef
from sct.ops import store
from sct.ops.program.list_slices import swapped

__all__ = ["after_swap", "swap_of", "swaps_rows"]


@dataclass(frozen=True)
class Swap:
    """Two items of one list of arrays, which holds them alone, before they are put into it the other way round.

    items  the arrays, their places, and their contents
    named  the arrays that are known to be at the first place, and those at the second
    """

    of: ListRef
    column: Operand
    items: tuple[tuple[Ref, Operand, Operand], tuple[Ref, Operand, Operand]]
    named: tuple[list[Ref], list[Ref]]


def swap_of(ev: Evaluator, values: Sequence[Abstract]) -> Swap | None:
    """The swap that an assignment of these values to as many subscripts may be; None for others."""
    items = []
    for x in values:
        item = ev.store.items.get(x.addr) if isinstance(x, Ref) and not x.path else None
        if not isinstance(x, Ref) or item is None or item.at is None or item.of is None or item.schema != 0 or \
                isinstance(item.at.type, Undef) or not ev.store.holds_alone(item.of) or \
                ev.store.array(x).frozen != Frozen.HELD:
            return None
        items.append((x, item.at, ev.store.array(x).value, item.of))
    if len(items) != 2 or items[0][3] != items[1][3] or ev.slots(ListRef(items[0][3])).schema != 0:
        return None
    of = ListRef(items[0][3])
    named: list[list[Ref]] = [[Ref(addr) for addr, item in ev.store.items.items()
                               if (item.of, item.at, item.schema) == (of.addr, at, 0)] for _, at, _, _ in items]
    return Swap(of, dynamic_lists.columns(ev, of)[0], (items[0][:3], items[1][:3]), (named[0], named[1]))


def after_swap(ev: Evaluator, swap: Swap) -> None:
    """If the two items are in each other's place now, the list still holds its arrays alone."""
    (_, at_p, x_p), (_, at_q, x_q) = swap.items
    (last,) = dynamic_lists.columns(ev, swap.of)
    second = ev.defs.get(last) if isinstance(last, Value) else None
    before = second.args[0] if second is not None and second.op is store else None
    first = ev.defs.get(before) if isinstance(before, Value) else None
    if second is None or first is None or first.op is not store or first.args[:2] != (swap.column, x_p) or \
            second.args[1] != x_q or not _same(ev, first.args[2:], (at_q,)) or not _same(ev, second.args[2:], (at_p,)):
        return
    ev.store.own(swap.of.addr)
    ev.store.alone.add(swap.of.addr)
    for at, arrays in zip((at_q, at_p), swap.named):
        for x in arrays:
            list_items.place(ev, swap.of, at, 0, x)


def swaps_rows(ev: Evaluator, targets: Sequence[Any], values: Sequence[Abstract]) -> bool:
    """Does an assignment put two lists in one list in each other's place?  Then it has done so."""
    places = [_place_in_list(ev, v) for v in values]
    if len(places) != 2 or None in places or not all(_is_plain_item(ev, target) for target in targets):
        return False
    (of, at_p), (other, at_q) = places  # type: ignore[misc]
    for target, at in zip(targets, (at_q, at_p)):
        key = ev.eval(target.slice)
        if ev.eval(target.value) != of or other != of or not isinstance(key, (Static, Value)) or \
                not _same(ev, (ev.lit(key),), (at,)):
            return False
    versions = [ev.emit(swapped, column, at_q, at_p) for column in dynamic_lists.columns(ev, of)]
    dynamic_list_methods.rearrange(ev, of, versions)
    return True


def _place_in_list(ev: Evaluator, v: Abstract) -> tuple[ListRef, Operand] | None:
    """The list that a list is an item of, and its place there; None if that list is an item, too, or there is none."""
    cell = ev.slots(v) if isinstance(v, ListRef) else None
    if cell is None or cell.parent is None or cell.frozen or ev.slots(ListRef(cell.parent)).parent is not None:
        return None
    paths = {column.path for column in cell.items if isinstance(column, Ref)}
    steps = next(iter(paths)) if len(paths) == 1 else ()
    return (ListRef(cell.parent), steps[0].args[0]) if len(steps) == 1 else None


def _is_plain_item(ev: Evaluator, target: Any) -> bool:
    """Is this a subscript, by names and literals, of a name or attribute, so that it may be evaluated twice?"""
    parts = (gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.operator, gast.unaryop, gast.expr_context)
    return isinstance(target, gast.Subscript) and _is_plain_owner(ev, target.value) and all(
        isinstance(node, parts) for node in gast.walk(target.slice))


def _is_plain_owner(ev: Evaluator, node: Any) -> bool:
    """Is this a name, or an attribute that objects have themselves, whose reading runs no code of the user?"""
    if not isinstance(node, gast.Attribute):
        return isinstance(node, gast.Name)
    if not _is_plain_owner(ev, node.value):
        return False
    owner = ev.eval(node.value)
    return isinstance(owner, ObjRef) and node.attr in ev.slots(owner).keys and all(
        node.attr not in vars(cls) and "__getattribute__" not in vars(cls) for cls in owner.cls.__mro__[:-1])


def _same(ev: Evaluator, xs: Sequence[Operand], ys: Sequence[Operand]) -> bool:
    """Are these the same values, computed once or twice?"""
    if len(xs) != len(ys):
        return False
    for x, y in zip(xs, ys):
        one, other = (ev.defs.get(v) if isinstance(v, Value) else None for v in (x, y))
        again = one is not None and other is not None and one.op is other.op and one.attrs == other.attrs and \
            not one.regions and not is_effect(one) and len(one.outs) == len(other.outs) == 1 and \
            _same(ev, one.args, other.args)
        if x != y and not again:
            return False
    return True
