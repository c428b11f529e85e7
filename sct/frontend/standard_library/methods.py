"""Methods of arrays, lists, dicts and strings."""

from __future__ import annotations

import collections
import operator
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn, cast

import gast

from sct.errors import SctError
from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, called
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, item_forms, run_time_dicts, run_time_keys
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.sample_calls import check_method
from sct.frontend.heap.special_methods import as_index
from sct.frontend.heap.subscripts import item
from sct.frontend.interpreter.attributes import get
from sct.frontend.iteration import sorted_lists
from sct.frontend.iteration.iteration_space import items_of, items_to_search
from sct.frontend.iteration.iterator_protocol import VIEWS
from sct.frontend.numpy_library.numpy_functions import ARRAY_METHODS
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.objects.class_of import possible_classes, python_class
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.objects.row_attributes import refuse_change
from sct.frontend.operators.choices import for_each, is_one_of_several, parts_of_kinds
from sct.frontend.operators.comparisons import compare_one, one_or_equal
from sct.frontend.operators.text_formatting import text_of
from sct.frontend.operators.truth import truth
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.standard_library.iterator_builtins import sort_keys
from sct.frontend.standard_library.record_classes import namedtuple_method
from sct.frontend.state.choices import is_of_kinds
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
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ir.types import Tensor, Type
from sct.ops import BY_CALL, fstring, python
from sct.ops import size as size_of_array
from sct.ops.program import list_ops as ops

__all__: list[str] = []


CHANGING = ("clear", "pop", "popitem", "setdefault", "update")
"""The methods of a dict that change its keys."""

OPERATORS: dict[str, Any] = {
    "__contains__": operator.contains, "__getitem__": operator.getitem, "__len__": len, "__iter__": iter}
"""The special methods of containers and arrays that do what an operator or a builtin does."""


def _of_array(ev: Evaluator, owner: Ref | Value, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """A method of an array or a number."""
    if name in ARRAY_METHODS and isinstance(owner, Ref):
        return ARRAY_METHODS[name](ev, owner, args, kwargs)
    t = ev.type_of(owner)
    if name == "item" and (number := python_number(ev, owner, t, args, kwargs)) is not None:
        return number
    if name == "tolist" and isinstance(owner, Ref):
        return ev.wrap(ev.emit(ops.unstack, ev.operand(owner), depth=t.rank if isinstance(t, Tensor) else 1))
    if name == "conjugate" and isinstance(t, Tensor) and t.carrier in ("py", "any") and t.kind != "c":
        return ev.call(Static(int), [owner]) if t.kind == "b" and t.carrier == "py" else owner
    spelling = f".{name}"
    if spelling in BY_CALL:
        return call_named(ev, spelling, [owner, *args], kwargs)
    kind = "arrays" if isinstance(owner, Ref) else "numbers"
    ev.refuse("SCT203", f"the method `{name}` of {kind} is not supported yet",
              hint="write it out, or compute it outside the function and pass it")


def _of_kinds(ev: Evaluator, owner: Abstract, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """A method of a value of one of several kinds: each of them has one of this name."""
    key, *default = args or (Static(...),)

    def value_or_default(m: Abstract) -> Abstract | None:
        """The result of `get` of a dict of known keys, for a known key."""
        if name != "get" or kwargs or len(default) > 1 or not isinstance(m, DictRef) or not is_literal(key):
            return None
        cell = ev.slots(m)
        if isinstance(key, Static) and key.value in cell.keys:
            return cell.items[cell.keys.index(key.value)]
        return default[0] if default else Static(None)

    return parts_of_kinds(ev, owner, value_or_default, lambda m: ev.call(get(ev, m, name), args, kwargs))


@called(Method)
def call_method(ev: Evaluator, fn: Method, args: Args, kwargs: Kwargs) -> Abstract:
    owner, name = fn.owner, fn.name
    if is_of_kinds(owner):
        return _of_kinds(ev, owner, name, args, kwargs)
    if is_row_display(owner) and name in CHANGING:
        refuse_change(ev, f"`{name}` of")
    if is_row_display(owner) and name in ("items", "values"):
        ev.refuse("SCT503", f"`{name}` of a dict that is one of many is not supported", why=OF_ROWS,
                  hint="read its items by their keys")
    if is_row_display(owner) and name == "copy" and not args:
        return ev.call(Static(dict), [owner])
    if is_one_of_several(owner):  # of which each has a method of this name
        return for_each(ev, owner, lambda m: ev.call(get(ev, m, name), args, kwargs))
    if not (isinstance(owner, Iteration) and owner.kind == "range"):
        check_method(ev, possible_classes(owner) or (python_class(ev, owner),), owner, name, args, kwargs)
    if name in OPERATORS and isinstance(owner, (Ref, Tup, RunTimeTuple, ListRef, DictRef, MapRef)):
        return ev.call(Static(OPERATORS[name]), [owner, *args], kwargs)
    if isinstance(owner, (Ref, Value)):
        return _of_array(ev, owner, name, args, kwargs)
    if isinstance(owner, Tup):
        named = namedtuple_method(ev, owner, name, args, kwargs)
        if named is not None:
            return named
    if isinstance(owner, Iteration) and owner.kind == "range":
        bounds = [ev.ask(p, "the bounds of this range") for p in owner.parts]
        values = [ev.ask(x, "what is looked for in this range") for x in args]
        return Static(run_or_raise(ev, lambda: getattr(range(*bounds), name)(*values)))
    if isinstance(owner, (Tup, RunTimeTuple, ListRef)) and name in ("index", "count"):
        return find(ev, name, owner.of if isinstance(owner, RunTimeTuple) else owner, *args)
    if isinstance(owner, (DictRef, MapRef)) and name in VIEWS:
        return Iteration(name, (owner,))
    if isinstance(owner, MapRef):
        return run_time_dicts.call_method(ev, owner, name, args, kwargs)
    if isinstance(owner, DictRef):
        if name == "get":
            return run_time_keys.get(ev, owner, *(*args, Static(None))[:2])
        if name == "copy":
            copy = ev.call(Static(dict), [owner])
            return replace(owner, addr=cast(DictRef, copy).addr)
        if name in ("update", "setdefault", "pop", "popitem", "clear", "move_to_end"):
            return change_dict(ev, owner, name, args, kwargs)
    if isinstance(owner, ListRef):
        args = [a.of if name == "extend" and isinstance(a, RunTimeTuple) else ev.if_present(a) for a in args]
        if name in LIST_METHODS and dynamic_lists.is_dynamic(ev, owner):
            return LIST_METHODS[name](ev, owner, args)
        if name in LIST_METHODS:
            return change_list(ev, owner, name, args)
        if name == "sort":
            return sort(ev, owner, kwargs)
        if name == "copy":
            return ev.call(Static(list), [owner])
    if isinstance(owner, Static) and isinstance(getattr(owner.value, name), types.MethodType):
        return ev.call(Static(getattr(owner.value, name).__func__), [owner, *args], kwargs)
    if isinstance(owner, Static) and isinstance(owner.value, str):
        return lift(ev, getattr(owner.value, name)(*(ev.known(a, "an argument of a string method") for a in args)))
    ev.refuse("SCT203", f"the method `{name}` is not supported",
              hint="use np.sort of an array" if name == "sort" else "write it out")


def python_number(ev: Evaluator, owner: Ref | Value, t: Type, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`x.item()` and `x.item(i, j)`; None where it is left to the op."""
    if isinstance(owner, Ref) and isinstance(t, Tensor):
        if args and len(args) == t.rank:
            return call_method(ev, Method(item(ev, owner, Tup(tuple(args))), "item"), (), {})
        if t.rank and not kwargs:
            return call_method(ev, Method(only_element(ev, owner, t, args), "item"), (), {})
    if args or not isinstance(owner, Value):
        return None
    if isinstance(t, Tensor) and t.integral and t.kind == "f":
        return call_named(ev, ".item", [owner], {})
    kind = t.kind if isinstance(t, Tensor) else "f"
    return ev.call(Static({"b": bool, "i": int, "f": float, "c": complex}[kind]), [owner])


def only_element(ev: Evaluator, owner: Ref, t: Tensor, args: Args) -> Abstract:
    """The element that `x.item()` and `x.item(0)` read of an array of one element."""
    sizes = [d.value for d in t.shape]
    if not args and any(n is not None and n != 1 for n in sizes):
        raise_at_run_time(ev, "ValueError", "can only convert an array of size 1 to a Python scalar")
    if not args and None in sizes:
        size = ev.wrap(ev.emit(size_of_array, ev.operand(owner)))
        other = truth(ev, compare_one(ev, gast.NotEq(), size, Static(1)))
        evaluate_branches(ev, other, lambda: raise_at_run_time(
            ev, "ValueError", "can only convert an array of size 1 to a Python scalar"), lambda: Static(None))
        return item(ev, owner, Tup((Static(0),) * t.rank))
    if any(n != 1 for n in sizes) or args and list(args) not in ([Static(0)], [Static(-1)]):
        ev.refuse("SCT503", f"`item` of an array of rank {t.rank}: which element it reads is not known",
                  why="it is known of arrays with one element, and of one index for each axis",
                  hint="take the element: `x[0]`, `x[0, 0]`")
    return item(ev, owner, Tup((Static(0),) * t.rank))


def extend(ev: Evaluator, owner: ListRef, other: Abstract) -> Abstract:
    """`xs.extend(other)` of a list whose length is not known."""
    if not isinstance(other, ListRef):
        items = ev.call(Static(list), [other])
        assert isinstance(items, ListRef)
        other = items
    return dynamic_list_methods.extend(ev, owner, other)


def position(ev: Evaluator, args: Args) -> Operand:
    """The position that `pop` is given."""
    return ev.operand(as_index(ev, args[0])) if args else Lit(-1)


def _insert(ev: Evaluator, xs: ListRef, i: Abstract, v: Abstract) -> Abstract:
    """`xs.insert(i, v)` for a list whose length is known only at run time."""
    if i != Static(0):
        i = ev.call(Static(python_fallbacks.place_), [i, ev.wrap(dynamic_lists.length(ev, xs))])
    return dynamic_list_methods.insert(ev, xs, ev.operand(i), v)


def _remove(ev: Evaluator, xs: ListRef, x: Abstract) -> Abstract:
    """`xs.remove(x)` for a list whose length is known only at run time: the item at its place, which is there."""
    at = ev.operand(ev.call(Static(python_fallbacks.place_to_remove), [xs, x]))
    first = len(ev.b.eqns)
    with ev.tries.none():
        dynamic_list_methods.delete(ev, xs, at)
    ev.tries.certain.update(ev.b.eqns[first:])
    return Static(None)


LIST_METHODS: dict[str, Callable[[Evaluator, ListRef, Args], Abstract]] = {
    "append": lambda ev, xs, args: dynamic_list_methods.append(ev, xs, args[0]),
    "extend": lambda ev, xs, args: extend(ev, xs, args[0]),
    "insert": lambda ev, xs, args: _insert(ev, xs, as_index(ev, args[0]), args[1]),
    "pop": lambda ev, xs, args: dynamic_list_methods.pop(ev, xs, position(ev, args)),
    "remove": lambda ev, xs, args: _remove(ev, xs, args[0]),
    "reverse": lambda ev, xs, args: dynamic_list_methods.reverse(ev, xs),
    "clear": lambda ev, xs, args: dynamic_list_methods.clear(ev, xs),
}
"""The methods of lists whose length is not known."""


def change_dict(ev: Evaluator, owner: DictRef, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """A dict of known keys gets others, or loses some."""
    more = ev.call(Static(dict), args, kwargs) if name == "update" else None
    cell = ev.writable(owner.addr, "a write")
    assert isinstance(cell, Slots)
    entries: dict[Any, Abstract] = dict(zip(cell.keys, cell.items))
    result: Abstract = Static(None)
    if isinstance(more, MapRef):
        run_time_dicts.note_refused(ev, owner)
        ev.refuse("SCT503", "a dict of known keys is updated with one whose keys are known only at run time",
                  hint="write the items in a loop")
    if isinstance(more, DictRef):
        entries.update(zip(ev.slots(more).keys, ev.slots(more).items))
    elif name == "clear":
        entries = {}
    elif name == "popitem":
        like: Any = python_class(ev, owner)(zip(entries, entries))
        options = {k: ev.ask(v, f"`{k}`") for k, v in [*kwargs.items(), *zip(("last",), args)]}
        key, _ = run_or_raise(ev, lambda: like.popitem(**options))
        result = Tup((lift(ev, key), entries.pop(key)))
    else:
        key, *default = args
        known_key = run_time_dicts.known_key(ev, owner, key)
        if name == "move_to_end":
            order = collections.OrderedDict(zip(entries, entries))
            options = {k: ev.ask(v, f"`{k}`") for k, v in [*kwargs.items(), *zip(("last",), default)]}
            run_or_raise(ev, lambda: order.move_to_end(known_key, **options))
            entries = {k: entries[k] for k in order}
        elif name == "setdefault":
            result = entries.setdefault(known_key, default[0] if default else Static(None))
        else:
            result = run_or_raise(ev, lambda: entries.pop(known_key, *default))
    ev.store.cells[owner.addr] = replace(cell, items=tuple(entries.values()), keys=tuple(entries))
    return result


def find(ev: Evaluator, name: str, owner: Abstract, x: Abstract, *bounds: Abstract) -> Abstract:
    """`owner.index(x)`, `owner.count(x)` and the place for `owner.remove(x)`: item by item, each one or equal."""
    if name != "remove" and not bounds and (search := run_time_keys.search_of(ev, owner, x)) is not None:
        return run_time_keys.run_search(ev, name, search)
    items = items_to_search(ev, owner, x)
    first, stop = (*(ev.ask(as_index(ev, b), "a bound of `index`") for b in bounds), None, None)[:2]
    snapshot = ev.snapshot()
    try:
        return _find_one(ev, name, owner, x, items, slice(first, stop))
    except NeedsStatic:
        if name == "remove" or bounds or not isinstance(owner, ListRef) or not item_forms.is_alike(ev, Slots(items)):
            raise
        ev.restore(snapshot)
        if (search := run_time_keys.search_of(ev, dynamic_lists.list_of_items(ev, items), x)) is None:
            raise
        return run_time_keys.run_search(ev, name, search)


def _find_one(ev: Evaluator, name: str, owner: Abstract, x: Abstract, items: Sequence[Abstract], where: slice
              ) -> Abstract:
    count = 0
    for k in range(*where.indices(len(items))):
        if not ev.ask(one_or_equal(ev, items[k], x), "whether this item is what is looked for"):
            continue
        if name != "count":
            return Static(k)
        count += 1
    return Static(count) if name == "count" else _not_found(ev, name, owner, x)


def _not_found(ev: Evaluator, name: str, owner: Abstract, x: Abstract) -> NoReturn:
    if isinstance(owner, Tup):
        raise_at_run_time(ev, "ValueError", "tuple.index(x): x not in tuple")
    if name == "remove":
        raise_at_run_time(ev, "ValueError", "list.remove(x): x not in list")
    parts: list[Any] = []
    operands: list[Operand] = []
    text_of(ev, x, parts, operands)
    text = ev.emit(fstring, *operands, parts=(*parts, " is not in list"))
    ev.throw(ev.emit(python, text, callee="ValueError"), ValueError)


def sort(ev: Evaluator, owner: ListRef, kwargs: Kwargs) -> Abstract:
    """`xs.sort()`"""
    snapshot = ev.snapshot()
    result = None if dynamic_lists.is_dynamic(ev, owner) else ev.call(Static(sorted), [owner], kwargs)
    if result is None or isinstance(result, ListRef) and dynamic_lists.is_dynamic(ev, result):
        ev.restore(snapshot)
        try:
            return _sort_in_place(ev, owner, kwargs)
        except SctError as error:  # a class may say what `<` of its objects is
            ev.restore(snapshot)
            try:
                return _replace_items(ev, owner, ev.call(Static(sorted), [owner], kwargs))
            except SctError:
                raise error from None
    return _replace_items(ev, owner, result)


def _replace_items(ev: Evaluator, owner: ListRef, result: Abstract) -> Abstract:
    """The list gets its items in the order of `result`."""
    if not isinstance(result, ListRef):
        ev.refuse("SCT503", "a list is sorted by values whose order only Python knows",
                  hint="make a sorted list: `xs = sorted(xs)`")
    if dynamic_lists.is_dynamic(ev, owner) or dynamic_lists.is_dynamic(ev, result):
        owned = ev.store.owns(owner.addr)
        dynamic_lists.grow(ev, owner)
        dynamic_list_methods.change(ev, owner, dynamic_lists.columns(ev, result))
        list_items.owning(ev, owned, owner)
        return Static(None)
    items = items_of(ev, result)
    cell = ev.writable(owner.addr, "a write")
    assert isinstance(cell, Slots)
    ev.store.cells[owner.addr] = replace(cell, items=items)
    return Static(None)


def _sort_in_place(ev: Evaluator, owner: ListRef, kwargs: Kwargs) -> Abstract:
    """Sorts a list whose order is known only at run time."""
    if not dynamic_lists.is_dynamic(ev, owner):
        dynamic_lists.grow(ev, owner)
    reverse = bool(ev.ask(kwargs.get("reverse", Static(False)), "`reverse` of sorted"))
    return sorted_lists.sort(ev, owner, sort_keys(ev, owner, kwargs.get("key", Static(None))), reverse)


def change_list(ev: Evaluator, owner: ListRef, name: str, args: Args) -> Abstract:
    """A list of known length grows or shrinks."""
    cell = ev.writable(owner.addr, "a write")
    assert isinstance(cell, Slots)
    if name == "extend" and dynamic_lists.is_dynamic(ev, args[0]):
        assert isinstance(args[0], ListRef)
        dynamic_lists.grow(ev, owner, item_forms.item_type(ev, args[0]))
        return LIST_METHODS[name](ev, owner, args)
    more: Sequence[Abstract] = ()
    if name == "extend":
        snapshot = ev.snapshot()
        try:
            more = items_of(ev, args[0])  # it may itself append to the list
        except NeedsStatic:
            ev.restore(snapshot)
            if not dynamic_lists.is_dynamic(ev, collected := ev.call(Static(list), args)):
                raise
            return change_list(ev, owner, name, [collected])
    items = list(ev.slots(owner).items)
    result: Abstract = Static(None)
    if name == "append":
        items.append(args[0])
    elif name == "extend":
        items.extend(more)
    elif name == "remove":
        at = find(ev, name, owner, args[0])
        del items[ev.ask(at, "a position in a list")]
    elif name == "insert":
        try:
            where = ev.ask(as_index(ev, args[0]), "a position in a list")
        except (NeedsStatic, SctError):
            if not item_forms.is_alike(ev, Slots((*items, args[1]))):
                raise
            dynamic_lists.grow(ev, owner, item_forms.schema_of(ev, args[1]))
            return LIST_METHODS[name](ev, owner, args)
        run_or_raise(ev, lambda: items.insert(where, args[1]))
    elif name == "pop":
        where = ev.ask(as_index(ev, args[0]), "a position in a list") if args else -1
        result = run_or_raise(ev, lambda: items.pop(where))
    elif name == "reverse":
        items.reverse()
    else:
        items.clear()
    ev.store.cells[owner.addr] = replace(cell, items=tuple(items))
    return result

