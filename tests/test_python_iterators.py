"""Iterators of libraries give an item when an iteration begins, as in Python: not before, and no more than it takes.

What they raise or read on the way to an item, they raise or read then. What is left of them is read behind the loop.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import SctError, grad, hvp, jvp, value_and_grad
from tests.oracle import agrees, same_value

Program = Callable[..., Any]
ROWS = ["a,1", "b,2", "c,3", "a,4"]
MALFORMED = ["a,1", "b,2.5", "end,0", '"a"b,3']


def left_before_a_malformed_row(x, lines):
    s = 0.0
    for row in csv.reader(lines, strict=True):
        if row[0] == "end":
            break
        s += x * float(row[1])
    return s * x


def returns_before_a_malformed_row(x, lines):
    for k, row in enumerate(csv.reader(lines, strict=True)):
        if row[0] == "end":
            return x**2 * k
    return x


def runs_into_a_malformed_row(x, lines):
    s = 0.0
    for row in csv.reader(lines, strict=True):
        print(row[0])
        s += x * float(row[1])
    return s


def handles_a_malformed_row(x, lines):
    s = 0.0
    try:
        for row in csv.reader(lines, strict=True):
            s += x * x * float(row[1])
    except csv.Error:
        s = 10.0 * s
    return s


def a_file_behind_the_loop(x, lines):
    file = io.StringIO("\n".join(lines))
    s = 0.0
    for row in csv.reader(file):
        if row[0] == "b":
            break
        s += x * float(row[1])
    return s * len(file.read())


def lines_of_a_file(x, lines):
    file = io.StringIO("\n".join(lines))
    header, s = next(file), 1.0
    for line in file:
        s = s * x + len(line) + file.tell()
    return s * len(header)


def a_header_is_skipped(x, lines):
    rows = csv.reader(lines)
    head = next(rows)
    s = 0.0
    for row in rows:
        s += x ** float(row[1])
    return s + len(head[0]) * x


def a_next_row_in_the_loop(x, lines):
    rows = csv.reader(lines)
    s = 0.0
    for row in rows:
        other = next(rows, None)
        s = s * x + float(row[1])
        if other is not None:
            s -= x * float(other[1])
    return s + rows.line_num * x


def a_second_loop(x, lines):
    numbers = re.finditer(r"\d", "".join(lines))
    s = x
    for m in numbers:
        s = s * x + float(m.group())
        if m.group() == "2":
            break
    else:
        s = 100.0 * s
    for m in numbers:
        s -= x * float(m.group())
    return s


def in_step(x, lines):
    s = 0.0
    for row, w in zip(csv.reader(lines), [1.0, 2.0, 3.0]):
        if row[0] == "b":
            continue
        s += w * x ** float(row[1])
    return s


def a_comprehension(x, lines):
    terms = [x ** float(row[1]) for row in csv.reader(lines) if row[0] == "a"]
    return sum(terms) * len(terms)


def a_generator_expression(x, lines):
    return sum(x ** float(row[1]) for row in csv.reader(lines) if row[0] != "b")


def the_first_that(x, lines):
    rows = csv.reader(lines, strict=True)
    known = any(row[0] == "b" for row in rows)
    return x * x if known else x


def a_function_that_yields(x, lines):
    def numbers():
        for row in csv.reader(lines):
            yield float(row[1])

    s = 0.0
    for v in numbers():
        s = s * x + v
        if s > 8.0:
            return s
    return s


def a_loop_in_a_loop(x, lines):
    s = 0.0
    for k in range(3):
        for row in csv.reader(lines):
            if float(row[1]) > k + 1.0:
                break
            s = s * x + k * float(row[1])
    return s


def unpacked(x, lines):
    a, b = csv.reader(lines[:2])
    return x ** float(a[1]) * float(b[1])


def too_many_to_unpack(x, lines):
    a, b = csv.reader(lines, strict=True)
    return x ** float(a[1]) * float(b[1])


def over_none(x, lines):
    return sum(x for v in itertools.repeat(None, 3))


@pytest.mark.parametrize("f", [
    left_before_a_malformed_row, returns_before_a_malformed_row, runs_into_a_malformed_row, handles_a_malformed_row,
    the_first_that, too_many_to_unpack])
def test_a_malformed_row_is_read_when_it_is_asked_for(f: Program) -> None:
    agrees(f, 1.3, MALFORMED)


@pytest.mark.parametrize("f", [
    a_file_behind_the_loop, lines_of_a_file, a_header_is_skipped, a_next_row_in_the_loop, a_second_loop, in_step,
    a_comprehension, a_generator_expression, the_first_that, a_function_that_yields, a_loop_in_a_loop, unpacked,
    left_before_a_malformed_row, handles_a_malformed_row, over_none])
def test_what_is_left_is_read_behind_the_loop(f: Program) -> None:
    agrees(f, 1.3, ROWS)


@pytest.mark.parametrize("f", [left_before_a_malformed_row, a_header_is_skipped, a_loop_in_a_loop, a_second_loop])
def test_derivatives_agree(f: Program) -> None:
    lines = [*ROWS]
    value, slope = value_and_grad(f)(1.3, lines)
    primal, tangent = jvp(f, (1.3, lines), (1.0,))
    assert same_value(primal, value)
    np.testing.assert_allclose(tangent, slope, rtol=1e-12)
    step = 1e-5
    second = (grad(f)(1.3 + step, lines) - grad(f)(1.3 - step, lines)) / (2.0 * step)
    np.testing.assert_allclose(hvp(f, (1.3, lines), (1.0,)), second, rtol=1e-7)
    assert lines == ROWS


def test_another_length_and_other_rows() -> None:
    derivative = value_and_grad(a_header_is_skipped)
    for lines in (ROWS, ROWS[:1], ROWS * 5):
        value, _ = derivative(1.3, lines)
        assert same_value(value, a_header_is_skipped(1.3, lines))
    with pytest.raises(StopIteration):
        derivative(1.3, [])


def an_iterator_of_the_caller(x, rows):
    s = 0.0
    for row in rows:
        s += x * float(row[1])
    return s


def test_an_iterator_of_the_caller_is_refused() -> None:
    rows = csv.reader(ROWS)
    with pytest.raises(SctError, match="SCT503"):
        grad(an_iterator_of_the_caller)(1.3, rows)
    assert next(rows) == ["a", "1"]
