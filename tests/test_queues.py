"""Deques, heaps, sorted lists and choices among candidates: other arguments, and what is raised without items."""

from __future__ import annotations

import heapq
import warnings
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from programs import queues

import sct

X = np.array([1.05, 1.27, 0.5, 0.71, 0.33])
Y = np.array([0.41, 1.2, 0.95])


@pytest.mark.parametrize("name", queues.NAMES)
def test_one_derivative_serves_other_arguments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    f = getattr(queues, name)
    derivative = sct.value_and_grad(f)
    for x in (X, X[::-1].copy(), Y, np.array([0.8, 0.3]), np.linspace(0.2, 1.9, 11)[::-1].copy()):
        agrees(f, x, derivative=derivative)


def popped(x: Any) -> Any:
    heap: list[Any] = []
    for v in x:
        if v > 1.0:
            heapq.heappush(heap, v)
    return heapq.heappop(heap)


def replaced(x: Any) -> Any:
    heap = [v for v in x if v > 1.0]
    return heapq.heapreplace(heap, x[0])


def smallest(x: Any) -> Any:
    return min([(v, v * v) for v in x if v > 1.0], key=lambda t: t[1])[0]


def largest(x: Any) -> Any:
    return max([(v, v * v) for v in x if v > 1.0])[1]


def popped_left(x: Any) -> Any:
    q: deque[Any] = deque(maxlen=3)
    for v in x:
        if v > 1.0:
            q.append(v)
    return q.popleft() * q[-1]


def first(x: Any) -> Any:
    q = deque([v for v in x if v > 1.0])
    return q[0] * x[0]


def negative(x: Any) -> Any:
    q: deque[Any] = deque(maxlen=len(x) - 4)
    q.append(x[0])
    return sum(q) * x[0]


@pytest.mark.parametrize("f", [popped, replaced, smallest, largest, popped_left, first, negative])
def test_of_no_items(f: Callable[..., Any]) -> None:
    derivative = sct.value_and_grad(f)
    for x in (X, Y * 0.1, Y):
        agrees(f, x, derivative=derivative)


def test_a_choice_is_an_index() -> None:
    g = sct.grad(queues.best_and_worst)
    g(X)
    assert "ms_1[best]" in g.source or "ms_0[best]" in g.source


def test_the_functions_of_heaps_stand_once() -> None:
    derivative = sct.grad(queues.huffman)
    derivative(X)
    for name in ("_sift_down", "_sift_up", "heappop", "heappush"):
        assert derivative.source.count(f"def {name}_forward(") == 1
    assert derivative.source.count("while child < end:") == 1


def windowed(x: Any) -> deque[Any]:
    q: deque[Any] = deque(maxlen=3)
    for v in x:
        q.append(v * v)
    return q


def returned(x: Any) -> Any:
    return windowed(x)


def compared(x: Any) -> Any:
    return x[0] if windowed(x) == windowed(x[:2]) else 2.0 * x[0]


def added(x: Any) -> Any:
    return (windowed(x) + windowed(x))[0]


def told(x: Any) -> Any:
    print(windowed(x))
    return x[0]


def grown(x: Any) -> Any:
    q = windowed(x)
    for v in q:
        if v > 100.0:
            q.append(v)
    return sum(q)


@pytest.mark.parametrize(("f", "code"), [
    (returned, "SCT503"), (compared, "SCT203"), (added, "SCT207"), (told, "SCT207"), (grown, "SCT306")])
def test_what_a_list_does_otherwise_is_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, X, code=code)


def sliced(x: Any) -> Any:
    return windowed(x)[1:][0]  # type: ignore[index]


def its_class(x: Any) -> Any:
    q = windowed(x)
    return (x[0] if isinstance(q, list) else x[1]) * (2.0 if isinstance(q, deque) and type(q) is deque else 3.0)


def named_twice(x: Any) -> Any:
    q = windowed(x)
    other = q
    other.append(x[0])
    kept = q if x[0] > 1.0 else deque([1.0, x[0]])
    return sum(q) + kept[0] * other[-1]


@pytest.mark.parametrize("f", [sliced, its_class, named_twice])
def test_a_deque_is_no_list(f: Callable[..., Any]) -> None:
    derivative = sct.value_and_grad(f)
    for x in (X, Y, X * 0.3):
        agrees(f, x, derivative=derivative)


def test_a_deque_is_emitted_as_a_list() -> None:
    g = sct.grad(queues.moving_average)
    g(X)
    assert "window.append(v)" in g.source and "deque" not in g.source


def test_comparisons_that_the_user_has_not_written_warn_of_nothing() -> None:
    """Tuples are compared item by item; the warning about equality names lines of the user alone."""
    def least(x: Any, n: int) -> Any:
        queue: list[Any] = []
        for i in range(n):
            heapq.heappush(queue, (x * i, i))
        return min([(x * i, i) for i in range(1, n)])[0] + heapq.heappop(queue)[0] + heapq.heappop(queue)[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sct.grad(least)(1.5, 6) == 2.0
