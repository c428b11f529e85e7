"""`join` of texts of which only the run says how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracle import Programs, agrees, agrees_in_every_mode

PROGRAMS = program = Programs()
X, Y = [0.7, 1.2], [-0.4, 0.9]


@program((X, 6), (Y, 2))
def of_some(x: Any, n: int) -> Any:
    s = 0.0
    for k in range(n):
        name = "-".join(str(j) for j in range(4) if j <= k)
        s += x[0] * len(name)
        if name == "0-1":
            s += x[1] * x[1]
    return s


@program((X, 6), (Y, 3))
def of_a_list_with_a_condition(x: Any, n: int) -> Any:
    texts = []
    for k in range(n):
        texts.append(",".join([f"{j}" for j in range(3) if (j + k) % 2]))
    return x[0] ** 2 * sum(len(t) for t in texts)


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def in_a_message(x: float, n: int) -> float:
    s = 0.0
    for k in range(n):
        v = x * k
        if v > 2.0:
            raise ValueError(" ".join(f"{w}={v}" for w in "abc" if k > 1))
        s += v
    return s


@pytest.mark.parametrize("x", [0.3, 1.1, 2.5])
def test_in_the_message_of_an_exception(x: float) -> None:
    agrees(in_a_message, x, 4)
