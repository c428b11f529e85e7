"""Loops over some items of a list whose length is known only at run time: `filter`, `takewhile` and their like."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from oracle import Programs, agrees_in_every_mode

program = Programs()
CALLS = ([1.3, 0.7], 3), ([1.1, 0.9], 20), ([0.4, 0.2], 0)


def levels(x, n):
    return [x[0] * i * 0.21 + x[1] for i in range(n)]


@program(*CALLS)
def filtered(x, n):
    total = 0.0
    for v in filter(lambda v: v > 1.4, levels(x, n)):
        total += v * v
    for v in itertools.filterfalse(lambda v: v > 1.4, levels(x, n)):
        total -= v * x[1]
    for v in filter(None, levels(x, n)):
        total += v
    return total


@program(*CALLS)
def first_ones_and_the_rest(x, n):
    ys, total = levels(x, n), 0.0
    for i, v in enumerate(itertools.takewhile(lambda v: v < 2.0, ys)):
        total += i * v
    for v in itertools.dropwhile(lambda v: v < 2.0, ys):
        total += v ** 2
    return total + x[0]


@program(*CALLS)
def of_one_iterator(x, n):
    it, total = iter(levels(x, n)), 0.0
    for v in itertools.takewhile(lambda v: v < 1.5, it):
        total += v
    for v in it:
        total += v * v
    return total * x[1]


@program(*CALLS)
def collected(x, n):
    ys = levels(x, n)
    low = list(itertools.takewhile(lambda v: v < 2.0, ys))
    high = [v * v for v in itertools.dropwhile(lambda v: v < 2.0, ys)]
    few = tuple(itertools.islice(filter(lambda v: v > x[0], ys), 2))
    return sum(low) * len(high) + sum(high) + sum(few) * x[0] + max(low, default=x[1])


@program(*CALLS)
def left_early(x, n):
    total = x[0]
    for v in filter(lambda v: v > x[1], levels(x, n)):
        if total > 3.0:
            return total * v
        total += v
    return total


@pytest.mark.parametrize(("f", "calls"), [pytest.param(f, calls, id=f.__name__) for f, calls in program])
def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)
