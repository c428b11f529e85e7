"""Iterators, lists, dicts, tuples and the order of evaluation: what Python does, or refused."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

X = np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2])
Program = Callable[[np.ndarray], Any]
AGREE: list[Program] = []
REFUSED: list[tuple[Program, str]] = []


def program(f: Program) -> Program:
    """Registers a program that is differentiated."""
    AGREE.append(f)
    return f


def refused(code: str) -> Callable[[Program], Program]:
    """Registers a program that is refused."""
    def register(f: Program) -> Program:
        REFUSED.append((f, code))
        return f

    return register



# -- iterators ---------------------------------------------------------------------------------------

@program
def map_twice(x: np.ndarray) -> Any:
    g = map(lambda v: v * v, x)
    return sum(g) + sum(g)


@program
def zip_twice(x: np.ndarray) -> Any:
    g = zip(x, x)
    return sum(a for a, b in g) + sum(b for a, b in g)


@program
def enumerate_twice(x: np.ndarray) -> Any:
    g = enumerate(x)
    return sum(i * v for i, v in g) + len(list(g))


@program
def map_late(x: np.ndarray) -> Any:
    k = 2.0
    g = map(lambda v: v * k, x)
    k = 3.0
    return sum(g)


@program
def map_break(x: np.ndarray) -> Any:
    s = 0.0
    for v in map(math.log, [x[0], x[1]]):
        s += v
        if v < 0.0:
            break
    return s


@program
def map_counts(x: np.ndarray) -> Any:
    n = [0]
    def t(v):
        n[0] += 1
        return v
    s = 0.0
    for v in map(t, x):
        s += v
        if v < 0.0:
            break
    return s * n[0]


@program
def any_stops(x: np.ndarray) -> Any:
    return x[0] * any(math.log(v) < 0.0 for v in [x[0], x[1]])


@program
def any_counts(x: np.ndarray) -> Any:
    n = 0
    def tick(v):
        nonlocal n
        n += 1
        return v > 0.0
    any(tick(v) for v in x)
    return x[0] * n


@program
def reversed_grows(x: np.ndarray) -> Any:
    y = [x[0], x[1]]
    g = reversed(y)
    y.append(x[2])
    return sum(g)


@program
def values_live(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    vs = d.values()
    d["b"] = x[1]
    return sum(vs)


@program
def items_live(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    it = d.items()
    d["a"] = x[1]
    return sum(v for k, v in it)


@program
def keys_live(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    ks = d.keys()
    d["b"] = x[1]
    return sum(d[k] for k in ks) * len(ks)


@program
def dict_grows(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    for k in d:
        d[k + "x"] = 1.0
    return sum(d.values())


@program
def next_then_for(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2]])
    a = next(it)
    s = 0.0
    for v in it:
        s = s * 2.0 + v
    return s * a


@program
def zip_shorter(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    for a, b in zip(it, [1.0, 2.0]):
        pass
    return next(it) * 3.0


@program
def zip_shorter_first(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    for a, b in zip([1.0, 2.0], it):
        pass
    return next(it) * 3.0


@refused("SCT503")
def break_then_rest(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    for v in it:
        if v < 0.0:
            break
    return sum(it)


@program
def helper_takes(x: np.ndarray) -> Any:
    def two(it):
        return next(it) + next(it)
    it = iter([x[0], x[1], x[2], x[3]])
    a = two(it)
    return a * two(it)


@program
def in_dict(x: np.ndarray) -> Any:
    d = {"it": iter([x[0], x[1], x[2], x[3]])}
    a = next(d["it"])
    b = next(d["it"])
    return a - 2.0 * b


@refused("SCT503")
def branch_takes(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2]])
    s = 0.0
    if x[0] > 0.0:
        s = next(it)
    return s + next(it)


@program
def islice_rest(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3], x[4]])
    a = list(itertools.islice(it, 2))
    b = list(it)
    return sum(a) * len(b) + b[0]


@program
def islice_steps(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3], x[4]])
    a = list(itertools.islice(it, 1, 4, 2))
    b = list(it)
    return a[0] + 2.0 * a[1] + 3.0 * sum(b) + len(b)


@program
def chain_it(x: np.ndarray) -> Any:
    it = iter([x[0], x[1]])
    c = itertools.chain(it, [x[2]])
    a = next(c)
    s = 0.0
    for v in it:
        s += v
    return a + 2 * s + 3 * sum(c)


@program
def growing(x: np.ndarray) -> Any:
    xs = [x[0]]
    it = iter(xs)
    xs.append(x[1])
    s = 0.0
    for v in it:
        s = 2 * s + v
        if len(xs) < 4:
            xs.append(v * x[2])
    return s


@program
def ended_then_grown(x: np.ndarray) -> Any:
    xs = [x[0]]
    it = iter(xs)
    s = sum(it)
    xs.append(x[1])
    return s + 10 * sum(it)


@program
def removed_while(x: np.ndarray) -> Any:
    xs = [x[0], x[1], x[2], x[3]]
    s = 0.0
    for v in xs:
        s = 2 * s + v
        if len(xs) > 2:
            xs.pop(0)
    return s


@program
def logged(x: np.ndarray) -> Any:
    def log(v):
        print("log", v > 0.0)
        return v * 2.0
    m = map(log, [x[0], x[1], x[2]])
    print("made")
    a, b, c = m
    print("unpacked")
    return a + b * c


@program
def too_many(x: np.ndarray) -> Any:
    def log(v):
        print("log")
        return v
    a, b = map(log, [x[0], x[1], x[2], x[3]])
    return a + b


@program
def too_few(x: np.ndarray) -> Any:
    a, b, c = zip([x[0]], [x[1]])
    return a + b + c


@program
def filt(x: np.ndarray) -> Any:
    f = filter(lambda k: k % 2 == 0, range(6))
    a = next(f)
    return sum(x[k] for k in f) + a


@program
def enum_rest(x: np.ndarray) -> Any:
    e = enumerate([x[0], x[1], x[2]], 5)
    i, a = next(e)
    return i * a + sum(j * v for j, v in e)


@program
def star(x: np.ndarray) -> Any:
    m = map(lambda v: v * v, [x[0], x[1]])
    def f(a, b):
        return a - b
    return f(*m) + len(list(m))


@program
def dict_mutated(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    s = 0.0
    for k in d:
        d[k] = d[k] * 2.0
        s += d[k]
    return s


@program
def dict_del(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    del d["a"]
    d["a"] = x[2]
    return sum(v * (i + 1) for i, v in enumerate(d.values()))


@program
def dict_del_in_loop(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    for k in d:
        del d[k]
    return x[0]


@program
def count_zip(x: np.ndarray) -> Any:
    c = itertools.count(3)
    s = 0.0
    for i, v in zip(c, [x[0], x[1]]):
        s += i * v
    return s + next(c)


@program
def cyc(x: np.ndarray) -> Any:
    c = itertools.cycle([x[0], x[1]])
    return next(c) + 2 * next(c) + 4 * next(c)


@program
def acc(x: np.ndarray) -> Any:
    a = itertools.accumulate([x[0], x[1], x[2]])
    next(a)
    return sum(a)


@program
def pairw(x: np.ndarray) -> Any:
    p = itertools.pairwise([x[0], x[1], x[2], x[3]])
    next(p)
    return sum(a * b for a, b in p)


@program
def longest(x: np.ndarray) -> Any:
    return sum(a * b for a, b in itertools.zip_longest([x[0], x[1], x[2]], [x[3]], fillvalue=2.0))


@program
def strict_short(x: np.ndarray) -> Any:
    s = 0.0
    for a, b in zip([x[0], x[1]], [x[2]], strict=True):
        print("trip")
        s += a * b
    return s


@refused("SCT503")
def strict_arrays(x: np.ndarray) -> Any:
    s = 0.0
    for a, b in zip(x, x[2:], strict=True):
        print("trip")
        s += a * b
    return s


@program
def strict_fine(x: np.ndarray) -> Any:
    s = 0.0
    for a, b in zip(x, 2 * x, strict=True):
        s += a * b
    return s


@program
def loop_twice(x: np.ndarray) -> Any:
    g = zip(x, x)
    s = 0.0
    for a, b in g:
        s += a * b
    for a, b in g:
        s += 100.0
    return s


@refused("SCT503")
def loop_break_again(x: np.ndarray) -> Any:
    g = zip(x, x)
    s = 0.0
    for a, b in g:
        s += a * b
        if a < 0.0:
            break
    for a, b in g:
        s += 100.0
    return s


@program
def map_loop(x: np.ndarray) -> Any:
    def f(v):
        print("f")
        return v * v
    s = 0.0
    for v in map(f, x):
        s += v
    return s


@program
def map_two(x: np.ndarray) -> Any:
    s = 0.0
    for v in map(lambda a, b: a * b, x, x[1:]):
        s += v
    return s


@program
def nested_same(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3], x[4]])
    s = 0.0
    for a in it:
        for b in it:
            s += a * b
            break
    return s


@program
def max_key(x: np.ndarray) -> Any:
    def k(v):
        print("key")
        return -v
    def t(v):
        print("item")
        return v
    return max(map(t, [x[0], x[1], x[2]]), key=k)


@program
def reduce_it(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2]])
    next(it)
    return functools.reduce(lambda a, b: a * b, it) + sum(it)


@program
def next_default(x: np.ndarray) -> Any:
    it = iter([x[0]])
    return next(it, x[1]) + 2 * next(it, x[1]) + 3 * next(it, x[2])


@program
def stop(x: np.ndarray) -> Any:
    it = iter([x[0]])
    next(it)
    return next(it)


@refused("SCT503")
def map_lengths(x: np.ndarray) -> Any:
    def f(a):
        print("f")
        return a
    s = 0.0
    for a, b in zip(map(f, x), x[2:]):
        s += a * b
    return s


@program
def sorted_items(x: np.ndarray) -> Any:
    d = {"b": x[0], "a": x[1]}
    return sum((i + 1) * v for i, (k, v) in enumerate(sorted(d.items())))


@program
def any_nested(x: np.ndarray) -> Any:
    n = [0]
    def tick(a):
        n[0] += 1
        return a
    any(tick(i * j == 1) for i in range(3) for j in range(3))
    return x[0] * n[0]


@program
def any_dyn(x: np.ndarray) -> Any:
    return x[0] if any(v * w < -0.5 for v in x for w in x) else x[1]


@program
def all_dyn(x: np.ndarray) -> Any:
    return x[0] if all(v * w < 5 for v in x if v > 0 for w in x if w < 0) else x[1]


# -- all of them -------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [pytest.param(f, id=f.__name__) for f in AGREE])
def test_agrees(f: Program) -> None:
    agrees(f, X)


@pytest.mark.parametrize(("f", "code"), [pytest.param(f, code, id=f.__name__) for f, code in REFUSED])
def test_refused(f: Program, code: str) -> None:
    refuses(f, X, code=code)
