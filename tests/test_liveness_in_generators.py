"""What a generator expression reads for its later items is live while it makes the first ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import value_and_grad
from tests.oracle import same_value


def summed(x):
    a = np.ones(3)
    s = sum(1.0 if a.sum() < 0.6 else x for v in (1, 2))
    return s * x + a[1]


def largest(x):
    a = np.ones(3) * x
    b = x * x
    return max((1.0 if a.sum() < 0.6 else b * v) for v in (1, 2))


def nested(x):
    a, b = np.ones(3) * x, x * x
    return sum(sum((1.0 if a.sum() < 0.6 else b * v * w) for w in (1, x)) if b < 9 else x for v in (1, 2))


def two_loops(x):
    a, b = np.ones(3) * x, x * x
    return sum((1.0 if a.sum() < 0.6 else b * v * w)
               for v in (1, 2) for w in ((x if a[0] < 2 else b), (b if x < 2 else a[1])))


def taken_one_by_one(x):
    a, b = np.ones(3) * x, x * x
    items = ((1.0 if a.sum() < 0.6 else b * v) for v in (1, 2))
    first = next(items)
    doubled = first * 2 if first < 3 else first
    return doubled + next(items)


def all_small(x):
    a, b = np.ones(3) * x, x * x
    return x if all((x < 1 if a.sum() < 0.6 else b * v < 3) for v in (1, 2, 3)) else 2 * x


@pytest.mark.parametrize("f", [summed, largest, nested, two_loops, taken_one_by_one, all_small])
def test_gradients(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for x in (1.3, 0.1, -2.0):
        value, slope = derivative(x)
        assert same_value(value, f(x))
        assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6, abs=1e-9)
