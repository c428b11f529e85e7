"""Lists in whose places are tuples or None, and lists of lists that are filled with tuples."""

from __future__ import annotations

import math
from collections import deque, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_every_mode, agrees_in_second_order

from sct import SctError, grad, value_and_grad, vjp

X = np.array([0.3, 0.7])
Entry = namedtuple("Entry", "weight value")


def hash_table(x: Any, n: int) -> Any:
    table = [None] * 16
    for i in range(2 * n):
        key = 7 * i % 11
        at = key % 16
        while table[at] is not None and table[at][0] != key:
            at = (at + 1) % 16
        if table[at] is None:
            table[at] = (key, x[i % 2] * key)
        else:
            table[at] = (key, table[at][1] * 1.5)
    return sum(entry[1] ** 2 for entry in table if entry is not None)


def slots(x: Any, n: int) -> Any:
    cells = [None] * n
    for i in range(n):
        if i % 3 != 1:
            cells[i] = Entry(i + 0.5, value=x[i % 2] * i)
    total = 0.0
    for cell in cells:
        if cell:
            total += cell.weight * cell.value ** 2
    return total


def deleted(x: Any, n: int) -> Any:
    cells = [(i, x * i) for i in range(n)]
    for i in range(n):
        if x[i % 2] * i > 1.0:
            cells[i] = None
    total = 0.0
    for cell in reversed(cells):
        if cell is None:
            continue
        k, v = cell
        total += (k + 1) * np.sum(v ** 2)
    return total


def counted(x: Any, n: int) -> Any:
    bins = [None] * 5
    for i in range(3 * n):
        entry = bins[i * i % 5]
        if entry is None:
            bins[i * i % 5] = (1, x[i % 2])
        elif entry[0] > 3:
            bins[i * i % 5] = None
        else:
            count, mean = entry
            bins[i * i % 5] = (count + 1, 0.5 * mean + i * x[0] * x[1])
    total = bins.count(None) * x[0] + len(bins) * (None in bins) + ((1, 7.5) in bins)
    return total + sum(mean ** 2 / count for count, mean in [entry for entry in bins if entry])


def previous(x: Any, n: int) -> Any:
    events = []
    for i in range(n):
        events.append(None if i % 4 == 2 else (i, x[i % 2] * i))
    last, total = None, 0.0
    for event in events:
        if event is not None and last is not None:
            total += (event[0] - last[0]) * event[1] * last[1]
        last = event
    return total


def joined(x: Any, n: int) -> Any:
    cells = [None] * n if n > 4 else [(0.5, x[0])] * n
    for i in range(n):
        if i % 2:
            cells[i] = (i, x[1] * i)
    last, rest = cells.pop(), cells[1:4] + cells[:2]
    total = x[0] if last is None else last[1]
    while rest:
        entry = rest.pop(0)
        if entry is not None:
            total += entry[0] * entry[1] ** 2
    return total


def queued(x: Any, n: int) -> Any:
    queue, total = [None, (1.0, x[0])], 0.0
    for i in range(3 * n):
        if not queue:
            break
        entry = queue.pop()
        if entry is None:
            total *= 1.1
            continue
        total += entry[0] * entry[1]
        if i % 3 == 0:
            queue.append(None)
        if i < n:
            queue.append((entry[0] + 0.1, entry[1] * x[1]))
        if i % 4 == 0:
            queue.insert(0, (2.0, entry[1]))
    return total


def ordered(x: Any, n: int) -> Any:
    cells = [None if i % 3 == 0 else (-i * (i % 2), x[i % 2] * i) for i in range(n)]
    cells.sort(key=lambda cell: -0.5 if cell is None else cell[0])
    total = 0.0
    for k, cell in enumerate(cells):
        if cell is not None:
            total += k * cell[1] ** 2
    return total + cells.index(None) * x[0]


def grid(x: Any, n: int) -> Any:
    cells = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i * j % 3 == 1:
                cells[i][j] = (i + 1.0, x[j % 2] * j)
    cells[1][1] = None
    total = 0.0
    for row in cells:
        for cell in row:
            if cell is not None:
                total += cell[0] * cell[1] ** 2
    return total


def attempted(x: Any, n: int) -> Any:
    cells = [None] * n
    for i in range(n):
        try:
            cells[i] = (math.log(i * 0.5), x[0] * math.sqrt(x[1] - 0.2 * i))
        except ValueError:
            continue
    return sum(a * b for a, b in (cell for cell in cells if cell is not None))


def fill(cells: Any, x: Any) -> None:
    for i in range(0, len(cells), 2):
        cells[i] = (i, x[i % 3 % 2] * i)


class Registry:
    def __init__(self, n: int) -> None:
        self.cells, self.count = [None] * n, 0

    def get(self, i: int) -> Any:
        return self.cells[i]


def helpers(x: Any, n: int) -> Any:
    registry = Registry(n)
    fill(registry.cells, x)
    total = 0.0
    for i in range(n):
        if (cell := registry.get(i)) is not None:
            total += cell[0] * cell[1] ** 2
    return total


def printed(x: Any, n: int) -> Any:
    cells = [None] * n
    fill(cells, np.ones(2))
    print(cells)
    return np.sum(x) * len(f"{cells}")


def buckets(x: Any, n: int) -> Any:
    bins = [[] for _ in range(n)]
    for i in range(4 * n):
        bins[i * i % n].append((i, x[i % 2] * i))
    total = 0.0
    for entries in bins:
        for i, v in entries:
            total += i * v ** 2
        if len(entries) > 3:
            total -= entries.pop()[1]
    return total + sum(len(entries) * entries[0][1] for entries in bins if entries)


def neighbours(x: Any, n: int) -> Any:
    edges = []
    for _ in range(n):
        edges.append([])
    for i in range(n):
        edges[i].append(((i + 1) % n, x[0] * i))
        edges[(i + 1) % n].append((i, x[1]))
    distance, queue = [None] * n, deque([0])
    distance[0] = 0.0
    while queue:
        at = queue.popleft()
        for to, length in edges[at]:
            if distance[to] is None:
                distance[to] = distance[at] + length
                queue.append(to)
    return sum(d ** 2 for d in distance)


PROGRAMS = [hash_table, slots, deleted, counted, previous, joined, queued, ordered, grid, attempted, helpers, printed,
            buckets, neighbours]


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (4, 9, 70):
        agrees(f, X, n)
    agrees_in_second_order(f, X, 9)


def lists(x: Any, n: int) -> Any:
    bins = [None] * n
    for i in range(4 * n):
        if bins[i % n] is None:
            bins[i % n] = [x[i % 2]]
        else:
            bins[i % n].append(x[i % 2] * i)
    return sum(max(values) for values in bins if values is not None)


def test_lists_in_the_place_of_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (5, 70):
        with pytest.raises(SctError, match="SCT310: a list that holds lists and None is not supported"):
            grad(lists)(X, n)


def a_part_that_is_none(x: Any, n: int) -> Any:
    cells = [None] * n
    for i in range(n):
        if i % 3:
            cells[i] = (i, x[i % 2])
    for i in range(0, n, 2):
        cells[i] = (None if x[i % 2] > 0.5 else i, x[0] * i)
    return sum(cell[1] ** 2 for cell in cells if cell is not None)


def a_row_that_is_none(x: Any, n: int) -> Any:
    cells = [(None if x[i % 2] > 0.5 else i, x[0] * i) for i in range(n)]
    cells[1] = None
    return sum(cell[1] ** 2 for cell in cells if cell is not None)


@pytest.mark.parametrize("f", [a_part_that_is_none, a_row_that_is_none], ids=lambda f: f.__name__)
def test_a_tuple_with_none_in_it_is_not_taken_for_none(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees_in_every_mode(f, [(X, 70), (X, 5), (X, 2)])


def test_tuples_and_none_are_no_result() -> None:
    def cells(x: Any) -> Any:
        cells = [None] * len(x)
        for i, v in enumerate(x):
            if v > 0.5:
                cells[i] = (v, v * v)
        return cells

    with pytest.raises(SctError, match="SCT503: a list of tuples and None is not supported as a result"):
        vjp(cells, np.tile(X, 40))


def carried(x, n):
    total, last = x[0], None
    for i in range(n):
        v = x[i % 2]
        if last is not None and not last[0]:
            total += x[0] * i
        last = (v if v > 0.5 else None, i)
    return total


def carried_dict(x, n):
    total, last = x[0], None
    for i in range(n):
        v = x[i % 2]
        if last is not None:
            total += (last["w"] or 0.5) * v
        last = {"w": v if v > 0.5 else None}
    return total


def pair(v):
    return None if v < 0 else (v if v > 0.5 else None, v)


def returned(x, n):
    total = 0.0 * x[0]
    for i in range(n):
        t = pair(x[i % 2])
        if t is None:
            continue
        total += (t[0] or 0.1) * t[1]
    return total


def smallest(x, n):
    best = None
    for i in range(n):
        v = x[i % 2] * (i + 1)
        r = (v if v > 0.5 else None, v)
        if best is None or r[1] < best[1]:
            best = r
    return x[0] if best is None else (best[0] or 0.5) * x[0] + (0.0 if best[0] is None else best[0] * x[1])


def first_without(x, n):
    records = [{"v": x[i % 2] if i % 2 else None, "w": x[i % 2] ** 2 if x[i % 2] > 0.5 else None} for i in range(n)]
    r = next((r for r in records if r["v"] is None), None)
    if r is None:
        return x[0]
    return (2.0 * x[1] if r["w"] else x[0] ** 2) + (r["w"] or x[1])


def arrays(x, n):
    last, total = None, 0.0
    for i in range(n):
        if last is not None and last[0] is not None:
            total = total + last[0].sum() * last[1]
        last = (x * i if x[i % 2] > 0.5 else None, x[0])
    return total + x[1]


@pytest.mark.parametrize("f", [carried, carried_dict, returned, smallest, first_without, arrays])
def test_an_item_of_a_record_that_may_be_none_may_be_none_itself(f):
    for x in (np.array([0.3, 0.7]), np.array([0.7, 0.3]), np.array([-0.4, 0.2])):
        derivative = value_and_grad(f)
        for n in (3, 0, 1, 5):
            agrees(f, x, n)
            assert derivative(x, n)[0] == f(x, n)
