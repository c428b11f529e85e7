"""`collections.OrderedDict`: dicts that are moved to the end, and that give up their first item."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle import Programs, agrees, refuses

program = Programs()


class LRU:
    def __init__(self, size):
        self.size, self.data, self.hits = size, OrderedDict(), 0

    def get(self, key, make):
        if key in self.data:
            self.data.move_to_end(key)
            self.hits += 1
            return self.data[key]
        value = self.data[key] = make(key)
        if len(self.data) > self.size:
            self.data.popitem(last=False)
        return value


QUERIES = ([1.5, 0.2], [1, 2, 1, 3, 4, 2, 1]), ([0.5, 0.3], [1, 1, 2, 5, 6, 7, 1, 5]), ([0.5, 0.3], [3])


@program(*QUERIES)
def least_recently_used(x, queries):
    cache, total = LRU(3), 0.0
    for q in queries:
        total += cache.get(q, lambda k: x[0] * x[1] ** k)
        total *= 1.01
    for k, v in cache.data.items():
        total = total * 1.5 + v * k
    return total + 0.1 * cache.hits


@program(*QUERIES)
def emptied_from_both_ends(x, queries):
    d, s = OrderedDict(), 0.0
    for k, q in enumerate(queries):
        d[q] = x[0] * k + x[1]
    while len(d) > 1:
        q, v = d.popitem(last=len(queries) < 8)
        s = s * 1.2 + v * q
    q, v = d.popitem()
    return s + v * q + (0.0 if d else x[1])


@program(([1.5, 0.2], 3), ([0.4, -0.7], 0))
def known_keys(x, n):
    d = OrderedDict(a=x[0], b=x[1])
    d["c"] = x[0] * x[1]
    d.move_to_end("a")
    d.move_to_end("c", last=False)
    s = 0.0
    for k, v in d.items():
        s = s * 3.0 + v + len(k)
    key, v = d.popitem(last=False)
    for _ in range(n):
        d["b"] = d["b"] * x[0]
    return s * v + d["b"] + (1.0 if key == "c" and isinstance(d, OrderedDict) and isinstance(d, dict) else 2.0)


@program(([1.5, 0.2],), ([0.4, -0.7],))
def of_pairs_and_equality(x):
    a = OrderedDict([("p", 1), ("q", 2)])
    b = OrderedDict([("q", 2), ("p", 1)])
    c = OrderedDict(zip("pq", x))
    s = c["p"] * 3.0 if a == b else c["p"] * 5.0
    s += c["q"] if a == dict(b) else 0.0
    a.move_to_end("p")
    s *= c["q"] if a == b and a == a.copy() else 1.0
    return s + sum(v for v in reversed(list(c.values()))) + (x[1] if type(c) is OrderedDict else 0.0)


@program(*QUERIES)
def missing(x, queries):
    d = OrderedDict()
    for q in queries:
        d[q] = x[0] * q
    try:
        d.move_to_end(7)
    except KeyError:
        return x[1] * d[queries[0]]
    d.move_to_end(queries[0])
    return sum(v * k for k, v in enumerate(list(d.values())))


@program(*QUERIES)
def popped_when_empty(x, queries):
    d = OrderedDict()
    for q in queries:
        d[q] = x[0] * q
    s = 0.0
    for _ in range(3):
        q, v = d.popitem(last=False)
        s += v * x[1]
    return s


test_programs = program.test()


def a_plain_dict(x, queries):
    d = {"a": x[0], "b": x[1]}
    d.move_to_end("a")
    return d["a"]


def test_only_ordered_dicts_move_items() -> None:
    agrees(a_plain_dict, *QUERIES[0])


def to_the_front(x, queries):
    d = OrderedDict()
    for q in queries:
        d[q] = x[0]
        d.move_to_end(q, last=False)
    return sum(d.values())


def one_or_the_other(x, queries):
    d = OrderedDict(a=x[0]) if x[0] > 1.0 else {"a": x[1]}
    return d["a"] * x[0]


def the_text(x, queries):
    print(OrderedDict(a=x[0]))
    return x[0]


def while_it_is_iterated_over(x, queries):
    d = OrderedDict()
    for q in queries:
        d[q] = x[0]
    for q in d:
        d.move_to_end(q)
    return d[queries[0]]


@pytest.mark.parametrize(("f", "code"), [
    (to_the_front, "SCT203"), (the_text, "SCT503"), (while_it_is_iterated_over, "SCT306")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, *QUERIES[0], code=code)


def test_one_of_two_classes() -> None:
    """Accepted or refused: the class is not lost."""
    try:
        agrees(one_or_the_other, *QUERIES[0])
    except AssertionError:
        raise
    except Exception as error:
        assert type(error).__name__ == "SctError"
