"""Objects of Python over which a loop iterates: `list` takes all their items when the derivative runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.inactive import PLAIN_CONTAINERS, check_value, is_python_object, typed
from sct.frontend.source.parse import loc_of, user_text
from sct.frontend.state.observed_types import Observed, items_place
from sct.frontend.values.abstract_values import (
    Abstract,
)
from sct.ir import Operand, Value
from sct.ir.types import INT
from sct.ops.program.effects import inactive, part

__all__ = ["PythonIterable", "python_items", "python_iterable"]


def _iterable_check(cls: type, node: Any) -> str | None:
    """The check that an object is of this class, if `list` may take all its items at once; None if it may not.

    What an iterator has left may be read after the loop, unless the loop itself makes the iterator.
    """
    if cls in PLAIN_CONTAINERS:
        return PLAIN_CONTAINERS[cls]
    fresh = isinstance(node, gast.Call) or not hasattr(cls, "__next__")
    harmless = cls.__module__.lstrip("_").split(".")[0] in ("csv", "pandas") or cls.__name__ in (
        "callable_iterator", "enumerate", "zip", "reversed", "list_reverseiterator")
    return f"type(_0).__name__ == '{cls.__name__}'" if fresh and harmless else None


@dataclass(frozen=True)
class PythonIterable:
    """What is known of an object that Python iterates over: the types of its items, a check of its class, its names."""

    types: frozenset[Observed]
    check: str
    cls: str
    name: str


def python_iterable(ev: Evaluator, v: Abstract, node: Any) -> PythonIterable | None:
    """What is known of the value of the iterable `node`; None if `list` must not take its items at once."""
    if not isinstance(v, Value) or not is_python_object(ev, v):
        return None
    place = loc_of(node, ev.frames[-1].source.file)
    seen = ev.observed(items_place(place))
    types = frozenset(t for t in seen if t[0] != "iterable")
    classes = [t[1] for t in seen if t[0] == "iterable"]
    check = _iterable_check(classes[0], node) if len(classes) == 1 else None
    return PythonIterable(types, check, classes[0].__name__, user_text(place)) if check is not None else None


def python_items(ev: Evaluator, v: Value, known: PythonIterable) -> tuple[Operand, Callable[[Abstract], Abstract]]:
    """The number of items that the object has now, and the function that gives them by position."""
    check_value(ev, v, known.check, f"{known.name} must be a {known.cls}")
    items = ev.emit(inactive, v, text="list(_0)")
    n = ev.emit(part, items, text="len(_0)", type=INT)
    return n, lambda i: typed(ev, "_0[_1]", (items, ev.operand(i)), known.types, f"an item of {known.name}", part)
