"""Tuples are ordered by their first items that differ: items that are None on both sides are not compared by `<`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from oracle import agrees_in_every_mode

X = np.array([0.7, 1.3])


@dataclass
class Point:
    at: float
    weight: float | None = None


def numbers(x, ls):
    ordered = sorted(ls, key=lambda v: (v is None, v))
    return sum(x[0] * i * (2.0 if v is None else v) for i, v in enumerate(ordered)) + x[1] ** 2


def without_key(x, ls):
    try:
        return len(sorted(ls)) * x[0] ** 2
    except TypeError as e:
        return len(str(e)) * x[1] ** 2


def objects(x, ls):
    ordered = sorted(ls, key=lambda p: (p.weight is None, p.weight))
    heaviest = max(ls, key=lambda p: (p.weight is not None, p.weight))
    return sum(x[0] ** 2 * i * p.at for i, p in enumerate(ordered)) + heaviest.at * x[1]


def tuples(x, n):
    rows = [(None, i % 2, x[0] * i) for i in range(n)]
    return sorted(rows)[-1][2] ** 2 + min(rows)[2] + max(rows)[2] + x[1] * ((None, 1) < (None, n))


LISTS = [None, None], [None, 1.0, None], [None] * 7, [1.0, 2.0], [None]
POINTS = [Point(1.0), Point(2.0)], [Point(1.0)] * 3, [Point(2.0, 3.0), Point(1.0)], [Point(1.0)]


@pytest.mark.parametrize("f, calls", [(numbers, LISTS), (without_key, LISTS), (objects, POINTS), (tuples, (3, 1))])
def test_as_in_python(f, calls):
    agrees_in_every_mode(f, [(X, v) for v in calls])
