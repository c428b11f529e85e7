"""Sets that are bound anew in loops and branches, and sets in dicts and lists."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees_in_every_mode

from sct import value_and_grad

PROGRAMS = program = Programs()
X = [1.0, 2.0, 3.0, 0.5, 0.7, 1.3]
Y = [0.4, 1.1, 0.9, 1.5, 2.7, 0.3]
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (0, 1)]
OTHERS = [(5, 1), (1, 4), (5, 4), (2, 3), (3, 0)]
NEXT = [[1, 2], [2], [3], [4], [5], []]
NEXT_TOO = [[3], [], [5, 4], [2, 1], [], [1]]


@program((X, 4), (Y, 7))
def bound_anew(x: Any, n: int) -> Any:
    left, s = {n}, 0.0
    while left:
        s += x[0] * len(left) * s + x[1]
        left = {c - 1 for c in left if c > 0}
    return s


@program((X, NEXT), (Y, NEXT_TOO))
def levels(x: Any, after: list[list[int]]) -> Any:
    level, done, s = {0}, set(), 0.0
    while level:
        done |= level
        s += sum([x[u] * x[u] for u in sorted(level)]) * len(done)
        level = set(v for u in level for v in after[u]) - done
    return s


@program((X, NEXT), (Y, NEXT_TOO))
def walked(x: Any, after: list[list[int]]) -> Any:
    here, s, k = {0}, 0.0, 0
    while here and k < 5:
        s += sum(x[u] * k for u in here) ** 2
        here = {v for u in here for v in after[u]}
        k += 1
    return s


@program((X, 3), (Y, 0), ([-1.0, *Y], 4))
def on_one_path(x: Any, n: int) -> Any:
    chosen = set()
    if x[0] > 0:
        chosen = {1, 2}
    s = 0.0
    for k in range(n):
        if k not in chosen:
            s += x[k] ** 2
    return s + len(chosen) * x[1]


@program((X, 9), (Y, 14))
def sieved(x: Any, n: int) -> Any:
    alive, s, t = set(range(n)), 0.0, 1
    while len(alive) > 1 and t < 6:
        t += 1
        alive = {a for a in alive if a % t != 0}
        s += x[0] ** t * len(alive)
    return s


@program((X, 3), (Y, 5))
def of_pairs(x: Any, n: int) -> Any:
    cells, s = {(0, 1), (1, 1), (2, 1)}, 0.0
    for step in range(n):
        around: dict[tuple[int, int], int] = {}
        for i, j in cells:
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        around[i + di, j + dj] = around.get((i + di, j + dj), 0) + 1
        cells = {c for c, m in around.items() if m == 3 or (m == 2 and c in cells)}
        s += x[1] ** step * len(cells)
    return s


@program((X, EDGES), (Y, OTHERS))
def neighbours(x: Any, edges: list[tuple[int, int]]) -> Any:
    around = defaultdict(set)
    for a, b in edges:
        around[a].add(b)
        around[b].add(a)
    s = 0.0
    for u in sorted(around):
        for v in sorted(around[u]):
            s += x[u] * x[v] * len(around[u] & around[v])
        s += x[u] ** 2 * len(around[u])
    return s


@program((X, EDGES), (Y, OTHERS))
def each_edge_once(x: Any, edges: list[tuple[int, int]]) -> Any:
    seen: dict[int, set[int]] = {}
    s = 0.0
    for a, b in edges:
        if a not in seen:
            seen[a] = set()
        if b not in seen[a]:
            seen[a].add(b)
            s += x[a] * x[b]
    return s + sum(x[0] * len(v) for v in seen.values())


@program((X, EDGES), (Y, OTHERS))
def sets_in_a_list(x: Any, edges: list[tuple[int, int]]) -> Any:
    after = [set() for _ in range(len(x))]
    for a, b in edges:
        after[a].add(b)
    other = after[0]
    other.add(5)
    return sum(x[a] * x[b] for a in range(len(x)) for b in sorted(after[a])) + len(other) * x[2] ** 2


@program((X, EDGES), (Y, OTHERS))
def sets_by_setdefault(x: Any, edges: list[tuple[int, int]]) -> Any:
    groups: dict[int, set[int]] = {}
    for k, (a, b) in enumerate(edges):
        groups.setdefault((a + b) % 3, set()).add(k % 4)
    return sum(x[k] ** 2 * len(v) for k, v in groups.items())


class Graph:
    def __init__(self) -> None:
        self.around = defaultdict(set)

    def connect(self, a: int, b: int) -> None:
        self.around[a].add(b)
        self.around[b].add(a)

    def degree(self, a: int) -> int:
        return len(self.around[a])


@program((X, EDGES), (Y, OTHERS))
def sets_of_an_object(x: Any, edges: list[tuple[int, int]]) -> Any:
    graph = Graph()
    for a, b in edges:
        graph.connect(a, b)
    seen, queue, s = {0}, deque([0]), 0.0
    while queue:
        u = queue.popleft()
        s += x[u] ** 2 * len(seen) * graph.degree(u)
        for v in sorted(graph.around[u] - seen):
            seen.add(v)
            queue.append(v)
    return s


@program(([1.5], [(1, 2), (0, 3)]), ([1.5], []), ([0.7], [(3, 3)]), ([0.7], [(0, 0), (2, 1), (2, 3), (1, 1), (3, 0)]))
def sites_without_defects(x, defects):
    missing, s = set(defects), x[0]
    for i in range(4):
        for j in range(4):
            if (i, j) in missing:
                continue
            s = s + 0.1 * x[0] * i + np.sin(s) * j
    return s


@program(*(([1.5], n) for n in (0, 1, 3, 4)))
def positions_in_sets_of_several_kinds(x, n):
    s, seen, later = x[0], {(1, 2), ("a", 1), (None, 2), 3.0, 2}, frozenset([(1, 2), (n, 1)])
    for i in range(n):
        for j in range(5):
            if (i, j) in seen:
                continue
            if i in seen or j * 1.0 in seen:
                s = s + x[0]
            if (i, j) not in later:
                s = s + x[0] * i * j
            if (True, j) in seen:
                s = s * x[0]
            if ((i, j), j) in seen:
                s = s - 9.0
    return s


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def test_positions_are_looked_for_when_the_derivative_runs() -> None:
    """A loop over positions is a loop, whatever its set holds."""
    derivative = value_and_grad(sites_without_defects)
    derivative([1.5], [(1, 2)])
    few = derivative.source.count("\n")
    derivative([1.5], [(k, k) for k in range(4)])
    assert derivative.source.count("\n") < few + 20
