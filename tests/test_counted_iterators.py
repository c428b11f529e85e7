"""Iterators that are used again after a loop or a branch over them: their position is a number of the program."""

from __future__ import annotations

import copy
import heapq
import itertools
import math

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import hessian, jacfwd, value_and_grad

SETS = [np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2]), np.array([0.7, -0.3, 0.1, 0.4, -0.9, 0.2]),
        np.array([1.7, -0.3, 1.1, 2.4, -0.9, 0.2, 0.45, -2.0, 0.35]), np.array([-0.7, 0.27, -1.1, 0.45, -0.1, 0.1]),
        np.array([0.2, 1.3, -1.1, 0.45, 0.4])]
AGREE = []


def program(f):
    """Registers a program that is differentiated."""
    AGREE.append(f)
    return f


class Reader:
    def __init__(self, xs):
        self.it = iter(xs)

    def until(self, c):
        s = 0.0
        for v in self.it:
            if v > c:
                break
            s += v
        return s


@program
def two_loops(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 1.0:
            break
        s += v
    for v in it:
        s += v * v
    return s


@program
def next_in_the_loop(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 0.5:
            s += next(it) * v
        else:
            s += v
    return s


@program
def next_of_a_list_in_a_while(x):
    it = iter([v * v for v in x for _ in range(3)])
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v * x[0]
    return s


@program
def next_with_a_default(x):
    it = iter([v * v for v in x for _ in range(3)])
    s = x[1]
    while (v := next(it, None)) is not None:
        s += v * next(it, 1.0)
    return s


@program
def loop_with_else_then_next(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 1.0:
            break
        s += v
    else:
        s *= 2
    s += next(it, 0.5)
    return s + sum(w * w for w in it)


@program
def of_a_range(x):
    it = iter(range(len(x)))
    s = 0.0
    for i in it:
        if x[i] > 1.0:
            break
        s += x[i]
    for j in it:
        s += x[j] * x[i] * j
    return s


@program
def enumerated(x):
    it = enumerate(x)
    s = 0.0
    for i, v in it:
        if v > 1.0:
            break
        s += v
    for i, v in it:
        s += v * v * i
    return s


@program
def until_stop_iteration(x):
    it = iter(x)
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v * v
    return s


@program
def while_with_a_walrus(x):
    it = iter(x)
    s = 0.0
    while (v := next(it, None)) is not None:
        s += v * v
        if v > 1:
            break
    return s + sum(it)


@program
def any_then_sum(x):
    it = iter(x)
    s = 0.0
    any(v > 1.0 for v in it)
    return sum(v * v for v in it)


@program
def returned_within(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v < 0:
            continue
        if v > 1.0:
            return s * v + sum(it)
        s += v
    return s


@program
def zipped(x):
    it = zip(x, x[::-1])
    s = 0.0
    for a, b in it:
        if b > 1:
            break
        s += a * b
    return s + sum(a for a, b in it)


@program
def mapped(x):
    it = map(math.sin, x)
    s = 0.0
    for a in it:
        if a > .8:
            break
        s += a
    return s + sum(it)


@program
def taken_in_a_branch(x):
    it = iter(x)
    s = 0.0
    if x[0] > 0:
        s += next(it)
    for v in it:
        s += v * v
    return s


@program
def in_chunks(x):
    it = iter(x)
    s = 0.0
    while True:
        chunk = list(itertools.islice(it, 2))
        if not chunk:
            break
        s += chunk[0] * len(chunk)
    return s


@program
def in_a_loop(x):
    it = iter(x)
    s = 0.0
    for k in range(2):
        for v in it:
            if v > 0.6:
                break
            s += v * k
        s *= 1.5
    return s + sum(it)


@program
def taken_while(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 1:
            break
    for v in itertools.takewhile(lambda t: t < .3, it):
        s += v
    for v in it:
        s += v * v
    return s


@program
def zipped_behind(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 1:
            break
    for v, w in zip(x[:2], it):
        s += v * w
    for v in it:
        s += v * v
    return s


@program
def zipped_before(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 1:
            break
    for v, w in zip(it, x[:2]):
        s += v * w
    for v in it:
        s += v * v
    return s


@program
def rest_as_a_list(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > .29:
            break
    rest = list(it)
    return s + sum(rest) + len(rest)


@program
def rest_as_an_array(x):
    it = iter(x)
    for v in it:
        if v > .29:
            break
    return np.sum(np.array([w * v for w in it])) + np.sum(np.array(list(it)))


@program
def largest_of_the_rest(x):
    it = iter(x)
    for v in it:
        if v > .29:
            break
    return max(it, default=0.0) * v


@program
def loop_within(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 0.5:
            for w in it:
                if w < 0:
                    break
                s += w * v
        else:
            s += v
    return s


@program
def in_a_closure(x):
    it = iter(x)
    def skip():
        for v in it:
            if v > 0:
                return v
        return 0.0
    a = skip()
    b = skip()
    return a * b + sum(it)


@program
def next_in_a_range(x):
    it = iter(x)
    s = 0.0
    y = x
    for v in it:
        s += v
        if v > .5:
            break
    for k in range(len(x)):
        w = next(it, None)
        if w is None:
            return s
        s += w * k
    return s


@program
def in_an_object(x):
    r = Reader(x)
    a = r.until(.29)
    b = r.until(.29)
    return a + 2 * b + sum(r.it)


@program
def pairs_by_sign(x):
    it = iter(x)
    s = 0.0
    while True:
        v = next(it, None)
        if v is None:
            break
        if v < 0:
            s += next(it, 0.0) * v
        s += v
    return s


@program
def turned(x):
    it = reversed(x)
    s = 0.0
    for v in it:
        if v > .29:
            break
        s += v
    return s + v * sum(w for w in it)


@program
def of_rows(x):
    rows = [[v, v * v] for v in x]
    it = iter(rows)
    s = 0.0
    for a, b in it:
        if a > .5:
            break
        s += b
    for a, b in it:
        s += a * b
    return s


@program
def array_written_between(x):
    y = x * 1.0
    it = iter(y)
    s = 0.0
    for v in it:
        if v > .5:
            break
        y[1:] *= 1.1
        s += v
    y[-1] = 3.0 * y[0]
    for v in it:
        s += v * v
    return s


@pytest.mark.parametrize("f", AGREE, ids=lambda f: f.__name__)
def test_agrees(f) -> None:
    g = value_and_grad(f)
    for x in SETS:
        agrees(f, x, derivative=g)
    g = value_and_grad(f)
    for x in SETS[::2]:
        agrees(f, x.tolist(), derivative=g)


@pytest.mark.parametrize("f", [two_loops, loop_within, enumerated], ids=lambda f: f.__name__)
def test_other_modes(f) -> None:
    x = SETS[0]
    np.testing.assert_allclose(jacfwd(f)(x), value_and_grad(f)(x)[1])
    h = 1e-5
    columns = [(value_and_grad(f)(x + h * e)[1] - value_and_grad(f)(x - h * e)[1]) / (2 * h) for e in np.eye(len(x))]
    np.testing.assert_allclose(hessian(f)(x), columns, atol=1e-6)


def doubled(x):
    for v in x:
        yield v * 2.0


def sliced_generator(x):
    g = doubled(x)
    s = 0.0
    for v in itertools.islice(g, 2):
        s += v
    for v in g:
        s += v * v
    return s


def generator_taken_while(x):
    g = doubled(x)
    s = 0.0
    for v in itertools.takewhile(lambda t: t < 1.9, g):
        s += v
    for v in g:
        s += v * v
    return s


def list_that_grows(x):
    xs = list(x)
    it = iter(xs)
    s = 0.0
    for v in it:
        s += v
        if v > 5.0:
            break
    xs.append(2.0)
    for v in it:
        s += v * v
    return s


def with_itself(x):
    it = iter(x)
    s = 0.0
    for v in it:
        if v > 1.0:
            break
    for v, w in zip(it, it):
        s += v * w
    return s


@program
def numbers_of_events(x):
    """Events at equal times come in the order in which they were put in."""
    tick, queue = itertools.count(), []
    heapq.heappush(queue, (0.0, next(tick), 0))
    served, s = 0, 0.0
    while queue and served < 12:
        t, number, kind = heapq.heappop(queue)
        if kind == 0:
            heapq.heappush(queue, (t + x[served % 4] ** 2, next(tick), 0))
            if x[number % 4] > 0.0:
                heapq.heappush(queue, (t + 0.25, next(tick), 1))
        else:
            served += 1
            s += t * number
        if number > 60:
            break
    return s


@program
def every_other_number(x):
    odd = itertools.count(2 * len(x) + 1, -2)
    s = 0.0
    for v in x:
        if v > 0.3:
            s += v * next(odd)
    for k in odd:
        s += k * x[0] ** 2
        if s > 3.0 or k < -9:
            break
    return s * next(odd)


@program
def numbered_where_positive(x):
    number = itertools.count(1)
    s = 0.0
    for v in x:
        s += v * (next(number) if v > 0.0 else next(number, 7) * v)
    for v, k in zip(x, map(lambda k: k * k, number)):
        s += v * k
    return s


@pytest.mark.parametrize(("f", "code"), [
    (sliced_generator, "SCT503"), (generator_taken_while, "SCT503"), (list_that_grows, "SCT306"),
    (with_itself, "SCT503")])
def test_refused(f, code: str) -> None:
    refuses(f, SETS[0], code=code)


def generator_as_a_list(x):
    it = iter(list(doubled(x)))
    s = 0.0
    for v in it:
        if v > 0.89:
            break
        s += v
    return s + sum(w * w for w in it)


def test_the_hint_for_a_generator() -> None:
    g = value_and_grad(generator_as_a_list)
    for x in SETS:
        agrees(generator_as_a_list, x, derivative=g)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("make", [
    lambda x: iter([1.0, 2.0, x]), lambda x: iter(range(3)), lambda x: enumerate([x, x]), lambda x: reversed([x, 2.0]),
    lambda x: itertools.count(2.0), lambda x: itertools.chain([x], [2.0]), lambda x: itertools.cycle([x, 2.0])])
def test_a_copy_of_an_iterator_is_refused(make, copied) -> None:
    def f(x):
        it = make(x)
        other = copied(it)
        return x * (next(it) is not None) + x * x * (next(other) is not None)

    refuses(f, 0.5, code="SCT208")
    refuses(lambda x: next(copy.deepcopy([x, make(x)])[1]), 0.5, code="SCT208")


def test_a_range_is_its_own_copy() -> None:
    agrees(lambda x: x * sum(copy.copy(range(3))) + x * len(copy.deepcopy(range(4))), 0.5)
