"""Names, items and attributes that stand for one list, dict, object or array on one path and not on another.

Each program is called for several numbers of trips, in two orders: the first call, which is compared with Python,
need not be the one that shows a fault.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import outcome, same_value

from sct import SctError, value_and_grad

Program = Callable[[float, int], Any]
EXACT: list[Program] = []
REFUSED: list[tuple[Program, str]] = []
ORDERS = (3, 0, 1, 2), (0, 1, 3, 2)


def program(f: Program) -> Program:
    """Registers a program that is differentiated."""
    EXACT.append(f)
    return f


def refused(code: str) -> Callable[[Program], Program]:
    """Registers a program that is refused."""
    def register(f: Program) -> Program:
        REFUSED.append((f, code))
        return f

    return register


def compare(f: Program, order: tuple[int, ...]) -> None:
    """Fail unless one derivative does what `f` does, for numbers of trips in this order."""
    derivative, step = value_and_grad(f), 1e-6
    for n in order:
        plain = outcome(f, (0.7, n))
        derived = outcome(derivative, (0.7, n))
        assert type(derived.error) is type(plain.error), (n, derived.error, plain.error)
        if plain.error is not None:
            continue
        value, slope = derived.value
        assert same_value(value, plain.value), (n, value, plain.value)
        difference = (f(0.7 + step, n) - f(0.7 - step, n)) / (2 * step)
        np.testing.assert_allclose(slope, difference, rtol=1e-5, atol=1e-6)


# -- an array and a part of it, at a join -----------------------------------------------------------------


@refused("SCT301")
def view_of_another_part(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    w = y[1:3]
    if n > 1:
        y = y.copy()
        w = y[::-1]
    y[0] = 7.0 * x
    return y.sum() + w[-1]


@refused("SCT301")
def view_made_in_both_branches(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    if n > 1:
        w = y[::-1]
    else:
        y = y * 1
        w = y[1:]
    y[1] = y[0]
    return y.sum() + w[0] * 10


@refused("SCT301")
def view_of_another_part_in_a_loop(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    w = y[1:3]
    for _ in range(n):
        y = y + 1
        w = y[::-1]
    y[0] = 7.0 * x
    return y.sum() + w[-1]


@refused("SCT301")
def transposed_in_one_branch(x: float, n: int) -> Any:
    y = np.ones((2, 2)) * x
    v = y
    if n > 1:
        v = y.T
    else:
        y = y * 3
    y[1, 0] = 7 * x
    return v[0, 1] * 3 + v[1, 0]


@refused("SCT301")
def view_of_an_item(x: float, n: int) -> Any:
    rows = [np.ones(3) * x]
    w = rows[0][:2]
    if n > 1:
        rows = [np.ones(3)]
        w = rows[0][1:]
    rows[0][1] = 7 * x
    return w[0] + 3 * w[1]


@refused("SCT301")
def view_of_another_part_written_in_a_closure(x: float, n: int) -> Any:
    y = np.ones(3) * x
    w = y[:2]
    if n > 1:
        y = y.copy()
        w = y[1:]

    def write() -> None:
        y[1] = 7 * x

    write()
    return w[0] + 3 * w[1]


@refused("SCT301")
def view_and_a_copy_of_it(x: float, n: int) -> Any:
    y = np.ones(4) * x
    w = y[:2]
    if n > 1:
        y = y.copy()
        w = y[:2] * 1
    y[1] = 7 * x
    return w[1]


@program
def view_of_one_part(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    w = y[1:3]
    if n > 1:
        y = y * x
        w = y[1:3]
    y[1] = 7.0 * x
    return y.sum() + w[0]


@program
def view_of_another_part_read_alone(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    w = y[1:3]
    if n > 1:
        y = y * x
        w = y[::-1]
    return y.sum() + w[-1]


@program
def base_made_anew_after_the_branch(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    w = y[1:3]
    if n > 1:
        y = y * x
        w = y[2:]
    y = y * 2.0
    y[1] = 7.0 * x
    return y.sum() + w[-1]


@refused("SCT301")
def default_of_a_function_traded_in_a_branch(x: float, n: int) -> Any:
    y, z = [x], [2.0]
    f = lambda q=y: q[0] * 3
    if n > 1:
        y, z = z, y
    y[0] += x
    return f() + z[0]


@refused("SCT301")
def method_of_what_is_traded_in_a_branch(x: float, n: int) -> Any:
    y, z = [x], [2.0]
    f = functools.partial(sum, y)
    if n > 1:
        y, z = z, y
    y[0] += x
    return f() + z[0]


# -- lists of unknown length that have rows in common -------------------------------------------------------


@refused("SCT307")
def added_to_itself(x: float, n: int) -> Any:
    rows = [[x, 1.0] for _ in range(n)]
    twice = rows + rows
    if n > 2:
        twice[0][0] = 5 * x
    return sum(r[0] for r in twice)


@refused("SCT307")
def part_added(x: float, n: int) -> Any:
    rows = [(x, [1.0]) for _ in range(n)]
    more = rows + rows[:1]
    if n > 2:
        more[0][1][0] = 5 * x
    return sum(r[1][0] for r in more)


@refused("SCT307")
def summed(x: float, n: int) -> Any:
    rows = [[x, 1.0] for _ in range(n)]
    more = functools.reduce(lambda a, b: a + b, [rows, rows], [])
    for r in more:
        r[0] += x
    return sum(r[0] for r in more)


@refused("SCT307")
def extended_twice(x: float, n: int) -> Any:
    rows = [[x] for _ in range(n)]
    more = [[1.0]]
    more.extend(rows)
    more.extend(rows)
    if n > 0:
        more[1][0] = 5 * x
    return sum(r[0] for r in more)


@refused("SCT307")
def two_copies(x: float, n: int) -> Any:
    rows = [[x] for _ in range(n)]
    one, two = rows[:], list(rows)
    if n > 0:
        one[0][0] = 5 * x
    return sum(r[0] for r in two)


@refused("SCT307")
def put_into_a_list_and_written_there(x: float, n: int) -> Any:
    row = [x]
    rows = [[x] for _ in range(n)]
    rows.append(row)
    rows[-1][0] = 5 * x
    return row[0]


@refused("SCT307")
def put_before_a_list_and_written_there(x: float, n: int) -> Any:
    row = [x]
    rows = [row] + [[x] for _ in range(n)]
    rows[0][0] = 5 * x
    return sum(row)


@refused("SCT301")
def row_or_a_list(x: float, n: int) -> Any:
    rows = [[x] for _ in range(n + 1)]
    r = rows[0] if n > 2 else [1.0]
    r[0] = 5 * x
    return rows[0][0]


@refused("SCT301")
def row_or_a_list_written_as_a_row(x: float, n: int) -> Any:
    rows = [[x] for _ in range(n + 1)]
    r = rows[0] if n > 2 else [1.0]
    rows[0][0] = 5 * x
    return r[0]


@program
def added_to_others(x: float, n: int) -> Any:
    rows = [[x, 1.0] for _ in range(n + 1)]
    more = rows + [[2.0 * x, 3.0] for _ in range(n)]
    more[0][0] = 5 * x
    return sum(r[0] * r[1] for r in more)


@program
def copy_written(x: float, n: int) -> Any:
    rows = [[x, 1.0] for _ in range(n + 1)]
    more = rows[:]
    more[0][0] = 5 * x
    return sum(r[0] * r[1] for r in more)


@program
def added_to_itself_and_read(x: float, n: int) -> Any:
    rows = [[x, 1.0] for _ in range(n)]
    return sum(r[0] for r in rows + rows)


@pytest.mark.parametrize(("f", "order"), list(itertools.product(EXACT, ORDERS)))
def test_exact(f: Program, order: tuple[int, ...]) -> None:
    compare(f, order)


@pytest.mark.parametrize(("f", "code"), REFUSED)
def test_refused(f: Program, code: str) -> None:
    """A program that is refused is refused at every call."""
    for n in ORDERS[0]:
        with pytest.raises(SctError) as caught:
            value_and_grad(f)(0.7, n)
        assert caught.value.code == code, caught.value
        assert "-->" in str(caught.value)
