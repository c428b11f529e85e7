"""Lists and tuples that are put into lists and dicts, and change afterwards: what holds them keeps the old one.

The list that holds one may be that of a branch, of an inner loop, or be passed on through a branch before the change.
"""

from collections import deque

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import grad, jvp, value_and_grad

X = np.array([0.5, 0.7, 1.1])


def as_keys(x, n):
    d, t = {}, ()
    for i in range(n):
        t = t + (i % 3,)
        d[t] = x[i % 3] * (i + 1)
    s = 0.0
    for k, v in d.items():
        s += v * sum(k)
    return s


def as_values(x, n):
    d, t = {}, ()
    for i in range(n):
        t = t + (i % 3,)
        d[i] = t
    s = 0.0
    for k, v in d.items():
        s += x[0] * sum(v) * (k + 1)
    return s


def of_differentiated_numbers(x, n):
    d, t = {}, ()
    for i in range(n):
        t += (x[i % 3] * i,)
        d[i] = t
    return sum([sum(d[i]) * d[i][0] * i + sum(d[i]) ** 2 for i in range(n)])


def tuples_of_a_list_that_changes(x, n):
    d, t = {}, [0, 0, 0]
    for i in range(n):
        t[i % 3] += i
        d[tuple(t)] = x[i % 3]
    s = 0.0
    for k, v in d.items():
        s += v * v * sum(k)
    return s


def before_a_branch(x, n):
    d, t = [], ()
    for i in range(n):
        t = t + (x[i % 3] * i,)
        d.append(t)
        if i % 2:
            d.append((x[0],))
    return sum([sum(v) * len(v) for v in d])


def in_an_inner_loop(x, n):
    d, t = [], ()
    for i in range(n):
        t = t + (x[i % 3] * i,)
        for _ in range(2):
            d.append(t)
    return sum([sum(v) * len(v) * sum(v) for v in d])


def slices(x, n):
    d, t = {}, []
    for i in range(n):
        t.append(x[i % 3] * x[0])
        d[i] = t[:]
    s = 0.0
    for k, v in d.items():
        s += sum(v) * (k + 1) * v[0]
    return s


def slices_in_a_deque(x, n):
    d, t = deque(), []
    for i in range(n):
        t.append(x[i % 3] * x[0])
        d.append(t[:])
    return sum([sum(v) * len(v) for v in d])


def slices_in_tuples(x, n):
    d, t = {}, []
    for i in range(n):
        t.append(x[i % 3] * x[0])
        d[i] = (i, t[:])
    s = 0.0
    for i in range(n):
        s += sum(d[i][1]) * (d[i][0] + 1)
    return s


def slices_of_a_list_that_changes(x, n):
    d, t = {}, [0.0, 0.0]
    for i in range(n):
        t[i % 2] += x[i % 3] * x[0]
        d[i] = t[:]
    s = 0.0
    for k, v in d.items():
        s += v[0] * v[1] * (k + 1)
    return s


@pytest.mark.parametrize("f", (
    as_keys, as_values, of_differentiated_numbers, tuples_of_a_list_that_changes, before_a_branch, in_an_inner_loop,
    slices, slices_in_a_deque, slices_in_tuples, slices_of_a_list_that_changes))
def test_later_calls_agree_in_every_mode(f, monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative, direction = value_and_grad(f), np.array([0.3, -0.2, 0.9])
    for n in (1, 4, 6):
        agrees(f, X, n, derivative=derivative)
        agrees_in_second_order(f, X, n)
        assert jvp(f, (X, n), (direction, None))[1] == pytest.approx(grad(f)(X, n) @ direction, rel=1e-12)
