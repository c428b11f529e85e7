"""Lists of which a loop knows only in a later iteration that they have items: `min` and others raise, until then."""

from __future__ import annotations

import math

import pytest
from oracle import Programs, agrees_in_every_mode


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


program = Programs()
COUNTS = [([1.3, 0.7], n) for n in (3, 1, 0, 2, 5)]


@program(*COUNTS)
def longest_path(x, n):
    incoming, dist = {0: []}, {0: 0.0}
    u = 0
    while u < n:
        if u != 0:
            dist[u] = max(incoming[u])
        incoming.setdefault(u + 1, []).append(dist[u] * x[1] + x[0])
        u += 1
    return dist[n - 1]


@program(*COUNTS)
def in_arithmetic(x, n):
    incoming, best = {0: []}, 0.0
    for u in range(n):
        if u != 0:
            best = best * x[1] + min(incoming[u])
        incoming[u + 1] = [best + x[0], best + x[1]]
    return best


@program(*COUNTS)
def with_a_default(x, n):
    incoming, best = {0: []}, 1.0
    for u in range(n):
        best = best + min(incoming[u], default=x[0])
        incoming[u + 1] = [best * x[1]]
    return best


@program(*COUNTS)
def that_raises(x, n):
    incoming, best = {0: []}, x[0] * x[1]
    for u in range(n):
        best = best + min(incoming[u])
        incoming[u + 1] = [best * x[1]]
    return best


@program(*COUNTS)
def that_is_caught(x, n):
    incoming, best = {0: []}, x[0]
    for u in range(n):
        try:
            b = min(incoming[u])
        except ValueError:
            b = 2 * x[1]
        best = best + b * x[0]
        incoming[u + 1] = [best * x[1]]
    return best


@program(*COUNTS)
def sums_and_norms(x, n):
    incoming, best = {0: []}, x[0]
    for u in range(n):
        best = best + math.fsum(incoming[u]) + math.hypot(*incoming[u]) + math.hypot(x[1], *incoming[u])
        incoming[u + 1] = [best * x[1], x[0]]
    return best


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: v.__name__ if callable(v) else "")
def test_lists_that_get_items_later(f, calls) -> None:
    agrees_in_every_mode(f, calls)
