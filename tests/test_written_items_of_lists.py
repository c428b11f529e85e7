"""Lists of arrays that a scientist updates in place: accepted, right in value and gradient, by every name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

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
