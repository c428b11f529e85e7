"""Objects that sct does not see into: in lists that grow, unpacked, searched for, and as keys of what is computed."""

from __future__ import annotations

import bisect
import collections
import itertools
import re
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

X = np.array([0.3, 0.7])
START = date(2024, 1, 15)
HOLIDAYS, HALF = [date(2024, 2, 14), date(2024, 5, 14)], Fraction(1, 2)
EDGES = {"c": ("a", "b"), "b": ("a",)}


def schedule(x: Any, n: int) -> Any:
    dates, day = [], date(2024, 1, 15)
    while len(dates) < n:
        day = day + timedelta(days=30)
        if day.weekday() >= 5:
            day = day + timedelta(days=7 - day.weekday())
        dates.append(day)
    total, before = 0.0, date(2024, 1, 15)
    for day in dates:
        total += x[0] * (day - before).days / 365.0 * np.exp(-x[1] * (day - START).days / 365.0)
        before = day
    return total * (dates[-1] - dates[0]).days


def flows(x: Any, n: int) -> Any:
    flows = []
    for k in range(n):
        flows.append((START + timedelta(days=90 * k), x[0] * k))
    last = max(flows, key=lambda flow: flow[0])
    return sum(amount * np.exp(-x[1] * (day - START).days / 365.0) for day, amount in flows) + last[1] * len(flows)


def searched(x: Any, n: int) -> Any:
    days = [date(2024, 1, 15)]
    for k in range(n):
        days.append(START + timedelta(days=7 * k))
    at = bisect.bisect_right(days, START + timedelta(days=10))
    bisect.insort(days, START + timedelta(days=3))
    return x[0] ** 2 * at + x[1] * sum(k * (b - a).days for k, (a, b) in enumerate(itertools.pairwise(days)))


def stacked(x: Any, n: int) -> Any:
    stack, total = [], 0.0
    for k in range(n):
        day = START + timedelta(days=5 * k * k % 17)
        while stack and stack[-1] <= day:
            total += x[k % 2] ** 2 * (day - stack.pop()).days
        stack.append(day)
    return total * len(stack)


def matched(x: Any, n: int) -> Any:
    matches = []
    for line in ["a=1.5", "bb=2", "# no", "c=0.25"] * n:
        match = re.match(r"(\w+)=([\d.]+)", line)
        if match:
            matches.append(match)
    total = 0.0
    for match in matches:
        name, value = match.groups()
        total += x[len(name) % 2] ** 2 * float(value)
    return total


def split(x: Any, n: int) -> Any:
    total = 0.0
    for line in ["A->B", "C->DD->E", "F", "GGG->HH"] * n:
        try:
            left, right = re.split("->", line)
        except ValueError as error:
            print(error)
            total -= x[0]
            continue
        total += x[1] ** 2 * len(left) * len(right)
    (first, count), (second, _) = collections.Counter("abcabca" * n).most_common(2)
    year, week, _ = START.isocalendar()
    return total + x[0] ** 2 * count * len(first + second) * (year - 2000) * week


def from_outside(x: Any, n: int, day: date = START) -> Any:
    total, days, share = 0.0, [START], HALF
    for k in range(3 * n):
        day = day + timedelta(days=30)
        while day in HOLIDAYS:
            day = day + timedelta(days=1)
        days.append(day)
        share = share * HALF + Fraction(k, 3)
        total += x[k % 2] ** 2 * (day - START).days * day.month
    last = days[-1] if x[0] > 0.5 else START
    return total * last.year + x[0] * float(share + HALF * n)


def order(target: str) -> list[str]:
    edges, todo = {}, [target]
    while todo:
        node = todo.pop()
        if node not in edges and node in EDGES:
            edges[node] = list(EDGES[node])
            todo += edges[node]
    return list(edges)


def keyed(x: Any, n: int) -> Any:
    sizes = {node: x[0] * len(node) for node in order("c")}
    for node in order("b"):
        sizes[node] = x[1] ** n
    return sizes["c"] * sizes["b"]


PROGRAMS = [schedule, flows, searched, stacked, matched, split, from_outside, keyed]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for validate in ("0", "1"):
        monkeypatch.setenv("SCT_VALIDATE", validate)
        for n in (2, 9):
            agrees(f, X, n)
    agrees_in_second_order(f, X, 3)
