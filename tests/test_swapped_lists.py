"""Rows of lists of lists in each other's place: `A[k], A[p] = A[p], A[k]`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import grad

XS = [0.3, -0.2, 0.5, 0.7, -1.1, 0.4, 0.9]
YS = [0.3, 0.2, -0.5, 0.75, -1.1, 0.4, 0.95, 1.3, -0.6]


def weighted(rows: Any) -> Any:
    return sum((k + 1) * sum(row) ** 2 for k, row in enumerate(rows))


def matrix(x: Any, xs: Any) -> Any:
    n = len(xs) - 3
    return [[xs[(i * 3 + j * 5) % len(xs)] * x + (0.3 if i == j else 0.11 * i * j + 0.07 * j) for j in range(n)]
            for i in range(n)]


def pivot(a: Any, k: int) -> None:
    p = max(range(k, len(a)), key=lambda i: abs(a[i][k]))
    a[k], a[p] = a[p], a[k]


def elimination(x: Any, xs: Any) -> Any:
    a, b = matrix(x, xs), [v * x for v in xs]
    n = len(a)
    for k in range(n):
        p = k
        for r in range(k + 1, n):
            if abs(a[r][k]) > abs(a[p][k]):
                p = r
        if p != k:
            a[k], a[p] = a[p], a[k]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            m = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= m * a[k][j]
            b[i] -= m * b[k]
    y = [0.0] * n
    for i in range(n - 1, -1, -1):
        y[i] = (b[i] - sum(a[i][j] * y[j] for j in range(i + 1, n))) / a[i][i]
    return sum(v * v for v in y)


def determinant(x: Any, xs: Any) -> Any:
    a, d = matrix(x, xs), 1.0
    for k in range(len(a)):
        pivot(a, k)
        d *= a[k][k]
        for i in range(k + 1, len(a)):
            m = a[i][k] / a[k][k]
            a[i] = [v - m * w for v, w in zip(a[i], a[k])]
    return d


def the_same_place(x: Any, xs: Any) -> Any:
    rows = [[v * x, v * v] for v in xs]
    for k in range(len(rows)):
        p = k if xs[k] > 0 else 0
        rows[k], rows[p] = rows[p], rows[k]
        rows[k][0] *= 1.5
    return weighted(rows)


def reversed_rows(x: Any, xs: Any) -> Any:
    rows = [[v * x, v * v] for v in xs]
    n = len(rows)
    for i in range(n // 2):
        rows[i], rows[n - 1 - i] = rows[n - 1 - i], rows[i]
        rows[i][0] += x
    rows[0], rows[-1] = rows[-1], rows[0]
    rows[0].append(x)
    return weighted(rows)


def sorted_rows(x: Any, xs: Any) -> Any:
    rows = [[v * v * x, v] for v in xs]
    for i in range(len(rows)):
        for j in range(len(rows) - 1 - i):
            if rows[j][1] < rows[j + 1][1]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    return weighted(rows)


def rows_of_pairs(x: Any, xs: Any) -> Any:
    rows = [[(v * x, v), (1.0, x)] for v in xs]
    rows[1], rows[2] = rows[2], rows[1]
    rows[1].append((x, xs[1]))
    return sum(k * a * b for k, row in enumerate(rows) for a, b in row)


def a_row_with_a_name(x: Any, xs: Any) -> Any:
    rows = [[v * x, v * v] for v in xs]
    row = rows[1]
    rows[1], rows[3] = rows[3], rows[1]
    return weighted(rows) + row[0] * row[1]


PROGRAMS = [elimination, determinant, the_same_place, reversed_rows, sorted_rows, rows_of_pairs, a_row_with_a_name]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for xs in (XS, YS):
        agrees(f, 0.7, xs)
        agrees_in_second_order(f, 0.7, xs)


def test_a_swap_is_a_swap_in_both_directions() -> None:
    derivative = grad(sorted_rows)
    derivative(0.7, XS)
    assert "rows[j], rows[j + 1] = rows[j + 1], rows[j]" in derivative.source
    assert re.search(r"drows\[(.*)\], drows\[(.*)\] = drows\[\2\], drows\[\1\]", derivative.source)
    assert "list(" not in derivative.source


class Table:
    def __init__(self, rows: Any) -> None:
        self.rows, self.swaps = rows, 0

    def sort(self) -> None:
        for k in range(len(self.rows)):
            for j in range(len(self.rows) - 1 - k):
                if self.rows[j][0] > self.rows[j + 1][0]:
                    self.rows[j], self.rows[j + 1] = self.rows[j + 1], self.rows[j]
                    self.swaps += 1


def test_rows_of_an_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any, xs: Any) -> Any:
        table = Table([[v * x, x * x] for v in xs])
        table.sort()
        table.rows[0][1] += x
        return weighted(table.rows) + table.swaps

    monkeypatch.setenv("SCT_VALIDATE", "0")
    for xs in (XS, YS):
        agrees(f, 0.7, xs)
        agrees_in_second_order(f, 0.7, xs)


def test_rows_of_a_property_are_read_once_for_each_mention() -> None:
    class Counted(Table):
        @property
        def table(self) -> Any:
            self.swaps += 1
            return self.rows

    def f(x: Any, xs: Any) -> Any:
        counted = Counted([[v * x] for v in xs])
        counted.table[0], counted.table[1] = counted.table[1], counted.table[0]
        return weighted(counted.rows) + counted.swaps

    refuses(f, 0.7, XS, code="SCT307")


def between_lists(x: Any, xs: Any) -> Any:
    a, b = [[v * x] for v in xs], [[v] for v in xs]
    a[1], b[1] = b[1], a[1]
    return weighted(a) + weighted(b)


def one_row_twice(x: Any, xs: Any) -> Any:
    rows = [[v * x] for v in xs]
    rows[1], rows[2] = rows[2], rows[2]
    rows[1][0] = x
    return weighted(rows)


def a_named_row_is_written(x: Any, xs: Any) -> Any:
    rows = [[v * x] for v in xs]
    row = rows[1]
    rows[1], rows[3] = rows[3], rows[1]
    row[0] = x
    return weighted(rows)


@pytest.mark.parametrize("f", [between_lists, one_row_twice, a_named_row_is_written], ids=lambda f: f.__name__)
def test_what_is_no_swap(f: Callable[..., Any]) -> None:
    refuses(f, 0.7, XS, code="SCT307")
