"""Lists of run-time length that have another name on one path: written where that name is not read any more."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]
UP, DOWN = [1.0, 2.1, 0.7, 1.3, 0.45], [-1.0, -2.1, 0.7, 1.3, 0.45]

programs = Programs()
of_one_list = programs((UP, 0), (DOWN, 0), (UP, 3), (DOWN, 1))


def by_source(w: Any) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = {}
    for u, v in EDGES:
        if u not in groups:
            groups[u] = []
        groups[u].append(w[v])
    return groups


@of_one_list
def get_before_items_of_a_defaultdict(w: Any, c: int) -> Any:
    neighbours = defaultdict(list)
    for e, (u, v) in enumerate(EDGES):
        neighbours[u].append((v, e))
    r, total = np.ones(4), 0.0
    for u in range(4):
        out = neighbours.get(u)
        if not out:
            continue
        r[u] = sum(1.0 / w[e] for _, e in out)
    for u in (0, 1, c):
        for v, _ in neighbours[u]:
            total += r[v] * w[0]
    return total


@of_one_list
def appended_when_the_name_is_dead(w: Any, c: int) -> Any:
    groups = by_source(w)
    out = groups.get(c)
    t = w[3] if out is None else sum(out) * w[0]
    groups[0].append(w[1] ** 2)
    return t + sum(groups[0])


@of_one_list
def the_name_of_the_iteration_before(w: Any, c: int) -> Any:
    groups, t, before = defaultdict(list), 0.0, None
    for u, v in EDGES:
        groups[u].append(w[v])
    for u in range(4):
        if before is not None:
            t += sum(before) * w[0]
        groups[u].append(w[u] ** 2)
        before = groups.get(u - c)
    return t


@of_one_list
def one_of_two_lists(w: Any, c: int) -> Any:
    a, b = [w[k] for k in range(c + 1)], [w[k] * 2.0 for k in range(c + 2)]
    z = a if w[0] > 0.0 else b
    s = sum(z)
    a.append(w[1])
    b.append(w[2])
    return sum(a) * s + sum(b) * 3.0


@of_one_list
def written_by_its_other_name(w: Any, c: int) -> Any:
    a, b = [w[k] for k in range(c + 1)], [w[k] * 2.0 for k in range(c + 2)]
    z = a if w[0] > 0.0 else b
    z.append(w[1] ** 2)
    return sum(b) + sum(a) * 2.0 + sum(z) * w[0]


@of_one_list
def a_dict_or_an_empty_one(w: Any, c: int) -> Any:
    d = defaultdict(list)
    for u, v in EDGES:
        d[u].append(w[v])
    e = d if w[0] > 0.0 else defaultdict(list)
    d[0].append(w[1] ** 2)
    return sum(e[0]) + sum(d[0])


@pytest.mark.parametrize(("f", "calls"), programs, ids=lambda p: getattr(p, "__name__", ""))
def test_lists_that_are_written_later(f: Any, calls: Any) -> None:
    agrees_in_every_mode(f, calls)


def test_names_that_are_read_later_are_refused() -> None:
    def read(w: Any, c: int) -> Any:
        groups = by_source(w)
        out = groups.get(c)
        groups[0].append(w[0])
        return sum(groups[0]) + (0.0 if out is None else sum(out))

    def read_by_another_name(w: Any, c: int) -> Any:
        groups = by_source(w)
        out = groups.get(c)
        other = out if w[1] > 0.0 else groups.get(1)
        del out
        groups[0].append(w[0])
        return sum(groups[0]) + (0.0 if other is None else sum(other))

    def read_by_a_function(w: Any, c: int) -> Any:
        groups = by_source(w)
        out = groups.get(c)

        def total() -> Any:
            return 0.0 if out is None else sum(out)

        groups[0].append(w[0])
        return total() + sum(groups[0])

    def held_by_a_list(w: Any, c: int) -> Any:
        groups = by_source(w)
        held = [groups.get(c), groups[0]]
        groups[0].append(w[0])
        return (0.0 if held[0] is None else sum(held[0])) + sum(groups[0])

    def in_progress(w: Any, c: int) -> Any:
        groups, t = by_source(w), 0.0
        for x in groups.get(c, [w[0]]):
            if len(groups[0]) < 6:
                groups[0].append(w[2] * x)
            t += x
        return t

    for f in (read, read_by_another_name, read_by_a_function, held_by_a_list, in_progress):
        refuses(f, np.array(UP), 0, code="SCT301")

    def by_keys(w: Any, c: int) -> Any:
        groups = by_source(w)
        groups[0].append(w[0])
        return sum(groups[0]) + (sum(groups[c]) if c in groups else 0.0)

    agrees(by_keys, np.array(UP), 0)
