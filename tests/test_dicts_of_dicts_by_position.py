"""Dicts of dicts of known keys, of which one is read at a key that is known only at run time; weak references."""

from __future__ import annotations

import weakref
from collections import defaultdict

import pytest
from oracle import Programs, agrees_in_every_mode, refuses


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


program = Programs()
EDGES = [([1.5], [(0, 1, 2.0)]), ([1.5], [(0, 1, 2.0), (2, 1, 3.0)]), ([1.5], [])]


@program(*EDGES)
def of_rows(x, edges):
    graph = defaultdict(dict)
    for u, v, k in edges:
        graph[u][v] = k
    s = x[0]
    for u in range(3):
        row = graph.get(u, {})
        for v in row:
            s = s + row[v] * x[0]
    return s * s + len(graph)


@program(*EDGES)
def of_lists(x, edges):
    graph = defaultdict(list)
    graph[1].append(x[0])
    s = x[0]
    for u in range(len(edges) + 2):
        for v in graph.get(u, []):
            s = s + v * x[0]
    return s * s + len(graph)


@program(*EDGES)
def of_numbers(x, edges):
    weights = defaultdict(float)
    weights[1] += x[0]
    s = x[0]
    for u in range(len(edges) + 2):
        s = s + weights.get(u, 0.5) * x[0] + len(weights)
    return s


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: v.__name__ if callable(v) else "")
def test_get_of_a_defaultdict(f, calls) -> None:
    agrees_in_every_mode(f, calls)


graphs = Programs()
GRAPHS = [([1.5], {0: {1: 2.0, 2: 3.0}, 1: {2: 1.0}}), ([1.5], {0: {1: 2.0}}), ([1.5], {}),
          ([1.5], {0: {1: 2.0}, 1: {2: 3.0}, 2: {5: 1.0}})]


@graphs(*GRAPHS)
def walked(x, graph):
    s, u = x[0], 0
    while u in graph:
        row = graph[u]
        u = -1
        for v in row:
            s = s + row[v] * s
            u = v
    return s


@graphs(*GRAPHS)
def walked_in_several_ways(x, graph):
    s, u = x[0], 0
    while u in graph:
        row = graph[u]
        s = s + sum(row[v] for v in row) + len([v for v in row]) * s + max([row[v] * s for v in row])
        u = -1
        for i, v in enumerate(row):
            s = s + row[v] * x[0] * i
            u = v
    return s


@pytest.mark.parametrize(("f", "calls"), graphs, ids=lambda v: v.__name__ if callable(v) else "")
def test_the_keys_of_one_of_several_dicts(f, calls) -> None:
    agrees_in_every_mode(f, calls)


def test_a_write_into_a_dict_that_a_loop_runs_over_is_refused() -> None:
    def f(x, graph):
        s, u = x[0], 0
        while u in graph:
            row = graph[u]
            u = -1
            for v in row:
                s = s + row[v] * s
                u = v
                if s > 2.0:
                    graph[0][9] = 1.0
        return s

    refuses(f, *GRAPHS[0], code="SCT307")


class Node:
    def __init__(self, v, parent=None):
        self.v = v
        self.parent = None if parent is None else weakref.ref(parent)


def test_a_weak_reference_is_refused_with_its_reason() -> None:
    def f(x, n):
        root = Node(x[0])
        return Node(x[0] * x[0], root).parent().v

    assert "keep the object itself" in str(refuses(f, [1.5], 1, code="SCT207"))
