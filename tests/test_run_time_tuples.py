"""Tuples whose length is known only at run time: made of lists, grown in loops, and the columns of `zip(*rows)`.

Values and exceptions are those of the plain call, gradients those of central differences; second derivatives, and
other calls of one derivative, agree as well.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import grad, value_and_grad

program = Programs()
FEW, MANY = ([1.3, 0.7], 3), ([1.1, 0.9], 20)
X3 = [1.5, 0.7, 2.0]


def rows_of(x, n):
    return [[x[0] * i + j * x[1] for j in range(n)] for i in range(n + 1)]


@program(FEW, MANY, ([0.4, 0.2], 0))
def columns_of_lists(x, n):
    total = 0.0
    for column in zip(*rows_of(x, n)):
        total += sum(column) * column[0]
    return total + x[0]


@program(FEW, ([1.1, 0.9], 8), ([0.4, 0.2], 0))
def a_transposed_list(x, n):
    columns = [list(column) for column in zip(*rows_of(x, n))]
    return sum(columns[k][k] * x[0] for k in range(n)) + x[1]


@program(FEW, MANY, ([0.4, 0.2], 0))
def an_empty_list_beside_a_long_one(x, n):
    none, many = [], [x[0] * i for i in range(n)]
    total = x[1] * sum(many)
    for p, q in zip(none, many):
        total += p * q
    return total * x[0]


@program(FEW, MANY, ([0.4, 0.2], 0))
def exits(x, n):
    history, start = (), x[0]
    for _ in range(n):
        y = start
        while y < 10.0:
            history = history + (y,)
            y = y * (1.0 + x[1])
        if len(history) > 7:
            return sum(history) * x[1]
        start = 0.9 * start
    return sum(history) + start


@program(FEW, MANY)
def grown(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i + x[1],)
    return sum(v * v for v in t) + t[0] * t[-1] + len(t) * x[0]


@program(FEW, MANY)
def older_name(x, n):
    t, v = (), x[0]
    for i in range(n):
        s = t
        t += (v * i,)
        if len(s) > 3:
            v = v + x[1] * (s[0] + s[-1])
    return sum(t) + sum(s) * len(s)


@program(FEW, MANY)
def older_names_after_a_loop(x, n):
    t = tuple(x[0] * i for i in range(n))
    s = t
    t += (x[1],)
    u = s + (2.0 * x[1], x[0])
    return sum(t) * len(s) + s[-1] + sum(u) * x[1]


@program(([1.5, -0.5, 0.7, 2.0],), ([1.5, 1.0, 0.7],), ([0.1, 1.0],))
def of_list(x):
    xs = []
    for v in x:
        if v > 0.0:
            xs.append(v * v)
    t = tuple(xs)
    xs[0] = 3.0 * x[1]
    xs.append(x[0])
    xs.sort()
    return sum(t) * t[0] + xs[-1] * xs[0]


@program(([1.5, -0.5, 0.7, 2.0, 3.0],), ([1.5, 1.0, 0.7],))
def of_argument(x):
    t = tuple(x)
    x[0] = 10.0 * x[1]
    return sum(t) * t[0] + x[0] * x[1]


@program(FEW, MANY)
def of_generators(x, n):
    t = tuple(x[0] * i for i in range(n) if i % 2 == 0)
    squares = tuple(map(lambda v: v * x[1], t))
    small = tuple(filter(lambda v: v < 3.0, squares))
    return sum(a * b for a, b in zip(t, squares)) + sum(small)


@program(FEW, MANY)
def columns(x, n):
    points = []
    for i in range(n):
        points.append((x[0] * i, i, x[1] + i * x[0]))
    a, at, b = zip(*points)
    return sum(a) * sum(b) + a[-1] * at[1] + max(b)


@program(FEW, MANY)
def columns_as_lists(x, n):
    points = []
    for i in range(n):
        points.append((x[0] * i, x[1] + i))
    points.sort(key=lambda p: -p[1])
    a, b = map(list, zip(*points))
    a.append(x[1])
    return sum(a) * sum(b) + a[0] * b[-1]


@program(FEW, MANY)
def columns_as_arrays(x, n):
    points = [(x[0] + 0.1 * i, x[1] * i) for i in range(n)]
    t, y = map(np.array, zip(*points))
    c = dict(zip("ty", zip(*points)))
    rows = list(zip(*points))
    return float(np.sum(t * y)) + sum(c["t"]) * c["y"][0] + rows[1][-1] ** 2


@program(([0.4, 2.0, 1.5],), ([0.4, 0.2],))
def columns_of_none(x):
    a, b = zip(*[(v, v * v) for v in x if v > 1.0])
    return sum(a) * sum(b)


@program(FEW, ([0.5, 0.7], 3))
def other_length_on_a_path(x, n):
    t = (x[0], x[1]) if x[0] > 1.0 else (x[0] * x[1],)
    s = () if x[0] > 1.0 else t
    return sum(t) * len(t) + sum(s)


@program(FEW, MANY)
def two(x, n):
    a = b = ()
    for i in range(n):
        if i % 2:
            a += (x[0] * i,)
        else:
            b += (x[1] + i,)
    return sum(a) * sum(b) + len(a) - len(b)


@program(FEW, MANY)
def swapped(x, n):
    a, b = (), (x[1],)
    for i in range(n):
        a, b = b + (x[0] * i,), a
    return sum(a) - 2.0 * sum(b)


@program(FEW, MANY)
def of_pairs(x, n):
    t = ()
    for i in range(n):
        t += ((i, x[0] * i),)
    return sum(i * v for i, v in t) * x[1] + t[1][1]


@program(FEW, MANY)
def in_front(x, n):
    t = ()
    for i in range(n):
        t = (x[0] * i,) + t
    return t[0] * x[1] + 2.0 * t[-1] + sum(t)


@program(FEW, MANY)
def repeated(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i,)
    pairs = (x[0], x[1]) * n
    return sum(t * 2) + (3 * t)[-1] + sum(pairs) * pairs[n]


@program(FEW, MANY)
def joined(x, n):
    t = s = ()
    for i in range(n):
        t += (x[0] * i,)
        s += t
    return sum(s) + len(s) * x[1]


@program(FEW, MANY)
def window(x, n):
    last, total = (), 0.0
    for i in range(n):
        last = (last + (x[0] * i,))[-3:]
        total += x[1] * sum(last) / len(last) + sum(last[::-1][1:])
    return total


@program(FEW, ([1.1, 0.9], 5))
def queue(x, n):
    q, total = ((x[0], 0),), 0.0
    while q:
        (v, depth), q = q[0], q[1:]
        total += v
        if depth < n:
            q += ((v * x[1], depth + 1), (v * 0.25, depth + 1))
    return total


@program(FEW, MANY)
def in_other_containers(x, n):
    pair, d, xs = ((), 0), {"h": ()}, [(), 1.0]
    for i in range(n):
        pair = (pair[0] + (x[0] * i,), pair[1] + 1)
        d["h"] += (x[1] * i,)
        xs[0] = xs[0] + (x[0],)
    return sum(pair[0]) * pair[1] + sum(d["h"]) * d["h"][1] + sum(xs[0])


@program(FEW, MANY)
def not_empty_in_other_containers(x, n):
    d, xs = {"q": (x[0],), "n": 0}, [(x[1], x[0]), 1.0]
    for i in range(n):
        d["q"] += (x[1] * i,)
        for k in range(n):
            xs[0] += (d["q"][-1] * k,)
    return sum(d["q"]) * d["q"][0] + sum(xs[0]) * xs[0][1]


@program((X3, 2), (X3, 0), (X3, -4), (X3, 3), (X3, 30))
def item(x, n):
    xs = []
    for v in x:
        xs.append(v * v)
    t = tuple(xs)
    return t[n] * t[1] + x[0]


@program((FEW[0], 2), (FEW[0], 20), (FEW[0], 0))
def first_items(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i,)
    return t[-2] * t[1] * x[1]


@program((FEW[0], 2, 1), (FEW[0], 20, 0))
def behind_the_last(x, n, fewer):
    t = (x[1],)
    for i in range(n):
        t += (x[0] * i,)
    total = 0.0
    for i in range(len(t) - fewer):
        total += t[i] * t[i + 1]
    return total


@program((FEW[0], 2, 7), (FEW[0], 20, 7))
def text_of_an_index_error(x, n, k):
    t = tuple([x[0] * i for i in range(n)])
    try:
        v = t[k]
    except IndexError as e:
        v = x[1] * len(str(e))
    return v * v


@program((FEW[0], 9), (FEW[0], 13))
def shrinks(x, n):
    t = (x[0], x[1])
    for i in range(n):
        t = t + (t[-1] * x[0],) if i % 3 else t[1:]
    return t[0] + x[1]


class Record:
    def __init__(self) -> None:
        self.steps = ()

    def add(self, v):
        self.steps += (v,)


@program(FEW, MANY)
def attribute(x, n):
    r = Record()
    for i in range(n):
        r.add(x[0] * i)
    return sum(r.steps) * r.steps[1] + x[1]


@program(FEW, MANY)
def default(x, n, seen=()):
    for i in range(n):
        seen = seen + (x[0] * i,)
    return sum(seen) + x[1]


@program(FEW, MANY)
def passed(x, n):
    def tail(t):
        return t[1:]

    def product(t):
        p = 1.0
        for v in t:
            p *= v * x[1]
        return p

    t = tuple([x[0] + i for i in range(n)])
    return sum(tail(t)) + sum(tail(tail(t))) + product(tail(t)) / 2.0 ** n


@program(FEW, MANY)
def library(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * (i + 1) * 0.2 + x[1],)
    pairs = sum(a * b for a, b in itertools.combinations(t, 2)) + sum(a * b for a, b in itertools.pairwise(t))
    product = functools.reduce(lambda a, b: a * b, t) + math.prod(t)
    return pairs + product + max(t) + min(t, default=0.0) + sorted(t)[1] + list(t)[0] + sum(
        i * v for i, v in enumerate(reversed(t)))


@program(FEW, MANY)
def numpy(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * (i + 1) + x[1],)
    a = np.sum(t) + np.mean(t) + np.dot(t, t) + np.max(t) + np.linalg.norm(t) + np.std(t)
    b = (np.ones(n) * t).sum() + (t - np.arange(n)).prod() / 9.0 ** n + np.stack(t)[0] + np.concatenate((t, t))[n]
    return float(a + b)


@program(FEW, MANY)
def asked(x, n):
    t = ()
    for i in range(n):
        t += (i,)
    r = x[0] + x[1] * any(v > 3 for v in t) + all(t)
    r *= 2.0 if 1 in t else 3.0
    r *= 5.0 if isinstance(t, list) else 7.0
    r *= 11.0 if isinstance(t, (list, tuple)) and type(t) is tuple else 13.0
    r *= t.index(1) + 2.0 * t.count(2)
    return r * len(f"{t} {t!r}" + str(t)) if t and t is not None else r


@program(([1.1, 0.3], 3), ([1.1, 0.3], 2), ([1.1, 0.3], 9))
def compared(x, n):
    t, xs = (), []
    for i in range(n):
        t += (i,)
        xs.append(i)
    r = x[0]
    for k, holds in enumerate((t == xs, t == tuple(xs), t != (0, 1), t < (0, 1, 2, 4), (0, 1, 2) <= t, t == 3,
                               t == None, t != "a", xs == t, t == ())):  # noqa: E711
        r = r * (k + 2.0) if holds else r + x[1] * k
    return r


@program(FEW, MANY)
def chosen(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * (i + 1),)
    a = max(t, (1.0, 2.0))
    b = t[:0] or (x[1],)
    c = t if x[0] > 0.0 else ()
    return sum(a) + sum(b) + sum(c)


@program(FEW, MANY)
def unpacked(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i,)
    first, *middle, last = t
    return first + sum(middle) * last + sum([*t, x[1]]) + sum((*t, x[1], 1.0)) * x[0]


@program(FEW, MANY)
def extends(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i,)
    xs = [x[1]]
    xs += t
    xs.extend(t)
    return sum(xs) * xs[0] + sum(copy.copy(t)) + sum(copy.deepcopy(t)) + sum(tuple(t)) * x[1]


@program(FEW, MANY)
def of_texts(x, n):
    t = ()
    for i in range(n):
        t += ("a" if i % 2 else "bb",)
    return x[0] * len("-".join(t)) + x[1]


@program(FEW, MANY)
def raises(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i,)
    r = x[1]
    try:
        t = t + [1.0]
    except TypeError:
        r *= 2.0
    try:
        t.append(1.0)
    except AttributeError:
        r *= 3.0
    try:
        r *= t[100]
    except IndexError:
        r *= 5.0
    return r * sum(t)


@program(([1.5, 0.7], 2), ([1.5, 0.7], 1), ([1.5, 0.7], 4))
def too_many(x, n):
    t = ()
    for i in range(n):
        t += (x[0] * i,)
    a, b = t
    return a * b * x[1]


@pytest.mark.parametrize(("f", "calls"), [pytest.param(f, calls, id=f.__name__) for f, calls in program])
def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def states(x: np.ndarray, n: int) -> Any:
    history = (x,)
    for _ in range(n):
        x = np.sin(x)
        history = history + (x * 2.0,)
    return np.sum(np.array(history) ** 2) + history[0][1] + history[-1] @ history[1]


def copies(x: np.ndarray, n: int) -> Any:
    history = ()
    for _ in range(n):
        x = x * 1.1
        history += (x.copy(),)
        x[0] = 2.0 * x[1]
    return sum(np.sum(h * h) for h in history)


@pytest.mark.parametrize("f", [states, copies])
@pytest.mark.parametrize("n", [3, 30])
def test_arrays(f: Callable[..., Any], n: int) -> None:
    agrees(f, np.array([0.4, 0.1]), n)


def of_argument_grown(t: tuple[float, ...], n: int) -> Any:
    for i in range(n):
        t = t + (t[0] * i,)
    return sum(t) * t[1]


@pytest.mark.parametrize("t", [(1.0, 2.0), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)])
def test_an_argument_grows(t: tuple[float, ...]) -> None:
    agrees(of_argument_grown, t, 10)


def fibonacci(x: float, n: int) -> float:
    t = (x, 2.0 * x)
    for _ in range(n):
        t += (t[-1] * t[-2],)
    total = 0.0
    for i in range(1, len(t)):
        total += t[i] * t[i - 1] + t[0]
    return total * t[1]


def test_items_that_are_certainly_there_are_not_checked() -> None:
    derivative = grad(fibonacci)
    derivative(0.5, 20)
    assert "raise" not in derivative.source


def checked_once(x: float, n: int) -> float:
    t = tuple([x * i for i in range(n)])
    return t[0] * t[-1] + t[0] * x


def test_equal_checks_are_one() -> None:
    derivative = grad(checked_once)
    derivative(0.5, 20)
    assert derivative.source.count("raise") == 1


def shared(x: np.ndarray, n: int) -> Any:
    history = ()
    for _ in range(n):
        history += (x,)
        x[0] = x[0] * 2.0
    return sum(np.sum(h) for h in history)


def test_an_array_in_a_tuple_is_not_written() -> None:
    refuses(shared, np.array([0.4, 0.1]), 10, code="SCT307")


def result(x: float, n: int) -> Any:
    t = ()
    while x < 100.0:
        t += (x,)
        x = x * n
    return t


def test_a_result_is_refused() -> None:
    error = refuses(result, 1.5, 3, code="SCT503")
    assert "list(...)" in str(error)


def test_one_version_for_all_lengths() -> None:
    derivative = value_and_grad(grown)
    for n in (9, 12, 30):
        derivative([1.3, 0.7], n)
    assert len(derivative.sources) == 1


def test_a_tuple_grows_like_a_list() -> None:
    def f(x: float, n: int) -> float:
        t = ()
        for i in range(n):
            t += (x * i,)
        return sum(v * v for v in t)

    derivative = grad(f)
    assert derivative(2.0, 20) == pytest.approx(4.0 * sum(i * i for i in range(20)))
    assert "t = [x * i for i in range(n)]" in derivative.source


def _columns_in_a_loop(x, n):
    points = []
    for k in range(n):
        points.append((x * k, x + k))
    total = x
    try:
        for column in zip(*points):
            total += sum(column)
    except (TypeError, ValueError):
        return -1.0
    return total


def test_columns_of_no_rows_are_not_python_s_error() -> None:
    """A loop over them has no iterations in Python; sct raises, and no handler of the program catches that."""
    derivative = value_and_grad(_columns_in_a_loop)
    assert derivative(1.3, 3) == (_columns_in_a_loop(1.3, 3), pytest.approx(7.0))
    with pytest.raises(TypeError, match="a list without items gives nothing"):
        derivative(1.3, 0)


def test_columns_of_an_argument_without_rows() -> None:
    def f(x, rows):
        total = 1.5
        for column in zip(*rows):
            total += sum(column) * x
        return total * x

    derivative = value_and_grad(f)
    for rows in ([(1.0, 2.0), (3.0, 4.0)], []):
        assert derivative(1.3, rows)[0] == f(1.3, rows)


@pytest.mark.parametrize("write", ["grid[0][n - 1] += 1.0", "grid.append([x] * n)", "grid[0] = [x] * n"])
def test_rows_that_are_written_while_columns_are_read(write: str, tmp_path: Path) -> None:
    (tmp_path / "written.py").write_text(f"""def f(x, n):
    grid, total = [[x * i + j for j in range(n)] for i in range(n + 1)], 0.0
    columns = zip(*grid)
    {write}
    for column in columns:
        total += sum(column) * column[0]
    return total
""")
    refuses(load(tmp_path / "written.py").f, 1.3, 6, code="SCT307")


def load(path: Path) -> Any:
    spec: Any = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
