"""Objects whose number is known only at run time: linked lists, trees, stacks; aliases, cycles and shared tails."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import SctError, grad, jvp, value_and_grad

KEYS = np.array([0.5, 1.5, 2.0, 0.1, 3.0, 0.4, 0.7, 0.8, 2.5])


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


class Node:
    def __init__(self, value: Any, next: Any = None) -> None:
        self.value, self.next = value, next

    def doubled(self) -> Any:
        return 2.0 * self.value


@dataclass(eq=False)
class Tree:
    key: Any
    left: Any = None
    right: Any = None


class Stack:
    def __init__(self) -> None:
        self.head, self.size = None, 0

    def push(self, v: Any) -> None:
        self.head = Node(v, self.head)
        self.size += 1

    def pop(self) -> Any:
        node = self.head
        self.head = node.next
        self.size -= 1
        return node.value


class Item:
    def __init__(self, weight: Any) -> None:
        self.weight, self.best = weight, 0.0


def listed(x: Any, n: int) -> Any:
    head = None
    for i in range(n):
        head = Node(x * i, head)
    return head


def appended_at_the_tail(x: Any, n: int) -> Any:
    head = Node(x)
    for i in range(n):
        node = head
        while node.next is not None:
            node = node.next
        node.next = Node(x * i)
    total = 0.0
    while head:
        total, head = total + head.value**2, head.next
    return total


def reversed_in_place(x: Any, n: int) -> Any:
    node, before = listed(x, n), None
    while node is not None:
        node.next, before, node = before, node, node.next
    total, k = 0.0, 1
    while before != None:  # noqa: E711
        total, k, before = total + k * before.doubled(), k + 1, before.next
    return total


def stack(x: Any, n: int) -> Any:
    s, total = Stack(), 0.0
    for i in range(n):
        s.push(x * i)
    while s.size > 0:
        total = 0.5 * total + s.pop() ** 2
    return total


def cycle(x: Any, n: int) -> Any:
    head = node = Node(x)
    for i in range(n):
        node.next = Node(x * i)
        node = node.next
    node.next, node, total = head, head.next, 0.0
    while node is not head:
        total, node = total + node.value, node.next
    head.value = 5.0 * x
    return total + node.value * x


def shared_tail(x: Any, n: int) -> Any:
    tail = listed(x, n)
    a, b = Node(1.0, tail), Node(2.0, tail)
    tail.value = 7.0 * x
    total = 0.0
    for node in (a, b):
        while node is not None:
            total, node = total + node.value * x, node.next
    return total


def written_while_walking(x: Any, n: int) -> Any:
    head = node = listed(x, n)
    while node is not None:
        node.value = 2.0 * node.value if node.next is None else node.value + node.next.value
        if node.next is not None and node.value > 2.0:
            node.next = node.next.next
        node = node.next
    total = 0.0
    while head is not None:
        total, head = total + head.value**2, head.next
    return total


def another_object_on_one_path(x: Any, n: int) -> Any:
    a = listed(x, n)
    b = Node(x) if x > 5.0 else a
    b.value = 3.0 * x
    c = copy.copy(b)
    c.value *= x
    return a.value + b.value * c.value + c.next.value * (a is b) + (a == c)


def nodes_in_a_list(x: Any, n: int) -> Any:
    node, nodes = listed(x, n), []
    while node is not None:
        nodes.append(node)
        node = node.next
    nodes.append(nodes[0])
    for each in nodes:
        each.value *= x
    return max(nodes, key=lambda each: each.value).value + sum(each.value**2 for each in nodes)


def swapped(x: Any, n: int) -> Any:
    a, b = listed(x, n), listed(2.0 * x, n)
    for _ in range(n):
        a, b = b, a
    a.value = x
    return a.value * b.value + a.next.value


def of_a_generator(x: Any, n: int) -> Any:
    def nodes(node: Any) -> Any:
        while node is not None:
            yield node
            node = node.next

    return sum(node.value**2 for node in nodes(listed(x, n)))


def behind_the_end(x: Any, n: int) -> Any:
    node = listed(x, n)
    for _ in range(n + 1):
        node = node.next
    return node.value


def caught(x: Any, n: int) -> Any:
    node, total = listed(x, n), 0.0
    try:
        while True:
            total, node = total + node.value, node.next
    except AttributeError:
        return total


def by_recursion(x: Any, n: int) -> Any:
    item = Item(x)

    def visit(item: Any, k: int) -> None:
        if k > 0:
            item.best += x * k * item.weight
            visit(item, k - 1)

    visit(item, n)
    return item.best * x


class Ring:
    def __init__(self, value: Any) -> None:
        self.value, self.next, self.before = value, self, self


def ring(x: Any, n: int) -> Any:
    first = Ring(x)
    for i in range(1, n):
        new = Ring(x * i)
        new.before, new.next = first.before, first
        first.before.next = new
        first.before = new
    total, at = 0.0, first
    for _ in range(n):
        total += at.value * at.next.value ** 2
        at = at.next
    return total


class Element:
    def __init__(self, value: Any) -> None:
        self.value, self.parent = value, self

    def root(self) -> Any:
        at = self
        while at.parent is not at:
            at = at.parent
        return at


def disjoint_sets(x: Any, n: int) -> Any:
    elements = [Element(x * i) for i in range(n)]
    for i in range(n - 1):
        a, b = elements[i].root(), elements[i + 1].root()
        if (x * i + 0.05) % 1.0 > 0.3 and a is not b:
            a.parent = b
    return sum(e.root().value * e.value for e in elements)


@pytest.mark.parametrize("f", [
    appended_at_the_tail, reversed_in_place, stack, cycle, shared_tail, written_while_walking,
    another_object_on_one_path, nodes_in_a_list, swapped, of_a_generator, behind_the_end, caught, by_recursion, ring,
    disjoint_sets])
def test_linked(f: Any) -> None:
    agrees(f, 0.7, 12)


def built(keys: Any, low: int, high: int) -> Any:
    if low >= high:
        return None
    middle = (low + high) // 2
    return Tree(keys[middle], built(keys, low, middle), built(keys, middle + 1, high))


def depth(tree: Any) -> int:
    return 0 if tree is None else 1 + max(depth(tree.left), depth(tree.right))


def in_order(tree: Any, keys: Any) -> None:
    if tree is not None:
        in_order(tree.left, keys)
        keys.append(tree.key)
        in_order(tree.right, keys)


def balanced(keys: Any) -> Any:
    tree, ordered = built(keys, 0, len(keys)), []
    in_order(tree, ordered)
    return sum(k * v for k, v in enumerate(ordered)) * depth(tree)


def found(tree: Any, key: Any) -> Any:
    if tree is None or abs(tree.key - key) < 0.01:
        return tree
    return found(tree.left, key) if key < tree.key else found(tree.right, key)


def searched(keys: Any) -> Any:
    root = Tree(keys[0])
    for key in keys[1:]:
        tree = root
        while True:
            if key < tree.key:
                if tree.left is None:
                    tree.left = Tree(key)
                    break
                tree = tree.left
            else:
                if tree.right is None:
                    tree.right = Tree(key)
                    break
                tree = tree.right
    near, far = found(root, 0.705), found(root, 9.0)
    return near.key ** 2 * depth(root) if far is None else 0.0


@pytest.mark.parametrize("f", [balanced, searched])
def test_trees(f: Any) -> None:
    agrees(f, KEYS)


def printed(x: Any, n: int) -> Any:
    return len(str(listed(x, n))) * x


def as_a_key(x: Any, n: int) -> Any:
    head = listed(x, n)
    return {head: x}[head]


def as_an_index(x: Any, n: int) -> Any:
    return np.arange(20.0)[listed(x, n)] * x


def copied_deeply(x: Any, n: int) -> Any:
    head = copy.deepcopy(listed(x, n))
    return head.next.value


@pytest.mark.parametrize("f", [printed, as_a_key, as_an_index, copied_deeply])
def test_other_uses_are_refused(f: Any) -> None:
    with pytest.raises(SctError):
        value_and_grad(f)(0.7, 12)


class Kept:
    def __init__(self, weight: Any) -> None:
        self.weight, self.best = weight, None


def kept_and_forgotten(keys: Any) -> Any:
    items = [Kept(key) for key in keys]
    for item in items:
        item.best = 3.0 * item.weight
    for item in items:
        if item.weight > 1.0:
            item.best = None
        elif item.weight > 0.3:
            item.best = item.best * item.best
    return sum(item.weight * (2.0 if item.best is None else item.best) for item in items)


def best_of_all(keys: Any) -> Any:
    items = [Kept(key) for key in keys]
    for k in range(3):
        for item in items:
            if item.best is None or k * item.weight > item.best:
                item.best = np.sin(k * item.weight)
    return sum(item.best**2 for item in items)


@pytest.mark.parametrize("f", [kept_and_forgotten, best_of_all])
def test_numbers_that_may_be_none(f: Any) -> None:
    agrees(f, KEYS)
    _, tangent = jvp(f, (KEYS,), (KEYS,))
    np.testing.assert_allclose(tangent, grad(f)(KEYS) @ KEYS)


def scaled(head: Any, x: Any) -> Any:
    node = head
    while node is not None:
        node.value *= x
        node = node.next
    total, node = 0.0, head
    while node is not None:
        total, node = total + node.value**2, node.next
    return total


def of_a_tree(tree: Any, x: Any) -> Any:
    tree, total, nodes = inserted(inserted(tree, x), 2.0 * x), 0.0, [tree]
    while nodes:
        node = nodes.pop()
        if node is not None:
            total += node.key * x
            nodes.append(node.left)
            nodes.append(node.right)
    return total


def inserted(tree: Any, key: Any) -> Any:
    if tree is None:
        return Tree(key)
    if key < tree.key:
        tree.left = inserted(tree.left, key)
    else:
        tree.right = inserted(tree.right, key)
    return tree


def together(a: Any, b: Any, x: Any) -> Any:
    total, same = 0.0, 0
    while a is not None and b is not None:
        a.value, total, same = x * a.value, total + a.value * b.value, same + (a is b)
        a, b = a.next, b.next
    return total * same


TREE = Tree(1.0, Tree(0.3), Tree(2.0, None, Tree(3.0)))
TAIL = Node(3.0, Node(1.5, Node(0.5)))


@pytest.mark.parametrize(("f", "objects"), [
    (scaled, (Node(2.0, TAIL),)), (of_a_tree, (TREE,)), (together, (TAIL, TAIL)), (together, (TAIL, Node(2.0, TAIL))),
    (together, (Node(4.0, TAIL), Node(2.0, TAIL)))])
def test_objects_of_the_arguments(f: Any, objects: Any) -> None:
    objects, untouched = copy.deepcopy(objects), copy.deepcopy(objects)
    value, slope = value_and_grad(f, len(objects))(*objects, 0.7)
    assert [pickle.dumps(each) for each in objects] == [pickle.dumps(each) for each in untouched]
    ends = [f(*copy.deepcopy(objects), 0.7 + step) for step in (1e-6, -1e-6)]
    assert value == f(*copy.deepcopy(objects), 0.7)
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_the_gradient_has_the_form_of_the_argument() -> None:
    by_head = grad(scaled)(Node(2.0, TAIL), 0.7)
    values = []
    while by_head is not None:
        values.append(by_head.value)
        by_head = by_head.next
    np.testing.assert_allclose(values, [0.98 * v for v in (2.0, 3.0, 1.5, 0.5)])


def test_columns_that_would_have_one_name() -> None:
    class Node:
        def __init__(self, b_x: Any, rest: Any) -> None:
            self.b_x, self.rest = b_x, rest

    class NodeB:
        def __init__(self, x: Any, rest: Any) -> None:
            self.x, self.rest = x, rest

    def f(x: Any, n: int) -> Any:
        a, b, total = None, None, 0.0
        for i in range(n):
            a, b = Node(x[0] * i, a), NodeB(x[1] + i, b)
        while a is not None:
            total += a.b_x * b.x
            a, b = a.rest, b.rest
        return total

    for n in (5, 0, 8):
        agrees(f, np.array([0.7, 1.3]), n)
