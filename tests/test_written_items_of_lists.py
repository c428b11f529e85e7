"""Lists of arrays that a scientist updates in place: accepted, right in value and gradient, by every name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

U, W = np.array([0.3, -0.7, 1.1]), np.array([0.9, 0.4, -0.6])


def states_in_a_loop(u, w, n):
    states = [u * k for k in range(1, n + 2)]
    for t in range(1, n):
        states[t][1:] += 0.5 * states[t - 1][:-1]
    return sum(np.sum(x * w) for x in states)


def every_row(u, w, n):
    rows = [np.zeros(3) for _ in range(n)]
    for k, row in enumerate(rows):
        row += u * k
        row[0] *= w[1]
    return np.sum(rows[-1] * rows[0] + rows[n // 2])


def row_at_a_run_time_position(u, w, n):
    rows = [u * 1.0, w * 2.0]
    for t in range(n):
        row = rows[t % 2]
        row[t % 3] = np.sin(row[0]) + rows[0][1]
    return rows[0] @ rows[1]


def appended_and_written_later(u, w, n):
    rows = []
    for t in range(n):
        row = u * t
        rows.append(row)
        row[0] += w[t % 3]
    rows[-1] *= 0.5
    return np.sum(rows[0] + rows[-1] * w)


def last_row(u, w, n):
    history = [u * w]
    for _ in range(n):
        history.append(history[-1].copy())
        history[-1][0] += 0.1 * w[1]
        history[-1][1:] *= 0.9
    return sum(np.sum(h**2) for h in history)


def row_replaced_beside_one_that_is_written(u, w, n):
    rows = [u * k for k in range(n)]
    first = rows[0]
    rows[1] = np.cos(w)
    first[0] = rows[1][2]
    rows[1][1] *= u[0]
    return rows[0][0] + rows[1] @ u


def written_in_a_branch(u, w, n):
    rows = [w * k for k in range(n)]
    for t in range(n):
        if u[t % 3] > 0.0:
            rows[t][0] += u[t % 3]
        else:
            rows[t] *= u[1]
    return np.sum(rows[0] * rows[1] + rows[-1])


def by_a_helper(u, w, n):
    def relax(row, v):
        row[:] = 0.5 * (row + v)
        return row

    rows = [u + k for k in range(n)]
    for t in range(n - 1):
        relax(rows[t], relax(rows[t + 1], w))
    return np.sum(rows[0] ** 2 + rows[-1])


def written_until(u, w, n):
    rows, k = [np.abs(u) * j for j in range(1, n)], 0
    while rows[0][0] < 2.0 and k < 5:
        rows[0] *= 1.5
        rows[1][k % 3] += rows[0][1] * w[0]
        k += 1
    return rows[1] @ w


def beside_a_list_of_one_array_of_the_caller(u, w, n):
    states, inputs = [], []
    for t in range(n):
        inputs.append(u)
        states.append(np.zeros(3))
    for t in range(n):
        states[t] += inputs[t] * w * t
    return np.sum(states[-1] * inputs[0])


PROGRAMS = [
    states_in_a_loop, every_row, row_at_a_run_time_position, appended_and_written_later, last_row,
    row_replaced_beside_one_that_is_written, written_in_a_branch, by_a_helper, written_until,
    beside_a_list_of_one_array_of_the_caller,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (4, 3):
        agrees(f, U, W, n)


# -- rows that change places, and that leave their list ----------------------------------------------------------------


def eliminated(u, w, n):
    rows = [u * (1.0 + (k * 3) % 5) + w * k * k for k in range(3)]
    for k in range(3):
        p = k
        for i in range(k + 1, 3):
            if abs(rows[i][k]) > abs(rows[p][k]):
                p = i
        rows[k], rows[p] = rows[p], rows[k]
        for i in range(k + 1, 3):
            rows[i] -= rows[i][k] / (rows[k][k] + 0.1) * rows[k]
    return rows[0][0] * rows[1][1] + rows[2] @ w


def sorted_by_swaps(u, w, n):
    rows = [u * (k % 3) + w for k in range(n)]
    for i in range(n - 1):
        for j in range(n - 1 - i):
            if rows[j][0] < rows[j + 1][0]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
        rows[i] *= 1.5
    return sum(np.sum(row * row) * (k + 1) for k, row in enumerate(rows))


def swapped_rows_with_names(u, w, n):
    rows = [u * k for k in range(n)]
    for i in range(n):
        j = (i * 5) % n
        a, last = rows[j], rows[-1]
        rows[i], rows[j] = rows[j], rows[i]
        a[1] = 2.0 * a[0] + w[0]
        rows[j][2] += 1.0
        rows[-1], rows[i] = rows[i], rows[-1]
        rows[i][0] *= 1.1
    return sum(np.sum(row * row) * (k + 1) for k, row in enumerate(rows))


def swapped_at_literal_places(u, w, n):
    rows = [u * k for k in range(n)]
    a, b = rows[0], rows[1]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] = 7.0 * u[1]
    rows[1][1] = w[1]
    a[2] += 3.0
    return a @ b + sum(np.sum(row * row) * (k + 1) for k, row in enumerate(rows))


def popped_rows(u, w, n):
    rows, kept, s = [u * k for k in range(n)], [], 0.0
    while rows:
        row = rows.pop()
        row[0] = row[1] * w[1]
        row += 1.0
        kept.append(row)
        row[1] *= 2.0
        kept[-1][2] = 3.0 * row[0]
        s += np.sum(row)
    return s + sum(np.sum(row * row) for row in kept)


def popped_pairs(u, w, n):
    rows = [(u * k, w + k) for k in range(n)]
    a, b = rows.pop()
    a[0] = 4.0
    b += a
    c, d = rows.pop(0)
    d[1] = b[0]
    return a @ b + c @ d + sum(p @ q for p, q in rows)


def popped_in_a_helper(u, w, n):
    rows = [u * k for k in range(n)]

    def take():
        row = rows.pop()
        row[0] = 3.0 * row[1]
        return row

    before = take()
    while rows:
        row = take()
        row += 0.5 * before
        before[0] = w[0]
        before = row
    return before @ w


def taken_round(u, w, n):
    rows = [u * k for k in range(n)]
    for i in range(2 * n):
        if i % 2 == 0:
            row = rows.pop(0)
            row[0] = w[1] * i
            rows.append(row)
        else:
            first = rows[0]
            rows[0], rows[2] = rows[2], rows[0]
            first[1] = w[2]
    return sum(np.sum(row * row) * (k + 1) for k, row in enumerate(rows))


MOVED = [eliminated, sorted_by_swaps, swapped_rows_with_names, swapped_at_literal_places, popped_rows, popped_pairs,
         popped_in_a_helper, taken_round]


@pytest.mark.parametrize("f", MOVED, ids=lambda f: f.__name__)
def test_rows_that_move(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(f, U, W, 5)


def popped_with_a_name(u, w, n):
    rows = [u * k for k in range(n)]
    row = rows[2]
    last = rows.pop()
    last[0] = 5.0
    return np.sum(row * w) + np.sum(last)


def popped_and_held_twice(u, w, n):
    rows = [u * k for k in range(n)]
    row = rows.pop()
    rows.append(row)
    rows.append(row)
    row[0] = 7.0
    return sum(np.sum(r * r) for r in rows)


def swapped_between_lists(u, w, n):
    rows, others = [u * k for k in range(n)], [w * k for k in range(n)]
    rows[n - 1], others[1] = others[1], rows[n - 1]
    rows[n - 1][0] = 4.0
    return sum(np.sum(r * r) for r in rows) + sum(np.sum(r * r) for r in others)


def no_swap(u, w, n):
    rows = [u * k for k in range(n)]
    i, j = n - 1, n - 2
    rows[i], rows[j] = rows[j], rows[j]
    rows[j][0] = 9.0
    return sum(np.sum(r * r) for r in rows)


@pytest.mark.parametrize("f", [popped_with_a_name, popped_and_held_twice, swapped_between_lists, no_swap],
                         ids=lambda f: f.__name__)
def test_rows_whose_names_are_not_known(f: Callable[..., Any]) -> None:
    refuses(f, U, W, 5, code="SCT307")
