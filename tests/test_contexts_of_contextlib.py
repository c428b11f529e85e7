"""Contexts whose classes inherit from those of `contextlib`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from sct import value_and_grad
from tests.oracle import same_value


class Counter(contextlib.AbstractContextManager):
    def __init__(self):
        self.n = 0

    def __exit__(self, *exception):
        self.n += 1


class Swallow(contextlib.AbstractContextManager):
    def __exit__(self, kind, error, trace):
        return kind is ValueError


class Doubled(contextlib.AbstractContextManager):
    def __init__(self, a):
        self.a = a

    def __enter__(self):
        self.a = self.a * 2
        return self

    def __exit__(self, *exception):
        self.a = self.a / 2


class Decorating(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


def counted(x):
    c = Counter()
    for _ in range(2):
        with c as same:
            y = x * x
    return y * same.n * c.n


def swallowed(x):
    y = x
    with Swallow():
        y = x * x
        if x > 1:
            raise ValueError
        y = 2 * x
    return y


def restored(x):
    r = Doubled(x)
    with r as q:
        y = q.a * x
    return y * r.a


def of_several(x):
    with Swallow(), Counter() as c, Decorating():
        y = x**3
    return y * c.n


@pytest.mark.parametrize("f", [counted, swallowed, restored, of_several])
def test_values_and_gradients(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for x in (1.3, 0.3):
        value, slope = derivative(x)
        assert same_value(value, f(x))
        assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-7)
