"""Objects that are iterators themselves: `__next__` of a user's class, wherever items are taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_every_mode

from sct import SctError, grad, value_and_grad


class Countdown:
    def __init__(self, x: Any, n: int) -> None:
        self.x, self.n = x, n

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 0.9
        return self.x


class Fibonacci:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        v = self.a
        self.a, self.b = self.b, self.a + self.b
        return v


class Grid:
    def __init__(self, x: Any, n: int) -> None:
        self.x, self.n = x, n

    def __iter__(self) -> Any:
        return _OfGrid(self)


class _OfGrid:
    def __init__(self, grid: Grid) -> None:
        self.grid, self.k = grid, 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.k >= self.grid.n:
            raise StopIteration
        self.k += 1
        return self.grid.x * self.k


class Batches:
    def __init__(self, data: Any, size: int) -> None:
        self.data, self.size, self.at = data, size, 0

    def __iter__(self) -> Any:
        self.at = 0
        return self

    def __next__(self) -> Any:
        if self.at >= len(self.data):
            raise StopIteration
        batch = self.data[self.at:self.at + self.size]
        self.at += self.size
        return batch


def in_comprehensions(x: Any, n: int) -> Any:
    return sum([v * v for v in Countdown(x, n)]) + sum(v * v for v in Grid(x, n) if v > 1.0)


def by_functions(x: Any, n: int) -> Any:
    numbers = list(Grid(x, n))
    return sum(Countdown(x, n)) * max(Countdown(x, n)) + np.array(numbers).sum() + sum(map(math.sin, Grid(x, n)))


def enumerated(x: Any, n: int) -> Any:
    s = 0.0
    for i, v in enumerate(Countdown(x, n), 1):
        s += v ** i
    for i, v in enumerate(Grid(x, n)):
        if i == 2:
            break
        s += i * v * v
    return s


def zipped(x: Any, n: int) -> Any:
    s, weights = 0.0, np.linspace(0.5, 1.5, 4)
    for k, v in zip(range(1, 4), Countdown(x, n)):
        s += k * v * v
    for v, w in zip(Grid(x, n), weights):
        s += v * w * x
    for w, v in zip((2.0, 3.0, 4.0), Grid(x, n)):
        s += v * w * v
    return s


def sliced(x: Any, n: int) -> Any:
    s = sum(islice(Fibonacci(x, 1.0), n)) + sum(takewhile(lambda v: v < 20.0, Fibonacci(x, x)))
    for v in islice(Fibonacci(x, x * x), n):
        s += v * v
    return s


def taken_by_next(x: Any, n: int) -> Any:
    it = Fibonacci(x, x * x)
    s = next(it) * next(it)
    for _ in range(n):
        s += next(it)
    return s * it.a


def with_a_default(x: Any, n: int) -> Any:
    it, s = Countdown(x, n), 0.0
    v = next(it, None)
    while v is not None:
        s += v * v
        v = next(it, None)
    return s + next(it, x)


def until_it_raises(x: Any, n: int) -> Any:
    it, s = iter(Grid(x, n)), 0.0
    while True:
        try:
            s += next(it) ** 2
        except StopIteration:
            break
    return s * it.k


def in_parts(x: Any, n: int) -> Any:
    it, s = Grid(x, n + 5), 0.0
    parts = iter(it)
    for v in parts:
        if v > 2.0 * x:
            break
        s += v
    return s + sum(v * v for v in parts)


def with_else(x: Any, n: int) -> Any:
    s = 0.0
    for v in Countdown(x, n):
        if v < 0.3:
            break
        s += v
    else:
        s = s * x
    return s


def unpacked(x: Any, n: int) -> Any:
    a, b, c = Countdown(x, 3)
    return a * b * c + max(*Grid(x, 3)) * n


def in_batches(x: Any, n: int) -> Any:
    batches, s = Batches(np.arange(8.0), n), 0.0
    for _ in range(2):
        for k, batch in enumerate(batches):
            s += np.sum(batch * x) ** 2 * k
    return s


CALLS = [([0.9], 5), ([0.7], 3), ([1.3], 8)]


@pytest.mark.parametrize("f", [
    in_comprehensions, by_functions, enumerated, zipped, sliced, taken_by_next, with_a_default, until_it_raises,
    in_parts, with_else, unpacked, in_batches], ids=lambda f: f.__name__)
def test_items_are_taken_wherever_python_takes_them(f: Callable[..., Any]) -> None:
    agrees_in_every_mode(lambda x, n: f(x[0], n), CALLS)


def first_two(x: Any, n: int) -> Any:
    it = Countdown(x, n)
    return next(it) * next(it)


def caught_in_a_generator(x: Any, n: int) -> Any:
    def items(it: Any) -> Any:
        for _ in range(5):
            try:
                v = next(it)
            except StopIteration:
                return
            yield v * v

    return sum(items(iter([x, x * x, 2.0 * x][:n])))


def left_by_a_generator(x: Any, n: int) -> Any:
    def items(it: Any) -> Any:
        while True:
            try:
                v = next(it)
            except ValueError:
                return
            yield v

    return sum(items(Countdown(x, n)))


@pytest.mark.parametrize("f", [first_two, caught_in_a_generator, left_by_a_generator], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_the_end_is_raised_as_in_python(f: Callable[..., Any], n: int) -> None:
    agrees(f, 0.9, n)


def strict(x: Any, weights: Any) -> Any:
    def items() -> Any:
        for k in range(3):
            yield x * k

    return sum(v * w for v, w in zip(items(), weights, strict=True))


def test_a_strict_zip_of_a_generator_raises_where_the_lengths_differ() -> None:
    for weights in (np.ones(3), np.ones(2), np.ones(4)):
        agrees(strict, 0.5, weights)


def test_a_zip_of_two_says_what_to_write() -> None:
    def refused(x: Any, n: int) -> Any:
        return sum(a * b for a, b in zip(Countdown(x, n), Grid(x, n)))

    def followed(x: Any, n: int) -> Any:
        return sum(a * b for a, b in zip(list(Countdown(x, n)), list(Grid(x, n))))

    with pytest.raises(SctError) as caught:
        grad(refused)(0.9, 5)
    assert caught.value.hint == "loop over it alone, or make a list of its items: `list(...)`"
    assert value_and_grad(followed)(0.9, 5)[0] == refused(0.9, 5)
    agrees_in_every_mode(lambda x, n: followed(x[0], n), CALLS)
