"""Deques that the function makes: objects that hold a list of their items.

    window = deque(maxlen=3); window.append(v)   ->   window.append(v)
                                                      if len(window) > 3: window.pop(0)
"""

from __future__ import annotations

from collections import deque

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.values.abstract_values import Abstract, ObjRef

__all__ = ["ITEMS", "is_deque", "list_of_deque"]

ITEMS = "<items>"
"""The attribute of a deque that holds the list of its items; `maxlen` is the other one."""


def is_deque(v: Abstract) -> bool:
    return isinstance(v, ObjRef) and v.cls is deque


def list_of_deque(ev: Evaluator, v: Abstract) -> Abstract:
    """The list of the items of a deque; other values as they are."""
    if not is_deque(v):
        return v
    assert isinstance(v, ObjRef)
    cell = ev.slots(v)
    return cell.items[cell.keys.index(ITEMS)]
