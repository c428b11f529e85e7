"""The methods of sets as functions of the list of their items, which are in any order."""

from __future__ import annotations

from typing import Any

__all__ = [
    "add", "clear", "contains", "difference_update", "discard", "eq", "ge", "gt", "intersection_update", "isdisjoint",
    "le", "lt", "ne", "pop", "remove", "size", "symmetric_difference_update", "update",
]


def add(items: list[Any], value: Any) -> None:
    if value not in items:
        items.append(value)


def discard(items: list[Any], value: Any) -> None:
    if value in items:
        items.remove(value)


def remove(items: list[Any], value: Any) -> None:
    if value not in items:
        raise KeyError("this object is not in the set")
    items.remove(value)


def pop(items: list[Any]) -> Any:
    if not items:
        raise KeyError("pop from an empty set")
    return items.pop()


def clear(items: list[Any]) -> None:
    items.clear()


def size(items: list[Any]) -> int:
    return len(items)


def contains(items: list[Any], value: Any) -> bool:
    return value in items


def update(items: list[Any], values: list[Any]) -> None:
    for value in values:
        if value not in items:
            items.append(value)


def difference_update(items: list[Any], values: list[Any]) -> None:
    for value in values:
        if value in items:
            items.remove(value)


def intersection_update(items: list[Any], values: list[Any]) -> None:
    for value in list(items):
        if value not in values:
            items.remove(value)


def symmetric_difference_update(items: list[Any], values: list[Any]) -> None:
    for value in [value for k, value in enumerate(values) if value not in values[:k]]:
        if value in items:
            items.remove(value)
        else:
            items.append(value)


def le(items: list[Any], values: list[Any]) -> bool:
    return all(value in values for value in items)


def ge(items: list[Any], values: list[Any]) -> bool:
    return all(value in items for value in values)


def isdisjoint(items: list[Any], values: list[Any]) -> bool:
    return not any(value in items for value in values)


def lt(items: list[Any], values: list[Any]) -> bool:
    return len(items) < len(values) and le(items, values)


def gt(items: list[Any], values: list[Any]) -> bool:
    return len(items) > len(values) and ge(items, values)


def eq(items: list[Any], values: list[Any]) -> bool:
    return len(items) == len(values) and le(items, values)


def ne(items: list[Any], values: list[Any]) -> bool:
    return not eq(items, values)
