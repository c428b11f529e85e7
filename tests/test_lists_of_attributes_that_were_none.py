"""Attributes of objects that are rows: None at first, then a list whose items are written."""

from __future__ import annotations

import pytest
from oracle import agrees, agrees_in_second_order

from sct import jvp, value_and_grad


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


class Node:
    def __init__(self, h):
        self.h, self.kids = h, None


def in_a_loop(x, n):
    root = Node(x)
    root.kids = [None, None]
    for i in range(n):
        root.kids[i % 2] = Node(x * i)
    return root.kids[0].h * root.kids[1].h


def at_first_use(x, n):
    root = Node(x)
    for i in range(n):
        if root.kids is None:
            root.kids = [None, None]
        root.kids[i % 2] = Node(x * i)
    return root.kids[0].h + (root.kids[1].h * x if root.kids[1] is not None else 0.0)


def insert(t, v, depth):
    if t.kids is None:
        if depth == 0:
            return
        t.kids = [None] * 2
    q = 1 if v > t.h else 0
    if t.kids[q] is None:
        t.kids[q] = Node(v)
    else:
        insert(t.kids[q], v, depth - 1)


def total(t, depth):
    if t is None:
        return 0.0
    s = t.h * t.h * depth
    if t.kids is not None:
        for k in t.kids:
            s += total(k, depth + 1)
    return s


def of_a_tree(x, depth):
    root = Node(x)
    for v in (3.0, 1.0, 2.0, 4.0, 3.5):
        insert(root, v * x, depth)
    return total(root, 1)


def augmented(x, n):
    root, last = Node(x), Node(2.0)
    for i in range(n):
        if root.kids is None:
            root.kids = [x, x]
        root.kids[i % 2] += x * i
        last = Node(root.kids[0])
    return root.kids[0] * root.kids[1] * last.h


def still_none(x, n):
    root, s = Node(x), 0.0
    for i in range(n):
        if i == 1:
            root.kids = [x, x * 2.0]
        root.kids[0] = s
        s += Node(x).h
    return root.kids[0]


@pytest.mark.parametrize("f", [in_a_loop, at_first_use, of_a_tree, augmented])
def test_items_are_written(f) -> None:
    derivative = value_and_grad(f)
    for x, n in ((1.5, 3), (0.7, 2), (0.7, 6)):
        agrees(f, x, n, derivative=derivative)
    assert jvp(f, (1.5, 3), (1.0, None))[1] == pytest.approx(derivative(1.5, 3)[1], rel=1e-12)
    agrees_in_second_order(f, 1.5, 3)


def test_none_has_no_items() -> None:
    agrees(still_none, 1.5, 3)
    agrees(still_none, 1.5, 0)
