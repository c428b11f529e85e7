"""Targets of assignments: a name, a subscript, or a pattern of them."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.heap import dynamic_lists, item_forms
from sct.frontend.heap.array_keys import present_list, present_object
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.subscripts import slice_view
from sct.frontend.interpreter.attributes import set_attributes
from sct.frontend.interpreter.swaps import after_swap, swap_of, swaps_rows
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.iteration.iterator_protocol import is_iterator, iterable, iterator, taken
from sct.frontend.iteration.python_iterables import items_as_observed, python_items, python_iterable
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.operators.choices import for_each, of_parts, parts_of_kinds
from sct.frontend.operators.row_items import assign_item_of, for_each_owner
from sct.frontend.source.name_scopes import writes
from sct.frontend.state.choices import by_code, is_of_kinds, narrowed
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Choice,
    Closure,
    Key,
    ListRef,
    MapRef,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ops import fstring, gt, lt, python

__all__ = ["assign", "doing", "home_of", "named", "named_by_key", "of_python", "unpack"]


def assign(ev: Evaluator, target: Any, v: Abstract) -> None:
    """Bind a target: a name, a subscript, or a pattern of them."""
    if isinstance(target, gast.Name):
        ev.store.bind(home_of(ev, target), named(ev, v, target.id))
    elif isinstance(target, gast.Subscript):
        owner, at = ev.eval(target.value), ev.eval(target.slice)
        if owner == Static(None):
            run_or_raise(ev, lambda: _set_item(None))
        owner = present_list(ev, owner, _set_item)
        ev.temporaries.release(v)
        value = named_by_key(ev, v, at)
        for_each_owner(ev, owner, at, doing(lambda m, k: assign_item_of(ev, m, k, value)))
    elif isinstance(target, (gast.Tuple, gast.List)) and is_of_kinds(v):
        _assign_kinds(ev, target, v)
    elif isinstance(target, (gast.Tuple, gast.List)):
        frame = ev.frames[-1]
        with changed(frame, now=frame.now | writes(target)):  # a part that is bound stays so while others are unpacked
            star = next((k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)), None)
            try:
                v = v.of if isinstance(v, RunTimeTuple) else of_python(ev, v, target, target)
                items = _unpacked(ev, v, target.elts)
            except NeedsStatic:
                if star is None or not isinstance(v, (Ref, ListRef)):
                    raise
                return _starred(ev, v, target.elts, star)
            if swaps_rows(ev, target.elts, items):
                return None
            swap = swap_of(ev, items) if all(map(_is_item, target.elts)) else None
            unpack(ev, target.elts, items)
            if swap is not None and not ev.store.dead:
                after_swap(ev, swap)
    elif isinstance(target, gast.Attribute):
        owner, value = ev.eval(target.value), named(ev, v, target.attr)
        owner = present_object(ev, owner, lambda none: setattr(none, target.attr, None))
        if isinstance(owner, Closure):
            _set_attribute_of_function(ev, target, owner, value)
            return
        set_attributes(ev, owner, target.attr, value)
    else:
        ev.refuse("SCT101", "this target of an assignment is not supported", node=target)


def _assign_kinds(ev: Evaluator, target: Any, v: Abstract) -> None:
    """Unpacks a value of one of several kinds: tuples that have enough items, item by item."""
    now = narrowed(ev.store, v) if isinstance(v, Choice) else v
    if isinstance(now, Choice) and Static(None) in now.members:
        ev.refuse("SCT310", "a value that may be None, or is of one of several kinds, is unpacked",
                  hint="test before whether it is None")
    star = next((k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)), None)
    tail = 0 if star is None else len(target.elts) - star - 1

    def taken_apart(m: Abstract) -> Abstract | None:
        if not isinstance(m, Tup) or m.cls is not tuple:
            return None
        n = len(m.items)
        if star is None:
            return m if n == len(target.elts) else None
        return Tup((*m.items[:star], ev.new_list(m.items[star:n - tail]), *m.items[n - tail:])) \
            if n >= star + tail else None

    def bound(m: Abstract) -> Abstract:
        assign(ev, target, m)
        return Static(None)

    whole = parts_of_kinds(ev, v, taken_apart, bound)
    if ev.store.dead or whole == Static(None):
        return
    kinds = by_code(whole) if is_of_kinds(whole) else {None: whole}
    columns = zip(*(m.items for m in kinds.values() if isinstance(m, Tup)))
    values = [of_parts(ev, whole, dict(zip(kinds, column))) if isinstance(whole, Choice) else column[0]
              for column in columns]
    _assign_all(ev, [t.value if isinstance(t, gast.Starred) else t for t in target.elts], values)


def _set_attribute_of_function(ev: Evaluator, target: Any, f: Closure, value: Abstract) -> None:
    """`f.name = constant`, where `f` is a local function that no other name or container holds."""
    key = home_of(ev, target.value) if isinstance(target.value, gast.Name) else None
    cells = [x for cell in ev.store.cells.values() if isinstance(cell, Slots) for x in cell.items]
    others = [*cells, *(v for k, v in ev.store.vars.items() if k != key)]
    if key is None or not isinstance(value, Static) or value.path is not None or type(value.value) not in PLAIN \
            or any(_holds(v, f) for v in others):
        ev.refuse("SCT303", f"writing the attribute `{target.attr}` of this function is not supported",
                  why="sct sees attributes of a function that are constants, and that are set before it is put "
                  "anywhere else", hint="set the attribute right behind the `def`, to a constant")
    ev.store.bind(key, replace(f, attributes=(*{**dict(f.attributes), target.attr: value.value}.items(),)))


def _holds(v: Abstract, f: Closure) -> bool:
    return v == f if isinstance(v, Closure) else isinstance(v, Tup) and any(_holds(x, f) for x in v.items)


def _is_item(target: Any) -> bool:
    """Is this a subscript without a call in it?"""
    return isinstance(target, gast.Subscript) and not any(isinstance(n, gast.Call) for n in gast.walk(target))


def doing(write: Callable[..., None]) -> Callable[..., Abstract]:
    """A write as a function that gives None."""
    def done(*values: Abstract) -> Abstract:
        write(*values)
        return Static(None)
    return done


def home_of(ev: Evaluator, target: Any) -> Key:
    """The slot of a name that is bound: of this call, or of that of a function around it."""
    frame = ev.frames[-1].home(target.id)
    if frame is None:
        ev.refuse("SCT106", f"assigning to the global or closure variable `{target.id}` is not supported", node=target,
                  hint="return the value, and assign it outside")
    return Key(frame.id, target.id)


def _unpack(x: Any) -> None:
    (_,) = x


def _set_item(owner: Any) -> None:
    owner[0] = None


def _unpacked(ev: Evaluator, v: Abstract, targets: Sequence[Any]) -> tuple[Abstract, ...]:
    """The items to unpack; of an iterator at most one more than there are targets."""
    if is_row_display(v):
        v = for_each(ev, present_object(ev, v, _unpack), lambda m: Tup(_as_many(ev, m, targets)))
    v = iterable(ev, present_list(ev, v, _unpack))
    starred = any(isinstance(t, gast.Starred) for t in targets)
    if not is_iterator(v) or starred:
        try:
            return items_of(ev, v, _unpack)
        except NeedsStatic:
            if starred or not isinstance(v, (Ref, ListRef)):
                raise
            return _counted(ev, v, len(targets))
    it = iterator(ev, v)
    items: list[Abstract] = []
    while len(items) <= len(targets) and (item := taken(ev, it)) is not None:
        items.append(item)
    return tuple(items)


def _as_many(ev: Evaluator, v: Abstract, targets: Sequence[Any]) -> tuple[Abstract, ...]:
    """The items of a dict or a tuple that is a row, where there are as many as there are targets."""
    items = items_of(ev, v, _unpack)
    if len(items) != len(targets) and not any(isinstance(t, gast.Starred) for t in targets):
        _raise_mismatch(ev, ", ".join(f"v{k}" for k in range(len(targets))), len(items))
    return items


def _check_enough(ev: Evaluator, size: Operand, n: int, expected: str) -> None:
    """Raises as Python does if there are fewer than n items."""
    def short() -> None:
        parts = (f"not enough values to unpack (expected {expected}{n}, got ", ("", ""), ")")
        ev.throw(ev.emit(python, ev.emit(fstring, size, parts=parts), callee="ValueError"), ValueError)

    evaluate_branches(ev, ev.emit(lt, size, n, spelling="operator.lt"), short, lambda: None)


def _starred(ev: Evaluator, v: Ref | ListRef, targets: Sequence[Any], star: int) -> None:
    """Unpacks an iterable whose length is known only at run time to targets with a star."""
    tail = len(targets) - star - 1
    _check_enough(ev, ev.operand(ev.call(Static(len), [v])), star + tail, "at least ")

    def read(key: Any) -> Abstract:
        return ev.call(Static(operator.getitem), [v, Static(key)])

    middle = ev.call(Static(list), [read(slice(star, -tail or None))])
    values = [*map(read, range(star)), middle, *map(read, range(-tail, 0))]
    _assign_all(ev, [t.value if isinstance(t, gast.Starred) else t for t in targets], values)


def _counted(ev: Evaluator, v: Ref | ListRef, n: int) -> tuple[Abstract, ...]:
    """The items of an iterable whose length is known only at run time; raises as Python does if it is another one."""
    _check_count(ev, ev.operand(ev.call(Static(len), [v])), n)
    if isinstance(v, Ref):
        return tuple(slice_view(ev, v, Static(k)) for k in range(n))
    return tuple(dynamic_lists.element(ev, v, Lit(k)) for k in range(n))


def _check_count(ev: Evaluator, size: Operand, n: int) -> None:
    """Raises as Python does if there are not n items."""
    _check_enough(ev, size, n, "")

    def long() -> None:
        raise_at_run_time(ev, "ValueError", f"too many values to unpack (expected {n})")

    evaluate_branches(ev, ev.emit(gt, size, n, spelling="operator.gt"), long, lambda: None)


def of_python(ev: Evaluator, v: Abstract, target: Any, value: Any) -> Abstract:
    """The assigned value, with syntax `value`; an object that sct does not see into as its items, if it is unpacked."""
    if not isinstance(target, (gast.Tuple, gast.List)) or any(isinstance(t, gast.Starred) for t in target.elts):
        return v
    if (items := items_as_observed(ev, v, target)) is not None:
        return items
    iterable = python_iterable(ev, v, value)
    if iterable is None or not isinstance(v, Value):
        return v
    size, item = python_items(ev, v, iterable, len(target.elts) + 1)
    _check_count(ev, size, len(target.elts))
    return Tup(tuple(item(Static(k)) for k in range(len(target.elts))))


def _raise_mismatch(ev: Evaluator, targets: str, count: int) -> None:
    """Raises as Python does if so many items cannot be unpacked to these targets."""
    run_or_raise(ev, lambda: exec(f"[{targets}] = items", {"items": (None,) * count}))


def unpack(ev: Evaluator, targets: Sequence[Any], items: tuple[Abstract, ...]) -> None:
    star = next((k for k, t in enumerate(targets) if isinstance(t, gast.Starred)), None)
    if star is None:
        if len(items) != len(targets):
            _raise_mismatch(ev, ", ".join(f"v{k}" for k in range(len(targets))), len(items))
        _assign_all(ev, targets, items)
        return
    tail = len(targets) - star - 1
    if len(items) < star + tail:
        _raise_mismatch(ev, ", ".join(f"{'*' * (k == star)}v{k}" for k in range(len(targets))), len(items))
    stop = len(items) - tail
    values = [*items[:star], ev.new_list(items[star:stop]), *items[stop:]]
    _assign_all(ev, [t.value if isinstance(t, gast.Starred) else t for t in targets], values)


def _assign_all(ev: Evaluator, targets: Sequence[Any], values: Sequence[Abstract]) -> None:
    with ev.temporaries.dropped():
        for v in values:
            ev.temporaries.hold(v)
        for t, v in zip(targets, values):
            assign(ev, t, v)


def named_by_key(ev: Evaluator, v: Abstract, key: Abstract) -> Abstract:
    """An item of a dict; it has the text of its key as its name, if it has none yet."""
    return named(ev, v, key.peek) if isinstance(key, Static) and type(key.peek) is str else v


def named(ev: Evaluator, v: Abstract, name: str) -> Abstract:
    """The value with the user's name, if it has none yet."""
    if not name.isidentifier() or keyword.iskeyword(name):
        return v
    if isinstance(v, RunTimeTuple):
        named(ev, v.of, name)
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        cell = item_forms.slots(ev, v)
        columns = tuple([named(ev, column, name if len(cell.items) == 1 else f"{name}_{k}")
                         for k, column in enumerate(cell.items)])
        if cell.parent is not None:  # views of the columns of another list, which are equal under each name
            ev.store.cells[v.addr] = replace(cell, items=columns)
    if isinstance(v, MapRef):
        for x, suffix in zip(ev.slots(v).items, ("_places", "_keys", "")):
            named(ev, x, name + suffix)
    if isinstance(v, Ref) and v.path:
        *path, last = v.path
        return v if last.name else replace(v, path=(*path, replace(last, name=name)))
    ev.give_name(v, name)
    for k, item in enumerate(v.items if isinstance(v, Tup) and v.cls is tuple else ()):
        if isinstance(item, Value) and item.hint is None:
            item.hint = f"{name}_{k}"
    return v
