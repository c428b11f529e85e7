"""Lists of named tuples, whose number is known only at run time, are sorted as tuples are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from oracle import Programs, agrees_in_every_mode

from sct import SctError, value_and_grad

program = Programs()
X = [0.7, 0.2, 1.3]


class Point(NamedTuple):
    t: float
    w: float


class Numbered(NamedTuple):
    point: Point
    k: int


class ByWeight(NamedTuple):
    t: float
    w: float

    def __lt__(self, other: Any) -> bool:
        return bool(self.w < other.w)


def points(x: Any, n: int) -> list[Point]:
    return [Point(x[i % 3] * (i + 1), x[0] - i) for i in range(n)]


@program((X, 4), (X, 12))
def ascending(x, n):
    ps = sorted(points(x, n))
    return ps[0].t * ps[-1].w + sum(i * p.t for i, p in enumerate(ps))


@program((X, 12), (X, 3))
def descending_in_place(x, n):
    ps = points(x, n)
    ps.sort(reverse=True)
    return sum(i * p.t * p.w for i, p in enumerate(ps))


@program((X, 7), (X, 12))
def of_named_tuples(x, n):
    ps = [Numbered(p, i) for i, p in enumerate(points(x, n))]
    total = sum(i * p.point.t * p.point.w for i, p in enumerate(sorted(ps)))
    return total + max(ps).point.t * min(ps).k


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda p: getattr(p, "__name__", ""))
def test_agrees(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def test_an_order_of_its_own() -> None:
    def f(x: Any, n: int) -> Any:
        ps = sorted([ByWeight(x[i % 3], x[0] - i) for i in range(n)])
        return sum(i * p.t for i, p in enumerate(ps))

    agrees_in_every_mode(f, [(X, 12), (X, 5), (X, 0)])


def test_known_items_are_in_the_order_of_their_class() -> None:
    def f(x: Any) -> Any:
        ps = sorted([ByWeight(1.0, 3.0), ByWeight(2.0, 2.0), ByWeight(0.0, 7.0)])
        pairs = sorted([(ByWeight(1.0, 3.0), 1), (ByWeight(0.0, 7.0), 3), (ByWeight(2.0, 2.0), 2)], reverse=True)
        return sum(i * p.t * x[0] + i * k for i, (p, (_, k)) in enumerate(zip(ps, pairs)))

    agrees_in_every_mode(f, [(X,)])


def test_a_class_that_gets_an_order_of_its_own_is_asked_again() -> None:
    class Changed(NamedTuple):
        t: float

    def f(x: Any, n: int) -> Any:
        return sorted([Changed(x * (7 * i % n)) for i in range(n)])[1].t

    derivative = value_and_grad(f)
    assert derivative(1.5, 9) == (1.5, 1.0)
    Changed.__lt__ = lambda a, b: a.t > b.t  # type: ignore[method-assign, assignment]
    assert derivative(1.5, 9) == (f(1.5, 9), f(1.0, 9))


def test_a_class_that_gets_a_new_is_asked_again() -> None:
    class Cell:
        def __init__(self, v: Any) -> None:
            self.v = v

    def f(x: Any) -> Any:
        return Cell(x * x).v

    derivative = value_and_grad(f)
    assert derivative(1.5) == (2.25, 3.0)
    Cell.__new__ = lambda cls, v: object.__new__(cls)  # type: ignore[method-assign, assignment]
    with pytest.raises(SctError, match="SCT208"):
        derivative(1.5)
