"""Functions with a cache, as a module of a user has them: each is called as `caches.f(n)`."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np

ORDER = 3
LOG: list[int] = []
COUNT = 0


@lru_cache(maxsize=None)
def binomial(n: int, k: int) -> int:
    if k == 0 or k == n:
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@lru_cache
def weight(n: int, k: int) -> Any:
    return ORDER * binomial(n, k)


@cache
def scaled(x: Any, n: int) -> Any:
    return x * binomial(n + 2, 2)


@cache
def nodes(n: int) -> Any:
    return np.linspace(-1.0, 1.0, n * ORDER)


@cache
def rule(n: int) -> Any:
    return np.polynomial.legendre.leggauss(n + ORDER)


@cache
def inverse(n: int) -> int:
    try:
        return 10 // n
    except ZeroDivisionError:
        return 0


@cache
def is_prime(n: int) -> bool:
    for i in range(2, int(n**0.5) + 1):
        if n % i == 0:
            return False
    return n > 1


@cache
def partitions(n: int, k: int) -> Any:
    if n == 0 or k == 0:
        return ()
    return (*partitions(n - 1, k), float(n * k), *partitions(n - 1, k - 1))


@cache
def distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))


@cache
def printed(n: int) -> float:
    print("computing", n)
    return float(n)


@cache
def drawn(n: int) -> Any:
    return np.random.normal() * n


@cache
def logged(n: int) -> float:
    LOG.append(n)
    return n * 2.0


@cache
def counted(n: int) -> float:
    global COUNT
    COUNT += 1
    return float(n)


def clear() -> None:
    for f in (binomial, weight, scaled, nodes, rule, inverse, is_prime, partitions, distance, printed, drawn, logged,
              counted):
        f.cache_clear()  # type: ignore[attr-defined]
