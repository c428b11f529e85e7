"""Twice the loop, twice the work: no iteration of an emitted gradient copies a whole table of lists."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from work import work

from sct import grad, hvp, jvp, value_and_grad


def row_kept_for_max(x, n):
    rows = [[x] for i in range(n + 1)]
    total = 0.0
    for u in range(n):
        total += 0.1 * max(rows[u])
        rows[u + 1].append(total * x)
    return total


def dict_of_lists(x, n):
    came = {i: [x] for i in range(n + 1)}
    total = 0.0
    for u in range(n):
        total += 0.1 * min(came[u])
        came[u + 1].append(total * x)
    return total


def groups(x, n):
    came = defaultdict(list)
    came[0].append(x)
    total = 0.0
    for u in range(n):
        total += 0.1 * max(came[u])
        came[u + 1].append(total * x)
        if u % 2:
            came[u + 1].append(x)
    return total


def table_of_literal_rows(x, n):
    table = [[0.0] * 3 for _ in range(n)]
    for j in range(3):
        table[0][j] = x * j
    for i in range(1, n):
        for j in range(3):
            best = table[i - 1][j]
            if j > 0:
                best = max(best, table[i - 1][j - 1] * x)
            table[i][j] = best + 0.01 * x
    return max(table[n - 1])


def rows_replaced(x, n):
    rows = [[x, x * x] for _ in range(n)]
    for i in range(1, n):
        rows[i] = [v * 0.9 + rows[i][0] * 0.1 for v in rows[i - 1]]
    return sum(rows[n - 1])


def rows_of_other_lengths(x, n):
    rows = [[x * i / n] for i in range(n)]
    for i in range(1, n):
        if i % 3 == 0:
            rows[i] = [rows[i - 1][0] * x, x, 0.5]
        elif i % 3 == 1:
            rows[i] = rows[i] + [x * x]
    return sum(sum(row) * row[-1] for row in rows)


def new_rows_of_dict(x, n):
    d = {}
    for i in range(n):
        d[i % (n // 2 + 1)] = [x * i / n, x] if i % 2 else [x]
    return sum(d[i][0] * d[i][-1] for i in range(n // 2 + 1))


def rows_moved(x, n):
    parts = [[x * i / n] for i in range(n)]
    for i in range(0, n - 1, 2):
        parts[i].extend(parts[i + 1])
        parts[i + 1] = []
    return sum(sum(part) ** 2 for part in parts if part)


def branch_in_comprehension(x, n):
    return np.sum(np.array([x * i if i % 3 else 0.0 for i in range(n)]) ** 2)


def extended(x, n):
    out = []
    for i in range(n):
        out.extend([x * i / n, x])
        if i % 2:
            out[-1] = out[-1] * out[0] + x
    return sum(v * v for v in out)


def rows_of_rows(x, n):
    table = [[[x, 0.0], [0.5, x]] for _ in range(n)]
    total = 0.0
    for i in range(1, n):
        total += max(table[i - 1][0]) + max(table[i - 1][1])
        table[i][1][0] = total / n
    return total


def rows_read_and_replaced(x, n):
    rows = [[x, x * i / n] for i in range(n)]
    total = x
    k = n // 3
    for i in range(n):
        rows[k][0] += 0.2 * rows[k][-1] / n
        row = rows[i]
        total += 0.2 * min(row) * row[0]
        rows[n - 1 - i] = [x * x, np.cos(total)]
    return total + sum(sum(row) for row in rows)


class Grid:
    def __init__(self, x, n):
        self.cells = [[x, 0.0, 0.0] for _ in range(n)]

    def step(self, i):
        before, cell = self.cells[i - 1], self.cells[i]
        cell[1] = max(before) * 0.9
        cell[2] = min(before)


def rows_of_object(x, n):
    grid = Grid(x, n)
    for i in range(1, n):
        grid.step(i)
    return sum(grid.cells[n - 1])


def rows_popped(x, n):
    rows = [[x * i / n, x] for i in range(n)]
    total = 0.0
    while rows:
        row = rows.pop()
        if row[0] > 0.3 * x:
            total += max(row) * row[0]
    return total


PROGRAMS = (
    row_kept_for_max, dict_of_lists, groups, table_of_literal_rows, rows_replaced, rows_of_other_lengths,
    new_rows_of_dict, rows_moved, branch_in_comprehension, extended, rows_of_rows, rows_read_and_replaced,
    rows_of_object, rows_popped)


def grows_as_the_loop_does(source: str, name: str) -> bool:
    short, middle, long = (work(source, name, 0.7, n) for n in (30, 60, 120))
    assert short > 0
    return long - middle <= 2.2 * (middle - short)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., Any]) -> None:
    df, both, h = grad(f), value_and_grad(f), 1e-6
    second = grad(df)
    for x, n in ((0.7, 7), (0.3, 2), (1.2, 12), (0.7, 3)):
        slope = (f(x + h, n) - f(x - h, n)) / (2 * h)
        assert df(x, n) == pytest.approx(slope, rel=1e-5, abs=1e-7)
        assert both(x, n) == (f(x, n), df(x, n))
        assert jvp(f, (x, n), (1.0,))[1] == pytest.approx(df(x, n), rel=1e-10)
        curve = (df(x + h, n) - df(x - h, n)) / (2 * h)
        assert second(x, n) == pytest.approx(curve, rel=1e-4, abs=1e-5)
        assert hvp(f, (x, n), (1.0,)) == pytest.approx(second(x, n), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("order", (1, 2))
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_work_grows_as_the_loop_does(f: Callable[..., Any], order: int) -> None:
    df = grad(f) if order == 1 else grad(grad(f))
    df(0.7, 5)
    assert grows_as_the_loop_does(df.source, f.__name__ + order * "_grad"), df.source


@pytest.mark.parametrize("copy", (
    "list(rows)", "rows[:]", "rows + []", "[row for row in rows]", "rows.copy()", "sum(1 for row in rows)",
    "np.zeros(n)", "dict.fromkeys(range(n))"))
def test_a_copy_in_each_iteration_is_seen(copy: str) -> None:
    def program(body: str) -> str:
        return f"""
import numpy as np

def run(x, n):
    rows = []
    for i in range(n):
        rows.append(x)
        {body}
"""
    assert grows_as_the_loop_does(program("x = x + 1.0"), "run")
    assert not grows_as_the_loop_does(program(copy), "run")
