"""Attributes of classes that the function writes, such as the number of its objects: a private copy, and a warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from oracle import refuses

from sct import SctWarning, grad, hvp, jvp, value_and_grad


class Node:
    count = 0
    total = 0.0

    def __init__(self, v: Any, *near: Node) -> None:
        self.v, self.near = v, near
        Node.count += 1
        self.number = Node.count


class Leaf(Node):
    """Reads the count of its base, and has a name made of it."""

    def __init__(self, v: Any) -> None:
        super().__init__(v)
        self.name = f"leaf{self.count}"


class Counted:
    made = 0

    @classmethod
    def make(cls, v: Any) -> Counted:
        cls.made += 1
        return cls(v)

    def __init__(self, v: Any) -> None:
        self.v = v

    @property
    def others(self) -> int:
        return type(self).made - 1


class Typed:
    size = 0

    def __init__(self, v: Any) -> None:
        self.v = v
        type(self).size += 2
        self.__class__.size += 1


def not_in_the_result(x: Any, n: int) -> Any:
    a = Node(x)
    b = Leaf(a.v * a.v)
    return a.v * b.v + n


def in_the_result(x: Any, n: int) -> Any:
    a, b = Node(x), Leaf(x * x)
    return a.v * b.number + b.v * len(b.name) + Node.count + Leaf.count * x


def in_a_loop(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        node = Node(x * i)
        total += node.v * node.number
    return total + Node.count


def on_one_path(x: Any, n: int) -> Any:
    if x > 0.5 * n:
        Node(x)
    return x * Node.count


def by_a_class_method(x: Any, n: int) -> Any:
    a, b = Counted.make(x), Counted.make(x * x)
    return a.v * b.others + b.v * Counted.made


def by_the_type(x: Any, n: int) -> Any:
    nodes = [Typed(x * i) for i in range(n)]
    return sum(t.v for t in nodes) * Typed.size + x


def grown(x: Any, n: int) -> Node:
    return Node(x, grown(x * 0.5, n - 1), grown(x * 0.25, n - 1)) if n else Node(x)


def summed(node: Node) -> Any:
    total = node.v * node.number
    for child in node.near:
        total += summed(child)
    return total


def in_recursion(x: Any, n: int) -> Any:
    return summed(grown(x, 2))


def a_number_that_is_differentiated(x: Any, n: int) -> Any:
    for i in range(n):
        Node.total += x * i
    return Node.total * x


PROGRAMS = [not_in_the_result, in_the_result, in_a_loop, on_one_path, by_a_class_method, by_the_type, in_recursion,
            a_number_that_is_differentiated]


def reset(count: int = 0) -> None:
    Node.count = Counted.made = Typed.size = count
    Node.total = 0.5 * count


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_written_attributes_of_classes(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(f)

    def plain(x: float, n: int, count: int) -> Any:
        reset(count)
        return f(x, n)

    for count, n in ((0, 3), (4, 1), (2, 5), (7, 0)):
        reset(count)
        value, slope = derivative(1.3, n)
        pushed, second = jvp(f, (1.3, n), (1.0,))[1], hvp(f, (1.3, n), (1.0,))
        rise = grad(f)(1.3 + 1e-5, n) - grad(f)(1.3 - 1e-5, n)
        assert (Node.count, Counted.made, Typed.size, Node.total) == (count, count, count, 0.5 * count)
        assert value == plain(1.3, n, count) and type(value) is type(plain(1.3, n, count))
        np.testing.assert_allclose(
            slope, (plain(1.3 + 1e-6, n, count) - plain(1.3 - 1e-6, n, count)) / 2e-6, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(pushed, slope, rtol=1e-12)
        np.testing.assert_allclose(second, rise / 2e-5, rtol=1e-5, atol=1e-5)
    reset()


def test_the_warning_names_the_class() -> None:
    def f(x: Any) -> Any:
        return Node(x).v * 3.0

    derivative = grad(f)
    with pytest.warns(SctWarning, match="the write to `count` of the class `Node` changes a private copy"):
        assert derivative(1.3) == 3.0
    assert Node.count == 0 and "count" not in derivative.source.split("\n", 2)[2]


class Base:
    made = 0

    def __init__(self, v: Any) -> None:
        self.v = v
        type(self).made += 1


class Derived(Base):
    """Gets a count of its own, which it has not yet."""


def of_a_derived_class(x: Any) -> Any:
    return Derived(x).v


class Listed:
    all: ClassVar[list[Listed]] = []

    def __init__(self, v: Any) -> None:
        self.v = v
        Listed.all.append(self)


def in_a_list_of_the_class(x: Any) -> Any:
    return Listed(x).v * len(Listed.all)


@pytest.mark.parametrize("f", [of_a_derived_class, in_a_list_of_the_class])
def test_what_is_refused(f: Callable[..., Any]) -> None:
    refuses(f, 1.3, code="SCT302")
    assert not Listed.all and "made" not in vars(Derived)
