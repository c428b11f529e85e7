"""Lists that begin as `[None] * n` and are filled: tables of dynamic programming, caches, histories, layers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import SctError, grad, value_and_grad

X = np.array([0.3, 0.7])
W = np.array([[0.1, 0.2], [0.3, -0.4]])


def numbers(x: Any, n: int) -> Any:
    xs = [None] * n
    xs[0] = x[0]
    for i in range(1, n):
        xs[i] = xs[i - 1] * x[1] + max(xs[:i])
    return sum(xs) + np.sum(np.array(xs) ** 2)


def layers(x: Any, n: int) -> Any:
    h = [None] * (n + 1)
    h[0] = x
    for i in range(n):
        h[i + 1] = np.tanh(W @ h[i] + x)
    return h[n] @ h[n - 1]


def backwards(x: Any, n: int) -> Any:
    values = [None] * (n + 1)
    values[n] = np.maximum(x - 0.5, 0.0)
    for i in range(n - 1, -1, -1):
        values[i] = 0.9 * values[i + 1] + x
    return np.sum(values[0])


def memo(x: Any, n: int) -> Any:
    known = [None] * (n + 1)

    def fib(k: int) -> Any:
        if k < 2:
            return x[k]
        if known[k] is None:
            known[k] = fib(k - 1) * 0.5 + fib(k - 2)
        return known[k]

    return fib(n)


def table(x: Any, n: int) -> Any:
    t = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            t[i][j] = x[0] + i * j if i == 0 or j == 0 else t[i - 1][j] + t[i][j - 1] * x[1]
    return t[n - 1][n - 1]


def filled_on_a_path(x: Any, n: int) -> Any:
    xs = [None] * n
    for i in range(n):
        if x[0] * i > 0.5:
            xs[i] = np.sin(x) * i
        if i > 3:
            xs[i - 2] = None
    return sum(np.sum(v ** 2) for v in xs if v is not None)


def history(x: Any, n: int) -> Any:
    ring = [None] * 3
    y = x * 1.0
    for i in range(n):
        ring[i % 3] = y
        y = y + 0.1 * np.sin(y) if i < 2 else y + 0.1 * (ring[i % 3] - ring[(i - 1) % 3] + ring[(i - 2) % 3] * x)
    return np.sum(y)


def one_array_many_times(x: Any, n: int) -> Any:
    xs = [None] * n
    for i in range(n):
        xs[i] = x
    total = 0.0
    for i in range(n):
        total += xs[i] @ xs[0] + xs[(i + 1) % n] @ xs[i // 2]
    return total


def looked_for(x: Any, n: int) -> Any:
    xs = [None] * n
    xs[1] = x[0]
    return xs.count(None) * x[1] + (len(xs) if None in xs else 0) * xs[1] + xs.index(None)


def aliases_and_copies(x: Any, n: int) -> Any:
    xs = [None] * n
    same, copy = xs, list(xs)
    for i in range(n):
        same[i] = x[0] * i
    part = xs[:]
    part[0] = x[1]
    return sum(xs) + sum(part) + (1.0 if copy[0] is None else x[1])


def chosen_arrays(x: Any, n: int) -> Any:
    xs = [None if i % 2 else x * i for i in range(n)]
    xs.insert(0, None if n % 2 else x)
    xs.extend([x, 2.0 * x])
    rows = [(None if i % 2 else x + i, i) for i in range(n)]
    total = 0.0
    for v, i in rows:
        if v is None:
            continue
        total += np.sum(v) * i
    return total + sum(np.sum(v ** 2) for v in xs if v is not None)


def chosen_numbers(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        xs.append(None if i % 2 else x[0] * i)
    return sum(v for v in xs if v is not None) + sum((v or x[1]) for v in xs[1:])


def drained(x: Any, n: int) -> Any:
    queue = deque(maxlen=3)
    for i in range(n):
        queue.append(None if i % 2 else x * i)
    total = 0.0
    while queue:
        v = queue.popleft()
        if v is not None:
            total += np.sum(v ** 2)
    return total


def best_so_far(x: Any, n: int) -> Any:
    best, xs = None, []
    for i in range(n):
        if x[0] * i > 0.5:
            best = x * i
        xs.append(best)
    return sum(np.sum(v ** 2) for v in xs if v is not None)


def shortest_path(x: Any, n: int) -> Any:
    before, distance = [None] * n, [1e9] * n
    distance[0] = 0.0
    for _ in range(n):
        for i in range(n - 1):
            if distance[i] + x[i % 2] < distance[i + 1]:
                distance[i + 1] = distance[i] + x[i % 2]
                before[i + 1] = i
    steps, at = 0, n - 1
    while at is not None:
        steps, at = steps + 1, before[at]
    return distance[n - 1] * steps


PROGRAMS = [chosen_arrays, chosen_numbers, drained, best_so_far, shortest_path, numbers, layers, backwards, memo, table,
            filled_on_a_path, history, one_array_many_times, looked_for, aliases_and_copies]


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (3, 5):
        agrees(f, X, n)
        agrees_in_second_order(f, X, n)


def left_empty(x: Any, n: int) -> Any:
    xs = [None] * n
    for i in range(n - 1):
        xs[i] = x[0] * i
    return sum(xs)


def test_none_in_a_sum_raises_as_in_python() -> None:
    agrees(left_empty, X, 4)


def test_the_first_layer_is_the_last() -> None:
    x = X.copy()
    np.testing.assert_allclose(grad(layers)(x, 0), 2.0 * X)
    np.testing.assert_array_equal(x, X)


def at_the_place(x: Any, n: int) -> Any:
    before, best = [None] * n, None
    for i in range(1, n):
        before[i] = i - 1
        if x[i % 2] > 0.5:
            best = i % 2
    total = x[best] ** 2
    for i in range(n):
        if before[i] is not None:
            total += x[before[i] % 2] * i
    return total


def at_no_place(x: Any, n: int) -> Any:
    before = [None] * n
    before[0] = 1
    return np.sum(x[before[n - 1]] * x)


def test_none_as_an_index_is_a_new_axis_to_numpy_and_raises_here() -> None:
    agrees(at_the_place, X, 4)
    for derivative in (grad(at_no_place), value_and_grad(at_no_place)):
        derivative(X, 1)
        with pytest.raises(SctError, match="an index must be an int, not None"):
            derivative(X, 3)


def clipped(x: Any, n: int) -> Any:
    low = None
    for i in range(n):
        if x[i % 2] > 0.6:
            low = x[i % 2] * 0.5
    return np.sum(np.clip(x, low, None) ** 2)


def averaged(x: Any, n: int) -> Any:
    weights = x * x if n > 2 else None
    return np.average(x, weights=weights)


def test_an_argument_that_may_be_left_out_is_checked_where_it_may_be_none() -> None:
    for f, others in ((clipped, (X * 0.5, 2)), (averaged, (X, 1))):
        agrees(f, X, 4)
        derivative = grad(f)
        derivative(X, 4)
        with pytest.raises((SctError, TypeError), match="must be a number or an array, not None"):
            derivative(*others)


def added(x: Any, n: int) -> Any:
    xs = [None] * n
    for k in range(n - 1):
        xs[k] = x[k % 2]
    s = 0.0
    for v in xs:
        s = s + v
    return s


def updated(x: Any, n: int) -> Any:
    s = None
    for k in range(n):
        if x[k] > 5.0:
            s = x[k]
    s *= x[0]
    return s


@pytest.mark.parametrize("f", [added, updated])
def test_an_operator_raises_for_none_whether_it_is_written_as_an_update_or_not(f: Any) -> None:
    agrees(f, X, 2)
