"""Functions and other objects that a key known only at run time chooses, and groups by keys known only at run time."""

from __future__ import annotations

import enum
import heapq
import itertools
import math
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracle import agrees, refuses

KINDS = ["up", "down", "stay", "up", "up"] * 14
"""Too many to be unrolled."""


def up(s, t):
    return s * t


def down(s, t):
    return s - t


def stay(s, t):
    return s


HANDLERS = {"up": up, "down": down, "stay": stay}
STEPS = [lambda s: s + 1.0, lambda s: s * 0.5, math.sin]
NEXT = {("up", 0): "down", ("up", 1): "up", ("down", 0): "stay", ("down", 1): "up", ("stay", 0): "up",
        ("stay", 1): "up"}


class Kind(enum.Enum):
    UP = 1
    DOWN = 2

    def scaled(self, s):
        return s * 1.5 if self is Kind.UP else s - 1.0


class Square:
    def __init__(self, v):
        self.v = v

    def area(self):
        return self.v * self.v


class Strip:
    def __init__(self, v, w=3.0):
        self.v, self.w = v, w

    def area(self):
        return self.v * self.w


class Act(NamedTuple):
    f: Any
    c: float


def one(handlers, kind, s, t):
    return handlers[kind](s, t)


def by_strings(x, kinds):
    s = x
    for i, kind in enumerate(kinds):
        s = one(HANDLERS, kind, s, 1.0 + 0.001 * i)
    return s + sum([HANDLERS[k](x, 2.0) for k in kinds])


def or_none(x, kinds):
    for kind in [*kinds, "none"]:
        handler = HANDLERS.get(kind)
        if handler is not None:
            x = handler(x, 1.01)
        x = HANDLERS.get(kind + "x", stay)(x, 2.0)
    try:
        return HANDLERS[kinds[0] + "y"](x, 2.0)
    except KeyError:
        return x * x


def by_positions(x, kinds):
    acts = (np.sin, np.tanh, lambda z: z)
    for i in range(len(kinds)):
        k = i * i % 3
        x = STEPS[k](x) + float(acts[k - 3](x))
    return x


def by_states(x, kinds):
    state = "up"
    for i in range(len(kinds)):
        x = HANDLERS[state](x, 1.01)
        state = NEXT[state, i * i % 2]
    return x


def by_members(x, kinds):
    table = {Kind.UP: 1.1, Kind.DOWN: 0.9}
    handlers = {Kind.UP: up, Kind.DOWN: down}
    for i in range(len(kinds)):
        kind = Kind(1 + i % 2)
        x = handlers[kind](kind.scaled(x) * table[kind], 0.9)
    return x


def objects_and_classes(x, kinds):
    shapes = {"up": Square(x), "down": Strip(x)}
    classes = {"up": Square, "down": lambda v: Strip(v, 2.0)}
    s = 0.0
    for kind in kinds:
        if kind != "stay":
            s += shapes[kind].area() * classes[kind](x).area()
    return s


def records_with_functions(x, kinds):
    table = {"up": Act(math.sin, 1.1), "down": Act(math.cos, 0.5), "stay": Act(lambda v: v * 0.9, 1.0)}
    for kind in kinds:
        x = table[kind].f(x) * table[kind].c
    return x


class Queue:
    def __init__(self, x):
        self.x, self.n = x, 0
        self.handlers = {"arrive": self.arrive, "leave": self.leave}

    def arrive(self, t):
        self.x, self.n = self.x * t, self.n + 1

    def leave(self, t):
        self.x = self.x - t * self.n


def events(x, kinds):
    queue, sim = [], Queue(x)
    for i in range(len(kinds) // 7):
        heapq.heappush(queue, (0.7 * ((i * 7) % 5) + 0.01 * i, "arrive"))
    while queue:
        t, kind = heapq.heappop(queue)
        sim.handlers[kind](1.0 + 0.1 * t)
        if kind == "arrive":
            heapq.heappush(queue, (t + 1.3, "leave"))
    return sim.x


@pytest.mark.parametrize("f", [by_strings, or_none, by_positions, by_states, by_members, objects_and_classes,
                               records_with_functions, events])
def test_functions_chosen_by_run_time_keys(f, monkeypatch):
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(f, 0.7, KINDS)


def test_a_missing_key_raises_what_python_raises():
    agrees(lambda x, kinds: HANDLERS[kinds[9]](x, 2.0), 0.7, ["up"] * 9 + ["none"])
    agrees(lambda x, places: sum(STEPS[k](x) for k in places), 0.7, [0, 1, 2, -1] * 20 + [3])
    agrees(lambda x, values: sum(Kind(k).scaled(x) for k in values), 0.7, [1, 2] * 40 + [3])


# -- groups ------------------------------------------------------------------------------------------------------------


class Trade:
    def __init__(self, day, price):
        self.day, self.price = day, price


def of_pairs(x, n):
    rows = [(i // 3, x * i) for i in range(n)]
    sums = {day: sum(v for _, v in group) for day, group in itertools.groupby(rows, key=lambda row: row[0])}
    squares = [sum(v for _, v in group) ** 2 for _, group in itertools.groupby(rows, itemgetter(0))]
    return sums[1] * sums[2] + max(squares) + len(squares)


def of_objects(x, n):
    trades = [Trade(i // 4, x * i + 1.0) for i in range(n)]

    def days():
        for day, group in itertools.groupby(trades, key=attrgetter("day")):
            yield day, list(group)

    s = 0.0
    for day, group in days():
        if len(group) < 2:
            continue
        s += (group[-1].price / group[0].price - 1.0) * (day + 1)
        if s > 9.0:
            break
    return s


def of_numbers(x, n):
    xs = [x * (i % 4) for i in range(n)]
    groups = [list(group) for _, group in itertools.groupby(sorted(xs))]
    runs = sum(len(list(group)) * x for _, group in itertools.groupby([i * i % 7 > 3 for i in range(n)]))
    return sum(len(group) * group[0] for group in groups) + runs


def of_elements(x, n):
    s = 0.0
    for positive, group in itertools.groupby(np.sin(x * np.arange(float(n))), key=lambda v: v > 0.0):
        t = sum(group)
        s += t * t if positive else t
    return s


def of_positions(x, n):
    labels, values = np.arange(n) % 3, x * np.arange(float(n))
    s = 0.0
    for label, places in itertools.groupby(np.argsort(labels, kind="stable"), key=lambda i: labels[i]):
        s += (label + 1) * np.sum(values[list(places)]) ** 2
    return s


def twice_over_one_group(x, n):
    s = 0.0
    for key, group in itertools.groupby([(i // 5, x * i) for i in range(n)], lambda row: row[0]):
        for _, v in group:
            s += v * key
        s += sum(v for _, v in group) * 100.0  # noqa: B031
    return s


@pytest.mark.parametrize("f", [of_pairs, of_objects, of_numbers, of_elements, of_positions, twice_over_one_group])
def test_groups_by_run_time_keys(f, monkeypatch):
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(f, 0.7, 13)


def test_groups_of_an_argument():
    rows = [{"k": k, "v": float(v)} for v, k in enumerate("aabbbca")]

    def f(rows):
        groups = itertools.groupby(sorted(rows, key=itemgetter("k")), itemgetter("k"))
        return sum(np.std([row["v"] for row in group]) * len(k) for k, group in groups)

    agrees(f, rows)


def test_keys_that_the_loop_may_change_are_refused():
    def f(x, n):
        s, w = 0.0, 2
        for key, group in itertools.groupby([i * n for i in range(n)], key=lambda i: i // w):
            s, w = s + x * key * len(list(group)), w + 1
        return s

    def printed(x, n):
        return sum(x * key for key, _ in itertools.groupby([i * n for i in range(n)], key=lambda i: print(i) or i))

    assert "w=w" in str(refuses(f, 0.7, 9, code="SCT503"))
    refuses(printed, 0.7, 9, code="SCT206")
