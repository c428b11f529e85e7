"""The first item of an iterator that fulfils a condition, and places in short lists, both known only at run time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest
from oracle import Programs, agrees, agrees_in_every_mode

PROGRAMS = program = Programs()
X, Y = [0.7, 1.2], [-0.4, 0.9]
NAMES, OTHERS = list("abcab"), list("cbbca")
TRIPS = [(0, "bus", 0.1, True), (0, "car", 0.3, False), (1, "bus", 0.2, False), (1, "car", 0.5, True),
         (1, "train", 0.6, False), (2, "bus", 0.3, True)]


@program((X, NAMES), (Y, OTHERS))
def found_in_a_book(x: Any, names: list[str]) -> Any:
    book = []
    for k, name in enumerate(names):
        book.append({"name": name, "v": x[0] * k + x[1]})
    s = 0.0
    for name in names:
        entry = next(e for e in book if e["name"] == name)
        s += entry["v"] ** 2
    missing = next((e for e in book if e["name"] == "z"), None)
    return s if missing is None else missing["v"]


@program((X, 9), (Y, 4))
def first_place(x: Any, n: int) -> Any:
    values = []
    for k in range(n):
        values.append(x[0] * k)
    i = next((k for k, v in enumerate(values) if v > 2.0), len(values))
    last = next((v for v in values if v > 3.0), x[1])
    return sum(values[:i]) * x[1] + next(filter(lambda v: v < 10.0, values)) + last


@program((X, 3.0), ([0.9, 0.1], 8.0))
def first_of_a_generator(x: Any, limit: float) -> Any:
    def growing() -> Any:
        v = x[0]
        while True:
            yield v * x[1]
            v = v * 1.5

    return next(v for v in growing() if v > limit / 100.0) ** 2


@program((X, TRIPS), (Y, [*TRIPS, (5, "car", 0.7, True), (5, "bus", 0.8, False)]))
def chosen_in_groups(x: Any, trips: list[Any]) -> Any:
    total = 0.0
    for _, group in groupby(trips, key=lambda r: r[0]):
        rows = list(group)
        utility = {r[1]: x[0] * r[2] + x[1] for r in rows}
        total += utility[next(r[1] for r in rows if r[3])] ** 2
    return total


@program((X, 6), (Y, 5))
def place_of_the_largest(x: Any, n: int) -> Any:
    names, s = ["a", "b", "c"], 0.0
    for t in range(n):
        values = [x[0] * t, x[0] * x[1] * 3.0, 1.0 * t]
        k = values.index(max(values))
        s += values[k] ** 2 * (k + 1) * (2.0 if names[k] == "b" else 1.0)
    return s + values.count(max(values))


@program((X, 6), (Y, 5))
def least_is_raised(x: Any, n: int) -> Any:
    levels = [x[0], 2.0 * x[0], 1.0]
    for _ in range(n):
        k = levels.index(min(levels))
        levels[k] = levels[k] + x[1] * x[1]
    return sum(v * v for v in levels)


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def no_such_item(x: Any, limit: float) -> Any:
    values = []
    for k in range(4):
        values.append(x * k)
    return next(v for v in values if v > limit)


def no_such_place(x: Any, limit: float) -> Any:
    s = 0.0
    for k in range(4):
        s += [x * k, x, 1.0].index(limit) * x
    return s


def taken_again(x: Any, limit: float) -> Any:
    values = (x * k for k in range(9))
    return next(v for v in values if v > limit) * next(values)


@pytest.mark.parametrize("f", [no_such_item, no_such_place, taken_again])
@pytest.mark.parametrize("limit", [1.0, 2.5, 30.0])
def test_what_is_not_there_raises(f: Callable[..., Any], limit: float) -> None:
    agrees(f, 1.3, limit)
