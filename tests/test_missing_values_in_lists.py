"""Values that may be None, put into lists in lists, dicts and objects: they may still be None there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracle import Programs, agrees, agrees_in_every_mode

from sct import value_and_grad

PROGRAMS = program = Programs()
X, Y = [0.5, 1.2], [-0.8, 0.3]
VALUES, OTHERS, NONE_MISSING = [None, 0.2, 0.3, None, 0.5, 0.6], [0.9, None, 0.4, 0.1, None, None], [0.5] * 6


def _total(values: Any, x: Any) -> Any:
    s = 0.0
    for v in values:
        s += x[1] * x[1] if v is None else x[0] * v
    return s * s


@program((X, VALUES), (Y, OTHERS), (X, NONE_MISSING))
def in_lists_in_a_list(x: Any, values: list[float | None]) -> Any:
    groups: list[Any] = [[], []]
    for i, v in enumerate(values):
        groups[i % 2].append(v)
    return sum(_total(g, x) for g in groups)


@program((X, VALUES), (Y, OTHERS), (X, NONE_MISSING))
def in_lists_in_a_dict(x: Any, values: list[float | None]) -> Any:
    groups: dict[int, Any] = {}
    for i, v in enumerate(values):
        groups.setdefault(i % 2, []).append(v)
    return sum(_total(g, x) for g in groups.values())


@program((X, VALUES), (Y, OTHERS))
def written_over(x: Any, values: list[float | None]) -> Any:
    rows: list[Any] = [[0.0, 0.0, 0.0] for _ in range(2)]
    for i, v in enumerate(values):
        rows[i % 2][i // 2] = v
    return sum(_total(row, x) for row in rows)


@program((X, VALUES), (Y, OTHERS))
def put_in_front(x: Any, values: list[float | None]) -> Any:
    groups: list[Any] = [[], []]
    for i, v in enumerate(values):
        groups[i % 2].insert(0, v)
    groups[0].extend(values)
    return sum(_total(g, x) for g in groups)


@program((X, VALUES), (Y, OTHERS))
def in_tuples(x: Any, values: list[float | None]) -> Any:
    groups: dict[str, Any] = {"even": [], "odd": []}
    for i, v in enumerate(values):
        groups["odd" if i % 2 else "even"].append((v, i))
    s = 0.0
    for group in groups.values():
        for v, i in group:
            s += x[1] * i if v is None else x[0] * v * i
    return s * s


@program((X, VALUES), (Y, OTHERS))
def those_that_are_there(x: Any, values: list[float | None]) -> Any:
    groups: list[Any] = [[], []]
    for i, v in enumerate(values):
        if v is not None:
            groups[i % 2].append(v * x[1])
    return sum(x[0] * sum(g) for g in groups) * max(groups[0])


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def counted(b: float, values: list[float | None], weight: float) -> float:
    if weight == 0.0:
        return b
    groups: dict[str, Any] = {"even": [], "odd": []}
    for i, v in enumerate(values):
        groups["odd" if i % 2 else "even"].append(v)
    total = b
    for group in groups.values():
        missing = 0
        for v in group:
            if v is None:
                missing += 1
        total += weight * b**2 * missing
    return total


def test_a_call_behind_one_that_has_not_come_so_far() -> None:
    derivative = value_and_grad(counted)
    for weight in (0.0, 2.0):
        agrees(counted, 0.5, VALUES, weight, derivative=derivative)
