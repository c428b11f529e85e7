"""The methods of objects that hold their items in a list or a dict: of `collections.deque`, and of the user's classes
that derive from `list` or `dict`; those of `OrderedDict`."""

from __future__ import annotations

import collections
import operator
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, special
from sct.frontend.evaluator.lists_in_lists import take_out
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.heap.array_keys import takes_slice
from sct.frontend.heap.dynamic_lists import element
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.run_time_dicts import (
    KEYS,
    MAP_METHODS,
    SHRINKS,
    by_places,
    is_empty,
    need,
    note_write,
    truth,
    values_of,
)
from sct.frontend.interpreter.attributes import get
from sct.frontend.numpy_library.numpy_functions import bound
from sct.frontend.objects.container_objects import ITEMS, contents_of
from sct.frontend.objects.objects import special_method, store_attribute
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.values.abstract_values import (
    Abstract,
    DefaultRef,
    DictRef,
    ListRef,
    MapRef,
    Method,
    ObjRef,
    Ref,
    Static,
    Tup,
)
from sct.ir import Value
from sct.ir.pytrees.user_objects import builtin_base
from sct.ir.types import INT

__all__ = ["new_deque"]

_TRUE = Static(True)


def new_deque(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`deque(iterable, maxlen)`"""
    items, maxlen = bound(ev, "collections.deque", args, kwargs, "iterable", "maxlen", iterable=(), maxlen=None)
    contents: Abstract = ev.new_list(()) if items == Static(()) else ev.call(Static(list), [items])
    if maxlen != Static(None):
        contents = ev.call(Static(python_fallbacks.last_items), [contents, maxlen, Static(items == Static(()))])
    return ev.new_object(deque, {ITEMS: contents, "maxlen": maxlen})


def _method(f: Callable[..., Any]) -> Special:
    """The method of a deque that `f` is of the list of its items and its `maxlen`."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *rest = args
        assert isinstance(owner, ObjRef)
        cell = ev.slots(owner)
        return ev.call(Static(f), [*cell.items, *rest], kwargs)

    return handler


def _copied(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (owner,) = args
    assert isinstance(owner, ObjRef)
    items, maxlen = ev.slots(owner).items
    return ev.new_object(deque, {ITEMS: ev.call(Static(list), [items]), "maxlen": maxlen})


def _at(f: Callable[..., Any]) -> Special:
    """A method that takes an index: Python raises where it is a slice."""
    method = _method(f)

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if takes_slice(args[1]):
            raise_at_run_time(ev, "TypeError", "sequence index must be integer, not 'slice'")
        return method(ev, args, kwargs)

    return handler


for _name in ("append", "appendleft", "extend", "extendleft", "pop", "popleft", "clear", "reverse", "rotate", "__len__",
              "__iter__", "__contains__", "__reversed__"):
    SPECIAL[id(getattr(deque, _name))] = _method(getattr(python_fallbacks, f"deque_{_name.strip('_')}"))
for _name in ("__getitem__", "__setitem__", "__delitem__"):
    SPECIAL[id(getattr(deque, _name))] = _at(getattr(python_fallbacks, f"deque_{_name.strip('_')}"))
for _name in ("copy", "__copy__"):
    SPECIAL[id(getattr(deque, _name))] = _copied


# -- subclasses of `list` and `dict` -----------------------------------------------------------------------

_KINDS: dict[type, tuple[type, ...]] = {list: (ListRef,), dict: (DictRef, MapRef)}


def _own_method(name: str) -> Special:
    """The method of `list` or `dict` of this name: `list.append(stack, v)`, `super().append(v)`."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *rest = args
        held = contents_of(ev, owner)
        is_held = isinstance(held, (ListRef, DictRef, MapRef))
        return ev.call(Method(held, name) if is_held else get(ev, held, name), rest, kwargs)

    return handler


def _operator(f: Callable[..., Any]) -> Special:
    """The special method that does what `f` does: `list.__len__(stack)`."""
    return lambda ev, args, kwargs: ev.call(Static(f), [contents_of(ev, args[0]), *args[1:]], kwargs)


def _with_another(f: Callable[..., Any], base: type) -> Special:
    """An operator with another list or dict."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, other = (contents_of(ev, v) for v in args)
        if not isinstance(other, _KINDS[base]):
            return Static(NotImplemented)
        return ev.call(Static(f), [owner, other])

    return handler


def _changed_by(method: str) -> Special:
    """An operator that works in place, as this method does: NumPy adds an array in its own way."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, other = args
        if isinstance(other, (Ref, Value)):
            return Static(NotImplemented)
        ev.call(Method(contents_of(ev, owner), method), [other])
        return owner

    return handler


def _repeated(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`stack * n`"""
    owner, n = args
    is_count = isinstance(n, Value) and n.type == INT or isinstance(n, Static) and type(n.peek) is int
    return ev.call(Static(operator.mul), [contents_of(ev, owner), n]) if is_count else Static(NotImplemented)


def _filled(base: type) -> Special:
    """`list.__init__(stack, items)`"""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *rest = args
        if not isinstance(owner, ObjRef) or builtin_base(owner.cls) is not base:
            ev.refuse("SCT208", f"a call of `{base.__name__}.__init__` of this object is not supported",
                      hint="make a new one")
        held = ev.call(Static(base), rest)
        if kwargs:
            ev.call(Method(held, "update"), [ev.new_dict(kwargs)])
        store_attribute(ev, owner, ITEMS, held)
        return Static(None)

    return handler


def _item_of_dict(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`params[key]`, by the `__missing__` of its class where it has no such key."""
    owner, key = args
    missing = special_method(ev, owner, "__missing__")
    if missing is None:
        return ev.call(Static(operator.getitem), [contents_of(ev, owner), key])
    return ev.call(Static(python_fallbacks.item_or_missing), [contents_of(ev, owner), missing, key])


_OPERATORS: dict[str, Callable[..., Any]] = {
    "__getitem__": operator.getitem, "__setitem__": operator.setitem, "__delitem__": operator.delitem, "__len__": len,
    "__contains__": operator.contains, "__iter__": iter, "__reversed__": reversed, "__repr__": repr}
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def _register(base: type, names: str) -> None:
    handlers: dict[str, Special] = {name: _own_method(name) for name in names.split()}
    handlers.update({name: _operator(f) for name, f in _OPERATORS.items()})
    handlers.update({f"__{name}__": _with_another(getattr(operator, name), base) for name in _COMPARISONS})
    handlers["__init__"] = _filled(base)
    if base is list:
        handlers.update(__add__=_with_another(operator.add, list), __mul__=_repeated, __rmul__=_repeated,
                        __iadd__=_changed_by("extend"))
    else:
        handlers.update(__or__=_with_another(operator.or_, dict), __getitem__=_item_of_dict,
                        __ior__=_changed_by("update"))
    SPECIAL.update({id(vars(base)[name]): handler for name, handler in handlers.items()})


_register(list, "append extend insert pop remove reverse clear sort index count copy")
_register(dict, "get keys values items pop popitem setdefault update clear copy")


# -- dicts ---------------------------------------------------------------------------------------------------


@special(collections.OrderedDict)
def ordered_dict(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    plain_dict = ev.call(Static(dict), args, kwargs)
    if isinstance(plain_dict, MapRef):
        return replace(plain_dict, ordered=True)
    if not isinstance(plain_dict, DictRef):
        ev.refuse("SCT503", "an `OrderedDict` that is one of many is not supported", why=OF_ROWS, hint="use a dict")
    return DefaultRef(plain_dict.addr, None)


def popitem(ev: Evaluator, owner: MapRef, last: Abstract = _TRUE) -> Abstract:
    """`d.popitem()`; of an `OrderedDict` also the first item: `d.popitem(last=False)`"""
    text = "_0.popitem()[1]" if ev.ask(last, "`last`") else "_0.pop(next(iter(_0)))"
    for use in (KEYS, SHRINKS):
        need(ev, owner, use)
    note_write(ev, owner)
    message = "dictionary is empty" if owner.ordered else "popitem(): dictionary is empty"

    def taken() -> Abstract:
        at = by_places(ev, owner, text, type=INT)
        keys = ev.slots(owner).items[1]
        assert isinstance(keys, ListRef)
        return Tup((element(ev, keys, at), take_out(ev, element(ev, values_of(ev, owner), at))))

    if is_empty(ev, owner):
        return raise_at_run_time(ev, "KeyError", message)
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, truth(ev, owner), taken, lambda: raise_at_run_time(ev, "KeyError", message))


def move_to_end(ev: Evaluator, owner: MapRef, key: Abstract, last: Abstract = _TRUE) -> Abstract:
    """`d.move_to_end(key)` of an `OrderedDict`"""
    if not ev.ask(last, "`last`"):
        ev.refuse("SCT203", "`move_to_end` to the front of a dict whose keys are known at run time is not supported",
                  hint="make a new dict, which begins with this key")
    need(ev, owner, SHRINKS)
    note_write(ev, owner)
    by_places(ev, owner, "_0.update({{{key}: _0.pop({key})}})", key)
    return Static(None)


def clear(ev: Evaluator, owner: MapRef) -> Abstract:
    """`d.clear()`"""
    note_write(ev, owner)
    by_places(ev, owner, "_0.clear()")
    for xs in ev.slots(owner).items[1:]:
        if isinstance(xs, ListRef):
            ev.call(Method(xs, "clear"), [])
    return Static(None)


MAP_METHODS.update(clear=clear, popitem=popitem, move_to_end=move_to_end)
