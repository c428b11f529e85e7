"""Indices, counts of masks, ranges of any length, lists kept in order, and `math` of objects: as Python has them."""

from __future__ import annotations

import bisect
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import SctError, check_grads, emit, grad, jacobian, value_and_grad

X = np.array([1.0, 2.0, 3.0, 4.0])
M = np.outer(X, X)
FLAGS = np.array([True, False, True, True])
KNOTS = [1.0, 2.0, 3.5, 5.0, 8.0]
PLACES = (0, 2)


class Index:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __index__(self) -> Any:
        return self.v


class Real:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __float__(self) -> float:
        return float(self.v)


def selected(x: np.ndarray) -> np.ndarray:
    return x[x > 1.5]


def split_in_steps(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        y = x[x > i + 0.5]
        total += np.split(y, len(y))[0].sum() * i
    return total


def product_of_parts(x: np.ndarray) -> float:
    a, b, c = np.split(selected(x), 3)
    return (a * b * c).sum()


def left_early(x: np.ndarray) -> float:
    for i in range(10**30):
        x = x * 0.5
        if i > 2:
            break
    return x.sum()


def zipped(x: np.ndarray) -> float:
    total = 0.0
    for i, j in zip(range(10**30), range(3)):
        total += x[j] * x[j] * i
    return total


def written(x: np.ndarray, key: Any) -> float:
    y = x * x
    y[key] = 3.0
    return y.sum()


def inserted(x: float) -> float:
    xs = [1.0, 2.0, 3.0]
    bisect.insort(xs, 2.5)
    bisect.insort_left(xs, 0.5, 0, 2)
    bisect.insort(xs, 9.0, key=lambda v: -v)
    return x * xs[0] + x * x * xs[1] + x**3 * xs[4]


def pairs_inserted(x: float) -> float:
    rows = [(1, "a"), (2, "b")]
    bisect.insort(rows, (1, "b"))
    return x * rows[2][0] * rows[1][0]


def interpolated(x: float) -> float:
    k = bisect.bisect(KNOTS, x) - 1
    t = (x - KNOTS[k]) / (KNOTS[k + 1] - KNOTS[k])
    return t * t


def bracketed(x: np.ndarray) -> float:
    k = bisect.bisect_left(x, 2.5)
    return (2.5 - x[k - 1]) / (x[k] - x[k - 1])


def popped(x: np.ndarray) -> float:
    heap = [3, 1, 2]
    heapq.heapify(heap)
    heapq.heappush(heap, 0)
    first = heapq.heappop(heap)
    return x[first] * x[heapq.heapreplace(heap, 2)] * x[heapq.heappushpop(heap, 3)] * len(heap)


def scheduled(x: np.ndarray) -> float:
    queue = [(2, "late"), (1, "early")]
    heapq.heapify(queue)
    total = 0.0
    for _ in range(2):
        when, _ = heapq.heappop(queue)
        total += x[when] * x[when] * len(queue)
    return total


@pytest.mark.parametrize("f", [
    lambda x: np.split(x[FLAGS], 3)[1].sum() * x[0],
    lambda x: np.split(selected(x), 3)[1].sum() * x[0],
    lambda x: np.split(selected(x), 2)[1].sum(),
    lambda x: np.array_split(selected(x), 2)[1].prod(),
    lambda x: np.hsplit(selected(x), 3)[1].sum() * x[1],
    lambda x: np.vsplit(M[x > 1.5] * x, 3)[1].prod(),
    lambda x: np.split(np.concatenate([selected(x), x]), 7)[3].sum() * x[0],
    lambda x: np.split(selected(x)[1:], 2)[0].sum() * x[0],
    lambda x: np.split(np.compress(x > 1.5, x), 3)[2].sum() * x[0],
    lambda x: np.split(np.diff(selected(x)), 2)[0][0] * x[0],
    split_in_steps, product_of_parts,
    lambda x: x.sum() * len(range(10**30)),
    lambda x: x[0] * len(range(-10**30, 10**30)),
    lambda x: x[0] * len(range(0, 10**30, 10**29)),
    lambda x: x[0] * len(list(range(10**30))),
    lambda x: x[0] * (x[1] + next(iter(range(10**30)))),
    lambda x: x[0] * next(reversed(range(10**30))),
    lambda x: x[0] * len((1,) * 10**30),
    lambda x: x[0] * sum([1.0] * 10**30),
    lambda x: sum(a * a for a, _ in zip(x, range(10**30))),
    left_early, zipped,
    lambda x: x[Index(1.0)],
    lambda x: x[Index(None)],
    lambda x: x[Index("1")],
    lambda x: x[Index(np.int64(1))],
    lambda x: x[Index(True)] * x[0],
    lambda x: x[Index(5)],
    lambda x: M[Index(1), Index(2.0)] * x[0],
    lambda x: x[Index(1):Index(3)].prod(),
    lambda x: x[Index(1):Index(3.0)].sum(),
    lambda x: [x[0], x[1]][Index(1.0)],
    lambda x: written(x, Index(1)),
    lambda x: written(x, Index(1.0)),
    lambda x: x[(0, 2),].prod(),
    lambda x: x[PLACES,].prod(),
    lambda x: M[(0, 2), (1, 1)].sum() * x[0],
    lambda x: x[((0, 1), (2, 3)),].prod(),
    lambda x: x[(True, False, True, True),].prod(),
    lambda x: written(x, ((0, 2),)),
    lambda x: x[(0.0, 1),].sum(),
    lambda x: x[[0.0, 1.0]].sum(),
    lambda x: x[bisect.bisect_left([1.0, 2.0, 3.0], 2.5)] * x[0],
    lambda x: x[bisect.bisect_left([1.0, 2.0, 3.0], x[0] + 0.5)] * x[1],
    lambda x: x[bisect.bisect_right((1, 2, 3), 2, 0, 3)] * x[1],
    lambda x: x[bisect.bisect_left(["a", "b"], "b")] * x[0],
    lambda x: x[bisect.bisect_left([1.0], 1.0, -1)],
    lambda x: x[bisect.bisect_right(list(x), x[2] - 0.5, 1, 3)] * x[0],
    lambda x: x[bisect.bisect_left([3, 1], 2, key=lambda v: -v)] * x[0],
    bracketed, popped, scheduled,
    lambda x: math.sin(Real(x[0])) * x[1],
    lambda x: math.pow(Real(x[0]), Real(2)) * x[1],
    lambda x: math.hypot(Real(x[0]), 2.0),
    lambda x: math.ldexp(Real(x[0]), 2),
    lambda x: math.dist(x, x * x + 1.0) * x[0],
    lambda x: math.sin(Index(1)) * x[0],
    lambda x: np.int8(2) * x[0],
])
def test_of_an_array(f: Callable[..., Any]) -> None:
    agrees(f, X)


@pytest.mark.parametrize("f", [inserted, pairs_inserted, interpolated, lambda a: 2.0**a, lambda a: 0.5**(a * a)])
def test_of_a_number(f: Callable[..., Any]) -> None:
    agrees(f, 2.25)


@pytest.mark.parametrize(("f", "message"), [
    (lambda x: math.sin(PLAIN) * x[0], "an object of class `Plain` is not supported here"),
    (lambda x: check_grads(np.sin, (x,)) or x[0], "`sct.check_grads` is not supported inside"),
    (lambda x: len(emit(inserted)) * x[0], "`sct.emit` is not supported inside"),
])
def test_what_the_refusal_says(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(SctError) as caught:
        value_and_grad(f)(X[:3] + 1.0)
    assert message in str(caught.value) and __file__ in str(caught.value)


class Plain:
    pass


PLAIN = Plain()


@pytest.mark.parametrize("base", [-1.0, -2.5])
def test_power_that_becomes_complex_in_a_later_call(base: float) -> None:
    for slope in (grad(lambda a: base**a), grad(lambda a, b: b**a), grad(lambda a, b: math.pow(2.0, b) * b**a)):
        args = (base,) if slope.__wrapped__.__code__.co_argcount == 2 else ()
        assert math.isnan(slope(2.0, *args))
        with pytest.raises(SctError, match="SCT102"):
            slope(0.5, *args)


@dataclass
class Doubled:
    a: float
    b: float = 0.0

    def __post_init__(self) -> None:
        self.b = 2.0 * self.a


class Pair:
    def __init__(self, v: Any) -> None:
        self.a, self.b = v, v * v


def test_result_that_only_code_of_the_user_can_make() -> None:
    both = jacobian(lambda x: Pair(x))(3.0)
    assert (both.a, both.b) == (1.0, 6.0)
    doubled = jacobian(lambda x: Doubled(x, 7.0))(3.0)
    assert (doubled.a, doubled.b) == (1.0, 2.0)
    with pytest.raises(SctError, match="a dataclass that runs no code of its own"):
        grad(lambda x: (x, Doubled(x)), has_aux=True)(3.0)


def test_item_that_is_written() -> None:
    def written(x: np.ndarray) -> float:
        rows = [x * 1.0, x * 2.0, x * 3.0]
        total = 0.0
        for row, v in zip(rows, x):
            if v > 1.5:
                row[0] = 2.0
                total += row.sum() * v
        return total + rows[2][0]

    agrees(written, X)
    agrees(written, 2.0 + X)


# -- the axis that the message about an index names -----------------------------------------------------------


def rows_squared(a: np.ndarray, j: int) -> float:
    total = 0.0
    for row in a:
        total += row[j] * row[j]
    return total


def all_squared(a: np.ndarray, n: int, m: int) -> float:
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += a[i][j] * a[i][j]
    return total


def written_row(a: np.ndarray, i: int, j: int) -> float:
    a = a * a
    y = a[i]
    y[j] = 3.0 * y[0]
    y[j - 1] *= y[j]
    return a.sum()


def swept(a: np.ndarray, n: int, m: int) -> float:
    a = a * 1.0
    for i in range(1, n):
        for j in range(1, m):
            a[i][j] += a[i - 1][j - 1] * a[i][j]
    return a[n - 1][m - 1]


def row_in_turned(a: np.ndarray, n: int, i: int, j: int) -> float:
    return a[:n].T[::-1][i][j] ** 2


def row_of_rows(a: np.ndarray, i: int, j: int) -> float:
    return (a[:, :, None] * a)[i][j][i] ** 2 * a[i][j:].sum()


def into_row(a: np.ndarray, i: int, j: int) -> float:
    a = a * 1.0
    np.add.at(a[i], j, 2.0)
    return a[i] @ a[i]


@pytest.mark.parametrize("f", (written_row, row_of_rows, into_row, lambda a, i, j: a[i][j] * a[i, j],
                               lambda a, i, j: a[:, i][j] * a[i][j], all_squared, swept))
@pytest.mark.parametrize("i, j", [(0, 1), (2, -1), (1, 5), (5, 1), (5, 7), (-9, 0), (1, -7), (3, 3)])
def test_the_message_about_an_index_of_a_row_names_the_axis_of_the_row(f: Callable[..., Any], i: int, j: int) -> None:
    agrees(f, M[:3, :3] * 0.1 + 0.2, i, j)


@pytest.mark.parametrize("j", (0, -1, 3, 4, -5))
def test_the_message_about_an_index_of_a_row_that_a_loop_reads_names_its_axis(j: int) -> None:
    agrees(rows_squared, M[:2], j)
    agrees(row_in_turned, M[:2], 2, 0, j)
    agrees(row_in_turned, M[:2], 2, j, 0)


def test_a_read_of_an_element_of_a_row_that_may_raise_is_written_as_the_user_did() -> None:
    derivative = value_and_grad(all_squared)
    derivative(M, 4, 4)
    assert "a_i_j = a[i][j]" in derivative.source
