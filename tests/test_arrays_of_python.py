"""Arrays that code of the user returns, and that a later call of it writes to: they are what they are in Python where
they are read, forwards and backwards.

The code runs as it is, since it writes to what is not a local variable of the differentiated function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same_value

import sct

BUFFER, MATRIX, MASK, ORDER = np.zeros(2), np.eye(2), np.zeros(2, bool), np.arange(2)


def filled(k: int) -> Any:
    BUFFER[:] = np.array([1.0, -0.5]) * (k + 1)
    return BUFFER


def rotation(k: int) -> Any:
    MATRIX[0, 1] = 0.1 * k
    MATRIX[1, 0] = -0.1 * k
    return MATRIX


def mask(k: int) -> Any:
    MASK[:] = False
    MASK[k % 2] = True
    return MASK


def order(k: int) -> Any:
    ORDER[:] = np.roll(ORDER, k)
    return ORDER


class Environment:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.seen = np.zeros(2)

    def step(self, k: int) -> Any:
        self.seen += self.rng.normal(size=2) * (k + 1)
        return self.seen, float(self.seen.sum())


ENVIRONMENT = Environment()


def restore() -> None:
    BUFFER[:], MATRIX[:], MASK[:], ORDER[:] = 0.0, np.eye(2), False, np.arange(2)
    ENVIRONMENT.__init__()  # type: ignore[misc]


def read_in_a_loop(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        total += np.tanh(x @ filled(k))
    return total


def read_before_and_behind(x: Any, n: int) -> Any:
    first = filled(n)
    total = (first * x).sum()
    second = filled(n + 3)
    return total + (first * x).sum() * (second[0] * x[0])


def powers(x: Any, n: int) -> Any:
    a = filled(n)
    y = a * x
    filled(n + 1)
    return (y * y * a).sum()


def of_matrices(x: Any, n: int) -> Any:
    for k in range(n):
        x = np.tanh(rotation(k) @ x)
    return (x * x).sum()


def of_masks(x: Any, n: int) -> Any:
    s = x * 1.0
    for k in range(n):
        s = np.where(mask(k), s * x, s + 1)
    return s.sum()


def of_orders(x: Any, n: int) -> Any:
    s = x
    for _ in range(n):
        s = s[order(1)] * x
    return s @ np.array([1.0, 2.0])


def an_item(x: Any, n: int) -> Any:
    a = filled(n)
    total = x[0] * a[0]
    for k in range(n):
        filled(k)
        total += np.sin(x[1] * a[1]) * a[-1]
    return total


def a_part(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        tail = filled(k)[::-1]
        filled(k + 1)
        total += np.tanh(x @ tail)
    return total


def steps_of_an_environment(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        seen, reward = ENVIRONMENT.step(k)
        total += np.tanh(x @ seen) * reward
    return total


def the_one_before(x: Any, n: int) -> Any:
    total, before = 0.0, filled(1)
    for k in range(n):
        seen = filled(k)
        total += np.tanh(x @ (seen - 0.5 * before))
        before = seen
    return total


PROGRAMS: list[Callable[[Any, int], Any]] = [
    read_in_a_loop, read_before_and_behind, powers, of_matrices, of_masks, of_orders, an_item, a_part,
    steps_of_an_environment, the_one_before]


def plain(f: Callable[[Any, int], Any], x: Any, n: int) -> Any:
    restore()
    return f(x, n)


@pytest.mark.parametrize("f", PROGRAMS)
def test_an_array_that_a_later_call_writes(f: Callable[[Any, int], Any]) -> None:
    x, v, h = np.array([0.6, -0.3]), np.array([0.4, 0.9]), 1e-5
    derivative = sct.value_and_grad(f)
    gradient = sct.grad(f)

    def gradient_at(y: Any, n: int) -> Any:
        restore()
        return gradient(y, n)

    for n in (1, 0, 3):
        restore()
        value, slope = derivative(x, n)
        assert same_value(value, plain(f, x, n))
        differences = [(plain(f, x + h * e, n) - plain(f, x - h * e, n)) / (2 * h) for e in np.eye(2)]
        np.testing.assert_allclose(slope, differences, rtol=1e-6, atol=1e-8)
        restore()
        change = sct.jvp(f, (x, n), (v, None))[1]
        np.testing.assert_allclose(change, slope @ v, rtol=1e-10, atol=1e-12)
        restore()
        product = sct.hvp(f, (x, n), (v,))
        second = (gradient_at(x + h * v, n) - gradient_at(x - h * v, n)) / (2 * h)
        np.testing.assert_allclose(product, second, rtol=1e-5, atol=1e-7)


def test_an_array_that_nothing_writes_is_not_copied() -> None:
    def f(x: Any, n: int) -> Any:
        a = filled(n)
        return (a * x).sum() * a[0]

    derivative = sct.grad(f)
    derivative(np.array([0.6, -0.3]), 2)
    assert "np.copy" not in derivative.source


POOL = [np.ones(2), np.zeros(2)]


def pool(k: int) -> Any:
    POOL[0][1] += k
    return POOL


@pytest.mark.parametrize("unpacked", [True, False])
def test_arrays_in_a_list_that_a_later_call_writes(unpacked: bool) -> None:
    def by_loop(x: Any) -> Any:
        total = 0.0
        for a in pool(1):
            total += (a * x * x).sum()
        pool(2)
        return total

    def by_names(x: Any) -> Any:
        a, b = pool(1)
        y = a * x * x
        pool(2)
        return (b * x).sum() + y.sum()

    f, x = by_names if unpacked else by_loop, np.array([0.6, -0.3])
    POOL[:] = [np.ones(2), np.zeros(2)]
    value = f(x)
    POOL[:] = [np.ones(2), np.zeros(2)]
    derived, slope = sct.value_and_grad(f)(x)
    assert same_value(derived, value)
    np.testing.assert_allclose(slope, 2 * x * np.array([1.0, 2.0]))


def test_arrays_that_a_call_in_a_try_writes() -> None:
    def before(x: Any) -> Any:
        a = pool(1)[0]
        y = a * x
        try:
            pool(2)
        except IndexError:
            y = y * 2
        return (y * y).sum()

    def inside(x: Any) -> Any:
        try:
            a = pool(1)[0]
            y = a * x
        except IndexError:
            y = x
        pool(2)
        return y.sum()

    x = np.array([0.6, -0.3])
    for f, expected in ((before, 2 * np.array([1.0, 4.0]) * x), (inside, np.array([1.0, 2.0]))):
        POOL[:] = [np.ones(2), np.zeros(2)]
        np.testing.assert_allclose(sct.grad(f)(x), expected)


LOG = [1]


def logged(k: int) -> list[int]:
    LOG.append(k + len(LOG))
    return LOG


def test_a_loop_over_a_list_that_a_call_in_it_lengthens_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python gives the new items, too; the derivative takes the items when the loop begins."""
    def f(x: float, n: int) -> float:
        items = logged(1)
        total = 0.0
        for v in items:
            total += v * x
            if len(items) < n:
                logged(v)
        return total

    LOG[:] = [1]
    monkeypatch.setenv("SCT_VALIDATE", "0")
    with pytest.raises(sct.SctError, match="must not change in the loop") as caught:
        sct.value_and_grad(f)(2.0, 5)
    assert caught.value.hint == "run over a copy: `list(...)`"
