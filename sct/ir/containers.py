"""Containers of Python as trees: dicts, tuples and lists by their items, objects by their attributes.

>>> parts_of({"w": 1.0, "b": 2.0})
Parts(kind='dict', items={'w': 1.0, 'b': 2.0})
>>> parts_of(1.0) is None
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from sct.ir.user_objects import attributes, make_gradient, replace_attributes

__all__ = ["Parts", "gradient_with", "map_leaves", "parts_of", "step_text", "tree_leaves", "with_items"]


class Parts(NamedTuple):
    """The items of a dict by key, those of a tuple or a list by position, or the attributes of an object by name."""

    kind: Literal["dict", "object", "sequence"]
    items: dict[Any, Any]


def parts_of(x: Any) -> Parts | None:
    """The parts of a container, None for a leaf. Named tuples are objects."""
    if isinstance(x, dict):
        return Parts("dict", dict(x))
    fields = attributes(x)
    if fields is not None:
        return Parts("object", fields)
    return Parts("sequence", dict(enumerate(x))) if isinstance(x, (tuple, list)) else None


def with_items(x: Any, items: dict[Any, Any]) -> Any:
    """A container like `x`, an object of its class, with these items."""
    if isinstance(x, dict):
        return items
    if attributes(x) is not None:
        return replace_attributes(x, items)
    return [*items.values()] if isinstance(x, list) else tuple(items.values())


def gradient_with(x: Any, items: dict[Any, Any]) -> Any:
    """A container in the form of the gradient by `x`, with these items."""
    if isinstance(x, dict) or attributes(x) is None:
        return with_items(x, items)
    return make_gradient(type(x), [*items], [*items.values()])


def map_leaves(f: Callable[..., Any], x: Any, *others: Any) -> Any:
    """`x` with `f(leaf, *leaves of others)` for each leaf; one of `others` may be None in place of a container.

    >>> map_leaves(lambda a, b: a if b is None else a + b, [1.0, (2.0, 3.0)], [0.5, None])
    [1.5, (2.0, 3.0)]
    """
    parts = parts_of(x)
    if parts is None:
        return f(x, *others)
    rows = [dict.fromkeys(parts.items) if other is None else _items(other) for other in others]
    return with_items(x, {key: map_leaves(f, part, *(row[key] for row in rows)) for key, part in parts.items.items()})


def tree_leaves(x: Any) -> Iterator[Any]:
    """The leaves of a tree, left to right.

    >>> list(tree_leaves({"w": [1.0, 2.0], "b": 3.0}))
    [1.0, 2.0, 3.0]
    """
    parts = parts_of(x)
    if parts is None:
        yield x
    else:
        for part in parts.items.values():
            yield from tree_leaves(part)


def step_text(parts: Parts, key: Any) -> str:
    """How Python spells the step to a part: `.name` or `[key]`."""
    return f".{key}" if parts.kind == "object" else f"[{key!r}]"


def _items(x: Any) -> dict[Any, Any]:
    parts = parts_of(x)
    assert parts is not None
    return parts.items
