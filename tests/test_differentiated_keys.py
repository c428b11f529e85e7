"""Dicts by differentiated numbers: the number says where the value lies, as a constant; keys that are read carry on."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest
from oracle import Programs, agrees_in_every_mode, refuses

from sct import SctWarning, grad

PROGRAMS = program = Programs()


@program(([0.7, 1.2], 4), ([1.1, -0.3], 6))
def by_a_float(x: Any, n: int) -> Any:
    memo: dict[Any, Any] = {}

    def value(t: float, k: int) -> Any:
        if k == 0:
            return x[0] * t + x[1] ** 2
        if (t, k) in memo:
            return memo[t, k]
        memo[t, k] = value(t + 0.25, k - 1) * x[0] + value(t - 0.25, k - 1)
        return memo[t, k]

    return value(1.0, n)


@program(([0.7, 1.2], 4), ([1.1, -0.3], 6))
def by_a_cache(x: Any, n: int) -> Any:
    @lru_cache(maxsize=None)
    def value(t: float, k: int) -> Any:
        if k == 0:
            return x[0] * t + x[1] ** 2
        return value(t + 0.25, k - 1) * 0.5 + value(t - 0.25, k - 1) * x[1]

    return value(1.0, n)


def _price(s: Any, k: int, up: Any, memo: dict[Any, Any]) -> Any:
    if k == 0:
        return max(s - 1.0, 0.0) ** 2
    key = (round(s, 8), k)
    if key not in memo:
        memo[key] = 0.55 * _price(s * up, k - 1, up, memo) + 0.4 * _price(s / up, k - 1, up, memo)
    return memo[key]


@program(([1.25, 1.1], 4), ([1.52, 1.23], 5))
def tree_of_prices(x: Any, n: int) -> Any:
    return _price(x[0], n, x[1], {})


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def by_products(x: Any, n: int) -> Any:
    totals: dict[Any, Any] = {}
    for k in range(n):
        totals[x[0] * (k % 4)] = totals.get(x[0] * (k % 4), 0.0) + x[1] * k
    return sum(k * v for k, v in totals.items()) + max(totals) * x[1]


def test_keys_that_are_read_carry_their_derivative() -> None:
    with pytest.warns(SctWarning, match="the place in a dict of a number that depends on the inputs"):
        grad(by_products)([0.7, 1.2], 6)
    agrees_in_every_mode(by_products, [([0.7, 1.2], 5), ([1.4, 0.2], 11)])


def test_items_of_a_set_would_not() -> None:
    def f(x: Any, n: int) -> Any:
        seen = set()
        for k in range(n):
            seen.add(x * k)
        return sum(seen)

    def followed(x: Any, n: int) -> Any:
        seen = {}
        for k in range(n):
            seen[x * k] = True
        return sum(seen)

    assert refuses(f, 1.5, 300, code="SCT503").hint == "use a dict in its place: `seen[k] = True`"
    with pytest.warns(SctWarning):
        assert grad(followed)(1.5, 300) == 299 * 150.0
