"""Sets of objects whose number is known: they are asked what they hold, but not in what order."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import SctError, jvp, value_and_grad


class Value:
    """A number of a graph with closures for the backward pass, after Karpathy's micrograd."""

    def __init__(self, data: Any, _children: Any = (), _op: str = "") -> None:
        self.data = data
        self.grad: Any = 0
        self._backward: Any = lambda: None
        self._prev = set(_children)
        self.order = tuple(_children)
        self._op = _op

    def __add__(self, other: Any) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Any) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def relu(self) -> Value:
        out = Value(0 if self.data < 0 else self.data, (self,), "ReLU")

        def _backward() -> None:
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def backward(self, ordered: bool = True) -> None:
        topo = []
        visited = set()

        def build_topo(v: Value) -> None:
            if v not in visited:
                visited.add(v)
                for child in v.order if ordered else v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        self.grad = 1
        for v in reversed(topo):
            v._backward()

    __radd__, __rmul__ = __add__, __mul__


def forward(x: Any, y: Any) -> Any:
    a, b = Value(x), Value(y)
    c = a * b + a + 2.0
    return (c * c + b).data * len(c._prev)


def backward(x: Any, y: Any) -> Any:
    a, b = Value(x), Value(y)
    c = (a * b + a * a * a).relu() + b * a
    c.backward()
    return a.grad * b.grad + c.data


def backward_through_a_chain(x: Any, y: Any) -> Any:
    a = Value(x * y)
    a.relu().relu().backward(ordered=False)  # sets of one object have one order
    return a.grad * x * y


class Node:
    def __init__(self, v: Any, *near: Node) -> None:
        self.v, self.near = v, set(near)
        self.read = lambda: v


def changed(x: Any, y: Any) -> Any:
    a, b, c = Node(x), Node(y), Node(x * y)
    seen = {a}
    seen.add(b)
    seen.add(a)
    seen.discard(c)
    total = 0.0
    for k, n in enumerate((a, b, c)):
        if n in seen:
            total += n.v * (k + 1)
        seen.discard(b)
    seen |= {b, c}
    seen.update([a], (c,))
    return total * len(seen) + (x if seen else y)


def combined(x: Any, y: Any) -> Any:
    a, b, c = Node(x), Node(y), Node(x * y)
    s, t = {a, b}, {b, c}
    total = 0.0
    for k, of in enumerate((s | t, s & t, s - t, s ^ t, s.union(t, [c]), s.intersection(t), t.difference([b]),
                            s.symmetric_difference(t), frozenset((a,)) | t, frozenset(s))):
        total += sum(n.v for n in (a, b, c) if n in of) * (k + 1) + len(of)
    return total


def compared(x: Any, y: Any) -> Any:
    a, b = Node(x), Node(y)
    s, t = {a, b}, set([b])
    tests = (s == {b, a}, s != t, t <= s, t < s, s >= t, s > t, s.issuperset(t), t.issubset([a, b]), s.isdisjoint(t),
             s == {1.0}, frozenset(s) == s)
    return x * sum(2 ** k for k, test in enumerate(tests) if test)


def copied(x: Any, y: Any) -> Any:
    a, b = Node(x), Node(y)
    s = {a}
    t, u, v = s.copy(), copy.copy(s), set(s)
    t.add(b)
    u.add(b)
    v.clear()
    return x * len(s) + y * len(t) + x * y * len(u) + len(v) + len(a.near)


def taken_out(x: Any, y: Any) -> Any:
    a, b = Node(x), Node(y)
    s = {a}
    total = s.pop().v
    try:
        s.pop()
    except KeyError:
        total += y
    try:
        s.remove(b)
    except KeyError:
        total += x * y
    return total


class Graph:
    def __init__(self) -> None:
        self.nodes: Any = set()
        self.edges: Any = []

    def connect(self, a: Node, b: Node) -> None:
        self.nodes |= {a, b}
        self.edges.append((a, b))


def connected(x: Any, y: Any) -> Any:
    g, (a, b, c) = Graph(), (Node(x), Node(y), Node(3.0))
    g.connect(a, b)
    g.connect(b, c)
    g.connect(b, a)
    return len(g.nodes) * sum(p.v * q.v for p, q in g.edges)


def in_a_loop(x: Any, y: Any) -> Any:
    a, seen, total = Node(x), set(), 0.0
    for _ in range(4):
        if a not in seen:
            seen.add(a)
            total += a.v * y
    return total


def beside_numbers(x: Any, y: Any) -> Any:
    a = Node(x)
    s = {a, "k", 3, (a, 1)}
    return x * y if "k" in s and 3 in s and 4 not in s and (a, 1) in s and (a, 2) not in s else x


PROGRAMS = [forward, backward, backward_through_a_chain, changed, combined, compared, copied, taken_out, connected,
            in_a_loop, beside_numbers]


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_sets_of_objects(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(f)
    for args in ((1.3, 0.7), (-1.1, 2.0), (0.4, -0.9)):
        agrees(f, *args, derivative=derivative)
        assert jvp(f, args, (1.0, 0.0))[1] == pytest.approx(derivative(*args)[1])
    agrees_in_second_order(f, 1.3, 0.7)


def backward_by_sets(x: Any, y: Any) -> Any:
    a, b = Value(x), Value(y)
    c = a * b + a
    c.backward(ordered=False)
    return a.grad


def summed(x: Any, y: Any) -> Any:
    return sum(n.v for n in {Node(x), Node(y)})


def one_of_two(x: Any, y: Any) -> Any:
    return {Node(x), Node(y)}.pop().v


@pytest.mark.parametrize("f", [backward_by_sets, summed, one_of_two])
def test_the_order_of_a_set_of_objects_is_refused(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    assert "addresses" in str(refuses(f, 1.3, 0.7, code="SCT503"))


def by_the_path(x: Any, y: Any) -> Any:
    a, b, s = Node(x), Node(y), set()
    if x > y:
        s.add(a)
    else:
        s.add(b)
    return x if a in s else y


def test_what_only_the_run_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    assert "only at run time" in str(refuses(by_the_path, 1.3, 0.7, code="SCT503"))


class Leaf:
    def __init__(self, v: float) -> None:
        self.v = v


class Tree:
    def __init__(self, v: float, first: Leaf, *others: Leaf) -> None:
        self.v, self.first, self.leaves = v, first, set(others)


def in_pythons_order(x: Any, leaves: Any) -> Any:
    total = 0.0
    for leaf in leaves:
        total = total * 0.7 + leaf.v * x
    return total


def in_order_of_an_attribute(x: Any, tree: Any) -> Any:
    return in_pythons_order(x, tree.leaves) * tree.v


def test_sets_of_objects_of_the_caller_keep_their_order() -> None:
    derivatives = [value_and_grad(in_pythons_order), value_and_grad(in_order_of_an_attribute)]
    for n in (1, 6, 0, 9, 5):
        leaves = [Leaf(float(k + 1)) for k in range(n)]
        tree = Tree(2.0, Leaf(1.0), *leaves)
        for f, derivative, arg in zip((in_pythons_order, in_order_of_an_attribute), derivatives, (set(leaves), tree)):
            value, slope = derivative(1.5, arg)
            assert value == f(1.5, arg)
            assert slope == pytest.approx(f(1.0, arg))
        assert [leaf.v for leaf in leaves] == [k + 1.0 for k in range(n)]
        assert tree.leaves == {*leaves}


def of_the_tree(tree: Any) -> Any:
    return tree.first.v * sum(leaf.v for leaf in tree.leaves)


def test_objects_in_a_set_and_in_another_argument_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative = value_and_grad(of_the_tree)
    apart = Tree(1.0, Leaf(2.0), Leaf(3.0))
    value, slope = derivative(apart)
    assert value == of_the_tree(apart) and slope.first.v == pytest.approx(3.0)
    leaf = Leaf(2.0)
    with pytest.raises(SctError, match="SCT305"):
        derivative(Tree(1.0, leaf, leaf))
    assert np.isclose(derivative(apart)[1].first.v, 3.0)
