"""Items of containers that have other names: a write through any of the names is seen through all of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import value_and_grad

U = np.array([0.3, -0.7, 1.1])


def view_of_an_item(u, n):
    a, b = u * 2.0, np.sin(u)
    rows, view, total = [a, b], b[1:], 0.0
    for t in range(n):
        a[2] += 1.5
        total += rows[t % 2][0]
    return np.sum(view) + total


def loop_over_an_item(u, n):
    a, b = u * 2.0, np.sin(u)
    rows, total = [a, b], 0.0
    for t in range(n):
        a[2] += 1.5
        total += rows[t % 2][0]
    for x in b:
        total += x
        rows[n % 2][0] += 0.1 * x
    return total


def name_of_an_item_on_one_path(u, n):
    rows = [u * 1.0, u * 2.0]
    if n > 3:
        c = rows[1]
    rows[0] = c
    return rows[0][0] * rows[1][1]


class Box:
    def __init__(self, buf):
        self.buf = buf


def item_of_the_iteration_before(u, n):
    boxes = [Box(u * k) for k in range(n + 2)]
    total = 0.0
    for t in range(n):
        if t > 0:
            total += row[0]  # noqa: F821
        row = boxes[t].buf
        row[0] += u[1]
        boxes[t // 2].buf[0] *= u[2]
    return total


def item_that_was_written_and_gets_a_name_in_a_loop(u, n):
    boxes = [Box(u * k) for k in range(n)]
    last = boxes[-1].buf
    boxes[-1].buf *= u
    for _ in range(n):
        name = last
    return boxes[1].buf @ name


PROGRAMS = [view_of_an_item, loop_over_an_item, name_of_an_item_on_one_path, item_of_the_iteration_before,
            item_that_was_written_and_gets_a_name_in_a_loop]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (4, 3):
        agrees(f, U, n)


def replaced_array_of_an_object(u, n):
    boxes = [Box(u * k) for k in range(1, n)]
    view = boxes[0].buf
    boxes[0].buf = np.sin(u)
    view *= 0.5
    return boxes[0].buf[0] + np.sum(view)


def one_of_two_of_the_iteration_before(u, n):
    a, b, total = u * 1.0, u * 2.0, 0.0
    for t in range(n):
        if t > 0:
            c[0] += 1.0  # noqa: F821
        total += a[0] + b[0]
        if u[1] > 0.0:
            c = a
        else:
            c = b
    return total


def item_of_the_first_iteration(u, n):
    boxes = [Box(u * k) for k in range(n + 2)]
    total = 0.0
    for t in range(n):
        if t == 0:
            row = boxes[1].buf
        total += row[0]
        boxes[t % 2].buf[0] += u[1]
    return total


def name_on_one_path(u, n):
    a = u * 1.0
    if n > 3:
        b = a
    b *= 0.5
    return a[0]


def name_on_the_other_path(u, n):
    a = u * 1.0
    if n < 3:
        n = 2
    else:
        b = a
    a *= 0.5
    return b[0]


def test_where_an_array_is_no_longer_known_it_is_refused() -> None:
    refuses(replaced_array_of_an_object, U, 4, code="SCT307")
    refuses(one_of_two_of_the_iteration_before, U, 4, code="SCT301")
    refuses(item_of_the_first_iteration, U, 4, code="SCT307")


@pytest.mark.parametrize("f", [name_on_one_path, name_on_the_other_path])
def test_a_name_that_one_path_binds_is_written_on_that_path(f) -> None:
    derivative = value_and_grad(f)
    for n in (4, 2, 5):
        agrees(f, U, n, derivative=derivative)


def copied_object(u, n):
    box = Box(u * 2.0)
    other = copy.copy(box)
    for t in range(n):
        other.buf[t % 3] *= u[0]
    return np.sum(box.buf)


def test_a_copy_of_an_object_shares_its_arrays() -> None:
    """The first `copy.copy` of an object notes something in its class, which is no change that validation sees."""
    assert "__slotnames__" not in vars(Box)
    agrees(copied_object, U, 4)
