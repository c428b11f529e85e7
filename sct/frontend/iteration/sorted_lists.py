"""Lists of run-time length in the order of keys: the columns of the items are permuted.

    xs.sort(key=f)   ->   ks = [f(x) for x in xs]; at = order(ks); xs = permuted(xs, at)     for each column of `xs`
"""

from __future__ import annotations

from sct.frontend.evaluator import list_items, own_methods
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.dynamic_list_methods import rearrange, shared
from sct.frontend.heap.dynamic_lists import columns
from sct.frontend.heap.item_forms import slots
from sct.frontend.values.abstract_values import Abstract, ListRef
from sct.frontend.values.item_schemas import is_of_tuples, leaf_numbers
from sct.ir import Value
from sct.ops.program import list_ops as ops

__all__ = ["sort", "sorted_by"]


def order_by(ev: Evaluator, keys: ListRef, reverse: bool) -> Value:
    """The order of the items of a list by their `keys`, one for each item."""
    schema = slots(ev, keys).schema or 0  # tuples in tuples are ordered as one tuple of all of their items
    of_tuples = is_of_tuples(schema, lambda cls: own_methods.is_ordered_as_tuple(ev, cls))
    if not of_tuples or leaf_numbers(schema) != list(range(len(columns(ev, keys)))):
        ev.refuse("SCT503", "sorting by keys that are objects or lists is not supported",
                  hint="sort by numbers, strings or tuples of these, all of one length")
    return ev.emit(ops.order, *columns(ev, keys), reverse=reverse)  # type: ignore[no-any-return]


def sort(ev: Evaluator, ref: ListRef, keys: ListRef, reverse: bool) -> Abstract:
    """Puts the items of a list into the order of their `keys`."""
    at = order_by(ev, keys, reverse)
    return rearrange(ev, ref, [ev.emit(ops.permuted, c, at) for c in columns(ev, ref)])


def sorted_by(ev: Evaluator, ref: ListRef, keys: ListRef, reverse: bool) -> ListRef:
    """The items of a list in the order of `keys`, one for each item."""
    at = order_by(ev, keys, reverse)
    owned, held = ev.store.owns(ref.addr), shared(ev, ref)
    moved = [ev.emit(ops.permuted, c, at) for c in columns(ev, ref)]
    return list_items.owning(ev, owned, ev.new_dynamic_list(slots(ev, ref).schema or 0, moved, held=held))
