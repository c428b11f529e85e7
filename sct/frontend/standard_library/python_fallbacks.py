"""Builtins as the Python functions that they could be: evaluated where they meet an array.

    sum(x)   ->   total = 0
                  for item in x: total = total + item
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = [
    "all_", "any_", "bisect_", "chained", "check_member", "columns_of", "compress_", "groups", "heapify", "heappop",
    "heappush", "heappushpop", "heapreplace", "keyed", "keys_of", "largest", "largest_by", "largest_item",
    "largest_item_by", "merged",
    "nlargest", "nsmallest", "place_", "place_to_remove", "prod_", "reduce_", "same", "smallest",
    "smallest_by", "smallest_item", "smallest_item_by", "some", "sum_", "sum_of_filled",
]


def same(x: Any) -> Any:
    return x


def chained(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    for items in iterables:
        yield from items


def columns_of(rows: list[list[Any]]) -> Iterator[Any]:
    if len(rows) > 0:
        for k in range(min([len(row) for row in rows])):
            yield tuple([row[k] for row in rows])


def sum_(items: Iterable[Any], start: Any = 0) -> Any:
    total = start
    for item in items:
        total = total + item
    return total


def sum_of_filled(items: list[Any], start: Any) -> Any:
    total = start + items[0]
    for k in range(1, len(items)):
        total = total + items[k]
    return total


def some(items: list[Any]) -> None:
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")


def reduce_(function: Callable[[Any, Any], Any], items: Any, start: Any) -> Any:
    value = start
    for item in items:
        value = function(value, item)
    return value


def keyed(keys: Iterable[Any], value: Any) -> dict[Any, Any]:
    entries = {}
    for key in keys:
        entries[key] = value
    return entries


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


def largest_item(items: list[Any]) -> Any:
    best = 0
    for i in range(1, len(items)):
        if items[i] > items[best]:
            best = i
    return items[best]


def smallest_item(items: list[Any]) -> Any:
    best = 0
    for i in range(1, len(items)):
        if items[i] < items[best]:
            best = i
    return items[best]


def largest_item_by(items: list[Any], key: Callable[[Any], Any]) -> Any:
    best, most = 0, key(items[0])
    for i in range(1, len(items)):
        k = key(items[i])
        if k > most:
            best, most = i, k
    return items[best]


def smallest_item_by(items: list[Any], key: Callable[[Any], Any]) -> Any:
    best, least = 0, key(items[0])
    for i in range(1, len(items)):
        k = key(items[i])
        if k < least:
            best, least = i, k
    return items[best]


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


def check_member(by_value: Any, value: Any, name: str) -> None:
    if value not in by_value:
        raise ValueError(f"{value!r} is not a valid {name}")


def keys_of(items: Any, key: Callable[[Any], Any]) -> list[Any]:
    return [key(item) for item in items]


def groups(items: Any, keys: Any) -> Iterator[Any]:
    starts = []
    for k in range(len(keys)):
        if k == 0 or keys[k] != keys[k - 1]:
            starts.append(k)
    starts.append(len(keys))
    for k in range(len(starts) - 1):
        yield keys[starts[k]], iter(items[starts[k]:starts[k + 1]])


def place_(i: int, n: int) -> int:
    return min(i, n) if i >= 0 else max(i + n, 0)


def place_to_remove(items: list[Any], x: Any) -> int:
    if x not in items:
        raise ValueError("list.remove(x): x not in list")
    return items.index(x)


def _sift_down(heap: Any, start: int, pos: int) -> None:
    item = heap[pos]
    while pos > start:
        parent = (pos - 1) >> 1
        if not item < heap[parent]:
            break
        heap[pos] = heap[parent]
        pos = parent
    heap[pos] = item


def _sift_up(heap: Any, pos: int) -> None:
    end = len(heap)
    start = pos
    item = heap[pos]
    child = 2 * pos + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[pos] = heap[child]
        pos = child
        child = 2 * pos + 1
    heap[pos] = item
    _sift_down(heap, start, pos)


def heapify(heap: Any) -> None:
    for k in reversed(range(len(heap) // 2)):
        _sift_up(heap, k)


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if heap:
        first = heap[0]
        heap[0] = last
        _sift_up(heap, 0)
        return first
    return last


def heappushpop(heap: Any, item: Any) -> Any:
    if heap and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
        return first
    return item


def heapreplace(heap: Any, item: Any) -> Any:
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return first


def merged(lists: tuple[list[Any], ...], key: Callable[[Any], Any]) -> list[Any]:
    items: list[Any] = []
    ends = []
    heap: list[Any] = []
    for order, xs in enumerate(lists):
        start = len(items)
        items.extend(xs)
        ends.append(len(items))
        if start < len(items):
            heap.append((key(items[start]), order, start))
    heapify(heap)
    result: list[Any] = []
    while len(heap) > 1:
        _, order, at = heap[0]
        result.append(items[at])
        if at + 1 < ends[order]:
            heapreplace(heap, (key(items[at + 1]), order, at + 1))
        else:
            heappop(heap)
    if heap:
        _, order, at = heap[0]
        result.extend(items[at:ends[order]])
    return result


OF_HEAPS = (_sift_down, _sift_up, heappush, heappop, heappushpop, heapreplace)


def nlargest(n: int, items: Iterable[Any], key: Callable[[Any], Any] | None = None) -> list[Any]:
    return sorted(items, key=key, reverse=True)[:max(n, 0)]


def nsmallest(n: int, items: Iterable[Any], key: Callable[[Any], Any] | None = None) -> list[Any]:
    return sorted(items, key=key)[:max(n, 0)]


def sorted_by_comparison(items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    """The items in the order of their keys, by `<` alone; items of equal keys stay in their order."""
    order = [k for k in range(len(keys))]  # a list of run time
    for k in range(1, len(keys)):
        first, end = 0, k
        while first < end:
            middle = (first + end) // 2
            if keys[order[middle]] < keys[k] if reverse else keys[k] < keys[order[middle]]:
                end = middle
            else:
                first = middle + 1
        order.insert(first, order.pop(k))
    return [items[k] for k in order]


def item_or_missing(items: dict[Any, Any], missing: Callable[[Any], Any], key: Any) -> Any:
    return items[key] if key in items else missing(key)


# -- deques: the list of their items, and `maxlen` --------------------------------------------------------


def last_items(items: list[Any], maxlen: int, empty: bool) -> list[Any]:
    if maxlen < 0:
        raise ValueError("maxlen must be non-negative")
    return items if empty else items[max(len(items) - maxlen, 0):]


def deque_append(items: list[Any], maxlen: int | None, value: Any) -> None:
    items.append(value)
    if maxlen is not None and len(items) > maxlen:
        items.pop(0)


def deque_appendleft(items: list[Any], maxlen: int | None, value: Any) -> None:
    items.insert(0, value)
    if maxlen is not None and len(items) > maxlen:
        items.pop()


def deque_extend(items: list[Any], maxlen: int | None, values: Iterable[Any]) -> None:
    for value in values:
        deque_append(items, maxlen, value)


def deque_extendleft(items: list[Any], maxlen: int | None, values: Iterable[Any]) -> None:
    for value in values:
        deque_appendleft(items, maxlen, value)


def deque_pop(items: list[Any], maxlen: int | None) -> Any:
    if not items:
        raise IndexError("pop from an empty deque")
    return items.pop()


def deque_popleft(items: list[Any], maxlen: int | None) -> Any:
    if not items:
        raise IndexError("pop from an empty deque")
    return items.pop(0)


def deque_clear(items: list[Any], maxlen: int | None) -> None:
    items.clear()


def deque_reverse(items: list[Any], maxlen: int | None) -> None:
    items.reverse()


def deque_rotate(items: list[Any], maxlen: int | None, n: int = 1) -> None:
    if items:
        for _ in range(n % len(items)):
            items.insert(0, items.pop())


def deque_len(items: list[Any], maxlen: int | None) -> int:
    return len(items)


def deque_iter(items: list[Any], maxlen: int | None) -> Iterator[Any]:
    return iter(items)


def deque_reversed(items: list[Any], maxlen: int | None) -> Any:
    return reversed(items)


def deque_contains(items: list[Any], maxlen: int | None, value: Any) -> bool:
    return value in items


def _check(items: list[Any], at: int) -> None:
    if len(items) <= at if at >= 0 else len(items) < -at:
        raise IndexError("deque index out of range")


def deque_getitem(items: list[Any], maxlen: int | None, at: int) -> Any:
    _check(items, at)
    return items[at]


def deque_setitem(items: list[Any], maxlen: int | None, at: int, value: Any) -> None:
    _check(items, at)
    items[at] = value


def deque_delitem(items: list[Any], maxlen: int | None, at: int) -> None:
    _check(items, at)
    del items[at]
