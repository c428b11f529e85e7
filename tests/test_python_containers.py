"""Iterators, lists, dicts, tuples and the order of evaluation: what Python does, or refused."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import defaultdict
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
def zip_with_a_list_of_unknown_length(x: np.ndarray) -> Any:
    total = 0.0
    for a, b in zip(sum([x, x]), [2.0 for _ in np.ones(3)]):
        total = total + a * b
    for a, b in zip(sum([x]), [v * 0.5 for v in x]):
        total = total + a * b
    return total


@program
def a_loop_in_what_a_comprehension_with_functions_runs_over(x: np.ndarray) -> Any:
    large = [v * 2.0 for v in list(filter(lambda v: v > -9.0, x))]
    some = [f(v) for v in list(map(lambda v: v * v, x)) for f in [lambda t: t + v]]
    if [v for v in sorted(filter(lambda v: 2, [1.0, 0.5]))]:
        return sum(large) + sum(some)
    return 0.0


@program
def zip_shorter_first(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    for a, b in zip([1.0, 2.0], it):
        pass
    return next(it) * 3.0


@program
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


@program
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
def count_until_converged(x: np.ndarray) -> Any:
    y = x[0]
    for it in itertools.count():
        better = 0.5 * (y + (2.0 + x[1] * x[1]) / y)
        if abs(better - y) < 1e-9:
            break
        y = better
    return better + it


@program
def count_with_steps(x: np.ndarray) -> Any:
    s = 0.0
    for k in itertools.count(len(x), -2):
        if k == 3:
            continue
        for j in itertools.count(k):
            if j > 6:
                break
            s += x[1] ** j
        else:
            s = 0.0
        if k < -5:
            return s * k


@program
def count_beside_others(x: np.ndarray) -> Any:
    s = 0.0
    for c, v, k in zip(itertools.repeat(x[0]), x, itertools.count(2, 3)):
        s += c * v * k
    for n, k in enumerate(itertools.count(1)):
        s *= 0.7
        if abs(s) < 0.1:
            return s * k + n


@program
def count_of_floats(x: np.ndarray) -> Any:
    s = 0.0
    for t in itertools.count(0.1, 0.1):
        if t > 0.75:
            break
        s += x[0] ** t
    return s


@program
def count_after_a_loop_that_breaks(x: np.ndarray) -> Any:
    c = itertools.count()
    s = 0.0
    for k in c:
        s += x[0] * k
        if s > 5.0:
            break
    return s * next(c)


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


@program
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


@program
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


@program
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


# -- containers that are written ---------------------------------------------------------------------


class Box:
    """An object with one attribute."""

    def __init__(self, q: Any) -> None:
        self.q = q


@program
def imul_alias(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    b = a
    a *= 2
    return sum(b) * len(b)


@program
def imul_zero(x: np.ndarray) -> Any:
    a = [x[0]]
    b = a
    a *= 0
    return x[1] * (len(b) + 1)


@program
def imul_grown(x: np.ndarray) -> Any:
    a = []
    b = a
    for v in x:
        if v > 0: a.append(v)
    a *= 2
    return sum(b) * len(b)


@program
def imul_attr(x: np.ndarray) -> Any:
    b = Box([x[0], x[1]])
    q = b.q
    b.q *= 3
    return sum(q)


@program
def iadd_tuple_in_list(x: np.ndarray) -> Any:
    a = [x[0]]
    b = a
    a += (x[1], x[2])
    return sum(b)


@program
def iadd_tuple_alias(x: np.ndarray) -> Any:
    a = (x[0],)
    b = a
    a += (x[1],)
    return sum(a) * 2 + sum(b)


@program
def iadd_iter(x: np.ndarray) -> Any:
    a = [x[0]]
    b = a
    a += map(lambda v: v * v, [x[1], x[2]])
    return sum(b)


@program
def iadd_nested(x: np.ndarray) -> Any:
    rows = [[x[0]], [x[1]]]
    for i in range(2):
        rows[i] += [x[2] * i]
    return sum(rows[0]) + 2 * sum(rows[1])


@program
def iadd_loop_attr(x: np.ndarray) -> Any:
    b = Box([])
    q = b.q
    for v in x:
        b.q += [v * v]
    return sum(q)


@program
def iadd_array_attr(x: np.ndarray) -> Any:
    b = Box([1.0, 2.0])
    q = b.q
    b.q += x[:2]
    return np.sum(b.q) * 3 + sum(q)


@program
def tuple_item_iadd(x: np.ndarray) -> Any:
    t = ([x[0]], x[1])
    t[0] += [x[2]]
    return x[0]


@program
def tuple_array_iadd(x: np.ndarray) -> Any:
    t = (x[:2] * 1.0, 1)
    t[0] += 1.0
    return x[0]


@program
def tuple_store(x: np.ndarray) -> Any:
    t = (x[0], x[1])
    t[0] = x[2]
    return t[0]


@program
def set_ior(x: np.ndarray) -> Any:
    s = {1}
    t = s
    s |= {2}
    return x[0] * len(t)


@program
def set_ior_one(x: np.ndarray) -> Any:
    s = {1}
    s |= {2}
    return x[0] * len(s)


@program
def dict_ior(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    e = d
    d |= {"b": x[1]}
    return sum(e.values())


@program
def dict_or(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    e = d | {"b": x[1], "a": x[2]}
    return sum(e.values()) * 2 + sum(d.values())


@program
def list_plus_tuple(x: np.ndarray) -> Any:
    return sum([x[0]] + (x[1],))


@program
def list_minus(x: np.ndarray) -> Any:
    return sum([x[0]] - [x[1]])


@program
def list_plus_float(x: np.ndarray) -> Any:
    return sum([x[0]] + 2.0)


@program
def list_times_npfloat(x: np.ndarray) -> Any:
    return sum([x[0]] * x[1])


@program
def list_times_array(x: np.ndarray) -> Any:
    return np.sum([1.0, 2.0] * x[:2])


@program
def array_plus_list(x: np.ndarray) -> Any:
    return np.sum(x[:2] * [1.0, 2.0])


@program
def nested_alias(x: np.ndarray) -> Any:
    m = [[0.0] * 2] * 3
    m[0][0] = x[0]
    return m[1][0] + m[2][0] * 2


@program
def nested_own(x: np.ndarray) -> Any:
    m = [[0.0] * 2 for _ in range(3)]
    m[0][0] = x[0]
    return m[1][0] + m[2][0] * 2 + m[0][0]


@program
def del_slice(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    b = a
    del a[::2]
    return sum(b)


@program
def del_two(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    del a[0], a[0]
    return sum(a)


@program
def del_neg(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    del a[-1]
    return sum(a) * len(a)


@program
def del_out(x: np.ndarray) -> Any:
    a = [x[0]]
    del a[3]
    return a[0]


@program
def del_key(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    del d["b"]
    return d["a"]


@program
def pop_out(x: np.ndarray) -> Any:
    a = [x[0]]
    a.pop(3)
    return a[0]


@program
def pop_empty(x: np.ndarray) -> Any:
    a = []
    a.pop()
    return x[0]


@program
def index_missing(x: np.ndarray) -> Any:
    return x[0] * [1, 2].index(4)


@program
def count(x: np.ndarray) -> Any:
    return x[0] * [1, 2, 1].count(1)


@program
def reverse(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    b = a
    a.reverse()
    return b[0] * 3 + b[1]


@program
def insert(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    b = a
    a.insert(1, x[2])
    a.insert(-1, x[3]); a.insert(100, x[4])
    return sum((i + 1) * v for i, v in enumerate(b))


@program
def clear(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    b = a
    a.clear()
    b.append(x[2])
    return sum(a)


@program
def copy(x: np.ndarray) -> Any:
    a = [x[0], [x[1]]]
    b = a.copy()
    b[0] = x[2]
    b[1][0] = x[3]
    return a[0] + 2 * a[1][0] + b[0]


@program
def slice_assign(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    b = a
    a[1:2] = [x[3], x[4], x[5]]
    return sum((i + 1) * v for i, v in enumerate(b))


@program
def slice_assign_step(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    a[::2] = [x[3], x[4]]
    return sum((i + 1) * v for i, v in enumerate(a))


@program
def slice_assign_bad(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    a[::2] = [x[3]]
    return sum(a)


@program
def slice_neg(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2], x[3]]
    return a[::-1][0] * 3 + a[-2:][0] + a[2:0:-1][1]


@program
def slice_copy(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    b = a[:]
    b[0] = x[2]
    return a[0] + 3 * b[0]


@program
def dict_pop(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    v = d.pop("a")
    w = d.pop("z", x[2])
    return v + 2 * w + len(d)


@program
def dict_pop_missing(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    d.pop("z")
    return x[0]


@program
def dict_setdefault(x: np.ndarray) -> Any:
    d = {"a": [x[0]]}
    d.setdefault("a", []).append(x[1])
    d.setdefault("b", []).append(x[2])
    return sum(d["a"]) + 2 * sum(d["b"])


@program
def dict_update(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    d.update({"b": x[1]}, c=x[2])
    d.update([("a", x[3])])
    return sum((i + 1) * v for i, v in enumerate(d.values()))


@program
def dict_same_keys(x: np.ndarray) -> Any:
    yes, one = True, 1.0
    d = {1: x[0], yes: x[1], one: x[2]}
    return d[1] * len(d)


@program
def dict_get(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    return d.get("a", 0.0) + (1.0 if d.get("b") is None else 0.0) + d.get("b", x[1])


@program
def dict_reversed(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    return sum((i + 1) * d[k] for i, k in enumerate(reversed(d)))


@program
def dict_list(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    ks = list(d)
    return d[ks[1]] * len(ks)


@program
def dict_truth(x: np.ndarray) -> Any:
    d = {}
    e = d.keys()
    a = 1.0 if e else 2.0
    d["a"] = x[0]
    b = 1.0 if e else 2.0
    return x[0] * (a * 10 + b)


@program
def dict_star(x: np.ndarray) -> Any:
    def f(a, b): return a - b
    d = {"b": x[0], "a": x[1]}
    return f(**d) + f(*d.values())


@program
def unpack_star(x: np.ndarray) -> Any:
    a, *b, c = [x[0], x[1], x[2], x[3]]
    return a * c + sum(b)


@program
def unpack_star_iter(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    a, *b = it
    return a + 2 * sum(b) + len(list(it))


@program
def swap(x: np.ndarray) -> Any:
    a, b = x[0], x[1]
    a, b = b, a
    return a - 2 * b


@program
def swap_items(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    a[0], a[1] = a[1], a[0]
    return a[0] - 2 * a[1]


@program
def swap_index(x: np.ndarray) -> Any:
    a = [1, 0, 2]
    i = 0
    i, a[i] = a[0], 5
    return x[0] * (a[0] * 100 + a[1] * 10 + i)


@program
def swap_index2(x: np.ndarray) -> Any:
    a = [1, 0, 2]
    a[0], a[a[0]] = 2, 7
    return x[0] * (a[0] * 100 + a[1] * 10 + a[2])


@program
def chained(x: np.ndarray) -> Any:
    a = b = []
    a.append(x[0])
    return sum(b)


@program
def chained_targets(x: np.ndarray) -> Any:
    i = 0
    a = [0, 0, 0]
    i = a[i] = 2
    return x[0] * (a[0] * 100 + a[2] * 10 + i)


@program
def array_slots_swap(x: np.ndarray) -> Any:
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return y[0] - 2 * y[1]


@program
def array_views_swap(x: np.ndarray) -> Any:
    y = np.stack([x, 2 * x])
    y[0], y[1] = y[1], y[0]
    return np.sum(y[0]) - 3 * np.sum(y[1])


@program
def orders(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    a = [x[0], x[1], x[2]]
    r = {t(0): t(1), t(2): t(3)}
    b = (t(0), [t(1), t(2)])
    a[t(0)] = a[t(1)] + t(2) * x[3]
    a[t(0)] += t(1)
    c = t(0) < t(1) < t(2)
    d = t(2) < t(1) < t(0)
    def f(*args, **kw): return 0
    f(t(0), *[t(1)], t(2), k=t(3), **{"l": t(4)})
    e = a[t(0):t(2):t(1)]
    return a[0] + sum(e)


@program
def order_attr(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    b = Box(x[0])
    def g():
        print("g")
        return b
    g().q = t(1) * x[1]
    g().q += t(2)
    return b.q


@program
def order_aug_value(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    def f():
        a[0] = 10.0 * x[2]
        return 1.0
    a[0] += f()
    return a[0]


@program
def order_aug_name(x: np.ndarray) -> Any:
    s = x[0]
    def f():
        nonlocal s
        s = 10.0 * x[2]
        return 1.0
    s += f()
    return s


@program
def order_binop(x: np.ndarray) -> Any:
    s = x[0]
    def f():
        nonlocal s
        s = 10.0 * x[2]
        return 1.0
    return s + f() * s


@program
def order_default(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    def f(a=t(1), *, b=t(2)): return a + b
    return x[0] * f()


@program
def order_lambda_key(x: np.ndarray) -> Any:
    def t(k):
        print("k", k)
        return -k
    return x[0] * sorted([1, 3, 2], key=t)[0]


@program
def order_ifexp(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    return x[0] * (t(1) if t(0) else t(2))


@program
def order_fstring(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    print(f"{t(1)} {t(2):{t(3)}}")
    return x[0]


@program
def order_print(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    print(t(1), t(2), sep=str(t(3)))
    return x[0]


@program
def remove(x: np.ndarray) -> Any:
    a = [1, 2, 3, 2]
    a.remove(2)
    return x[0] * sum(i * v for i, v in enumerate(a))


@program
def remove_missing(x: np.ndarray) -> Any:
    a = [1, 2]
    a.remove(5)
    return x[0]


@program
def index_start(x: np.ndarray) -> Any:
    return x[0] * [1, 2, 1].index(1, 1)


@program
def sort(x: np.ndarray) -> Any:
    a = [3, 1, 2]
    b = a
    a.sort()
    return x[0] * b[0] + b[2]


@program
def sort_key(x: np.ndarray) -> Any:
    a = [(2, x[0]), (1, x[1])]
    b = a
    a.sort(key=lambda p: p[0])
    return b[0][1] * 2 + b[1][1]


@program
def sort_reverse(x: np.ndarray) -> Any:
    a = [3, 1, 2]
    a.sort(reverse=True)
    return x[0] * a[0] + a[2]


@program
def slice_assign_iter(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    a[1:] = map(lambda v: v * 2, a)
    return sum((i + 1) * v for i, v in enumerate(a))


@program
def dict_popitem(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    k, v = d.popitem()
    return v * (k == "b") + len(d)


@program
def dict_fromkeys(x: np.ndarray) -> Any:
    d = dict.fromkeys(["a", "b"], x[0])
    return sum(d.values())


@program
def dict_keys_and(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    e = {"b": 2.0}
    return sum(d[k] for k in d.keys() & e.keys())


@program
def reversed_grown(x: np.ndarray) -> Any:
    ys = []
    for v in x:
        ys.append(v * v)
    s = 0.0
    for v in reversed(ys):
        s = 0.5 * s + v
    return s


# -- iterators beside loops, dicts and closures ---------------------------------------------------------


@program
def gen_consumes(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    a = sum(v for v, _ in zip(it, range(2)))
    return a + 2 * sum(v for v in it)


@program
def comp_consumes(x: np.ndarray) -> Any:
    it = iter([1, 2, 3, 4])
    a = [x[i] for i in it if i < 3]
    return sum(a) + len(list(it))


@program
def any_consumes(x: np.ndarray) -> Any:
    it = iter([1, 2, 3, 4])
    t = any(i == 2 for i in it)
    return x[0] * sum(it)


@program
def next_in_loop(x: np.ndarray) -> Any:
    w = iter([1.0, 2.0, 3.0])
    s = 0.0
    for i in range(3):
        s += next(w) * x[i]
    return s


@program
def next_in_dyn_loop(x: np.ndarray) -> Any:
    w = iter(x * 2.0)
    s = 0.0
    for v in x:
        s += next(w) * v
    return s


@program
def count_dyn(x: np.ndarray) -> Any:
    c = itertools.count()
    s = 0.0
    for v in x:
        s += next(c) * v
    return s


@program
def it_made_in_loop(x: np.ndarray) -> Any:
    s = 0.0
    for v in x:
        it = iter([v, 2 * v, 3 * v])
        next(it)
        s += sum(it)
    return s


@program
def it_made_in_branch(x: np.ndarray) -> Any:
    if x[0] > 0:
        it = iter([x[0], x[1]])
        s = next(it) + next(it)
    else:
        s = x[2]
    return s


@program
def it_from_branches(x: np.ndarray) -> Any:
    if x[0] > 0:
        it = iter([x[0], x[1]])
    else:
        it = iter([x[2], x[3]])
    return next(it)


@program
def zip_star(x: np.ndarray) -> Any:
    rows = [(1.0, x[0]), (2.0, x[1]), (3.0, x[2])]
    ws, vs = zip(*rows)
    return sum(w * v for w, v in zip(ws, vs))


@program
def zip_arrays_then_again(x: np.ndarray) -> Any:
    z = zip(x, x[::-1])
    s = sum(a * b for a, b in z)
    t = sum(a for a, b in z)
    return s + 100 * t


@program
def enumerate_dyn_again(x: np.ndarray) -> Any:
    e = enumerate(x)
    s = 0.0
    for i, v in e:
        s += i * v
    for i, v in e:
        s += 100.0
    return s


@program
def map_in_loop_body(x: np.ndarray) -> Any:
    s = 0.0
    for v in x:
        s += sum(map(lambda w: w * v, [1.0, 2.0]))
    return s


@program
def map_closure_late(x: np.ndarray) -> Any:
    fs = [lambda v: v * k for k in range(3)]
    return sum(f(x[0]) for f in fs)


@program
def map_err(x: np.ndarray) -> Any:
    s = 0.0
    for v in map(math.sqrt, [x[0], x[1], x[2]]):
        print("got")
        s += v
    return s


@program
def map_err_dyn(x: np.ndarray) -> Any:
    s = 0.0
    for v in map(math.sqrt, x):
        print("got")
        s += v
    return s


@program
def map_builtin(x: np.ndarray) -> Any:
    return sum(map(abs, x)) + sum(map(float, [1, 2]))


@program
def map_method(x: np.ndarray) -> Any:
    return sum(map(np.sin, x))


@program
def map_appends(x: np.ndarray) -> Any:
    seen = []
    def f(v):
        seen.append(v)
        return v * 2
    m = map(f, [x[0], x[1], x[2]])
    a = next(m)
    n = len(seen)
    b = sum(m)
    return a * n + b * len(seen)


@program
def map_appends_dyn(x: np.ndarray) -> Any:
    seen = []
    def f(v):
        seen.append(v)
        return v * 2
    s = 0.0
    for v in map(f, x):
        s += v * len(seen)
    return s + sum(seen)


@program
def filter_dyn(x: np.ndarray) -> Any:
    s = 0.0
    for v in filter(lambda v: v > 0, x):
        s += v
    return s


@program
def list_reversed(x: np.ndarray) -> Any:
    a = list(reversed([x[0], x[1], x[2]]))
    r = reversed(a)
    next(r)
    return a[0] + 10 * sum(r)


@program
def extremes_by_a_key_of_a_list_that_has_grown(x: np.ndarray) -> Any:
    ys = []
    for v in x:
        ys.append(v * v)
    least = min(ys, key=lambda y: 2.0 * y) + 2.0 * min(ys, key=lambda y: -y)
    return least * (max(ys, key=lambda y: 2.0 * y) + 3.0 * max(ys, key=lambda y: -y))


@program
def reversed_array_used_up(x: np.ndarray) -> Any:
    r = reversed(x)
    s = 0.0
    try:
        for k in range(len(x) + 1):
            s = 2.0 * s + next(r) ** 2
    except StopIteration:
        s = 3.0 * s
    return s + next(r, 5.0)


@program
def reversed_shrinks(x: np.ndarray) -> Any:
    a = [x[0], x[1], x[2]]
    r = reversed(a)
    a.pop()
    return sum(r) + len(a)


@refused("SCT306")
def reversed_dyn_grown(x: np.ndarray) -> Any:
    ys = []
    for v in x:
        ys.append(v * v)
    r = reversed(ys)
    ys.append(1.0)
    s = 0.0
    for v in r:
        s = 0.5 * s + v
    return s


@refused("SCT306")
def append_while_iter_dyn(x: np.ndarray) -> Any:
    ys = []
    for v in x:
        ys.append(v)
    s = 0.0
    for v in ys:
        s += v
        if len(ys) < 8:
            ys.append(v * 0.5)
    return s


@program
def iter_dict_items_mut(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    for k, v in d.items():
        d[k] = v * 2
    return d["a"] + 3 * d["b"]


@program
def dict_values_reuse(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    vs = d.values()
    return sum(vs) + sum(vs) * len(vs)


@program
def dict_iter_next(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    it = iter(d)
    k = next(it)
    d[k] = x[2]
    return d[k] + d[next(it)]


@program
def dict_iter_grow(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    it = iter(d)
    next(it)
    d["c"] = x[2]
    return d[next(it)]


@refused("SCT306")
def dict_iter_replace(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    it = iter(d)
    next(it)
    del d["a"]
    d["c"] = x[2]
    return d[next(it)]


@program
def dict_insert_order_loop(x: np.ndarray) -> Any:
    d = {}
    for k in ["b", "a", "b"]:
        d[k] = d.get(k, 0.0) + x[0]
    return sum((i + 1) * v for i, v in enumerate(d.values()))


@program
def dict_items_sorted_key(x: np.ndarray) -> Any:
    d = {"b": 2, "a": 3}
    return x[0] * sorted(d.items(), key=lambda kv: kv[1])[0][1]


@program
def dict_of_views(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    e = dict(d.items())
    e["a"] = x[2]
    f = dict(zip(d.keys(), e.values()))
    return d["a"] + 2 * e["a"] + 4 * f["a"]


@program
def max_dict(x: np.ndarray) -> Any:
    d = {"a": 1.0, "b": 3.0}
    k = max(d, key=d.get)
    return x[0] * d[k]


@program
def list_of_view(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    l = list(d.values())
    d["a"] = x[1]
    return l[0] + 2 * d["a"]


@program
def array_of_view(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    return np.sum(np.array(list(d.values())) ** 2)


@program
def chain_dyn(x: np.ndarray) -> Any:
    s = 0.0
    for v in itertools.chain(x, [1.0, 2.0]):
        s += v * v
    return s


@program
def chain_from(x: np.ndarray) -> Any:
    return sum(itertools.chain.from_iterable([[x[0]], [x[1], x[2]]]))


@program
def islice_dyn(x: np.ndarray) -> Any:
    s = 0.0
    for v in itertools.islice(x, 3):
        s += v * v
    return s


@program
def takewhile_(x: np.ndarray) -> Any:
    it = iter([1, 2, 5, 1])
    s = sum(x[i] for i in itertools.takewhile(lambda k: k < 3, it))
    return s + next(it)


@program
def dropwhile_(x: np.ndarray) -> Any:
    return sum(x[i] for i in itertools.dropwhile(lambda k: k < 3, [1, 2, 5, 1]))


@program
def product_once(x: np.ndarray) -> Any:
    p = itertools.product([x[0], x[1]], [1.0, 2.0])
    s = sum(a * b for a, b in p)
    return s + len(list(p))


@program
def product_dyn(x: np.ndarray) -> Any:
    s = 0.0
    for i, j in itertools.product(range(len(x)), range(len(x))):
        s += x[i] * x[j] * (i + 1)
    return s


@program
def combos_dyn(x: np.ndarray) -> Any:
    p = itertools.combinations(range(len(x)), 2)
    s = 0.0
    for i, j in p:
        s += x[i] * x[j]
    for i, j in p:
        s += 1000.0
    return s


@program
def combos_next(x: np.ndarray) -> Any:
    p = itertools.combinations(x, 2)
    a, b = next(p)
    return a * b


@program
def repeat_(x: np.ndarray) -> Any:
    return sum(map(operator.mul, [x[0], x[1]], itertools.repeat(3.0)))


@program
def starmap_(x: np.ndarray) -> Any:
    m = itertools.starmap(lambda a, b: a * b, [(x[0], 2.0), (x[1], 3.0)])
    return next(m) - next(m)


@program
def acc_fn(x: np.ndarray) -> Any:
    return sum(itertools.accumulate([x[0], x[1], x[2]], lambda a, b: a * b, initial=2.0))


@program
def set_order(x: np.ndarray) -> Any:
    return x[0] * sum(i * k for i, k in enumerate(sorted({3, 1, 2})))


@program
def len_zip(x: np.ndarray) -> Any:
    return x[0] * len(zip([1], [2]))


@refused("SCT503")
def index_map(x: np.ndarray) -> Any:
    return map(lambda v: v, [x[0]])[0]


@program
def truth_it(x: np.ndarray) -> Any:
    return x[0] if map(abs, []) else x[1]


@program
def is_it(x: np.ndarray) -> Any:
    it = iter([x[0]])
    return x[0] if iter(it) is it else x[1]


@program
def default_arg_it(x: np.ndarray) -> Any:
    def f(it=iter([1.0, 2.0])):
        return next(it)
    return x[0] * f() + x[1] * f()


@program
def star_args_order(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return x[k]
    def f(*a): return sum(a)
    return f(*map(t, [0, 1]), t(2))


@program
def nested_unpack(x: np.ndarray) -> Any:
    (a, b), c = zip([x[0], x[1]], [x[2], x[3]]), 2.0
    return a[0] * b[1] * c


@program
def for_unpack_err(x: np.ndarray) -> Any:
    s = 0.0
    for a, b in [(1.0, x[0]), (2.0,)]:
        print("trip")
        s += a * b
    return s


@program
def while_next(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2]])
    s = 0.0
    v = next(it, None)
    while v is not None:
        s = 2 * s + v
        v = next(it, None)
    return s


@program
def tuple_of_it(x: np.ndarray) -> Any:
    it = iter([x[0], x[1]])
    t = (it, it)
    return next(t[0]) - 2 * next(t[1])


@program
def zip_same(x: np.ndarray) -> Any:
    it = iter([x[0], x[1], x[2], x[3]])
    return sum(a * b for a, b in zip(it, it))


@program
def zip_same_dyn(x: np.ndarray) -> Any:
    it = iter(x)
    s = 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


@program
def early_return(x: np.ndarray) -> Any:
    def first(it):
        for v in it:
            if v > 1.0:
                return v
        return 0.0
    it = iter([1, 2, 3])
    a = first(it)
    return x[0] * a + sum(it)


@program
def early_return_dyn(x: np.ndarray) -> Any:
    def first(it):
        for v in it:
            if v < 0:
                return v
        return 0.0
    it = iter(x)
    return first(it)


@program
def late_list(x: np.ndarray) -> Any:
    xs = [x[0]]
    m = map(lambda v: v * 2, xs)
    xs.append(x[1])
    xs = [x[2]]
    return sum(m)


@program
def while_pop(x: np.ndarray) -> Any:
    stack = [x[0], x[1], x[2]]
    s = 0.0
    while stack:
        s = 2 * s + stack.pop()
    return s


# -- lists of unknown length, and what containers are equal to ------------------------------------------


@program
def grown_iadd_alias(x: np.ndarray) -> Any:
    a = []
    b = a
    for v in x:
        a += [v, 2 * v]
    return sum(b) * len(b)


@program
def grown_iadd_grown(x: np.ndarray) -> Any:
    a = []
    c = []
    b = a
    for v in x:
        a.append(v)
        if v > 0: c.append(v * 2)
    a += c
    c.append(5.0)
    return sum(b) + 10 * len(b)


@program
def grown_self(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    b = a
    a += a
    return sum(b) * len(b)


@program
def grown_iadd_tuple(x: np.ndarray) -> Any:
    a = []
    for v in x: a += (v, v * v)
    return sum(a)


@program
def grown_iadd_array(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    b = a
    a += x
    return np.sum(a) + len(b)


@program
def grown_extend_array(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    b = a
    a.extend(x)
    return sum(b) * len(b)


@program
def grown_imul_loop(x: np.ndarray) -> Any:
    a = [x[0]]
    b = a
    for i in range(3):
        a *= 2
    return sum(b)


@program
def grown_imul_dyn(x: np.ndarray) -> Any:
    a = [x[0]]
    b = a
    for v in x:
        if v > 0:
            a *= 2
    return sum(b)


@program
def grown_del(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    b = a
    del a[0]
    del a[-1]
    return sum(b) * len(b)


@program
def grown_slice(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    b = a[1:-1]
    b.append(1.0)
    a[0] = 5.0 * x[1]
    return sum(b) + len(a) + a[0]


@program
def grown_slice_step(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    return sum(a[::-2]) * 2 + sum(a[1::2])


@program
def grown_cmp(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    b = list(a)
    t = 1.0 if a == b else 2.0
    b.append(0.0)
    u = 1.0 if a == b else 2.0
    return x[0] * t + x[1] * u


@program
def grown_in(x: np.ndarray) -> Any:
    a = []
    for i in range(len(x)):
        if x[i] > 0: a.append(i)
    return x[0] if 2 in a else x[1]


@program
def grown_index(x: np.ndarray) -> Any:
    a = []
    for i in range(len(x)):
        if x[i] > 0: a.append(i)
    return x[a.index(2)]


@program
def tuple_cmp(x: np.ndarray) -> Any:
    return x[0] if (x[0], 1) < (x[0], 2) else x[1]


@program
def tuple_cmp2(x: np.ndarray) -> Any:
    return x[0] if (x[0], x[1]) < (x[0], x[2]) else x[1]


@program
def list_cmp(x: np.ndarray) -> Any:
    return x[0] if [x[0], x[1]] < [x[0], x[2]] else x[1]


@program
def list_cmp_len(x: np.ndarray) -> Any:
    return x[0] if [x[0]] < [x[0], x[2]] else x[1]


@program
def list_eq_nested(x: np.ndarray) -> Any:
    return x[0] if [[x[0]], (1, 2)] == [[x[0]], (1, 2)] else x[1]


@program
def list_eq_tuple(x: np.ndarray) -> Any:
    return x[0] if [1] == (1,) else x[1]


@program
def list_eq_array(x: np.ndarray) -> Any:
    a = x * 1.0
    return x[0] if [a] == [a] else x[1]


@program
def list_eq_array2(x: np.ndarray) -> Any:
    return x[0] if [x * 1.0] == [x * 1.0] else x[1]


@program
def in_floats(x: np.ndarray) -> Any:
    return x[0] if x[0] in [x[1], x[0]] else x[1]


@program
def in_tuple_nested(x: np.ndarray) -> Any:
    return x[0] if (1, 2) in [(1, 3), (1, 2)] else x[1]


@program
def not_in(x: np.ndarray) -> Any:
    return x[0] if 5 not in (1, 2) else x[1]


@program
def dict_eq(x: np.ndarray) -> Any:
    return x[0] if {"a": 1, "b": 2} == {"b": 2, "a": 1} else x[1]


@program
def keys_eq(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    return x[0] if d.keys() == {"a"} else x[1]


@program
def in_values(x: np.ndarray) -> Any:
    d = {"a": 1, "b": 2}
    return x[0] if 2 in d.values() else x[1]


@program
def in_items(x: np.ndarray) -> Any:
    d = {"a": 1, "b": 2}
    return x[0] if ("a", 1) in d.items() else x[1]


@program
def in_iter(x: np.ndarray) -> Any:
    it = iter([1, 2, 3, 4])
    t = 2 in it
    return x[0] * sum(it) + t


@program
def in_map(x: np.ndarray) -> Any:
    def f(k):
        print(k)
        return k
    return x[0] if 2 in map(f, [1, 2, 3]) else x[1]


@program
def in_range(x: np.ndarray) -> Any:
    return x[0] if 3 in range(0, 10, 3) else x[1]


@program
def grouper(x: np.ndarray) -> Any:
    s = 0.0
    for a, b in zip(*[iter([x[0], x[1], x[2], x[3]])] * 2):
        s += a * b
    return s


@program
def nested_alias_loop(x: np.ndarray) -> Any:
    m = [[]] * 2
    for v in x:
        m[0].append(v)
    return sum(m[1])


@program
def nested_rows(x: np.ndarray) -> Any:
    m = [[] for _ in range(2)]
    for i in range(len(x)):
        m[i % 2].append(x[i])
    return sum(m[1])


@program
def rows_iadd_dyn(x: np.ndarray) -> Any:
    rows = []
    for v in x:
        rows.append([v])
    for i in range(len(rows)):
        rows[i] += [v * 2]
    return sum([sum(r) for r in rows])


@program
def rows_alias_dyn(x: np.ndarray) -> Any:
    rows = []
    for v in x:
        rows.append([v, 1.0])
    r = rows[0]
    r[1] = x[2]
    return rows[0][1] * 2


@program
def swap_lists(x: np.ndarray) -> Any:
    a, b = [x[0]], [x[1], x[2]]
    for i in range(3):
        a, b = b, a
    return sum(a) - 3 * sum(b)


@program
def append_self_item(x: np.ndarray) -> Any:
    a = [x[0], x[1]]
    a.append(a[0])
    a[0] = x[2]
    return sum(a)


@program
def list_of_lists_extend(x: np.ndarray) -> Any:
    a = [[x[0]]]
    b = list(a)
    b[0].append(x[1])
    b.append([x[2]])
    return sum(a[0]) + len(a)


@program
def tuple_repeat(x: np.ndarray) -> Any:
    return sum((x[0], x[1]) * 2)


@program
def tuple_repeat_neg(x: np.ndarray) -> Any:
    return x[0] + len((x[0], x[1]) * -1)


@program
def list_repeat_len(x: np.ndarray) -> Any:
    return sum([x[0]] * len(x))


@program
def bool_repeat(x: np.ndarray) -> Any:
    return sum([x[0]] * True) + sum([x[1]] * False)


@program
def walrus_(x: np.ndarray) -> Any:
    if (n := len([1, 2])) > 1:
        return x[0] * n
    return x[1]


@program
def chained_cmp_once(x: np.ndarray) -> Any:
    def f():
        print("f")
        return 2
    return x[0] if 1 < f() < 3 else x[1]


@program
def while_queue(x: np.ndarray) -> Any:
    q = [0]
    seen = {0}
    s = 0.0
    while q:
        i = q.pop(0)
        s += x[i] * (i + 1)
        for j in (i + 1, i + 2):
            if j < 5 and j not in seen:
                seen = seen | {j}
                q.append(j)
    return s


@program
def aug_tuple_in_dict(x: np.ndarray) -> Any:
    d = {"a": (x[0],)}
    e = d["a"]
    d["a"] += (x[1],)
    return sum(d["a"]) * 2 + sum(e)


@program
def aug_str(x: np.ndarray) -> Any:
    s = "a"
    s += "b"
    s *= 2
    return x[0] * len(s)


@program
def setitem_order(x: np.ndarray) -> Any:
    def t(k):
        print(k)
        return k
    a = [0.0] * 3
    a[t(1)] = t(2) * x[0]
    d = {}
    d[t(3)] = t(4)
    a[t(0)], d[t(5)] = t(6), t(7)
    return sum(a)


@program
def pop_loop(x: np.ndarray) -> Any:
    a = []
    for v in x: a.append(v)
    s = 0.0
    while len(a) > 0:
        s = 2 * s + a.pop()
    return s


@program
def dict_of_lists_dyn(x: np.ndarray) -> Any:
    d = {"p": [], "n": []}
    for v in x:
        d["p" if v > 0 else "n"].append(v)
    return sum(d["p"]) - 2 * sum(d["n"])


@program
def dict_iadd_dyn(x: np.ndarray) -> Any:
    d = {"p": 0.0, "n": 0.0}
    for v in x:
        d["p"] += v
        d["n"] -= v * v
    return d["p"] * d["n"]


@program
def views_len(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    ks = d.keys()
    d["b"] = x[1]
    return x[0] * len(ks) * ("b" in ks)


class Countdown:
    """An object that is its own iterator."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Countdown:
        return self

    def __next__(self) -> int:
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


@program
def its_own_iterator(x: np.ndarray) -> Any:
    s = 0.0
    for i in Countdown(3):
        s += x[i]
    return s


@program
def zip_of_nothing(x: np.ndarray) -> Any:
    return x[0] + len(list(zip()))


# -- subscripts known at run time, and arguments that are lists -----------------------------------------


def _rest(*args: Any) -> Any:
    return math.prod(args)


def between(x: np.ndarray, args: tuple[float, ...], k: int) -> Any:
    return x[0] * _rest(*args[:k], x[1], *args[k + 1:])


def tail(x: np.ndarray, xs: list[float], n: int) -> Any:
    return x[0] * sum(xs[n:]) + len(xs[-n:])


def tail_is_a_list(x: np.ndarray, xs: list[float], n: int) -> Any:
    ys = xs[n:]
    ys.append(x[0])
    return sum(ys) + len(xs)


def slice_is_written(x: np.ndarray, xs: list[float], n: int) -> Any:
    ys = [x[0], x[1], x[2]]
    ys[n:] = xs
    del ys[:n]
    return sum(ys) * x[3] + len(ys)


def slices_in_a_loop(x: np.ndarray, xs: list[float], n: int) -> Any:
    s = 0.0
    for i in range(n):
        s += x[i] * sum(xs[i:])
    return s


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_slices_by_bounds_known_at_run_time(n: int, k: int) -> None:
    xs = [float(v) for v in range(1, n + 1)]
    agrees(between, X, tuple(xs), k)
    for f in (tail, tail_is_a_list, slice_is_written, slices_in_a_loop):
        agrees(f, X, xs, k)


def neighbours(x: np.ndarray, adj: list[list[int]]) -> Any:
    t = 0.0
    for v, us in enumerate(adj):
        for u in us:
            t += x[v % 6] * x[u] ** 2
    return t


def neighbours_by_index(x: np.ndarray, adj: list[list[int]]) -> Any:
    t = 0.0
    for i in range(len(adj)):
        for j in adj[i]:
            t += x[i % 6] * x[j] ** 2
    return t


@pytest.mark.parametrize("adj", [
    [[1], [2], []], [[1, 2], [0], [0, 3, 4], [2], [2, 3], []], [[], [0], [0, 3, 4], [2], [2, 3], [1]],
    [[1], [2], [3], [4], []], [[]] * 9, [[], [], [], [], [], [3]], [[1], [], [0, 3]] + [[2]] * 9, []])
def test_lists_some_of_which_are_empty(adj: list[list[int]]) -> None:
    agrees(neighbours, X, adj)
    agrees(neighbours_by_index, X, adj)


def products_stacked(w: np.ndarray, xs: list[np.ndarray]) -> Any:
    return np.sum(np.stack([np.tanh(xs[v] @ w) for v in range(len(xs))]))


def products_grown(w: np.ndarray, xs: list[np.ndarray]) -> Any:
    made = []
    for x in xs:
        made.append(np.dot(w, x) * x)
    return np.sum(np.stack(made))


def products_summed(w: np.ndarray, xs: list[np.ndarray]) -> Any:
    t = 0.0
    for v in range(len(xs)):
        t += np.sum((xs[v] @ w) ** 2)
    return t


@pytest.mark.parametrize("n", [2, 5, 9])
@pytest.mark.parametrize("f", [products_stacked, products_grown, products_summed])
def test_products_of_the_arrays_of_a_list(f: Any, n: int) -> None:
    rng = np.random.default_rng(0)
    agrees(f, rng.normal(size=(3, 3)), [rng.normal(size=3) for _ in range(n)])


@pytest.mark.parametrize("dt", [0.5, 0.25, 0.01])
def test_a_list_that_grows_over_an_array_of_known_size(dt: float) -> None:
    def f(x: np.ndarray, dt: float) -> Any:
        v, r = 0.5, []
        for _ in np.arange(0, 1, 0.25):
            v = v + dt * x[0] * v
            r.append(v)
        for t in np.arange(0, 1, dt):
            r.append(v * t)
        return sum(r) / len(r)

    agrees(f, X, dt)


def last_axis_apart(a: np.ndarray) -> np.ndarray:
    return np.array([a[..., k] for k in range(a.shape[-1])])


def unpacked_three(xyz: np.ndarray) -> Any:
    x, y, z = last_axis_apart(xyz)
    return np.sum(x * y + z)


def unpacked_list(xyz: np.ndarray) -> Any:
    made = []
    for row in xyz:
        if row[0] > 0.0:
            made.append(np.sum(row))
    a, b = made
    return a * b


def _numbers(x: float, n: int) -> list[float]:
    return [x * i for i in range(n)]


def _deleted(x: float, n: int) -> float:
    xs = _numbers(x, n)
    del xs[0]
    return xs[0]


def _deleted_from_behind(x: float, n: int) -> float:
    xs = _numbers(x, n)
    del xs[-2]
    return xs[0]


def _read_and_deleted(x: float, n: int) -> float:
    xs = _numbers(x, n)
    first = xs[0]
    del xs[0]
    return xs[0] + first


def _read_and_popped(x: float, n: int) -> float:
    xs = _numbers(x, n)
    first = xs[0]
    xs.pop(0)
    return xs[0] + first


def _read_in_vain(x: float, n: int) -> float:
    xs = _numbers(x, n)
    xs[-1]
    xs.pop()
    return xs[0]


def _popped(x: float, n: int) -> float:
    xs = _numbers(x, n)
    last = xs.pop(n - 2)
    return xs[0] + last


def _pairs_deleted(x: float, n: int) -> float:
    pairs = [(x * i, i) for i in range(n)]
    del pairs[-1]
    return pairs[-1][0] * pairs[0][0] + pairs[-1][1]


def _reduced(x: float, n: int) -> float:
    return functools.reduce(lambda a, b: a + b * x, _numbers(x, n))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("f", [_deleted, _deleted_from_behind, _read_and_deleted, _read_and_popped, _read_in_vain,
                               _popped, _pairs_deleted, _reduced])
def test_what_is_not_there_raises_the_text_of_what_was_written(f: Any, n: int) -> None:
    agrees(f, 0.7, n)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_unpacking_what_is_of_unknown_length(n: int) -> None:
    agrees(unpacked_three, np.arange(1.0, 2.0 * n + 1.0).reshape(2, n))
    agrees(unpacked_list, np.arange(1.0, 2.0 * n + 1.0).reshape(n, 2) - 3.5)


@program
def empty_lists_among_other_columns(x: Any) -> Any:
    rows = [(x[0] * k, [], x[1] * k * x[0]) for k in range(len(x))]
    rows[1][1].append((x[2], x[2] * x[3], x[0] * x[1]))
    return rows[1][1][0][1] + 3.0 * rows[2][0] + 5.0 * rows[1][1][0][2] * rows[1][2]


@program
def items_that_are_set_by_a_function(x: Any) -> Any:
    a, xs, d = np.zeros(3), [x[0], x[1]], {}
    operator.setitem(a, 1, x[2])
    operator.setitem(xs, 0, x[1] * x[2])
    operator.setitem(d, "k", x[3] * 3.0)
    return a[1] * xs[0] * d["k"]


@program
def a_missing_item_is_kept(x: Any) -> Any:
    d = defaultdict(lambda: [x[0], 1.0])
    d["a"][0] = x[1] * x[1]
    d["b"]
    return d["a"][0] * len(d)


@program
def what_a_zip_has_taken_of_an_iterator(x: Any) -> Any:
    rest, s = iter(x), 0.0
    for a, b in zip(x[:2], rest):
        s += a * b
    return s * next(rest)


@refused("SCT207")
def numbers_drawn_into_an_array(x: Any) -> Any:
    a = np.zeros(len(x))
    np.random.default_rng(3).random(out=a)
    return np.sum(a * x)


# -- all of them -------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [pytest.param(f, id=f.__name__) for f in AGREE])
def test_agrees(f: Program) -> None:
    agrees(f, X)


@pytest.mark.parametrize(("f", "code"), [pytest.param(f, code, id=f.__name__) for f, code in REFUSED])
def test_refused(f: Program, code: str) -> None:
    refuses(f, X, code=code)


ROWS = [[1.0, 2.0], [3.0, 4.0]]


def row_by_a_condition(x: Any, c: Any) -> Any:
    return x * ROWS[0 if x > c else 1][0] + sum(v * x for v in ROWS[-1 if x > 2.0 * c else 0])


def own_row_by_a_condition(x: Any, c: Any) -> Any:
    rows = [[x, 2.0 * x], [3.0 * x, x * x]]
    return rows[0 if x > c else 1][1 if x < c else 0] * (x, c)[int(x > 3.0) if c else 0]


def number_by_a_condition(x: Any, c: Any) -> Any:
    xs, u = [x, x * x], np.array([x, 3.0 * x])
    s = 0.0
    for k in range(4):
        s += xs[0 if k * x > c else 1] * u[1 if k < 2 else 0]
    return s


def condition_after_the_owner(x: Any, c: Any) -> Any:
    def rows() -> Any:
        print("rows")
        return [x, x * x]

    def first() -> bool:
        print("first")
        return bool(x > c)

    return rows()[0 if first() else 1] * x


@pytest.mark.parametrize("f", (row_by_a_condition, own_row_by_a_condition, number_by_a_condition,
                               condition_after_the_owner))
def test_a_subscript_that_a_condition_chooses(f: Any) -> None:
    for c in (1.0, 2.0, 0.25):
        agrees(f, 1.5, c)

