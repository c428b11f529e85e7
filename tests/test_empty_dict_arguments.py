"""An empty dict that the caller passes and the function fills, by keys known only at run time: a memo, totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracle import Programs, agrees, agrees_in_every_mode

from sct import value_and_grad

PROGRAMS = program = Programs()
X, Y = [0.7, 1.2], [-0.4, 0.9]


def _fibonacci(n: int, x: Any, memo: dict[int, Any]) -> Any:
    if n < 2:
        return x[0]
    if n not in memo:
        memo[n] = _fibonacci(n - 1, x, memo) * x[1] + 0.5 * _fibonacci(n - 2, x, memo)
    return memo[n]


@program((X, 6, {}), (Y, 9, {}))
def memoized(x: Any, n: int, memo: dict[int, Any]) -> Any:
    return _fibonacci(n, x, memo) + len(memo) * x[0]


@program((X, 7, {}), (Y, 4, {}), (X, 5, {1: 2.0, 5: 0.5}))
def totals(x: Any, n: int, sums: dict[int, Any]) -> Any:
    for k in range(n):
        sums[k % 3] = sums.get(k % 3, 0.0) + x[0] * k
    return sum(v * v for v in sums.values()) * x[1]


@program((X, list("abcab"), {}), (Y, list("zzy"), {}))
def groups(x: Any, names: list[str], found: dict[str, Any]) -> Any:
    for k, name in enumerate(names):
        found.setdefault(name, []).append(x[0] * k + x[1])
    return sum(sum(v) ** 2 for v in found.values())


@program((X, 5, {"memo": {}, "scale": 2.0}), (Y, 3, {"memo": {}, "scale": 0.5}))
def in_another_dict(x: Any, n: int, state: dict[str, Any]) -> Any:
    for k in range(n):
        state["memo"][k] = x[0] * k * state["scale"]
    return sum(state["memo"].values()) ** 2 * x[1]


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def two_names(x: float, n: int, a: dict[int, float], b: dict[int, float]) -> float:
    for k in range(n):
        a[k] = x * k
    return sum(v * v for v in b.values()) + len(a)


def test_one_dict_that_is_passed_twice_is_one() -> None:
    derivative = value_and_grad(two_names)
    one: dict[int, float] = {}
    assert derivative(0.5, 4, one, one) == (0.25 * 14 + 4, 14.0)
    assert one == {}
    for b in ({}, {7: 2.0}):
        agrees(two_names, 0.5, 4, {}, b)
