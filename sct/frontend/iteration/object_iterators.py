"""Objects of a user's class that are iterators themselves, as generators whose items `__next__` gives.

    for k, v in enumerate(Countdown(x)): ...   ->   for k, v in enumerate(_items(Countdown(x))): ...

What such an iterator has given is the state of the object, so each use of it may be a generator of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sct.frontend.heap.special_methods import checked
from sct.frontend.objects.objects import special_call, special_method
from sct.frontend.values.abstract_values import Abstract, Static

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["is_own_iterator", "items_of_object", "next_of_object", "own_iterator"]


def is_own_iterator(ev: Evaluator, v: Abstract) -> bool:
    """Is this an object that defines `__next__`?"""
    return special_method(ev, v, "__next__") is not None


def own_iterator(ev: Evaluator, v: Abstract) -> Abstract | None:
    """The result of `__iter__` of an object, if that is an object with `__next__`; `None` if it is not called."""
    own = special_call(ev, v, "__iter__")
    return own if own is None or is_own_iterator(ev, own) else checked(ev, own, "iter")


def items_of_object(ev: Evaluator, own: Abstract) -> Abstract:
    """The items that an object with `__next__` gives."""
    return ev.call(Static(_items), [own])


def _items(iterator: Any) -> Iterator[Any]:
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def next_of_object(ev: Evaluator, own: Abstract, *default: Abstract) -> Abstract:
    """`next(own)`, `next(own, default)`"""
    if not default:
        method = special_method(ev, own, "__next__")
        assert method is not None
        return ev.call(method, [])
    return ev.call(Static(_next_or), [own, *default])


def _next_or(iterator: Any, default: Any) -> Any:
    try:
        return iterator.__next__()
    except StopIteration:
        return default
