"""Heaps, sorted lists and choices among candidates: other arguments, and what is raised where there are none."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees
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


@pytest.mark.parametrize("f", [popped, replaced, smallest, largest])
def test_of_no_items(f: Callable[..., Any]) -> None:
    derivative = sct.value_and_grad(f)
    for x in (X, Y * 0.1, Y):
        agrees(f, x, derivative=derivative)


def test_a_choice_is_an_index() -> None:
    g = sct.grad(queues.best_and_worst)
    g(X)
    assert "ms_1[best]" in g.source or "ms_0[best]" in g.source
