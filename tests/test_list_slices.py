"""Parts of lists that are written and deleted: `xs[i:j] = ys`, `del xs[i:j]`, `xs[:] = ys`, at any positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import grad

XS = [0.3, -0.2, 0.5, 0.7, -1.1, 0.4, 0.9]
POSITIONS = [0, 1, 3, 7, 30, -1, -3, -30]


def weighted(xs: Any) -> Any:
    return sum((k + 1) * v * v for k, v in enumerate(xs)) + len(xs)


def replaced_from(x: Any, xs: Any, k: Any) -> Any:
    ys = [v * x for v in xs]
    ys[k:] = [x * x, x, ys[0]]
    return weighted(ys)


def replaced_to(x: Any, xs: Any, k: Any) -> Any:
    ys = [v * x for v in xs]
    ys[:k] = (v ** 2 * x for v in ys)
    return weighted(ys)


def replaced_within(x: Any, xs: Any, k: Any) -> Any:
    ys = [v * x for v in xs]
    ys[k:4] = ys[2:] + [x]  # also where 4 is before `k`
    ys[k:k] = [ys[-1] * x]
    return weighted(ys)


def deleted(x: Any, xs: Any, k: Any) -> Any:
    ys, zs = [v * x for v in xs], [x + v for v in xs]
    del ys[k:], zs[:k]
    tail = [v * x for v in xs]
    del tail[k:k + 2]
    return weighted(ys) + weighted(zs) * weighted(tail)


def augmented(x: Any, xs: Any, k: Any) -> Any:
    ys = [v * x for v in xs]
    ys[k:] += [x, x ** 3]
    return weighted(ys)


@pytest.mark.parametrize("f", [replaced_from, replaced_to, replaced_within, deleted, augmented],
                         ids=lambda f: f.__name__)
def test_positions(f: Callable[..., Any]) -> None:
    """From either end, behind the ends, and in the wrong order."""
    for k in POSITIONS:
        agrees(f, 0.7, XS, k)
    agrees_in_second_order(f, 0.7, XS, 2)


class Window:
    def __init__(self, size: int) -> None:
        self.size, self.values = size, []  # type: ignore[var-annotated]

    def push(self, v: Any) -> Any:
        self.values.append(v)
        if len(self.values) > self.size:
            del self.values[:-self.size]
        return sum(self.values) / len(self.values)


def window(x: Any, xs: Any) -> Any:
    w = Window(3)
    return sum(w.push(v * x) ** 2 for v in xs)


def backtracking(x: Any, xs: Any) -> Any:
    path, total = [], 0.0
    for v in xs:
        path.append(v * x)
        if v < 0.0:
            del path[max(len(path) - 2, 0):]
        total += sum(path) ** 2
    return total


def two_opt(x: Any, xs: Any) -> Any:
    tour = [v * x * x for v in xs]
    for i in range(1, len(tour) - 2):
        for j in range(i + 1, len(tour) - 1):
            now = abs(tour[i - 1] - tour[i]) + abs(tour[j] - tour[j + 1])
            if abs(tour[i - 1] - tour[j]) + abs(tour[i] - tour[j + 1]) < now - 1e-9:
                tour[i:j + 1] = tour[i:j + 1][::-1]
    return sum((tour[k] - tour[k - 1]) ** 2 for k in range(1, len(tour)))


def postfix(x: Any, xs: Any) -> Any:
    stack = []
    for v in xs:
        stack.append(v * x)
        if len(stack) >= 3:
            a, b, c = stack[-3:]
            stack[-3:] = [a * b + c]
    return sum(stack)


def rescale(ys: Any) -> None:
    total = sum(ys)
    ys[:] = [v / total for v in ys]


def whole(x: Any, xs: Any) -> Any:
    ys = [v + x for v in xs]
    zs = ys
    rescale(ys)
    other = [v * x for v in zs]
    zs[:] = other
    other[0] = 10.0  # `zs` has items of its own
    other.append(x)
    return weighted(ys) + sum(other)


def alive(x: Any, xs: Any) -> Any:
    ys, total = list(xs), 0.0
    while ys:
        ys[:] = [0.5 * v * x - 0.1 for v in ys if v > 0.0437]
        total += sum(ys)
        if len(ys) < 3:
            break
    return total


def in_steps(x: Any, xs: Any) -> Any:
    ys = [v * x for v in xs]
    ys[::2] = [v * x for v in ys[::2]]
    ys[::-1] = ys[:]
    ys[1::1] = [v * v for v in ys if v > 0.0]
    return weighted(ys)


def drained(x: Any, xs: Any) -> Any:
    ys, total = [v * x for v in xs], 0.0
    while ys:
        head = ys[:3]
        del ys[:3]
        total += sum(head) ** 2
    return total


def rows(x: Any, xs: Any) -> Any:
    table = [[v * x * k for k in range(5)] for v in xs]
    for row in table:
        row[2:] = [row[0], row[3] * x]
        del row[:1]
    table[1:3] = [[x, x * x]]
    del table[-1:]
    table[0][1:1] = [x]
    return sum(weighted(row) for row in table)


def records(x: Any, xs: Any) -> Any:
    pairs = [(v * x, k) for k, v in enumerate(xs)]
    pairs[2:4] = [(x, 3), (x * x, 1), (xs[0], 2)]
    del pairs[:1]
    bodies = [{"x": v * x} for v in xs]
    bodies[3:] = [{"x": x ** 3}]
    for body in bodies:
        body["x"] *= x
    return sum(v * v * k for v, k in pairs) + sum(body["x"] for body in bodies)


def arrays(x: Any, xs: Any) -> Any:
    recent, total = [], 0.0
    for v in xs:
        recent.append(np.array([v, v * x]))
        if len(recent) > 3:
            del recent[:1]
        recent[1:2] = [recent[0] * x]
        total += np.sum(recent[0] * recent[-1])
    return total


def from_an_array(x: Any, xs: Any) -> Any:
    ys: Any = [0] * len(xs)
    ys[:3] = np.array(xs)[:3] * x
    return weighted(ys)


def few_become_many(x: Any, xs: Any) -> Any:
    ys = [x, x * x, 1.0]
    ys[1:] = [v * x for v in xs if v > 0.0]
    return weighted(ys)


def in_a_branch(x: Any, xs: Any) -> Any:
    ys = [v * x for v in xs]
    if ys[0] > 0.2:
        ys[:2] = [x]
    else:
        del ys[1:]
    return weighted(ys)


def in_a_try(x: Any, xs: Any) -> Any:
    ys = [v * x for v in xs]
    try:
        del ys[:2]
        ys[:1] = [x / (len(ys) - 5)]
    except ZeroDivisionError:
        ys.append(x)
    return weighted(ys)


PROGRAMS = [window, backtracking, two_opt, postfix, whole, alive, in_steps, drained, rows, records, arrays,
            from_an_array, few_become_many, in_a_branch, in_a_try]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for x in (0.7, 1.3, 0.6):
        agrees(f, x, XS)
        agrees(f, x, XS + XS[:4])
    agrees_in_second_order(f, 0.7, XS)


def squared_window(xs: Any, k: Any) -> Any:
    recent, total = [], 0.0
    for v in xs:
        recent.append(v)
        if len(recent) > k:
            del recent[:-k]
        total += sum(recent) ** 2
    return total


def test_lengths_are_on_the_tape_in_place_of_lists() -> None:
    derivative = grad(squared_window)
    agrees(squared_window, XS, 3)
    derivative(XS, 3)
    source = derivative.source
    assert "list(recent)" not in source and "del recent[:-k]" in source
    assert "drecent[0:0] = [0.0] * (len_recent - len(drecent))" in source


def test_a_list_that_a_loop_runs_over_keeps_its_length() -> None:
    def f(xs: Any, k: Any) -> Any:
        ys = list(xs)
        for v in ys:
            if v > 0.5:
                del ys[k:]
        return sum(ys)

    refuses(f, XS, 3, code="SCT306")


def test_python_raises() -> None:
    def f(xs: Any, k: Any) -> Any:
        ys = list(xs)
        ys[::2] = ys[:k]
        return sum(ys)

    agrees(f, XS, 3)
