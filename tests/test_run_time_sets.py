"""Sets that the function fills: they are Python's own, and what they decide is the path that is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import grad

NEXT = {i: [(3 * i + 1) % 25, (7 * i + 2) % 25] for i in range(25)}
FLOWS = {0: [1, 2], 1: [3], 2: [3, 4], 3: [5], 4: [5, 0], 5: [], 7: [8]}


def depth_first(x):
    value = np.zeros(9)
    value[0] = x
    visited, order, stack = set(), [], [0]
    while stack:
        n = stack.pop()
        if n in visited:
            continue
        visited.add(n)
        order.append(n)
        for m in FLOWS.get(n, ()):
            stack.append(m)
    for n in order:
        for i, m in enumerate(FLOWS.get(n, ())):
            value[m] += (i + 1) * 0.3 * value[n] ** 2
    return value[5] + len(visited)


def copies_by_methods(x):
    seen = set()
    for n in NEXT[3]:
        seen.add(n % 3)
    a, b, c = seen.union(), seen.difference(), seen.intersection()
    a.add(77)
    b.discard(1)
    known = {1, 2}.union() | frozenset((5, 6)).difference()
    return x * (len(seen) + 10 * len(a) + 100 * len(b) + 1000 * len(c)) + x * x * len(known)


def levels_of_a_graph(x):
    seen, frontier, depth, total = {0}, [0], 0, 0.0
    while frontier:
        new = []
        for n in frontier:
            for m in NEXT[n]:
                if m not in seen:
                    seen.add(m)
                    new.append(m)
                    total += x ** 0.5 / (1 + depth)
        frontier = new
        depth += 1
    return total * len(seen)


def visited_by_recursion(x):
    seen = set()

    def visit(n: int) -> float:
        if n in seen:
            return 0.0
        seen.add(n)
        total = x * n
        for m in NEXT[n]:
            total += 0.5 * visit(m)
        return total

    return visit(0)


class Network:
    def __init__(self):
        self.nodes, self.cost = set(), 0.0

    def connect(self, a, b, w):
        for n in (a, b):
            if n not in self.nodes:
                self.nodes.add(n)
                self.cost += w * w


def nodes_of_an_object(x):
    network = Network()
    for k in range(12):
        network.connect(k % 6, (f"n{k % 4}", k % 5), x * (k + 1))
    return network.cost + len(network.nodes)


def methods_and_aliases(x):
    s = set()
    alias = s
    s |= {70, 77}
    s.update(range(5), [k for k in range(12) if k % 3 == 0])
    alias.discard(77)
    c = s.copy()
    c.add(1000)
    c.remove(3)
    total = x * len(s) + x * x * len(c) + (3 in alias) - (3 in c)
    s.clear()
    return total if not alias else 0.0


def one_in_each_iteration(x):
    total = 0.0
    for k in range(8):
        used = set()
        for j in range(k):
            if (j * j) % 5 not in used:
                used.add((j * j) % 5)
                total += x * j
    return total


def operators_of_sets(x):
    chosen, all_of_them = set(), {0, 1, 2, 3}
    for k in range(5):
        if x * k > 1.0:
            chosen.add(k)
    rest = all_of_them - chosen
    both = chosen & {2, 3, 9}
    total = len(rest) * x + len(both) * x**2 + len(chosen | {7}) * x**3 + len(chosen ^ all_of_them) * x**4
    if both <= chosen and both < all_of_them and chosen != rest:
        total = total + x * (rest == {0, 1}) + x * (set() >= both)
    chosen -= {4}
    return total + x * len(chosen - set())


WANTED = frozenset({1, 2, 9})


def frozen_sets(x):
    seen = set()
    for i in range(12):
        if x * i > 0.5:
            seen.add(i % 7)
    both, rest = WANTED & seen, seen - WANTED
    grown = WANTED
    grown |= seen
    grown &= seen | frozenset({20})
    r = x * (sum(both) + 2 * len(rest) + 3 * len(WANTED | seen) + 5 * len(seen ^ WANTED) + 7 * len(WANTED - seen))
    r *= 1.5 if WANTED <= seen else 2.5
    r *= 1.25 if seen >= frozenset({1}) else 3.5
    r *= 3.0 if seen == frozenset(range(7)) else 5.0
    seen &= WANTED
    seen |= frozenset({9, 10})
    seen.update(WANTED)
    return r + x * x * sum(grown) + sum(seen) + len(WANTED)


def display_in_a_long_loop(x):
    total = 0.0
    for i in range(100):
        near = {i - 1, i, i + 1}
        total += x * len(near | WANTED)
        for k in sorted(near & WANTED):
            total += x * x * k
        if not near.isdisjoint(WANTED) and near & WANTED:
            total += x
    return total


def display_in_a_short_loop(x):
    total = 0.0
    for i in range(4):
        near = {i - 1, i, i + 1}
        if near & WANTED:
            total += x * len(near | WANTED) + sum(WANTED & near)
    return total


def united_in_a_loop(x):
    seen, total, k = set(), 0.0, 0
    while k not in seen:
        seen = seen | {k}
        k = (7 * k + 3) % 101
        total += x * k
    others = {1, 2}
    for i in range(90):
        others = others.union([i % 7, i % 3], {i % 11})
    return total * len(seen) + x * x * len(others)


def methods_that_make_sets(x):
    s, total = {0}, 0.0
    for k in range(70):
        s = s.union({k % 5}, [k % 3]).difference({k}).intersection(range(90))
        odd = s.symmetric_difference({1, k % 4})
        if s.issubset(odd) or odd.issuperset({1}):
            total += x * k
        total += len(odd) * x ** 2
    return total * len({1, 2}.union({3})) + len({1}.intersection((1, 2)))


@pytest.mark.parametrize("f", [
    united_in_a_loop, methods_that_make_sets,
    frozen_sets, display_in_a_long_loop, display_in_a_short_loop, operators_of_sets,
    depth_first, copies_by_methods, levels_of_a_graph, visited_by_recursion, nodes_of_an_object, methods_and_aliases,
    one_in_each_iteration])
def test_agrees(f: Callable[[float], Any]) -> None:
    agrees(f, 0.9)


def test_a_differentiated_number_is_no_item() -> None:
    def f(x):
        seen = set()
        for k in range(3):
            seen.add(x * k)
        return x * len(seen)

    refuses(f, 0.9, code="SCT503")


def test_a_missing_item_raises() -> None:
    def f(x: float) -> float:
        s = {1}
        s.add(2)
        s.remove(3)
        return x

    with pytest.raises(KeyError):
        grad(f)(0.9)
