"""The methods of `collections.deque`, where a deque is an object that holds a list, and those of `OrderedDict`."""

from __future__ import annotations

import collections
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, special
from sct.frontend.evaluator.lists_in_lists import take_out
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
from sct.frontend.numpy_library.numpy_functions import bound
from sct.frontend.objects.deques import ITEMS
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.values.abstract_values import Abstract, DefaultRef, DictRef, ListRef, MapRef, ObjRef, Static, Tup
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


# -- dicts ---------------------------------------------------------------------------------------------------


@special(collections.OrderedDict)
def ordered_dict(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    plain_dict = ev.call(Static(dict), args, kwargs)
    if isinstance(plain_dict, MapRef):
        return replace(plain_dict, ordered=True)
    assert isinstance(plain_dict, DictRef)
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


MAP_METHODS.update(popitem=popitem, move_to_end=move_to_end)
