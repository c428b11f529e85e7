"""The methods of `collections.deque`, where a deque is an object that holds a list."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special
from sct.frontend.heap.array_keys import takes_slice
from sct.frontend.numpy_library.numpy_functions import bound
from sct.frontend.objects.deques import ITEMS
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.values.abstract_values import Abstract, ObjRef, Static

__all__ = ["new_deque"]


def new_deque(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`deque(iterable, maxlen)`"""
    items, maxlen = bound(ev, "collections.deque", args, kwargs, "iterable", "maxlen", iterable=(), maxlen=None)
    made: Abstract = ev.new_list(()) if items == Static(()) else ev.call(Static(list), [items])
    if maxlen != Static(None):
        made = ev.call(Static(python_fallbacks.last_items), [made, maxlen, Static(items == Static(()))])
    return ev.new_object(deque, {ITEMS: made, "maxlen": maxlen})


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
