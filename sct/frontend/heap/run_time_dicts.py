"""Dicts whose keys are known only at run time: the place of each key, and the list of the values at these places.

    memo = {}              ->    memo_places = {}; memo = []
    memo[i, j]             ->    memo[memo_places[i, j]]
    memo[i, j] = v         ->    at = memo_places.setdefault((i, j), len(memo))
                                 if at == len(memo): memo.append(v)
                                 else: memo[at] = v

What Python does with keys, it does with the dict of places: their order, and the KeyError of a missing one.  A deleted
key leaves its value behind.  A dict is such a dict where it is refused as one of known keys (`OutliningPlan.dicts`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sct.errors import SctError
from sct.frontend.arguments.abstract_arguments import DictArgument
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.evaluator.lists_in_lists import take_out
from sct.frontend.heap import dynamic_list_methods
from sct.frontend.heap.dynamic_lists import as_column, columns, element, grow, is_dynamic, length
from sct.frontend.heap.inactive import is_varied
from sct.frontend.heap.item_forms import item_type
from sct.frontend.heap.join_paths import evaluate_branches, run_branches
from sct.frontend.heap.sample_calls import check_operands, hashed, key_of_python
from sct.frontend.objects.linked_objects import is_link, key_of_row
from sct.frontend.values.abstract_values import (
    Abstract,
    Container,
    DefaultRef,
    DictRef,
    ListRef,
    MapRef,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.in_words import abstract_in_words
from sct.frontend.values.item_schemas import map_leaves
from sct.ir import Lit, Operand, Value, walk
from sct.ir.real_ints import counts_as_real
from sct.ir.types import BOOL, INT, List, Never, Optional, Tensor, Text
from sct.ops import dict_key, eq, gt, index, stop_gradient
from sct.ops.program.effects import inactive
from sct.ops.registry import add_operand

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "KEYS", "MAP_METHODS", "SHRINKS", "VALUES", "as_list", "assign", "by_places", "called", "constant", "contains",
    "copied", "delete", "is_empty", "is_iterated", "item", "key_text", "known_key", "need", "new", "note_refused",
    "note_write", "of_run_time", "plain_dict", "size", "truth", "update", "values_of",
]

VALUES, KEYS, SHRINKS = "values", "keys", "shrinks"
"""What is done with a dict whose keys are known only at run time: all are read or written by keys, a loop runs over its
keys, keys are deleted."""

_NONE = Static(None)


# -- which dicts are such dicts ------------------------------------------------------------------------------


def known_key(ev: Evaluator, owner: Container, key: Abstract, what: str = "a key of a dict") -> Any:
    """The value of a key of a dict of known keys."""
    try:
        return hashed(ev, key, what)
    except NeedsStatic:
        again = any(not head.few() for head in ev.loops.heads) or ev.functions.in_progress
        use, plan = (note_refused(ev, owner), VALUES), ev.functions.plan
        if again and not plan.known_keys and use in plan.refused - plan.dicts:
            raise plan.changed(dicts={use}) from None
        raise
    except SctError:
        note_refused(ev, owner)
        raise


def note_refused(ev: Evaluator, owner: Container) -> Any:
    """Notes that the keys of this dict would have to be known, and returns the place that makes it, if there is one."""
    cell = ev.store.cells.get(owner.addr)
    if not isinstance(owner, DictRef) or not isinstance(cell, Slots) or cell.site is None \
            or isinstance(cell.site, DictArgument) and (cell.keys or ev.functions.plan.known_arguments):
        return None  # what an argument holds may have other names
    ev.functions.plan.refused.add((cell.site, VALUES))
    return cell.site


def called(ev: Evaluator, owner: Abstract) -> Abstract:
    """The dict that an expression makes: one whose keys are known only at run time, where that was found out before."""
    if not isinstance(owner, DictRef):
        return owner
    cell = ev.slots(owner)
    if (cell.site, VALUES) not in ev.functions.plan.dicts:
        return owner
    if not isinstance(owner, DefaultRef):
        return of_run_time(ev, cell)
    return replace(of_run_time(ev, cell, owner.factory), ordered=owner.factory is None)


def new(ev: Evaluator, origin: Any) -> MapRef:
    """An empty dict whose keys are known only at run time; `origin`: the place of the expression that makes it."""
    return of_run_time(ev, Slots((), site=origin))


def of_run_time(ev: Evaluator, cell: Slots, factory: Abstract | None = None) -> MapRef:
    """A dict whose keys are known only at run time, which now holds the entries of `cell`."""
    texts = (f"{key!r}: {k}" for k, key in enumerate(cell.keys))
    if not all(_is_plain(key) for key in cell.keys):
        ev.refuse("SCT503", "a dict with a key of this class is not supported as one whose keys are known at run time")
    places = ev.emit(inactive, text=f"{{{', '.join(texts)}}}")
    keys: Abstract = Static(None)
    if _may(ev, cell, KEYS):
        keys = _list(ev, tuple(map(constant, cell.keys)))
    addr = ev.new_addr()
    ev.store.cells[addr] = Slots((places, keys, _list(ev, cell.items)), ("places", "keys", "values"), cell.origin,
                                 site=cell.site)
    return MapRef(addr, factory)


def _list(ev: Evaluator, items: tuple[Abstract, ...]) -> ListRef:
    column = ev.new_list(items)
    if items:
        grow(ev, column)
    return column


def constant(key: Any) -> Abstract:
    """A known key as an abstract value."""
    return Tup(tuple(map(constant, key))) if isinstance(key, tuple) else Static(key)


def _is_plain(key: Any) -> bool:
    """Is the text of this key an expression that gives it?"""
    return all(map(_is_plain, key)) if type(key) is tuple else math.isfinite(key) if type(key) is float else \
        type(key) in (int, str, bool, type(None))


def _may(ev: Evaluator, cell: Slots, use: str) -> bool:
    return (cell.site, use) in ev.functions.plan.dicts


def need(ev: Evaluator, owner: MapRef, use: str) -> None:
    """The program is evaluated again, unless this use of the dict was known when it was made."""
    cell = ev.slots(owner)
    if not _may(ev, cell, use) and not (use == KEYS and isinstance(cell.items[1], ListRef)):
        raise ev.functions.plan.changed(dicts={(cell.site, use)})


# -- parts ---------------------------------------------------------------------------------------------------


def _places(ev: Evaluator, owner: MapRef) -> Value:
    places = ev.slots(owner).items[0]
    assert isinstance(places, Value)
    return places


def values_of(ev: Evaluator, owner: MapRef) -> ListRef:
    values = ev.slots(owner).items[2]
    assert isinstance(values, ListRef)
    return values


def is_empty(ev: Evaluator, owner: MapRef) -> bool:
    """Has it had no key so far?"""
    values = values_of(ev, owner)
    return not is_dynamic(ev, values) and not ev.slots(values).items


def by_places(ev: Evaluator, owner: MapRef, text: str, key: Abstract | None = None, *more: Operand, **attrs: Any
              ) -> Any:
    """The value of an expression of the dict of places, `_0`; `{key}` in `text` stands for the key."""
    operands: list[Operand] = [_places(ev, owner)]
    name = "" if key is None else key_text(ev, key, operands)
    subscript = name[1:-1] if isinstance(key, Tup) and len(key.items) > 1 else name
    names = (f"_{len(operands) + k}" for k in range(len(more)))
    return ev.emit(inactive, *operands, *more, text=text.format(*names, key=name, subscript=subscript), **attrs)


def key_text(ev: Evaluator, key: Abstract, operands: list[Operand], of_set: bool = False) -> str:
    """The template of a key, or of an item of a set: a string, a number, or a tuple of these.

    The keys of a dict are read from a list of them.  What is read from a set carries no derivative.
    """
    if isinstance(key, Tup) and key.cls is tuple:
        parts = [key_text(ev, x, operands, of_set) for x in key.items]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(key, Static) and _is_plain(key.peek):
        return repr(key.value)
    if (text := key_of_python(ev, key, operands)) is not None:
        return text
    if is_link(key):
        return key_of_row(ev, key, operands, of_set)  # type: ignore[arg-type]
    of = t.elem if isinstance(t := key.type if isinstance(key, Value) else None, Optional) else None
    if isinstance(of, Text) or isinstance(of, Tensor) and of.is_scalar and of.kind in "ib":
        return add_operand(key, operands)  # type: ignore[arg-type]  # None is no key of it, but Python says that
    if isinstance(t, Text) or isinstance(t, Tensor) and t.is_scalar and (t.kind in "ib" or counts_as_real(t)):
        return add_operand(ev.as_int(key), operands)
    if isinstance(key, Value) and isinstance(t, Tensor) and t.is_scalar and t.kind == "f":
        varies = is_varied(ev, key)
        if not (varies and of_set):
            return add_operand(ev.emit(dict_key, key) if varies else key, operands)
    check_operands(ev, hash, key)
    if of_set and isinstance(t, Tensor) and t.is_scalar:
        ev.refuse("SCT503", "a differentiated number in a set whose items are known only at run time is not supported",
                  why="what is read from a set carries no derivative", hint="use a dict in its place: `seen[k] = True`")
    ev.refuse("SCT503", f"{abstract_in_words(key)} is not supported in a "
              f"{'set whose items' if of_set else 'dict whose keys'} are known only at run time",
              hint="use numbers, strings, or tuples of these")


def _found(ev: Evaluator, owner: MapRef, key: Abstract) -> Value | None:
    """The place of the key, if a loop runs over it, or if it was looked up before in this block and no key was deleted
    since."""
    if (at := _iterated(ev, owner, key)) is not None:
        return at
    operands: list[Operand] = [_places(ev, owner)]
    name = key_text(ev, key, operands)
    subscript = name[1:-1] if isinstance(key, Tup) and len(key.items) > 1 else name
    for eqn in reversed(ev.b.eqns):
        if eqn.regions and any(operands[0] in inner.args for region in eqn.regions for inner in walk(region)):
            return None
        if operands[0] not in eqn.args:
            continue
        text = str(eqn.attrs.get("text", ""))
        is_same = text == f"_0[{subscript}]" or text.startswith(f"_0.setdefault({name}, ")
        if eqn.op is inactive and is_same and list(eqn.args[:len(operands)]) == operands:
            return eqn.out
        only_reads = text.startswith(("_0[", "_0.setdefault(", "len(")) or text.endswith(" in _0")
        if eqn.op is not inactive or not only_reads:
            return None
    return None


def is_iterated(ev: Evaluator, owner: MapRef, key: Abstract) -> bool:
    """Is this a key of the dict, over whose keys a loop runs?"""
    return _iterated(ev, owner, key) is not None


def _iterated(ev: Evaluator, owner: MapRef, key: Abstract) -> Value | None:
    """The place of a key that was read from the list of the keys; no key is deleted."""
    cell = ev.slots(owner)
    keys = cell.items[1]
    if not isinstance(keys, ListRef) or not is_dynamic(ev, keys) or _may(ev, cell, SHRINKS):
        return None
    parts = key.items if isinstance(key, Tup) else (key,)
    eqns = [ev.defs.get(x) if isinstance(x, Value) else None for x in parts]
    read = [eqn.args for eqn in eqns if eqn is not None and eqn.op is index and eqn.attrs["key"] == ("i",)]
    places = {args[1] for args in read}
    if len(places) != 1 or [args[0] for args in read] != columns(ev, keys):
        return None
    (at,) = places
    return at if isinstance(at, Value) and len(read) == len(parts) else None


def _place(ev: Evaluator, owner: MapRef, key: Abstract) -> Value:
    """The place of a key that is there; Python raises where it is not."""
    if is_empty(ev, owner) or all(isinstance(t, Never) for t in item_type(ev, values_of(ev, owner))[1]):
        by_places(ev, owner, "_0[{subscript}]", key, type=INT)
        raise_at_run_time(ev, "KeyError")
    place = _found(ev, owner, key)
    if place is None:
        place = by_places(ev, owner, "_0[{subscript}]", key, type=INT)
        place.hint = "at"
    return place


def _new_place(ev: Evaluator, owner: MapRef, key: Abstract) -> tuple[Value, Value]:
    """The place of a key, and whether it is new."""
    n = length(ev, values_of(ev, owner))
    at = by_places(ev, owner, "_0.setdefault({key}, {})", key, n, type=INT)
    at.hint = "at"
    return at, ev.emit(eq, at, n, spelling="operator.eq")


# -- reading -------------------------------------------------------------------------------------------------


def contains(ev: Evaluator, owner: MapRef, key: Abstract) -> Abstract:
    """`key in d`"""
    if is_empty(ev, owner):
        check_operands(ev, hash, key)
        return Static(False)
    return by_places(ev, owner, "{key} in _0", key, type=BOOL)  # type: ignore[no-any-return]


def item(ev: Evaluator, owner: MapRef, key: Abstract) -> Abstract:
    """`d[key]`"""
    if owner.factory is None:
        return element(ev, values_of(ev, owner), _place(ev, owner, key))
    factory = owner.factory
    return _set_default(ev, owner, key, lambda: ev.call(factory, []))


def get(ev: Evaluator, owner: MapRef, key: Abstract, default: Abstract = _NONE) -> Abstract:
    """`d.get(key, default)`"""
    there = ev.operand(contains(ev, owner, key))
    if isinstance(there, Lit):
        return default
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, there, lambda: element(ev, values_of(ev, owner), _place(ev, owner, key)), lambda: default)


def size(ev: Evaluator, owner: MapRef) -> Abstract:
    """`len(d)`"""
    return Static(0) if is_empty(ev, owner) else by_places(ev, owner, "len(_0)", type=INT)


def truth(ev: Evaluator, owner: MapRef) -> Operand:
    """`bool(d)`"""
    n = ev.operand(size(ev, owner))
    return Lit(False) if isinstance(n, Lit) else ev.emit(gt, n, 0, spelling="operator.gt")


def as_list(ev: Evaluator, owner: MapRef, kind: str) -> ListRef:
    """The keys, the values or the items of a dict for a loop over them, which sees what it writes at these keys."""
    if kind != "values":
        need(ev, owner, KEYS)
    cell = ev.slots(owner)
    if is_empty(ev, owner):
        return values_of(ev, owner)
    lists = [xs for xs, name in zip(cell.items[1:], ("keys", "values")) if kind in (name, "items")]
    if _may(ev, cell, SHRINKS):
        places = ev.new_dynamic_list(0, [by_places(ev, owner, "list(_0.values())", type=List(INT))])
        lists = [ev.call(Static(_chosen), [xs, places]) for xs in lists]
    elif len(lists) == 1:
        (only,) = lists
        assert isinstance(only, ListRef)
        return only
    parts = [ev.slots(xs) for xs in lists if isinstance(xs, ListRef)]
    schemas = [part.schema or 0 for part in parts]
    first = len(parts[0].items)
    schema = schemas[0] if len(parts) == 1 else (schemas[0], map_leaves(schemas[1], lambda k: k + first))
    joined = ListRef(ev.new_addr())
    ev.store.cells[joined.addr] = Slots(tuple(c for part in parts for c in part.items), schema=schema,
                                        site=owner if _may(ev, cell, SHRINKS) else None)
    return joined


def _chosen(items: list[Any], places: list[int]) -> list[Any]:
    return [items[at] for at in places]


# -- writing -------------------------------------------------------------------------------------------------


def note_write(ev: Evaluator, owner: MapRef, grows: bool = True) -> None:
    """The dict is about to be written."""
    ev.writable(owner.addr, "a write")
    columns = {c for xs in ev.slots(owner).items if isinstance(xs, ListRef) for c in ev.slots(xs).items}
    runs_over = [ev.store.cells[addr] for addr in ev.loops.lists]
    if any(isinstance(cell, Slots) and (grows and columns.intersection(cell.items) or cell.site == owner)
           for cell in runs_over):
        ev.refuse("SCT306", "the keys of a dict may change while a loop iterates over it",
                  hint="iterate over a copy: `list(d)`")


def _add(ev: Evaluator, xs: Abstract, v: Abstract) -> None:
    """Appends to the keys or to the values."""
    if not isinstance(xs, ListRef):
        return
    if is_dynamic(ev, xs):
        dynamic_list_methods.append(ev, xs, v)
    else:
        ev.store.cells[xs.addr] = replace(ev.slots(xs), items=(v,))
        grow(ev, xs)


def _insert(ev: Evaluator, owner: MapRef, key: Abstract, value: Abstract) -> None:
    _, keys, values = ev.slots(owner).items
    _add(ev, keys, key)
    _add(ev, values, value)


def assign(ev: Evaluator, owner: MapRef, key: Abstract, value: Abstract) -> None:
    """`d[key] = value`"""
    at = _found(ev, owner, key)
    note_write(ev, owner, grows=at is None)
    if at is not None:
        dynamic_list_methods.store_element(ev, values_of(ev, owner), at, value)
    elif is_empty(ev, owner):
        by_places(ev, owner, "_0.__setitem__({key}, 0)", key)
        _insert(ev, owner, key, value)
    else:
        place, new = _new_place(ev, owner, key)
        run_branches(ev, new, lambda: _insert(ev, owner, key, value),
                     lambda: dynamic_list_methods.store_element(ev, values_of(ev, owner), place, value) and None,
                     ev.live_in_statement)


def _set_default(ev: Evaluator, owner: MapRef, key: Abstract, default: Callable[[], Abstract]) -> Abstract:
    """`d.setdefault(key, default())`"""
    if (at := _found(ev, owner, key)) is None:
        note_write(ev, owner)
        if is_empty(ev, owner):
            at = by_places(ev, owner, "_0.setdefault({key}, 0)", key, type=INT)
            _insert(ev, owner, key, default())
        else:
            at, new = _new_place(ev, owner, key)
            run_branches(ev, new, lambda: _insert(ev, owner, key, default()), lambda: None, ev.live_in_statement)
    return element(ev, values_of(ev, owner), at)


def delete(ev: Evaluator, owner: MapRef, key: Abstract) -> None:
    """`del d[key]`"""
    need(ev, owner, SHRINKS)
    note_write(ev, owner)
    by_places(ev, owner, "_0.__delitem__({key})", key)


def pop(ev: Evaluator, owner: MapRef, key: Abstract, *default: Abstract) -> Abstract:
    """`d.pop(key)`, `d.pop(key, default)`"""
    need(ev, owner, SHRINKS)
    note_write(ev, owner)

    def taken() -> Abstract:
        at = by_places(ev, owner, "_0.pop({key})", key, type=INT)
        if is_empty(ev, owner):
            raise_at_run_time(ev, "KeyError")
        return take_out(ev, element(ev, values_of(ev, owner), at))

    if not default:
        return taken()
    there = ev.operand(contains(ev, owner, key))
    if isinstance(there, Lit):
        return default[0]
    return evaluate_branches(ev, there, taken, lambda: default[0])  # type: ignore[no-any-return]


def copied(ev: Evaluator, owner: MapRef) -> MapRef:
    """`d.copy()`"""
    cell = ev.slots(owner)
    places = by_places(ev, owner, "dict(_0)")
    lists = [xs if not isinstance(xs, ListRef) else dynamic_list_methods.copied(ev, xs) if is_dynamic(ev, xs)
             else ev.new_list(()) for xs in cell.items[1:]]
    addr = ev.new_addr()
    ev.store.cells[addr] = Slots((places, *lists), cell.keys, site=cell.site)
    return replace(owner, addr=addr)


def set_item(ev: Evaluator, owner: MapRef, key: Abstract, value: Abstract) -> Abstract:
    """`d.__setitem__(key, value)`"""
    assign(ev, owner, key, value)
    return _NONE


def update(ev: Evaluator, owner: MapRef, other: Abstract) -> Abstract:
    """`d.update(other)`"""
    if not isinstance(other, (MapRef, DictRef)):
        ev.refuse("SCT203", "`update` of a dict whose keys are known only at run time takes a dict",
                  hint="write the items in a loop")
    return ev.call(Static(_update), [owner, other])


def _update(entries: dict[Any, Any], other: dict[Any, Any]) -> None:
    for key, value in other.items():
        entries[key] = value


def plain_dict(ev: Evaluator, owner: MapRef) -> Value | None:
    """The dict of Python, for a text that shows it; None if its values are no numbers, arrays or strings."""
    values = values_of(ev, owner)
    if not is_dynamic(ev, values):
        grow(ev, values)
    if ev.slots(values).schema != 0:
        return None
    column = ev.emit(stop_gradient, as_column(ev, values))  # it is shown, and not read again
    text = "{{_key: {0}[_place] for _key, _place in _0.items()}}"
    return by_places(ev, owner, text, None, column)  # type: ignore[no-any-return]


MAP_METHODS: dict[str, Callable[..., Abstract]] = {
    "__setitem__": set_item,
    "copy": copied,
    "get": get,
    "pop": pop,
    "setdefault": lambda ev, owner, key, default=_NONE: _set_default(ev, owner, key, lambda: default),
    "update": update,
}
"""The methods of dicts whose keys are known only at run time, beside those that give a view of one."""


def call_method(ev: Evaluator, owner: MapRef, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """`d.name(*args)`"""
    if name not in MAP_METHODS:
        ev.refuse("SCT203", f"the method `{name}` of a dict whose keys are known only at run time is not supported",
                  hint="write it out")
    if name == "update" and kwargs:
        ev.refuse("SCT203", "`update` of a dict whose keys are known only at run time takes a dict",
                  hint="write the items in a loop")
    return MAP_METHODS[name](ev, owner, *args, **kwargs)
