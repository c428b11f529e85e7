"""Exact sums, by `math.fsum`, of lists whose length is known only at run time."""

from __future__ import annotations

import math

import pytest
from oracle import Programs, agrees_in_every_mode


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


program = Programs()
COUNTS = [([1.3, 0.7], n) for n in (4, 0, 1, 10)]


@program(*COUNTS)
def of_terms(x, n):
    terms = []
    for i in range(n):
        if x[0] > 0.1 * i:
            terms.append(x[1] ** i / 3)
    return math.fsum(terms) ** 2


@program(*COUNTS)
def of_cancelled_terms(x, n):
    return math.fsum([v * x[0] for i in range(n) for v in (1e16, x[1], -1e16)])


@program(*COUNTS)
def of_chosen_items(x, n):
    return x[0] * math.fsum(v * v for v in [x[0] * i for i in range(n)] if v > x[1])


@program(*COUNTS)
def of_ints(x, n):
    numbers = [i for i in range(n)]
    mixed = [x[1]]
    for i in range(n):
        mixed.append(i)
    return math.fsum(numbers) * x[0] + math.fsum(tuple(numbers)) * x[1] + math.fsum(mixed)


@program(*COUNTS)
def of_values(x, n):
    d = {}
    for i in range(n):
        d[i % 3] = x[0] * i
    return math.fsum(d.values()) * x[1]


@program(*COUNTS)
def of_sums(x, n):
    return math.fsum([math.fsum([x[0] * i for i in range(k)]) for k in range(n)]) * x[1]


@program(([1.3, 0.7], 1), ([1.3, 0.7], 3), ([1.3, 0.7], 0), ([1e-3, 0.7], 3))
def that_overflows(x, n):
    try:
        return math.fsum([x[0] * 1e308 for i in range(n)]) * 1e-300
    except OverflowError:
        return -x[1]


@program(([1.3, 0.7], 2), ([1.3, 0.7], 4))
def with_none(x, n):
    return math.fsum([x[0]] * n + [None] * (n > 3)) * x[1]


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: v.__name__ if callable(v) else "")
def test_exact_sums(f, calls) -> None:
    agrees_in_every_mode(f, calls)
