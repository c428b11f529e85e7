"""`copy.deepcopy` of lists whose length is not known: new lists, and new arrays, objects and lists in them."""

import copy

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import SctError, value_and_grad

X = np.array([0.7, 1.3])
ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [1.0, 0.0, 1.0], [1.0, 2.0, 2.0], [0.5, 0.5, 0.25]]


def scaled_rows(x, rows):
    w = copy.deepcopy(rows)
    for row in w:
        row[0] *= x[0]
        row.append(x[1])
    return sum(v * v for row in w for v in row) + rows[0][0] + len(rows[1])


def test_rows_of_the_caller():
    derivative = value_and_grad(scaled_rows)
    agrees(scaled_rows, X, ROWS, derivative=derivative)
    agrees(scaled_rows, X, ROWS[1:] * 1 + [[2.0], [3.0, 1.0]], derivative=derivative)
    agrees_in_second_order(scaled_rows, X, ROWS)


def first_and_second(x, rows):
    w = copy.deepcopy(rows)
    w[0][0] = w[0][0] * x[0]
    return w[1][0] * x[1]


def of_a_dict(x, d):
    w = copy.deepcopy(d)
    w["a"][0] = w["a"][0] * x[0]
    return w["b"][0] * x[1]


def of_a_tuple(x, a, b):
    v, w = copy.deepcopy((a, b))
    v[0] = v[0] * x[0]
    return w[0] * x[1]


R = [1.0]
A, B = np.array([1.0, 2.0]), np.array([1.0, 3.0])


@pytest.mark.parametrize("f, apart, same", [
    (first_and_second, ([[1.0, 2.0] for _ in range(5)],), ([[1.0, 2.0]] * 5,)),
    (first_and_second, ([[1.0, 2.0] for _ in range(3)],), ([[1.0, 2.0]] * 3,)),
    (first_and_second, ([A, B],), ([A, A],)),
    (of_a_dict, ({"a": A, "b": B},), ({"a": A, "b": A},)),
    (of_a_dict, ({"a": [1.0], "b": [2.0]},), (dict(a=R, b=R),)),
    (of_a_tuple, (A, B), (A, A)),
])
def test_what_is_there_twice_is_so_in_the_copy(f, apart, same):
    derivative = value_and_grad(f)
    agrees(f, X, *apart, derivative=derivative)
    for d in (derivative, value_and_grad(f)):
        try:
            agrees(f, X, *same, derivative=d)
        except SctError as error:
            assert error.code == "SCT305"


def test_rows_that_the_function_makes():
    def f(x, n):
        rows = []
        for i in range(n):
            rows.append([x[0] * i, x[1]])
        before = copy.deepcopy(rows)
        for _ in range(2):
            saved = copy.deepcopy(rows)
            for i in range(1, n):
                rows[i][0] = saved[i - 1][0] * x[1] + saved[i][1]
        return rows[n - 1][0] * before[2][0] + rows[1][0]

    agrees(f, X, 5)
    agrees_in_second_order(f, X, 5)


def test_tuples_with_lists_and_numbers():
    def f(x, records):
        mine = copy.deepcopy(records)
        for _, marks in mine:
            marks.append(5.0 * x[1])
        return sum(v * x[0] * sum(marks) for v, marks in mine) + sum(len(marks) for _, marks in records)

    agrees(f, X, [(1.0, [1.0, 2.0]), (2.0, [3.0]), (2.5, []), (3.0, [4.0]), (0.5, [0.25])])


def test_a_copy_in_a_dict_and_in_an_object():
    class State:
        def __init__(self, rows):
            self.rows = rows

    def f(x, rows):
        state = State([[v * x[0] for v in row] for row in rows])
        saved = copy.deepcopy(state)
        best = {"rows": copy.deepcopy(state.rows), "gain": x[1]}
        state.rows[2][0] = 7.0
        return saved.rows[2][0] + best["rows"][2][0] * best["gain"] * state.rows[2][0]

    agrees(f, X, ROWS)


def test_arrays_that_may_be_there_twice_are_refused():
    def f(x, n):
        rows, y = [], x * 2.0
        for _ in range(n):
            rows.append(y)
        w = copy.deepcopy(rows)
        return w[1][0] * x[1]

    assert "[list(row) for row in rows]" in str(refuses(f, X, 3, code="SCT208"))


