"""Helpers that return None or a value in a `try`, and conditional expressions there that make lists and objects.

Every derivative is called with several arguments in two orders, without validation at the first call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees_in_every_mode

X = np.array([1.3, 0.7, -0.4])
ORDERS: list[tuple[int, ...]] = [(0, 1, 2, 5, 9, 1, 0), (1, 5, 0, 2, 1)]
program = Programs()


@pytest.fixture(autouse=True)
def _without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


# -- helpers that return None -------------------------------------------------------------------------------


def get(x, i):
    if i == 1:
        return None
    return x[i]


def parse(s):
    if s == '':
        return None
    return float(s)


class Table:

    def __init__(self, d):
        self.d = d

    def get(self, k):
        if k == 0:
            return None
        return self.d[k]


def h(x, i):
    if i == 1:
        r = None
    else:
        r = x[i] * x[0]
    return r


class Cell:
    pass


def inv(y):
    if y == 0.5:
        return None
    return 1.0 / y


def sq(y, i):
    if i == 0:
        return None
    return math.sqrt(y)


@program()
def a_number_or_none(x, i):
    try:
        r = get(x, i)
    except IndexError:
        r = -1.0
    return x[0] if r is None else r


@program()
def a_text_that_is_read(x, i):
    s = ['1.5', '', 'abc', '2'][i % 4]
    try:
        v = parse(s)
    except ValueError:
        v = 1.0
    return 3.0 * x[0] if v is None else v * x[0]


@program()
def a_method(x, i):
    s = Table({1: x[0], 2: x[1] * x[0]})
    try:
        r = s.get(i)
    except KeyError:
        r = x[2]
    if r is None:
        return x[1]
    return r * r


@program()
def the_handler_returns(x, i):
    try:
        r = h(x, i)
    except IndexError:
        return x[1] * 3.0
    return x[2] if r is None else r


@program()
def it_was_bound_before(x, i):
    r = x[1]
    try:
        r = get(x, i)
    except IndexError:
        pass
    if not r:
        return x[0] * 2.0
    return r * r


@program()
def the_try_is_in_a_function(x, i):

    def t():
        try:
            return get(x, i)
        except IndexError:
            return 3 * x[1]
    r = t()
    return x[0] if r is None else r * 2.0


@program()
def in_a_loop(x, i):
    s = 0.0
    for k in range(i):
        try:
            r = get(x, k)
        except IndexError:
            r = x[0] * 0.5
        else:
            s += 0.25
        if r is None:
            s += x[2]
        else:
            s += r
    return s


@program()
def it_is_stored_in_an_object(x, i):
    o = Cell()
    try:
        o.v = get(x, i)
    except IndexError:
        o.v = x[1]
    return x[0] if o.v is None else o.v * o.v


@program()
def it_is_stored_in_a_list(x, i):
    L = [x[0], x[1]]
    try:
        L[0] = get(x, i)
    except IndexError:
        L[0] = x[1]
    return x[0] if L[0] is None else L[0] * L[1]


@program()
def in_a_tuple(x, i):
    try:
        r, s = (get(x, i), 1.0)
    except IndexError:
        r, s = (x[1], 2.0)
    return x[0] * s if r is None else r * s


@program()
def a_second_try_uses_it(x, i):
    try:
        r = get(x, i)
    except IndexError:
        r = x[0]
    try:
        y = r * 2.0
    except TypeError:
        y = x[2]
    return y * y


@program()
def a_division(x, i):
    try:
        r = inv(float(i) - 1.0 if i < 9 else 0.5)
    except ZeroDivisionError:
        r = x[1]
    return x[0] * 1.5 if r is None else r * x[0]


@program()
def a_root(x, i):
    try:
        r = sq(x[i % 3], i)
    except ValueError:
        r = 7.0 * x[0]
    return x[0] * 1.5 if r is None else r * x[0]


@program()
def it_is_unbound_where_it_raises(x, i):
    try:
        r = get(x, i)
    except IndexError:
        pass
    return x[0] if r is None else r


# -- conditional expressions ---------------------------------------------------------------------------------


class Holder:

    def __init__(self, v):
        self.v = v


@program()
def a_list_of_one(x, k):
    try:
        r = [x[1]] if k else [x[k]]
    except IndexError:
        r = [x[0]]
    return r[0]


@program()
def an_object(x, k):
    try:
        r = Holder(x[1]) if k == 2 else Holder(x[k])
    except IndexError:
        r = Holder(x[0])
    return r.v * r.v


@program()
def none_or_an_object(x, k):
    try:
        r = None if k == 1 else Holder(x[k])
    except IndexError:
        r = Holder(x[0])
    return r.v * 2.0 if r is not None else x[1]


@program()
def a_list_or_a_number(x, k):
    try:
        r = [x[k]] if k > 1 else x[2]
    except IndexError:
        r = x[0]
    return sum(r) if isinstance(r, list) else r


@program()
def lists_of_two_lengths(x, k):
    try:
        r = [math.sqrt(x[k])] if k else [x[k], x[1]]
    except ValueError:
        r = [x[0]]
    return sum(r) * x[0]


@program()
def a_dict(x, k):
    try:
        r = {'a': x[1]} if k else {'a': x[k]}
    except IndexError:
        r = {'a': x[0]}
    return r['a']


@program()
def a_comprehension(x, k):
    try:
        r = [x[j] for j in range(k)] if k < 2 else [x[j] * x[j + 1] for j in range(k)]
    except IndexError:
        r = [x[0]]
    return sum(r) + x[0]


@program()
def an_array_that_is_written(x, k):
    try:
        r = x[:k].copy() if k < 2 else np.array([x[k], x[1]])
    except IndexError:
        r = x.copy()
    r *= 2.0
    return r @ r


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("order", ORDERS, ids=["a value first", "None first"])
@pytest.mark.parametrize("f", [f for f, _ in program], ids=lambda f: f.__name__)
def test_program(f: Any, order: tuple[int, ...]) -> None:
    agrees_in_every_mode(f, [(X.copy(), k) for k in order])
