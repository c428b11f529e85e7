"""How loops end: by their test or their items, a `break`, a `continue` or a `return`; and their `else`.

The test of a `while` may write: then it is a part of the body.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees

Program = Callable[..., Any]
EXACT: list[Program] = []


def program(f: Program) -> Program:
    """Registers a program of a number and a number of iterations."""
    EXACT.append(f)
    return f


@program
def walrus_and_break(x: float, n: int) -> Any:
    k = 0
    while (k := k + 1) < n:
        if x * k > 2.0:
            break
    else:
        x = x * x
    return x * k


@program
def walrus_and_return(x: float, n: int) -> Any:
    k = 0
    while (k := k + 1) < n:
        if x * k > 2.0:
            return x * 3.0
    else:
        x = x * x
    return x * k


@program
def walrus_break_and_return(x: float, n: int) -> Any:
    k = 0
    while (k := k + 1) < n:
        if x * k > 2.0:
            break
        if x * k > 1.3:
            return x * 3.0
    else:
        x = x * x
    return x * k


@program
def walrus_of_the_number(x: float, n: int) -> Any:
    while (x := x * 1.5) < n:
        if math.sin(x) > 0.9:
            break
    else:
        x = x * x
    return x


@program
def a_test_that_removes_an_item(x: float, n: int) -> Any:
    items = [3, 2, 1]
    while items and items.pop() < n:
        if x * len(items) > 1.2:
            break
    else:
        x = x * x
    return x * 5.0 + len(items) * x


@program
def a_test_of_a_function_that_writes(x: float, n: int) -> Any:
    count = [0]

    def again() -> bool:
        count[0] += 1
        return count[0] < n

    while again():
        if x * count[0] > 2.0:
            break
    else:
        x = x * x
    return x * count[0]


@program
def inner_else_continues(x: float, n: int) -> Any:
    k, s = 0, 0.0
    for _ in range(n):
        while (k := k + 1) < n:
            if x * k > 2.0:
                break
            if x * k > 1.8:
                return s * 2.0
        else:
            s = s + x
            continue
        s = s + x * x
    return s * x


@program
def inner_else_breaks(x: float, n: int) -> Any:
    k, s = 0, x
    for v in (1.5, 2.5, 0.5):
        while (k := k + 1) % 4:
            if v * x * k > n:
                s = s * v
                break
        else:
            break
        s = s + v * x
    return s


@program
def inner_else_returns(x: float, n: int) -> Any:
    s = x
    for j in range(n):
        k = j
        while (k := k + 1) < 4:
            if x * k > 1.0 + j:
                s = s * x
                break
        else:
            return s * 3.0
    return s


@program
def else_in_a_while_in_a_while(x: float, n: int) -> Any:
    k, s = 0, 0.0
    while (k := k + 1) < n:
        j = 0
        while (j := j + 1) < n:
            if x * j > k:
                break
        else:
            s = s + x * j
            continue
        if s > 2.0:
            break
        s = s + x * x
    else:
        s = s * x
    return s + x


@program
def plain_test_and_break(x: float, n: int) -> Any:
    k = 0
    while k < n:
        k += 1
        if x * k > 2.0:
            break
    else:
        x = x * x
    return x * k


@program
def for_and_break(x: float, n: int) -> Any:
    for k in range(n):
        if x * k > 2.0:
            break
    else:
        x = x * x
    return x * n


@program
def break_and_return_of_an_inner_loop(x: float, n: int) -> Any:
    for _ in range(n):
        for j in range(n):
            if x * j > 2.07:
                break
            if x * j > 1.03:
                return x * x
            x = x + 0.1
        x = x * 1.5
    return x * 3.0


@program
def break_and_return_of_an_unrolled_loop(x: float, n: int) -> Any:
    for f in (math.sin, math.cos, math.exp):
        if x * n > 2.0:
            break
        if x > 0.5:
            return f(x) * n
        x = x + 0.3
    return x * x


@pytest.mark.parametrize("order", ((3, 0, 5, 1, 2), (0, 1, 5, 3)))
@pytest.mark.parametrize("f", EXACT, ids=lambda f: f.__name__)
def test_exits(f: Program, order: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in order:
        for x in (0.3, 0.7, 1.45):
            agrees(f, x, n)
