"""Items of dicts and tuples that are rows of columns: `node["value"]` is what `node.value` is of an object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.heap.array_keys import present_object
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.subscripts import assign_item, item
from sct.frontend.objects import row_attributes
from sct.frontend.objects.linked_objects import classes_of, is_row_display
from sct.frontend.objects.row_attributes import as_it_is_now, name_of_item, read_item
from sct.frontend.operators.choices import for_each, for_each_row
from sct.frontend.state.choices import definitions, test_text
from sct.frontend.state.object_tables import Record
from sct.frontend.values.abstract_values import Abstract, Choice, MapRef, Static
from sct.ir import Lit, Operand, Value
from sct.ir.types import BOOL, Text
from sct.ops import cond
from sct.ops.program.effects import part

__all__ = ["assign_item_of", "for_each_owner", "item_of"]


def for_each_owner(ev: Evaluator, owner: Abstract, key: Abstract, do: Callable[[Abstract, Abstract], Abstract]
                   ) -> Abstract:
    """`do(owner, key)`, for each of the objects that the owner of an item and its key may be; once if all owners have
    it at one place."""
    if isinstance(key, Choice) and not isinstance(owner, MapRef):
        return for_each(ev, key, lambda k: for_each_owner(ev, owner, k, do))
    if not is_row_display(owner):
        return for_each(ev, owner, lambda m: do(m, key))
    if isinstance(key, Value) and isinstance(key.type, Text) and _may_be_dict(owner):
        return _for_each_text(ev, key, _possible_texts(ev, key), lambda k: for_each_owner(ev, owner, k, do))
    if (name := name_of_item(owner, key)) is not None:
        owner = present_object(ev, owner, lambda none: none[0])  # type: ignore[index]
        assert isinstance(owner, Value)
        if row_attributes.is_one_item(ev, owner, name):
            return do(owner, key)
    return for_each_row(ev, owner, lambda m: do(m, key))


def _for_each_text(ev: Evaluator, key: Value, texts: Sequence[str], do: Callable[[Abstract], Abstract]) -> Abstract:
    """`do` of the one of these texts that the key is."""
    first, *rest = texts
    if not rest:
        return do(Static(first))
    test = ev.emit(part, key, text=test_text(first, True), type=BOOL)
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, test, lambda: do(Static(first)), lambda: _for_each_text(ev, key, rest, do))


def _possible_texts(ev: Evaluator, key: Value) -> list[str]:
    """The texts that a key may be: `"left" if c else "right"`."""
    texts: dict[str, None] = {}
    rest: list[Operand] = [key]
    defs = dict(definitions(ev))
    for x in rest:
        eqn = defs.get(x) if isinstance(x, Value) else None
        if isinstance(x, Lit) and isinstance(x.value, str):
            texts[x.value] = None
        elif eqn is not None and eqn.op is cond:
            defs.update((out, e) for region in eqn.regions for e in region.eqns for out in e.outs)
            rest += [region.results[eqn.outs.index(x)] for region in eqn.regions]
        else:
            ev.refuse("SCT503", "a key of a dict that is one of many must be known", why=OF_ROWS,
                      hint='choose among texts: `node["left" if c else "right"]`')
    return [*texts]


def item_of(ev: Evaluator, owner: Abstract, key: Abstract) -> Abstract:
    """`owner[key]`"""
    if isinstance(owner, Value) and (name := name_of_item(owner, key)) is not None:
        return read_item(ev, owner, name)
    if is_row_display(owner) and isinstance(key, Static) and not isinstance(key.value, slice):
        like: Any = {} if _may_be_dict(owner) else ()
        run_or_raise(ev, lambda: like[key.value])  # raises
    return item(ev, as_it_is_now(ev, owner), key)


def _may_be_dict(v: Abstract) -> bool:
    return isinstance(v, Value) and any(issubclass(cls, Record) for cls in classes_of(v))


def assign_item_of(ev: Evaluator, owner: Abstract, key: Abstract, value: Abstract) -> None:
    """`owner[key] = value`"""
    if not is_row_display(owner) or not _may_be_dict(owner):
        assign_item(ev, as_it_is_now(ev, owner), key, value)
    elif isinstance(owner, Value) and (name := name_of_item(owner, key)) is not None:
        row_attributes.write(ev, owner, name, value)
    else:
        row_attributes.refuse_change(ev, "a new key in")
