"""Tables of tuples that hold lists, `table[j] = (cost, path)`, in whose places None is before."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

program = Programs()
X = [1.3, 0.7, 0.4]


@program((X, 12), (X, 30), (X, 1))
def shortest_paths(x, n):
    best = [None] * (n + 1)
    best[0] = (0.0, [])
    for j in range(1, n + 1):
        for i in range(max(0, j - 3), j):
            c, path = best[i]
            cost = c + (x[i % 3] * (j - i) - 1.0) ** 2
            if best[j] is None or cost < best[j][0]:
                best[j] = (cost, path + [j])
    return best[n][0] + len(best[n][1])


@program((X, 12), (X, 30))
def of_weights(x, n):
    table = [None] * n
    for k in range(n):
        values = [x[0] * k]
        for i in range(k % 3):
            values.append(x[1] * i * x[2])
        table[k] = (k * x[1], values)
    return sum(w * sum(values) for w, values in table)


@program((X, 12), (X, 30))
def buckets(x, n):
    cells = [None] * n
    for k in range(3 * n):
        h = (k * k * 7) % n
        if cells[h] is None:
            cells[h] = (x[k % 3], [k], [x[0] * k])
        else:
            cells[h][1].append(k)
            cells[h][2].append(x[1] * cells[h][0])
    total = x[2]
    for cell in cells:
        if cell is not None:
            total += cell[0] * len(cell[1]) * sum(cell[2])
    return total


@program((X, 12), (X, 30))
def layers(x, n):
    out = [None] * n
    h = [x[0], x[1]]
    for k in range(n):
        h = [math.tanh(v + x[2]) for v in h]
        out[k] = (sum(h), h)
    return sum(s * h[0] for s, h in out)


@program((X, 12), (X, 30))
def of_pairs(x, n):
    table = [None] * n
    for k in range(n):
        if k % 4:
            table[k] = (x[0] * k, [(x[1] * i, i) for i in range(k % 5)])
    total = x[2]
    for entry in table:
        if entry:
            w, pairs = entry
            total += w * sum(v * i for v, i in pairs)
    return total


@program((X, 12), (X, 30))
def grown(x, n):
    best = [(0.0, [])]
    for j in range(1, n + 1):
        best.append((1e9, []))
        for i in range(max(0, j - 3), j):
            c, path = best[i]
            if c + x[i % 3] * i < best[j][0]:
                best[j] = (c + x[i % 3] * i, path + [j])
    return best[n][0] + len(best[n][1]) * x[1]


@program((X, 12), (X, 30))
def taken_out_again(x, n):
    table = [None] * n
    for k in range(n):
        table[k] = (x[0] * k, [x[1]] * (k % 3))
    for k in range(0, n, 2):
        table[k] = None
    return sum(t[0] + sum(t[1]) for t in table if t is not None) + x[2]


@program((X, 12), (X, 30))
def of_texts(x, n):
    table = [None] * n
    for k in range(n):
        table[k] = ("even" if k % 2 == 0 else "odd", [x[k % 3]])
    return sum(values[0] * len(name) for name, values in table)


@program((X, 12), (X, 1))
def in_lists_of_lists(x, n):
    rows = [[(x[0], [x[1], x[2] * 2]), None]]
    for i in range(n):
        rows.append([(x[1] * i, [x[0], x[2] * i]), None])
    return sum(pair[0] * pair[1][1] for row in rows for pair in row if pair is not None)


@pytest.mark.parametrize(("f", "calls"), [pytest.param(f, calls, id=f.__name__) for f, calls in program])
def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def subscript(x: float, n: int) -> Any:
    table = [None] * n
    table[0] = (x, [2])
    return table[1][1][0] * x


def appended(x: float, n: int) -> Any:
    table = [None] * n
    table[0] = (x, [2])
    table[1][1].append(3)
    return x


def unpacked(x: float, n: int) -> Any:
    table = [None] * n
    table[0] = (x, 2)
    a, b = table[1]
    return a * b


def read(x: float, n: int) -> Any:
    table = [None] * n
    table[0] = (x, 2)
    return table[n - 1][1] * x


def handled(x: float, n: int) -> Any:
    table = [None] * n
    table[0] = (x, [2])
    total = 0.0
    for entry in table:
        try:
            total += entry[0] * sum(entry[1])
        except TypeError as error:
            total += x * len(str(error))
    return total


@pytest.mark.parametrize("f", [subscript, appended, unpacked, read, handled], ids=lambda f: f.__name__)
def test_none_is_no_tuple(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 12)


def a_list_alone(x: np.ndarray, n: int) -> Any:
    table = [None] * n
    for k in range(n):
        table[k] = ([k], x[0])
    return sum(v for _, v in table)


def test_the_first_item_says_whether_it_is_none() -> None:
    refuses(a_list_alone, np.array(X), 70, code="SCT310")


def none_alone_in_a_list(x: np.ndarray, n: int) -> Any:
    rows = [[(x[0], [x[1]]), None], [None]]
    for _ in range(n):
        rows.append([None])
    return sum(pair[0] * pair[1][0] for row in rows for pair in row if pair is not None)


def test_a_list_of_none_alone_beside_lists_of_tuples_is_refused() -> None:
    refuses(none_alone_in_a_list, np.array(X), 70, code="SCT310")
