"""Names, items and attributes that stand for one list, dict, object or array on one path and not on another.

Each program is called for several numbers of trips, in two orders: the first call, which is compared with Python,
need not be the one that shows a fault.
"""

from __future__ import annotations

import copy
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


@program
def view_of_another_part(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5, 0.25])
    w = y[1:3]
    if n > 1:
        y = y.copy()
        w = y[::-1]
    y[0] = 7.0 * x
    return y.sum() + w[-1]


@program
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


@program
def transposed_in_one_branch(x: float, n: int) -> Any:
    y = np.ones((2, 2)) * x
    v = y
    if n > 1:
        v = y.T
    else:
        y = y * 3
    y[1, 0] = 7 * x
    return v[0, 1] * 3 + v[1, 0]


@program
def view_of_an_item(x: float, n: int) -> Any:
    rows = [np.ones(3) * x]
    w = rows[0][:2]
    if n > 1:
        rows = [np.ones(3)]
        w = rows[0][1:]
    rows[0][1] = 7 * x
    return w[0] + 3 * w[1]


@program
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


@program
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


@program
def written_where_the_chosen_row_is_dead(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)
    for k in range(n):
        row = A[0] if A[k, 0] > 1.5 else A[1]
        norm = np.sqrt(row @ row)
        A[2] = A[2] / norm
    return A.sum() * A[2, 1]


@program
def written_in_some_iterations_where_the_chosen_row_is_dead(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)
    total, k = 0.0, 0
    while k < n:
        row = A[0] if A[k, 0] > 2.5 else A[1]
        total += row @ row
        if total > 5:
            A[k] *= 0.5
        k += 1
    A[1] += total
    return total * A.sum()


@program
def chosen_row_written_where_the_others_are_dead(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)
    row = A[0] if n > 1 else A[1]
    row[1] = 2.0 * row[0] ** 2
    return row.sum()


@program
def chosen_row_subtracted_in_place(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)
    A[1] -= A[2] if n > 1 else A[1]
    row = A[0] if n > 0 else A[2]
    A[0] = row * row
    return (A * A).sum()


@program
def cut_at_a_break(x: float, n: int) -> Any:
    h = np.array([x, 1.0, 0.5, 0.25])
    for t in range(4):
        h[t] = h[t] * 2
        if t == n:
            h = h[:t + 1]
            break
    h[0] = h[0] ** 2
    return h.sum()


@program
def reversed_in_some_iterations(x: float, n: int) -> Any:
    v = np.array([x, 1.0, 0.5, 0.25])
    for k in range(4):
        if v[k] * n > 0.9:
            v = v[::-1]
        v[k] *= 2
    return v @ np.arange(4.0)


@program
def view_or_copy_by_layout_that_is_dead(x: float, n: int) -> Any:
    y = np.ones((2, 2)) * x
    w = (y.T if n > 1 else y).reshape(-1)
    total = w @ w
    y[0, 1] = total
    return y.sum()


@program
def chosen_row_that_a_handler_reads(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x
    row = A[0] if n > 1 else A[1]
    try:
        A[1] = row * 2.0
        if n > 0:
            raise ValueError
    except ValueError:
        return row.sum()
    return A.sum()


@refused("SCT307")
def chosen_row_held_by_a_list(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x
    rows = []
    for k in range(n + 1):
        row = A[k] if n > 1 else A[0]
        rows.append(row)
    A[0] = 3.0 * x
    return rows[0].sum()


@program
def chosen_row_of_a_callers_array(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x

    def scaled(B: Any) -> Any:
        row = B[0] if n > 1 else B[1]
        row[0] = 2.0 * row[1]
        return row.sum()

    return scaled(A) + A.sum()


@program
def written_by_the_index_of_the_chosen_row(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x

    def touch(B: Any) -> int:
        B[2] += 1.0
        return 1

    row = A[2] if n > 1 else A[0]
    A[touch(A)] = row
    return (A * A).sum()


@program
def chosen_row_in_a_tuple(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x
    pair = (A[0] if n > 1 else A[1], 2.0)
    A[1] = 5.0
    return pair[0].sum() * pair[1]


@program
def best_row_that_is_scaled(x: float, n: int) -> Any:
    A = np.sin(np.arange(8.0).reshape(4, 2) + x)
    best = A[0]
    for k in range(1, n + 1):
        if A[k].sum() > best.sum():
            best = A[k]
    best *= 2.0
    A[0] = best * x
    return (A * A).sum() + best[1]


@program
def row_before_that_is_written_later(x: float, n: int) -> Any:
    A = np.sin(np.arange(8.0).reshape(4, 2) + x)
    before = A[0]
    for k in range(n):
        step = A[k + 1] - before
        before = A[k + 1]
        A[k + 1] += x * step
        before[0] *= 1.5
    return (A * A).sum() + before[0]


@program
def pivot_row_of_nested_loops(x: float, n: int) -> Any:
    A = np.cos(np.arange(16.0).reshape(4, 4) * x)
    for k in range(n):
        pivot = A[k]
        for i in range(k, 4):
            if abs(A[i, k]) > abs(pivot[k]):
                pivot = A[i]
        A[k, :], pivot[:] = pivot.copy(), A[k].copy()
        for i in range(k + 1, 4):
            A[i] -= A[k] * (A[i, k] / A[k, k])
    return (A[:n] ** 2).sum() * x


@program
def rows_of_which_one_is_returned(x: float, n: int) -> Any:
    A = np.sin(np.arange(8.0).reshape(4, 2) + x)

    def larger(p: Any, q: Any) -> Any:
        return p if p.sum() > q.sum() else q

    row = A[0]
    for k in range(1, n + 1):
        row = larger(row, A[k])
        A[k - 1, 1] = row[0] * row[1]
    return (A * A).sum() + row.sum()


@program
def element_of_a_moving_row(x: float, n: int) -> Any:
    A = np.sin(np.arange(12.0).reshape(2, 3, 2) + x)
    cell, k = A[0, 1], 0
    while k < n:
        cell = A[k % 2, (k + 1) % 3] if cell[0] > 0 else cell
        cell[1] += x * cell[0]
        A[0] *= 1.1
        k += 1
    return (A * A).sum() + cell[1]


@program
def columns_that_trade_places(x: float, n: int) -> Any:
    A = np.sin(np.arange(6.0).reshape(3, 2) + x)
    new, old = A[:, 0], A[:, 1]
    for _ in range(n):
        new, old = old, new
        new[1:] = old[:-1] * x
    return (A * A).sum() + new @ old


@program
def augmented_by_the_chosen_part(x: float, n: int) -> Any:
    u = np.arange(4.0) * x
    side = u[:2] if n > 1 else u[-2:]
    u[1] -= 0.3 * side.sum()
    side = u[:2] if n > 1 else u[-2:]
    u += side.max()
    return u @ u


@program
def chosen_part_that_a_handler_reads(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)
    row = A[0] if n > 1 else A[1:, 0]
    try:
        A[1] = row * 2.0
        if n > 0:
            raise ValueError
    except ValueError:
        return row.sum()
    return A.sum()


@program
def chosen_part_of_a_callers_array(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)

    def scaled(B: Any) -> Any:
        row = B[0] if n > 1 else B[1:, 0]
        row[0] = 2.0 * row[1]
        return row.sum()

    return scaled(A) + A.sum()


@program
def written_by_the_index_of_the_chosen_part(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)

    def touch(B: Any) -> int:
        B[2] += 1.0
        return 1

    row = A[2] if n > 1 else A[0]
    A[touch(A)] = row
    return (A * A).sum()


@program
def chosen_part_in_a_tuple(x: float, n: int) -> Any:
    A = np.ones((3, 2)) * x + np.arange(6.0).reshape(3, 2)
    pair = (A[0] if n > 1 else A[1:, 0], 2.0)
    A[1] = 5.0
    return pair[0].sum() * pair[1]


@program
def default_of_a_function_traded_in_a_branch(x: float, n: int) -> Any:
    y, z = [x], [2.0]
    f = lambda q=y: q[0] * 3
    if n > 1:
        y, z = z, y
    y[0] += x
    return f() + z[0]


@program
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
def copied_and_of_two_names(x: float, n: int) -> Any:
    rows, others = [[x] for _ in range(n)], [[2.0 * x] for _ in range(n)]
    more = rows[:]
    either = rows if n > 1 else others
    if n > 0:
        more[0][0] = 5 * x
    return sum(r[0] for r in rows) + len(either)


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


@program
def row_or_a_list(x: float, n: int) -> Any:
    rows = [[x] for _ in range(n + 1)]
    r = rows[0] if n > 2 else [1.0]
    r[0] = 5 * x
    return rows[0][0]


@program
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


# -- lists, dicts and objects that a loop binds to other names ----------------------------------------------


class Holder:
    """An object with a number and a list."""

    def __init__(self, v: float, h: Any = None) -> None:
        self.v = v
        self.h = [v * 0.5] if h is None else h

    def push(self, u: float) -> None:
        self.h.append(u)
        self.h = self.h[-2:]


@refused("SCT301")
def list_named_again(x: float, n: int) -> Any:
    one, two = [x, x], [1.0, 1.0]
    for _ in range(n):
        two = one
        one[0] += x
    two[-1] = 0.0
    return sum(one)


@refused("SCT301")
def list_named_again_in_some_trips(x: float, n: int) -> Any:
    one, two = [x], [2.0]
    for i in range(n):
        if i == 1:
            continue
        two = one
    two[0] = 9 * x
    return one[0]


@refused("SCT301")
def list_named_again_then_written_before(x: float, n: int) -> Any:
    one, two = [x], [2.0]
    for i in range(n):
        one[0] += x
        if i == 0:
            two = one
    return two[0]


@refused("SCT301")
def list_named_again_until_a_break(x: float, n: int) -> Any:
    one, two = [x, x * x], [0.0, 0.0]
    for _ in range(n):
        two = one
        break
    one[0] = 3.0
    return sum(two) + x


@refused("SCT301")
def grown_and_named_again(x: float, n: int) -> Any:
    one: list[float] = []
    two: list[float] = []
    i = 0
    while i < n:
        one.append(x * i)
        two = one
        i += 1
    two.append(5 * x)
    return sum(one)


@program
def dict_named_again(x: float, n: int) -> Any:
    one, two = {"a": x}, {"a": 1.0}
    for _ in range(n):
        two = one
    two["a"] = 0.0
    return one["a"] + x


@program
def object_named_again(x: float, n: int) -> Any:
    one, two = Holder(x), Holder(1.0)
    for _ in range(n):
        two = one
    two.v = 0.0
    return one.v + x


@refused("SCT301")
def list_put_into_an_attribute(x: float, n: int) -> Any:
    one, o = [x], Holder(1.0)
    for _ in range(n):
        o.h = one
    o.h[0] = 9 * x
    return one[0]


@refused("SCT301")
def list_put_into_a_dict(x: float, n: int) -> Any:
    one, d = [x], {"l": [2.0]}
    for _ in range(n):
        d["l"] = one
    d["l"][0] = 9 * x
    return sum(one)


@refused("SCT301")
def list_put_into_a_tuple(x: float, n: int) -> Any:
    one, t = [x], (1.0, [2.0])
    for _ in range(n):
        t = (x, one)
    t[1][0] = 9 * x
    return one[0]


@refused("SCT301")
def list_bound_by_a_closure(x: float, n: int) -> Any:
    one, two = [x], [1.0]

    def link() -> None:
        nonlocal two
        two = one

    for _ in range(n):
        link()
    two.append(3.0)
    return sum(one) + x


@refused("SCT301")
def array_of_one_of_two(x: float, n: int) -> Any:
    y, w, z = np.ones(2) * x, np.zeros(2), np.zeros(2)
    for i in range(n):
        z[0] = 5 * x
        z = y if i % 2 else w
    return y[0] + w[0]


@refused("SCT503")
def identity_after_a_loop(x: float, n: int) -> Any:
    one, two = [x], [2.0]
    for _ in range(n):
        two = one
    return x if one is two else 2.0 * x


@refused("SCT301")
def one_list_twice_then_two(x: float, n: int) -> Any:
    rows = [[x, 1.0]] * 2
    for _ in range(n):
        rows = [[x, x], [2.0, x]]
    rows[0][1] = 5 * x
    return rows[0][0] * rows[1][1]


@refused("SCT301")
def two_lists_then_one_twice(x: float, n: int) -> Any:
    rows = [[x, 1.0], [1.0, x]]
    for _ in range(n):
        rows = [[x, x]] * 2
    rows[0][1] = 5 * x
    return rows[0][0] * rows[1][1]


@refused("SCT301")
def one_list_twice_then_copies(x: float, n: int) -> Any:
    rows, i = [[x, 1.0]] * 2, 0
    while i < n:
        rows[0][1] += 5 * x
        i += 1
        rows = [list(r) for r in rows]
    return rows[0][0] * rows[1][1]


@refused("SCT301")
def values_of_a_dict(x: float, n: int) -> Any:
    a = [x]
    d = {"p": a, "q": a}
    for _ in range(n):
        d["p"][0] += 5 * x
        d["p"] = [x]
    return d["p"][0] * d["q"][0]


@refused("SCT301")
def lists_trade_names_that_a_tuple_holds(x: float, n: int) -> Any:
    y, z = [x, 1.0], [0.0, 2.0]
    both = (y, z)
    for _ in range(n):
        y, z = z, y
    both[0][1] = 9 * x
    return y[1] + 2 * z[1]


@refused("SCT301")
def lists_trade_names_that_a_list_holds(x: float, n: int) -> Any:
    y, z = [x], [1.0]
    both = [y, z]
    for _ in range(n):
        y, z = z, y
        both[0][0] += x
    return y[0] - 2 * z[0]


@refused("SCT301")
def lists_trade_names_that_a_default_holds(x: float, n: int) -> Any:
    y, z = [x], [2.0]
    f = lambda q=y: q[0] * 3
    for _ in range(n):
        y, z = z, y
        y[0] += x
    return f()


@program
def object_in_a_list_and_rebound(x: float, n: int) -> Any:
    c = Holder(x)
    held = [c]
    for i in range(n):
        c.v += x
        c = Holder(x * i)
    return c.v + held[0].v


@program
def lists_trade_names(x: float, n: int) -> Any:
    y, z = [x], [2.0]
    for _ in range(n):
        y, z = z, y
        y[0] += x
    return y[0] + 2 * z[0]


@program
def objects_trade_names(x: float, n: int) -> Any:
    y, z = Holder(x), Holder(2.0 * x)
    for _ in range(n):
        y, z = z, y
        y.v += x
        z.h[0] *= y.v
    return y.v + 2 * z.v + y.h[0] * z.h[0]


@program
def best_of_several(x: float, n: int) -> Any:
    now = [x, 1.0]
    best = now
    for i in range(n):
        now = [c * x * (2 - i) for c in now]
        if now[0] > best[0]:
            best = now
    return best[0] + now[1]


@program
def list_named_again_and_read(x: float, n: int) -> Any:
    one, last = [x, 2.0], [0.0, 0.0]
    for i in range(n):
        one[0] += x * i
        last = one
    return last[0] * 3.0 + one[1]


@program
def last_row_named(x: float, n: int) -> Any:
    rows = [[x * i] for i in range(n)]
    last = [0.0]
    for r in rows:
        r[0] += x
        last = r
    return last[0]


@program
def copy_named_again(x: float, n: int) -> Any:
    one, two = [x, x], [1.0, 1.0]
    for _ in range(n):
        two = one[:]
        one[0] += x
    two[-1] = 0.0
    return sum(one) + sum(two)


@program
def state_made_anew(x: float, n: int) -> Any:
    s = {"u": np.ones(2) * x, "v": np.zeros(2)}
    for _ in range(n):
        s = {**s, "v": s["v"] - s["u"] * x}
        s["v"][0] = x
    return s["u"].sum() + s["v"].sum()


@program
def object_made_anew(x: float, n: int) -> Any:
    o = Holder(x)
    for _ in range(n):
        p = Holder(o.v * x)
        p.v += 1.0
        p.h[0] += o.h[0]
        o = p
    return o.v + o.h[0]


@refused("SCT301")
def attribute_traded_in_an_inner_loop(x: float, n: int) -> Any:
    a, c, o = [x, 1.0], [x * 3, 0.5], Holder(x, [x, 0.1])
    total = 0.0
    for _ in range(n):
        for _ in range(n):
            o.h, c = c, o.h
        for _ in range(2):
            total += a[1]
            o.h[1] += x * 2
            c[0] += x * 2
        o.h = a
    return total + a[1] + 5 * c[0] + 7 * o.h[0]


# -- what a loop makes of the keys and the length ------------------------------------------------------------


@refused("SCT502")
def new_key_then_a_copy(x: float, n: int) -> Any:
    d = {"p": x}
    for _ in range(n):
        d["z"] = x * x
        d = d.copy()
    return sum(d.values()) + len(d)


@refused("SCT502")
def key_taken_away_then_a_copy(x: float, n: int) -> Any:
    d = {"p": x, "z": 1.0}
    for _ in range(n):
        d.pop("z", None)
        d = dict(d)
    return sum(d.values()) + len(d)


@refused("SCT502")
def keys_in_another_order(x: float, n: int) -> Any:
    d = {"p": x, "z": 1.0}
    for _ in range(n):
        d["p"] = d.pop("p") * x
        d = {**d}
    return sum(v * 2.0 ** i for i, v in enumerate(d.values()))


@refused("SCT502")
def new_attribute_then_a_copy(x: float, n: int) -> Any:
    o = Holder(x)
    for _ in range(n):
        o.z = x * x  # type: ignore[attr-defined]
        o = copy.copy(o)
    return o.v + len(vars(o))


@program
def same_keys_in_a_copy(x: float, n: int) -> Any:
    d = {"p": x, "z": 1.0}
    for _ in range(n):
        d["z"] += d["p"]
        d = dict(d)
    return sum(d.values()) + len(d)


@program
def window_in_an_attribute(x: float, n: int) -> Any:
    o = Holder(x)
    for i in range(n):
        o.push(x * i)
    return sum(o.h)


@program
def window_in_a_dict(x: float, n: int) -> Any:
    d = {"a": [x]}
    for _ in range(n):
        d["a"].append(x * x)
        d["a"] = d["a"][-2:]
    return sum(d["a"])


@program
def windows_in_a_list(x: float, n: int) -> Any:
    both = [[x], [1.0]]
    for i in range(n):
        for k, b in enumerate(both):
            b.append(x * i)
            both[k] = b[-2:]
    return sum(map(sum, both))


@program
def tuples_rebuilt_and_popped(x: float, n: int) -> Any:
    pairs = [(x, 1.0)]
    total = 0.0
    for _ in range(n):
        pairs = [(v * x, u * 0.5) for v, u in pairs]
        if pairs:
            a, b = pairs.pop()
            total += a * b
    return total + len(pairs)


@program
def tuples_copied_and_popped(x: float, n: int) -> Any:
    pairs = [(x, 1.0)]
    for _ in range(n):
        pairs = pairs[:]
        if pairs:
            pairs.pop()
    return x + len(pairs)


@program
def times_zero_then_a_mask(x: float, n: int) -> Any:
    y = np.array([x, 1.0, 0.5]) * 0.0
    y[y >= 0] = 0.4 * x
    return y.sum() * (n + 1)


@program
def times_zero_then_a_mask_of_another(x: float, n: int) -> Any:
    v = np.array([x, -1.0, 0.5]) * (n + 1)
    y = v * 0
    z = y
    z[v > 0] = v[0]
    return (y * v).sum()


@program
def of_one_path_and_written(x: float, n: int) -> Any:
    if n > 1:
        a = np.array([x, 2.0 * x])
    if n > 1:
        a[0] = x * x
        return np.sum(a) * n
    return x * n


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
