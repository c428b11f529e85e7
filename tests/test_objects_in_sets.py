"""Objects whose number is known only at run time, in sets and as keys: `if node not in seen: seen.add(node)`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import value_and_grad


class Value:
    """A number of a graph, with the numbers it was computed from and the derivatives by them."""

    def __init__(self, data: Any, children: Any = (), local: Any = ()) -> None:
        self.data, self.children, self.local = data, children, local
        self.grad = 0.0


def plus(a: Value, b: Value) -> Value:
    return Value(a.data + b.data, (a, b), (1.0, 1.0))


def times(a: Value, b: Value) -> Value:
    return Value(a.data * b.data, (a, b), (b.data, a.data))


def backward(root: Value) -> None:
    order, seen = [], set()

    def visit(v: Value) -> None:
        if v not in seen:
            seen.add(v)
            for child in v.children:
                visit(child)
            order.append(v)

    visit(root)
    root.grad = 1.0
    for v in reversed(order):
        for child, d in zip(v.children, v.local):
            child.grad += d * v.grad


def of_a_graph(x: Any, n: int) -> Any:
    a, b = Value(x), Value(0.5 * x * x)
    c = times(a, b)
    for _ in range(n):
        c = plus(times(c, a), c)
    backward(c)
    return c.data + a.grad * b.grad


class Node:
    def __init__(self, v: Any, after: Any) -> None:
        self.v, self.after = v, after


def chain(x: Any, n: int, cls: type = Node) -> Any:
    head = None
    for i in range(n):
        head = cls(x * (i + 1), head)
    return head


def of_two_chains(x: Any, n: int) -> Any:
    seen: Any = set()
    total, node = 0.0, chain(x, n)
    while node is not None:
        seen.add(node)
        node = node.after
    node = chain(x, n)  # other objects of equal numbers
    while node is not None:
        total += 1.0 if node in seen else node.v ** 2
        node = node.after
    return total


def keys_of_a_dict(x: Any, n: int) -> Any:
    weights: Any = {}
    total, first = 0.0, chain(x, n)
    node = first
    while node is not None:
        weights[node] = node.v * 2
        node = node.after
    node = first
    while node is not None:
        total += weights[node] * weights.get(node.after, 1.0) if node.after is not None else weights[node]
        node = node.after
    return total + len(weights)


def items_of_a_dict(x: Any, n: int) -> Any:
    weights: Any = {}
    node = chain(x, n)
    while node is not None:
        weights[node] = node.v * 2
        node = node.after
    return sum(key.v * w for key, w in weights.items())


@pytest.mark.parametrize("f", [of_a_graph, of_two_chains, keys_of_a_dict, items_of_a_dict])
def test_objects_in_sets_and_dicts(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for n in (3, 1, 5):
        agrees(f, 1.3, n)
        assert derivative(1.3, n)[0] == f(1.3, n)
    agrees_in_second_order(f, 1.3, 2)


def nodes_of(head: Any) -> Any:
    nodes = []
    while head is not None:
        nodes.append(head)
        head = head.after
    return nodes


def copied(x: Any, n: int) -> Any:
    seen: Any = set()
    node = chain(x, n)
    while node is not None:
        seen.add(node)
        node = node.after
    other = seen.copy()
    other.add(chain(x, n))  # None, if there are no nodes
    return x * len(other) + len(seen)


def with_none(x: Any, n: int) -> Any:
    seen: Any = {None}
    total, node = 0.0, chain(x, n)
    while node not in seen:
        seen.add(node)
        total += node.v
        node = node.after
    return total


def removed(x: Any, n: int) -> Any:
    seen: Any = set()
    nodes, total = nodes_of(chain(x, n)), 0.0
    for node in nodes:
        if node.v > 1.5:
            seen.add(node)
    for node in nodes:
        try:
            seen.remove(node)
            total += node.v
        except KeyError:
            total -= 0.5 * node.v
    return total


def in_one_of_two(x: Any, n: int) -> Any:
    a: Any = set()
    b: Any = set()
    nodes = nodes_of(chain(x, n))
    for node in nodes:
        if node.v > 1.5:
            a.add(node)
        if node.v < 5.0:
            b.add(node)
    a ^= b
    b &= a
    return sum(node.v ** 2 for node in nodes if node in a) + len(b)


def of_displays(x: Any, n: int) -> Any:
    nodes = [Node(x * (i + 1), None) for i in range(n)]
    odd = {node for i, node in enumerate(nodes) if i % 2}
    large = {node for node in nodes if node.v > 3.0}
    both, rest = odd & large, set(nodes)
    total = sum(node.v for node in nodes if node in both) + sum(node.v ** 2 for node in nodes if node in odd - large)
    for node in nodes:
        rest.discard(node)
        total += node.v * len(rest)
    return total + len(odd | large)


class Place:
    def __init__(self, v: Any) -> None:
        self.v, self.children = v, []


def breadth_first(x: Any, n: int) -> Any:
    places = [Place(x * i) for i in range(n + 1)]
    for i in range(n):
        places[i].children.append(places[i + 1])
        if i + 3 <= n:
            places[i].children.append(places[i + 3])
    distance, queue, total = {places[0]: 0.0}, deque([places[0]]), 0.0
    while queue:
        place = queue.popleft()
        total += distance[place] * place.v
        for child in place.children:
            if child not in distance:
                distance[child] = distance[place] + child.v
                queue.append(child)
    return total


def a_tuple_or_none(x: Any, n: int) -> Any:
    total, last = 0.0, None
    for i in range(n):
        if isinstance(last, tuple):
            total += last[0] * last[1]
        last = (x * i, x) if i % 2 else None
    return total + (0.0 if not isinstance(last, (tuple, type(None))) else 1.0)


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize("f", [copied, with_none, removed, in_one_of_two, of_displays, breadth_first, a_tuple_or_none])
def test_what_sets_of_objects_do(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(f)
    for n in (4, 1, 7, 0):
        agrees(f, 1.3, n, derivative=derivative)
    agrees_in_second_order(f, 1.3, 5)


class Equal(Node):
    def __eq__(self, other: Any) -> bool:
        return bool(self.v == other.v)

    def __hash__(self) -> int:
        return 1


def compared(x: Any, n: int) -> Any:
    seen: Any = set()
    total, node = 0.0, chain(x, n, Equal)
    while node is not None:
        if node not in seen:
            seen.add(node)
            total += node.v
        node = node.after
    return total


def run_over(x: Any, n: int) -> Any:
    seen: Any = set()
    node = chain(x, n)
    while node is not None:
        seen.add(node)
        node = node.after
    return sum(v.v for v in seen)


def taken_out(x: Any, n: int) -> Any:
    seen: Any = set()
    total, node = 0.0, chain(x, n)
    while node is not None:
        seen.add(node)
        node = node.after
    while seen:
        total += seen.pop().v
    return total


@pytest.mark.parametrize("f", [compared, run_over, taken_out])
def test_what_is_read_from_a_set_of_objects_is_refused(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A set holds the numbers of their rows; and objects that are compared by their values are more than these."""
    monkeypatch.setenv("SCT_VALIDATE", "0")
    refuses(f, 1.3, 4, code="SCT503")
