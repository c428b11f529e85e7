"""Builtins as the Python functions that they could be: evaluated where they meet an array.

    sum(x)   ->   total = 0
                  for item in x: total = total + item
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["all_", "any_", "bisect_", "compress_", "largest", "largest_by", "prod_", "reduce_", "same",
           "smallest", "smallest_by", "some", "sum_"]


def same(x: Any) -> Any:
    return x


def sum_(items: Iterable[Any], start: Any = 0) -> Any:
    total = start
    for item in items:
        total = total + item
    return total


def some(items: list[Any]) -> None:
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")


def reduce_(function: Callable[[Any, Any], Any], items: Any, start: Any) -> Any:
    value = start
    for item in items:
        value = function(value, item)
    return value


def prod_(items: Iterable[Any], *, start: Any = 1) -> Any:
    value = start
    for item in items:
        value = value * item
    return value


def any_(items: Iterable[Any]) -> bool:
    for item in items:  # noqa: SIM110
        if item:
            return True
    return False


def all_(items: Iterable[Any]) -> bool:
    for item in items:  # noqa: SIM110
        if not item:
            return False
    return True


def compress_(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    for item, chosen in zip(data, selectors):
        if chosen:
            yield item


def largest_by(items: Iterable[Any], key: Callable[[Any], Any]) -> Any:
    it = iter(items)
    best = next(it)
    most = key(best)
    for item in it:
        k = key(item)
        if k > most:
            best, most = item, k
    return best


def smallest_by(items: Iterable[Any], key: Callable[[Any], Any]) -> Any:
    it = iter(items)
    best = next(it)
    least = key(best)
    for item in it:
        k = key(item)
        if k < least:
            best, least = item, k
    return best


def largest(items: Any) -> Any:
    best = items[0]
    for item in items[1:]:
        if item > best:
            best = item
    return best


def smallest(items: Any) -> Any:
    best = items[0]
    for item in items[1:]:
        if item < best:
            best = item
    return best


def bisect_(a: Any, x: Any, lo: int, hi: int | None, key: Callable[[Any], Any], right: bool) -> int:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        item = key(a[mid])
        if (x < item) if right else not (item < x):
            hi = mid
        else:
            lo = mid + 1
    return lo
