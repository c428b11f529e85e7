"""Members of enums as items of lists of run-time length, and as parts of tuples and objects that are items."""

from __future__ import annotations

import enum
import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.oracle import Programs, refuses

program = Programs()


class Kind(enum.Enum):
    MERGE = enum.auto()
    EJECT = "out"
    SPLIT = 2.5

    def weight(self, x):
        return x * (2.0 if self is Kind.MERGE else 0.5)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Name(str, enum.Enum):
    A = "alpha"
    B = "beta"


class Own(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 7


class Parts(enum.Flag):
    P = 1
    Q = 2


class Other:
    class Kind(enum.Enum):
        MERGE = 1
        EJECT = 2


WEIGHTS = {Kind.MERGE: 0.5, Kind.EJECT: 2.0, Kind.SPLIT: 3.0}
X = ([1.1], 6), ([1.7], 9), ([0.2], 0)


@program(*X)
def in_tuples(x, n):
    x = x[0]
    events = []
    for i in range(n):
        x = x * 1.3
        if x > 2.0:
            x -= 1.0
            events.append((i, x, Kind.EJECT if i % 2 else Kind.MERGE))
    total = x
    for i, y, kind in events:
        if kind is Kind.MERGE:
            total += y * i
        elif kind == Kind.EJECT:
            total += 0.1 * y
    return total + 0.1 * sum(k is Kind.MERGE for _, _, k in events)


@program(*X)
def alone(x, n):
    x = x[0]
    events = []
    for i in range(n):
        x = x * 1.3
        if x > 2.0:
            x -= 1.0
            events.append(Kind.EJECT)
        elif i % 3 == 1:
            events.insert(0, Kind.SPLIT)
        else:
            events.append(Kind.MERGE)
    at = events.index(Kind.MERGE) if Kind.MERGE in events else 17
    return x * (1 + events.count(Kind.MERGE)) + at + len([k for k in events if k is not Kind.EJECT])


@program(*X)
def keys(x, n):
    x = x[0]
    events = []
    for _ in range(n):
        x = x * 1.3
        events.append(Kind.EJECT if x > 2.0 else Kind.MERGE)
        x = x - 1.0 if x > 2.0 else x
    total = x
    for k in events:
        total += WEIGHTS[k] * x + k.weight(x) + len(k.name)
    return total


@program(*X)
def names_and_lengths(x, n):
    x = x[0]
    events = [Kind.SPLIT]
    while len(events) < n:
        x *= 1.1
        events.append(Kind.MERGE if x > 1.5 else Kind.SPLIT)
    last = events.pop()
    return x * len(events) + (last.name == "MERGE") + sum([x for k in events if k.name.startswith("S")])


@program(*X)
def levels(x, n):
    x = x[0]
    out = []
    for i in range(n):
        x *= 1.2
        out.append((Level.HIGH if x > 1.5 else Level.LOW, x * i))
    return x + sum(level * y for level, y in out) + sum(level.value for level, _ in out if level > 1)


@program(*X)
def strings(x, n):
    x = x[0]
    out = []
    for _ in range(n):
        x *= 1.2
        out.append(Name.A if x > 1.5 else Name.B)
    return x * (1 + sum(name == "alpha" for name in out)) + 0.5 * sum(len(name.value) for name in out)


@program(*X)
def with_none(x, n):
    x = x[0]
    out = []
    for i in range(n):
        x *= 1.2
        out.append((x, None if i % 3 == 0 else Kind.MERGE if x > 1.5 else Kind.EJECT))
    total = x
    for y, k in out:
        if k is None:
            total += 3.0 * y
        elif k is Kind.MERGE:
            total += y * y
    return total


@program(*X)
def in_lists_of_lists(x, n):
    x = x[0]
    rows = []
    for i in range(n):
        row = []
        for j in range(i):
            x *= 1.02
            row.append((Kind.MERGE if (i + j) % 2 else Kind.SPLIT, x))
        rows.append(row)
    return x + sum(y for row in rows for k, y in row if k is Kind.SPLIT)


@program(*X)
def in_deques_and_slices(x, n):
    x = x[0]
    q = deque([(0.5, Kind.SPLIT)])
    total = x
    for i in range(n):
        q.append((x * i, Kind.MERGE if i % 2 else Kind.EJECT))
        if len(q) > 3:
            y, k = q.popleft()
            total += y if k is Kind.MERGE else 2.0 * y
    rest = list(q)[1:]
    rest.reverse()
    return total + sum(y for y, k in rest + rest if k == Kind.EJECT)


@program(*X)
def behind_branches(x, n):
    x = x[0]
    log = [Kind.MERGE]
    if x > 1.0:
        log.append(Kind.EJECT)
        x = x * 2.0
    return x * len(log) + (log[-1] is Kind.EJECT)


@program(*X)
def written(x, n):
    x = x[0]
    log = [Kind.MERGE for _ in range(n)]
    for i in range(n):
        x *= 1.2
        if x > 1.5:
            log[i] = Kind.EJECT
    return x + x * log.count(Kind.EJECT)


@program(*X)
def summed_by_key(x, n):
    x = x[0]
    log = [(Kind.MERGE if i % 2 else Kind.EJECT) for i in range(n)]
    c = {k: 0.0 for k in Kind}
    for k in log:
        c[k] += x
    return x + c[Kind.MERGE] * x + c[Kind.EJECT]


@dataclass(order=True)
class Event:
    time: float
    seq: int
    kind: Kind = field(compare=False)
    payload: Any = field(compare=False, default=None)


@program(*X)
def in_heaps(x, n):
    x = x[0]
    heap, seq, total = [], 0, x
    for i in range(n):
        heapq.heappush(heap, Event(x * ((i * 7) % 5), seq, Kind.MERGE if i % 2 else Kind.SPLIT, 0.5 * i))
        seq += 1
    while heap:
        e = heapq.heappop(heap)
        if e.kind is Kind.MERGE:
            total = total * 1.1 + e.time * e.payload
        else:
            total += e.time
    return total


@program(*X)
def attributes_written(x, n):
    x = x[0]
    events = [Event(x * i, i, Kind.MERGE) for i in range(n)]
    for e in events:
        if e.time > 2.0:
            e.kind = Kind.EJECT
    return x + sum(e.time for e in events if e.kind is Kind.EJECT)


@program(*X)
def of_flags(x, n):
    x = x[0]
    out = []
    for i in range(n):
        x *= 1.2
        out.append(Parts.P if i % 2 else Parts.Q)
    return x * (1 + out.count(Parts.P)) + sum([x for p in out if p is Parts.Q])


@program(*X)
def with_the_same_name(x, n):
    x = x[0]
    out = [(i, Kind.MERGE) for i in range(n)]
    return x * (1 + ((0, Kind.MERGE) in out)) + sum(k is Other.Kind.MERGE for _, k in out)


test_programs = program.test()


def returned(x, n):
    return [Kind.MERGE for _ in range(n)], x


def equal_to_others(x, n):
    out = [Kind.MERGE for _ in range(n)]
    return x * (Other.Kind.MERGE in out)


def with_own_comparisons(x, n):
    out = []
    for i in range(n):
        out.append(Own.A if i % 2 else Own.B)
    return x * out.count(Own.A)


def mixed(x, n):
    x, out = x[0], []
    while x < 10.0:
        out.append(Kind.MERGE if x > 5.0 else Other.Kind.MERGE)
        x *= 1.5
    return x * len(out)


def compared_as_a_whole(x, n):
    a = [Kind.MERGE if i % 2 else Kind.EJECT for i in range(n)]
    b = [Kind.MERGE if i % 3 else Kind.EJECT for i in range(n)]
    return x[0] * (2.0 if a == b else 1.0)


@program(*X)
def sorted_with_members(x, n):
    out = []
    for i in range(n):
        out.append((x[0] * i, Level.LOW if i % 2 else Level.HIGH))
    return x[0] + sum([y * k * k for k, (y, level) in enumerate(sorted(out)) if level > 1])


def printed(x, n):
    print([Kind.MERGE for _ in range(n)])
    return x[0]


def in_keys_of_some(x, n):
    log = [(Kind.MERGE if i % 2 else Kind.EJECT) for i in range(n)]
    c = {Kind.MERGE: 0.0, Kind.EJECT: 0.0}
    for k in log:
        c[k] += x[0]
    return c[Kind.MERGE]


@pytest.mark.parametrize(("f", "code"), [
    (returned, "SCT503"), (equal_to_others, "SCT505"), (with_own_comparisons, "SCT505"), (mixed, "SCT502"),
    (compared_as_a_whole, "SCT503"), (printed, "SCT503"), (in_keys_of_some, "SCT505")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, *X[0], code=code)
