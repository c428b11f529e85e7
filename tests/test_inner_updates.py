"""Lists in a list that grow and shrink: buckets, adjacency lists, stacks; they are updated where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import grad

X = np.array([0.3, 0.7])


def buckets(x: Any, n: int) -> Any:
    bins = [[] for _ in range(n)]
    for i in range(5 * n):
        bins[i * i % n].append(x[i % 2] * i)
    return sum(np.sum(np.array(values) ** 2) for values in bins if values)


def stacks(x: Any, n: int) -> Any:
    stacks = [[x[0]] for _ in range(n)]
    total = 0.0
    for i in range(5 * n):
        if i % 3 == 2:
            total += i * stacks[i // 3 % n].pop()
        else:
            stacks[i % n].extend([x[0] * i, x[1]])
            stacks[(i + 1) % n].insert(0, x[1] * i)
    for stack in stacks:
        for k, v in enumerate(stack):
            total += k * v ** 2
    return total


def removed(x: Any, n: int) -> Any:
    rows = [[x[k % 2] * i for i in range(k + 3)] for k in range(n)]
    for k in range(n):
        del rows[k][k % 2]
        rows[k].pop(0)
    total = 0.0
    for row in rows:
        for v in row:
            total += v ** 2
    return total


def two_levels(x: Any, n: int) -> Any:
    table = [[[] for _ in range(3)] for _ in range(n)]
    for i in range(6 * n):
        table[i % n][i % 3].append(x[i % 2] * i)
    total = 0.0
    for row in table:
        for values in row:
            for v in values:
                total += v ** 2
    return total


def read_again(x: Any, n: int) -> Any:
    rows = [[x[0]] for _ in range(n)]
    total = 0.0
    for i in range(4 * n):
        row = rows[i % n]
        before = list(row)
        row.append(x[1] * i)
        total += sum(before) * len(rows[i % n]) + row[-1] ** 2
    return total


def kept(x: Any, n: int) -> Any:
    rows, old = [[x[0]] for _ in range(n)], []
    for i in range(4 * n):
        old.append(list(rows[i % n]))
        rows[i % n].append(x[1] * i)
        rows[i % n] = rows[i % n][-3:]
    return sum(sum(row) for row in rows) + sum(sum(row) ** 2 for row in old)


def branched(x: Any, n: int) -> Any:
    rows = [[x[0] * i] for i in range(n)]
    total = 0.0
    for i in range(4 * n):
        k = i * i % n
        if len(rows[k]) > 1:
            total += rows[k].pop() * i
        else:
            rows[k].append(x[1] * i)
        total += rows[k][0] ** 2
        rows[k].append(rows[k][0] * x[1])
    return total + sum(sum(row) for row in rows)


def attempted(x: Any, n: int) -> Any:
    rows = [[] for _ in range(n)]
    for i in range(5 * n):
        try:
            rows[i % (n + 1)].append(x[0] * i)
        except IndexError:
            rows[0].append(x[1])
    return sum(sum(row) ** 2 for row in rows)


PROGRAMS = [attempted, buckets, stacks, removed, two_levels, read_again, kept, branched]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (2, 5):
        agrees(f, X, n)
    agrees_in_second_order(f, X, 5)


@pytest.mark.parametrize("f, texts", [
    (buckets, ["bins[i_sq_mod_n].append(", "= dbins[i_sq_mod_n].pop()"]),
    (stacks, [".pop()", ".insert(0, ", "= dstacks[i_next_mod_n].pop(0)", "= dstacks.pop()"]),
    (removed, ["del rows[k][", "rows[k].pop(0)", "drows[k].insert(0, 0.0)"]),
    (two_levels, ["table[i_mod_n][i % 3].append(", "= dtable[i_mod_n][dtable_index].pop()"]),
    (branched, ["rows[k].pop()", "rows[k].append(", "= drows[k].pop()", "drows[k].append(0.0)"])],
    ids=lambda x: getattr(x, "__name__", ""))
def test_an_inner_list_is_updated_where_it_is(f: Any, texts: list[str]) -> None:
    derivative = grad(f)
    derivative(X, 5)
    for text in texts:
        assert text in derivative.source
    assert "[list(v) for v in" not in derivative.source
