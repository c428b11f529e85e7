"""Statements that assign: `x = v`, `x: float = v`, `x += v`, `del x`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import statement
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.array_keys import present_object, takes_slice
from sct.frontend.heap.subscripts import COMPUTED, assign_item, augmented, delete_item, item, writable, write_through
from sct.frontend.interpreter.assignment import assign, doing, home_of, named, named_by_key, of_python
from sct.frontend.interpreter.attributes import get, set_attributes
from sct.frontend.interpreter.expressions import name
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.objects.objects import delete_attribute
from sct.frontend.objects.row_attributes import refuse_change
from sct.frontend.operators.arithmetic_operators import binary, in_place
from sct.frontend.operators.choices import for_each
from sct.frontend.operators.row_items import assign_item_of, for_each_owner, item_of
from sct.frontend.source.name_scopes import reads
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import (
    DELETED,
    Abstract,
    Choice,
    DictRef,
    ListRef,
    Ref,
)
from sct.ir import Value

__all__ = []


@statement(gast.Assign)
def assign_stmt(ev: Evaluator, node: Any) -> None:
    _assign_all(ev, node, node.targets)


def _assign_all(ev: Evaluator, node: Any, targets: Sequence[Any]) -> None:
    """Evaluates the value of an assignment and assigns it to the targets, in their order."""
    frame = ev.frames[-1]
    after = frame.live.after.get(node)
    if after is None:
        v = ev.eval(node.value)
    else:
        names = {t.id for t in targets if isinstance(t, gast.Name)} if not ev.tries.handled else set()
        behind = (after - names).union(*map(reads, targets))
        unpacked = node.value if all(map(_has_target_for_each, targets)) else None
        with changed(frame, assigned=node.value, unpacked=unpacked, behind=behind):
            v = ev.eval(node.value)
    with _behind_value(ev, node, targets):
        for target in targets:
            ev.temporaries.hold(v)
            assign(ev, target, of_python(ev, v, target, node.value) if len(targets) == 1 else v)


def _behind_value(ev: Evaluator, node: Any, targets: Sequence[Any]) -> AbstractContextManager[None]:
    """The part of an assignment that follows its value: what the value alone reads is not live any more.

    What the handlers of exceptions read is live after the statement, too.
    """
    frame = ev.frames[-1]
    after = frame.live.after.get(node)
    if after is None:
        return nullcontext()
    return changed(frame, now=after.union(*map(reads, targets)))


def _has_target_for_each(target: Any) -> bool:
    """Does an assignment to this unpack a value into as many items?"""
    return isinstance(target, (gast.Tuple, gast.List)) and not any(isinstance(t, gast.Starred) for t in target.elts)


@statement(gast.AnnAssign)
def annotated(ev: Evaluator, node: Any) -> None:
    if node.value is not None:
        _assign_all(ev, node, [node.target])
        return
    for part in ("value", "slice"):  # of an attribute or an item: what has it
        if hasattr(node.target, part):
            ev.eval(getattr(node.target, part))


@statement(gast.AugAssign)
def augassign(ev: Evaluator, node: Any) -> None:
    """`target op= value`: the target is read before the value is evaluated."""
    kind, target = type(node.op), node.target
    if isinstance(target, gast.Name):
        old = ev.temporaries.hold(name(ev, target))
        value = ev.eval(node.value)
        with _behind_value(ev, node, [target]):
            assign(ev, target, augment(ev, kind, old, value))
        return
    owner = ev.eval(target.value)
    if isinstance(target, gast.Attribute):
        owner = present_object(ev, owner, lambda none: getattr(none, target.attr))
        old = ev.temporaries.hold(get(ev, owner, target.attr))
        value = ev.eval(node.value)
        with _behind_value(ev, node, [target]):
            set_attributes(ev, owner, target.attr, named(ev, augment(ev, kind, old, value), target.attr))
        return
    key = ev.eval(target.slice)
    for_each_owner(ev, owner, key, doing(lambda m, k: _augment_item(ev, node, m, k)))


def _augment_item(ev: Evaluator, node: Any, owner: Abstract, key: Abstract) -> None:
    """`owner[key] op= value`."""
    old = ev.temporaries.hold(item_of(ev, owner, key))
    columns = _cells_of_columns(ev, owner)
    value = ev.eval(node.value)
    ev.temporaries.release(value)
    with _behind_value(ev, node, [node.target]):
        _write_augmented(ev, type(node.op), owner, key, old, value, columns)


def _write_augmented(ev: Evaluator, kind: type, owner: Abstract, key: Abstract, old: Abstract, value: Abstract,
                     columns: list[Any]) -> None:
    """`owner[key] op= value`, where `old` was the item, and `columns` were those of a list, before the value."""
    if columns and isinstance(old, ListRef) and _cells_of_columns(ev, owner) != columns:
        ev.refuse("SCT307", "a list is written between the reading of an item and its augmented assignment",
                  hint="compute the value before the assignment")
    if isinstance(owner, Ref):
        if isinstance(old, Ref) and old.addr == owner.addr:
            augment_array(ev, kind, old, value)  # a view
        else:
            assign_item(ev, owner, key, in_place(ev, kind, old, value))
        return
    result = augment(ev, kind, old, value)
    same = result is old and isinstance(old, (Ref, ListRef, Choice)) and isinstance(owner, (ListRef, DictRef))
    if not same or takes_slice(key) or not columns and not _is_item(ev, old, owner, key):
        assign_item_of(ev, owner, key, named_by_key(ev, result, key))


def _is_item(ev: Evaluator, v: Abstract, owner: Abstract, key: Abstract) -> bool:
    """Is `v`, which was `owner[key]`, still that?"""
    if isinstance(v, Choice) and isinstance(owner, (ListRef, DictRef)):
        return ev.slots(owner).items == v.members
    return item(ev, owner, key) == v


def _cells_of_columns(ev: Evaluator, v: Abstract) -> list[Any]:
    """The cells of the columns of a list of unknown length; none for other values."""
    return [ev.store.cells[c.addr] for c in ev.slots(v).items if isinstance(c, Ref)] if (
        isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v)) else []


def augment(ev: Evaluator, kind: type, old: Abstract, value: Abstract) -> Abstract:
    """The value that `old op= value` assigns: an array or a list is written and assigned itself."""
    if isinstance(old, Ref):
        augment_array(ev, kind, old, value)
        return old
    if isinstance(old, Choice) and all(isinstance(m, Ref) for m in old.members):
        for_each(ev, old, doing(lambda m: augment_array(ev, kind, m, value)))
        return old
    return in_place(ev, kind, ev.defined(old) if isinstance(old, Value) else old, value)


def augment_array(ev: Evaluator, kind: type, ref: Ref, value: Abstract) -> None:
    writable(ev, ref, COMPUTED)
    number = ev.starts(ref)
    with ev.augmented_assignment():
        result = ev.operand(binary(ev, kind, ref, value))
    if number:
        write_through(ev, ref, result)
    else:
        augmented(ev, ref, result)


@statement(gast.Delete)
def delete(ev: Evaluator, node: Any) -> None:
    for target in node.targets:
        _delete(ev, target)


def _delete(ev: Evaluator, target: Any) -> None:
    if isinstance(target, (gast.Tuple, gast.List)):
        for each in target.elts:
            _delete(ev, each)
    elif isinstance(target, gast.Subscript):
        owner = ev.eval(target.value)
        if is_row_display(owner):
            refuse_change(ev, "`del` of a key of")
        delete_item(ev, owner, ev.eval(target.slice))
    elif isinstance(target, gast.Name):
        v = name(ev, target)
        ev.store.unbind(key := home_of(ev, target))
        if isinstance(v, (Value, Ref)):
            ev.store.bind(key, DELETED)
    else:
        delete_attribute(ev, ev.eval(target.value), target.attr)
