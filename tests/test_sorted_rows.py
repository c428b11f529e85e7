"""`xs.sort()` of a list of lists or objects of run-time length: the items move, and stay the same items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees_in_every_mode, refuses

programs = Programs()
of_numbers = programs(([1.137, 2.21, 3.3, 0.4],), ([0.3, 0.1, 2.0, 1.0, 0.5, 7.0, 0.9],), ([0.6],))


def rows_of(x: Any) -> Any:
    rows = []
    for k in range(len(x)):
        rows.append([x[k], k * 1.0])
    return rows


def weighted(rows: Any) -> Any:
    return sum(p ** 2 * (q + 1.0) * (k + 1) for k, (p, q) in enumerate(rows))


class Body:
    def __init__(self, mass: Any, number: int) -> None:
        self.mass, self.number = mass, number


@of_numbers
def sorted_in_the_loop_that_appends(x: Any) -> Any:
    rows = []
    for v in x:
        rows.append([v, 1.0])
        rows.sort(key=lambda r: -r[0])
    return weighted(rows)


@of_numbers
def appended_on_one_path(x: Any) -> Any:
    rows = []
    for i, v in enumerate(x):
        if i != 1:
            rows.append([v, 1.0 * i])
        rows.sort(key=lambda r: r[0])
    return weighted(rows)


@of_numbers
def written_by_another_name_of_the_list(x: Any) -> Any:
    rows = rows_of(x)
    other = rows
    rows.sort(key=lambda r: -r[0])
    rows[0][0] *= 2.0
    return weighted(other)


@of_numbers
def rows_of_several_lengths(x: Any) -> Any:
    rows = rows_of(x)
    rows.sort(key=lambda r: -r[0], reverse=True)
    rows[0].append(x[0] * x[-1])
    rows.sort(key=len)
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@of_numbers
def written_before(x: Any) -> Any:
    rows = rows_of(x)
    for r in rows:
        r[0] = r[0] ** 2
    rows.sort(key=lambda r: -r[0])
    return weighted(rows)


@of_numbers
def a_row_with_a_name(x: Any) -> Any:
    rows = rows_of(x)
    first = rows[0]
    rows.sort(key=lambda r: -r[0])
    return first[0] * rows[0][0] + weighted(rows)


@of_numbers
def in_a_dict(x: Any) -> Any:
    table = {"rows": rows_of(x)}
    rows = table["rows"]
    table["rows"].sort(key=lambda r: -r[0])
    return weighted(rows)


@of_numbers
def lists_in_lists(x: Any) -> Any:
    groups = []
    for k in range(3):
        groups.append([[x[j], k * 1.0 + j] for j in range(len(x))])
    for group in groups:
        group.sort(key=lambda r: -r[0])
    groups.sort(key=lambda group: -group[0][1])
    return sum(group[k][0] * (k + 1) * group[k][1] for group in groups for k in range(len(group)))


@of_numbers
def objects(x: Any) -> Any:
    bodies = []
    for k in range(len(x)):
        bodies.append(Body(x[k], k))
    first = bodies[0]
    bodies.sort(key=lambda body: -body.mass)
    bodies[0].mass *= 2.0
    first.mass = first.mass * 3.0
    return sum(body.mass ** 2 * (k + 1) for k, body in enumerate(bodies))


@pytest.mark.parametrize(("f", "calls"), programs, ids=lambda p: getattr(p, "__name__", ""))
def test_rows_are_sorted_in_place(f: Any, calls: Any) -> None:
    agrees_in_every_mode(f, calls)


def test_rows_that_have_a_name_from_before_are_not_written() -> None:
    def through_the_name(x: Any) -> Any:
        rows = rows_of(x)
        first = rows[0]
        rows.sort(key=lambda r: -r[0])
        first[0] = first[0] * 5.0
        return weighted(rows)

    def through_the_list(x: Any) -> Any:
        rows = rows_of(x)
        first = rows[0]
        rows.sort(key=lambda r: -r[0])
        rows[0][0] *= 2.0
        return weighted(rows) + first[0]

    for f in (through_the_name, through_the_list):
        refuses(f, np.array([1.137, 2.21, 3.3]), code="SCT307")
