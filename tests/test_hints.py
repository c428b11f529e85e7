"""What a refusal tells the user to write instead, written: each hint that names a spelling is followed here.

A case has the text of the hint, a program that is refused with it, and the program after the hint was
followed, which does what Python does.  `test_every_spelling_is_followed` reads the hints out of sct.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import copy
import ctypes
import ctypes.util
import datetime
import enum
import fractions
import functools
import heapq
import io
import itertools
import json
import marshal
import math
import os
import random
import re
import statistics
import sys
import types
import warnings
import weakref
import xml.dom.minidom
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.signal.windows
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
import scipy.stats

import sct
from sct import SctError, SctWarning, grad, implicit, rule, stop_gradient, value_and_grad
from tests.oracle import agrees

X = np.array([0.7, -0.3, 1.1])
FOUR = np.array([0.7, -0.3, 1.1, 0.4])
ROOT = Path(__file__).parent.parent / "sct"


@dataclass
class Case:
    hint: str
    refused: Callable[..., Any]
    followed: Callable[..., Any]
    args: tuple[Any, ...] = (X,)


CASES: list[Case] = []
OUTSIDE = [1.0, 2.0]
ROWS = [[float(k), 1.0] for k in range(6)]
ORDERED = collections.OrderedDict(a=1.0, b=2.0)
HALF = fractions.Fraction(1, 2)
MATRIX = np.ones((2, 2)).view(np.matrix)
SPACE = types.SimpleNamespace(k=2.0)
COUNTS = collections.defaultdict(float, a=1.5)
COUNTED = {**COUNTS, "b": 0.5}
DOCUMENT = xml.dom.minidom.Document()
OUTSIDE_PAIRS = [[1, [2, 3]]]


def case(hint: str, *args: Any) -> Callable[[Callable[[], tuple[Any, Any]]], Any]:
    """`@case(hint)` above a function that returns the refused and the followed program."""

    def add(programs: Callable[[], tuple[Any, Any]]) -> Any:
        CASES.append(Case(hint, *programs(), args or (X,)))
        return programs

    return add


class Spring:
    def __init__(self, v: Any) -> None:
        self.v, self.ends = v, lambda k: k


class Pair:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __rmul__(self, other: Any) -> Any:
        return other * self.v

    __mul__ = __rmul__


class Quiet(Pair):
    __array_ufunc__ = None


class Lazy:
    __slots__ = ("gain",)

    def __getattr__(self, name: str) -> float:
        return 3.0


LAZY, READY = Lazy(), Lazy()
READY.gain = 3.0


@contextlib.contextmanager
def nothing() -> Any:
    yield


@case("keep the others: `xs[:] = [x for k, x in enumerate(xs) if k % 2 == 1]`", X, 2)
def _() -> Any:
    def refused(x, step):
        xs = [v * v for v in x]
        del xs[::step]
        return sum(xs)

    def followed(x, step):
        xs = [v * v for v in x]
        xs[:] = [v for k, v in enumerate(xs) if k % step]
        return sum(xs)

    return refused, followed


@case("write `x = x + y`", X, X)
def _() -> Any:
    def refused(x, y):
        z = np.arange(3)
        z += y
        return np.sum(z * x)

    def followed(x, y):
        z = np.arange(3)
        z = z + y
        return np.sum(z * x)

    return refused, followed


@case("write each item: `for k in range(i, j, step): xs[k] = vs[k]`", X, 2)
def _() -> Any:
    def refused(x, step):
        xs, vs = [v * v for v in x], [v * 3.0 for v in x]
        xs[1:3:step] = vs[1:3:step]
        return sum(xs) ** 2

    def followed(x, step):
        xs, vs = [v * v for v in x], [v * 3.0 for v in x]
        for k in range(1, 3, step):
            xs[k] = vs[k]
        return sum(xs) ** 2

    return refused, followed


@case("convert the number with `float(...)`")
def _() -> Any:
    p = Pair(1.0)

    def refused(x):
        return x[0] if x[0] == p else x[1]

    def followed(x):
        return x[0] if float(x[0]) == p else x[1]

    return refused, followed


@case("write `is None`")
def _() -> Any:
    def refused(x):
        return x[0] if x == None else x[1]  # noqa: E711

    def followed(x):
        return x[0] if x is None else x[1]

    return refused, followed


@case("write `with` without `as`")
def _() -> Any:
    def refused(x):
        with warnings.catch_warnings() as caught:
            y = np.log(x * x)
        return np.sum(y) + (0.0 if caught is None else 1.0)

    def followed(x):
        with warnings.catch_warnings():
            y = np.log(x * x)
        return np.sum(y)

    return refused, followed


@case("put a copy into the list: `append(x.copy())`; change an item by replacing it: `x = xs[i].copy()`, write to `x`, "
      "then `xs[i] = x`; write to rows of `a` in `for r in a`")
def _() -> Any:
    def refused(x):
        rows = []
        y = x * 2.0
        for i in range(len(x)):
            rows.append(y)
            y[0] = y[0] * x[i]
        return np.sum(np.array(rows))

    def followed(x):
        rows = []
        y = x * 2.0
        for i in range(len(x)):
            rows.append(y.copy())
            y[0] = y[0] * x[i]
        return np.sum(np.array(rows))

    return refused, followed


class Bare:
    def __init__(self, v: Any) -> None:
        self.v = v


class Complete:
    def __init__(self, v: Any) -> None:
        self.v, self.force = v, 0.0


def kicked(cls: Any, x: Any) -> Any:
    bodies = [cls(v * v) for v in x]
    for b in bodies:
        b.force = -2.0 * b.v
    for b in bodies:
        b.v -= 0.1 * b.force
    return sum(b.v ** 2 for b in bodies)


@case("set it where the object is made, in `__init__`")
def _() -> Any:
    return functools.partial(kicked, Bare), functools.partial(kicked, Complete)


@case("use a dict in its place: `seen[k] = True`")
def _() -> Any:
    def refused(x):
        seen, total = frozenset(), 0.0
        for k in range(90):
            if k * k % 17 in seen:
                total += x[0] * k
            seen = seen | {k * k % 17}
        return total

    def followed(x):
        seen, total = {}, 0.0
        for k in range(90):
            if k * k % 17 in seen:
                total += x[0] * k
            seen[k * k % 17] = True
        return total

    return refused, followed


@case("pass a copy to the call: `f(x.copy())`")
def arrays_that_python_may_hold() -> tuple[Any, Any]:
    def refused(x):
        edges = np.arange(3.0)
        bins = np.histogram_bin_edges(edges, 3)
        edges[0] = x[0]
        return np.sum(edges * bins[:3])

    def followed(x):
        edges = np.arange(3.0)
        bins = np.histogram_bin_edges(edges.copy(), 3)
        edges[0] = x[0]
        return np.sum(edges * bins[:3])

    return refused, followed


@case("put a copy into the list: `append(copy.copy(x))`; change an item by replacing it: `x = copy.copy(xs[i])`, "
      "change `x`, then `xs[i] = x`")
def change_objects_in_a_list() -> tuple[Any, Any]:
    def refused(x: Any) -> Any:
        springs = []
        p = Spring(0.0)
        for v in x:
            p.v = v
            springs.append(p)
        s = 0.0
        for k in range(2):
            for p in springs:
                p.v *= 2.0
                s += p.v * p.v
        return s

    def followed(x: Any) -> Any:
        springs = []
        for v in x:
            p = Spring(v)
            springs.append(copy.copy(p))
            p.v = 0.0
        s = 0.0
        for k in range(2):
            for i in range(len(springs)):
                p = copy.copy(springs[i])
                p.v *= 2.0
                springs[i] = p
                s += p.v * p.v
        return s + springs[0].v

    return refused, followed


@case("put them into a list, and let the path choose the index: `both = [a, b]`, `both[k].append(v)`")
def _() -> Any:
    def refused(x):
        a, b = [x[0]], [x[1]]
        current = a
        for v in x:
            current.append(v)
            current = b
        return sum(a) - 2.0 * sum(b)

    def followed(x):
        both, k = [[x[0]], [x[1]]], 0
        for v in x:
            both[k].append(v)
            k = 1
        return sum(both[0]) - 2.0 * sum(both[1])

    return refused, followed


@case("if no other name is to see it, write to a copy: `z = z.copy()`; else use one name, and indices")
def _() -> Any:
    def refused(x):
        y, z = x * 2.0, x * 3.0
        for _ in range(len(x)):
            z[0] = 1.0
            z = y
        return np.sum(y * z)

    def followed(x):
        y, z = x * 2.0, x * 3.0
        for _ in range(len(x)):
            z = z.copy()
            z[0] = 1.0
            z = y
        return np.sum(y * z)

    return refused, followed


@case("if no other name is to see it, write to a copy: `z = z.copy()`; else use one name, and indices")
def _() -> Any:
    def refused(x):
        y = x * 2.0
        v = y
        while len(v):
            v[0] = v[0] ** 2
            v = v[1:]
        return np.sum(y)

    def followed(x):
        y = x * 2.0
        first = 0
        while first < len(y):
            y[first] = y[first] ** 2
            first += 1
        return np.sum(y)

    return refused, followed


@case("write `while True:` with a `break`")
def _() -> Any:
    def refused(x):
        state = [3]

        def step():
            state[0] -= 1
            return state[0]

        s = 0.0
        for k in iter(step, 0):
            s = s + k * x[0]
        return s

    def followed(x):
        state = [3]

        def step():
            state[0] -= 1
            return state[0]

        s = 0.0
        while True:
            k = step()
            if k == 0:
                break
            s = s + k * x[0]
        return s

    return refused, followed


@case("read the items by position, to an end: `while i < len(xs) and i < 100:`, `x = xs[i]; i += 1`")
def _() -> Any:
    def refused(x):
        xs = [x[0]]
        s = 0.0
        for v in xs:
            s = s + v
            xs.append(v * 0.5)
        return s

    def followed(x):
        xs = [x[0]]
        s, i = 0.0, 0
        while i < len(xs) and i < 100:
            v = xs[i]
            i += 1
            s = s + v
            xs.append(v * 0.5)
        return s

    return refused, followed


@case("iterate over a copy: `list(xs)`")
def written_behind_reversed() -> Any:
    def refused(x):
        xs = [v * v for v in x]
        items = reversed(xs)
        xs.append(1.0)
        s = 0.0
        for v in items:
            s = 0.5 * s + v
        return s

    def followed(x):
        xs = [v * v for v in x]
        items = reversed(list(xs))
        xs.append(1.0)
        s = 0.0
        for v in items:
            s = 0.5 * s + v
        return s

    return refused, followed


@case("read the items by position, as Python does: `i = 0`, `while i < len(xs):`, `x = xs[i]; i += 1`")
def _() -> Any:
    def refused(x):
        xs = [v * v for v in x]
        s = 0.0
        for v in xs:
            s = s + v
            xs.pop()
        return s

    def followed(x):
        xs = [v * v for v in x]
        s, i = 0.0, 0
        while i < len(xs):
            v = xs[i]
            i += 1
            s = s + v
            xs.pop()
        return s

    return refused, followed


@case("make each anew: `[[0.0] * m for _ in range(n)]`", X, 3)
def _() -> Any:
    def refused(x, n):
        rows = [[0.0] * n] * n
        rows[0][0] = x[0]
        return rows[1][0]

    def followed(x, n):
        rows = [[0.0] * n for _ in range(n)]
        rows[0][0] = x[0]
        return rows[0][0] + rows[1][0]

    return refused, followed


@case("put the object first, or set `__array_ufunc__ = None` in its class")
def _() -> Any:
    def refused(x):
        return np.sum(x * Pair(2.0))

    def followed(x):
        return np.sum(Pair(2.0) * x) + np.sum(x * Quiet(2.0))

    return refused, followed


@case("use np.where, or give an `out`")
def _() -> Any:
    def refused(x):
        return np.sum(np.sqrt(x, where=x > 0.0))

    def followed(x):
        return np.sum(np.sqrt(x, where=x > 0.0, out=np.zeros(3)))

    return refused, followed


@case("leave `out` out, and assign the result to `y[...]`")
def _() -> Any:
    def refused(x):
        y = x * 1.0
        np.concatenate([y[1:], y[:1]], out=y)
        return np.sum(y * x)

    def followed(x):
        y = x * 1.0
        y[...] = np.concatenate([y[1:], y[:1]])
        return np.sum(y * x)

    return refused, followed


@case("make the iterator of a list, `it = iter(list(...))`, or count: `xs[i]`")
def _() -> Any:
    def squares(x):
        for v in x:
            yield v * v

    def refused(x):
        s = 0.0
        xs = squares(x)
        for v in xs:
            s = s + v
            if s > 0.5:
                break
        for v in xs:
            s = s + 2.0 * v
        return s

    def followed(x):
        s = 0.0
        xs = iter(list(squares(x)))
        for v in xs:
            s = s + v
            if s > 0.5:
                break
        for v in xs:
            s = s + 2.0 * v
        return s

    return refused, followed


class Held:
    def __init__(self, v: Any) -> None:
        self.v = v


@case("take a copy: `x.copy()`")
def _() -> Any:
    def refused(x):
        held = []
        for k in x:
            y = x * k
            held.append(Held(y))
        for h in held:
            h.v += 1.0
        return np.sum(y) + np.sum(held[0].v)

    def followed(x):
        held = []
        for k in x:
            y = x * k
            held.append(Held(y.copy()))
        for h in held:
            h.v += 1.0
        return np.sum(y) + np.sum(held[0].v)

    return refused, followed


class Totals(collections.OrderedDict):
    def largest(self) -> Any:
        return max(self.values())


class TotalsInPython(collections.UserDict):
    def largest(self) -> Any:
        return max(self.values())


def _totals(cls: Any, x: Any) -> Any:
    totals = cls()
    for k in range(3):
        totals[k] = x[k] * x[0]
    return totals.largest()


@case("derive the class from `collections.UserDict`")
def write_to_a_dict_of_ones_own() -> Any:
    return functools.partial(_totals, Totals), functools.partial(_totals, TotalsInPython)


class Place:
    def __init__(self, v: Any) -> None:
        self.v, self.edges, self.others, self.lengths = v, [], [], []


@case("keep its position in the first list in place of the object; or let its lists hold numbers and objects, with a "
      "list for each part of a tuple", X, [(0, 1, 0.5), (1, 2, 2.0), (2, 0, 1.5), (0, 2, 1.0), (1, 0, 0.1)])
def objects_in_tuples() -> Any:
    def refused(x, edges):
        places = [Place(v) for v in x]
        for i, j, length in edges:
            places[i].edges.append((places[j], length))
        return sum(p.v * other.v * length for p in places for other, length in p.edges)

    def followed(x, edges):
        places = [Place(v) for v in x]
        for i, j, length in edges:
            places[i].others.append(places[j])
            places[i].lengths.append(length)
        return sum(p.v * other.v * length for p in places for other, length in zip(p.others, p.lengths))

    return refused, followed


@case("give it one dtype and as many axes: `x = x.astype(...)` before the loop", X.astype(np.float32), X, 2)
def _() -> Any:
    def refused(x, y, n):
        for _ in range(n):
            x = x * y
        return np.sum(x)

    def followed(x, y, n):
        x = x.astype(float)
        for _ in range(n):
            x = x * y
        return np.sum(x)

    return refused, followed


@case("write into an array of floats: `x = x.astype(float)` before", np.arange(1, 4))
def _() -> Any:
    def refused(k):
        k[0] = k[1] * 0.5
        return np.sum(k * k)

    def followed(k):
        k = k.astype(float)
        k[0] = k[1] * 0.5
        return np.sum(k * k)

    return refused, followed


@case("draw from the standard distribution, then shift and scale: `mu + sigma * draw`")
def _() -> Any:
    def refused(x):
        return random.gauss(x[0], 1.0)

    def followed(x):
        random.seed(3)
        return x[0] + 1.0 * random.gauss(0.0, 1.0)

    return refused, followed


@case("use `==`")
def _() -> Any:
    def refused(x):
        a = x[0] * 1.0
        return x[0] if a is x[1] else x[1]

    def followed(x):
        a = x[0] * 1.0
        return x[0] if a == x[1] else x[1]

    return refused, followed


@case("put a copy into the list: `append(list(xs))`")
def _() -> Any:
    def refused(x):
        rows, more = [], []
        row = [v for v in x]
        for _ in range(len(x)):
            rows.append(row)
            more.append(row)
        return rows[0][0] + more[0][1]

    def followed(x):
        rows, more = [], []
        row = [v for v in x]
        for _ in range(len(x)):
            rows.append(list(row))
            more.append(list(row))
        return rows[0][0] + more[0][1]

    return refused, followed


@case("make a list of it: `reversed(list(...))`")
def _() -> Any:
    def refused(x):
        return sum(reversed(map(lambda v: v * v, x)))

    def followed(x):
        return sum(reversed(list(map(lambda v: v * v, x))))

    return refused, followed


@case("compare lists: `list(...)`")
def _() -> Any:
    def refused(x):
        d = {"a": x[0], "b": x[1]}
        return x[0] if d.values() == d.values() else x[1]

    def followed(x):
        d = {"a": x[0], "b": x[1]}
        return x[0] if list(d.values()) == list(d.values()) else x[1]

    return refused, followed


@case("write `it = iter(...)` of a list or an array")
def _() -> Any:
    def refused(x):
        return next(Pair(x)) * x[0]

    def followed(x):
        it = iter(x)
        return next(it) * x[0]

    return refused, followed


@case("bind `t` before the call")
def _() -> Any:
    def refused(x):
        def walk(n):
            nonlocal t
            if n == 0:
                return 0.0
            t = x[0] * n
            return t + walk(n - 1)

        s = walk(3)
        t = 0.0
        return s + t

    def followed(x):
        t = 0.0

        def walk(n):
            nonlocal t
            if n == 0:
                return 0.0
            t = x[0] * n
            return t + walk(n - 1)

        return walk(3) + t

    return refused, followed


@case("make a dict of it: `dict(d)`")
def _() -> Any:
    def refused(x):
        d = collections.defaultdict(float)
        d["a"] = x[0] * 2.0
        return x[1] * x[1], d

    def followed(x):
        d = collections.defaultdict(float)
        d["a"] = x[0] * 2.0
        return x[1] * x[1] + dict(d)["a"]

    return refused, followed


@case("make a new set: `s = s | t`")
def _() -> Any:
    def refused(x):
        s = {1} | {2}
        t = s
        s |= {3}
        return x[0] * len(t)

    def followed(x):
        s = {1, 2}
        t = s
        s = s | {3}
        return x[0] * len(t) + len(s)

    return refused, followed


@case("pass numbers of one type: `float(x)`")
def _() -> Any:
    def refused(x):
        @functools.lru_cache(None)
        def g(k):
            return x[0] * k

        return g(1) + g(1.0) * x[1]

    def followed(x):
        @functools.lru_cache(None)
        def g(k):
            return x[0] * k

        return g(float(1)) + g(1.0) * x[1]

    return refused, followed


@case("iterate over a copy: `list(d)`")
def _() -> Any:
    def refused(x):
        d = {"a": x[0], "b": x[1]}
        s = 0.0
        for key in d:
            s = s + d[key]
            d.pop("b", None)
            d["c"] = x[2]
        return s

    def followed(x):
        d = {"a": x[0], "b": x[1]}
        s = 0.0
        for key in list(d):
            s = s + d.get(key, 1.0)
            d.pop("b", None)
            d["c"] = x[2]
        return s

    return refused, followed


@case("start with an array: `v = np.zeros(n)`, `v = np.full(n, start)`", X, 200)
def _() -> Any:
    def refused(x, n):
        total = 0.0
        for k in range(n):
            v = 1.0
            for _ in range(k):
                v = np.sin(v) + 0.001 * x
            total = total + np.sum(v)
        return total

    def followed(x, n):
        total = 0.0
        for k in range(n):
            v = np.full(3, 1.0)
            for _ in range(k):
                v = np.sin(v) + 0.001 * x
            total = total + np.sum(v)
        return total

    return refused, followed


@case("differentiate by its coefficients", X)
def _() -> Any:
    knots = np.array([0.0, 0.0, 1.0, 2.0, 2.0])

    def refused(x):
        return float(scipy.interpolate.splev(1.25, (knots + 0.0 * x[0], x, 1)))

    def followed(x):
        return float(scipy.interpolate.splev(1.25, (knots, x, 1)))

    return refused, followed


@case("take a copy: `list(xs)`", X, 1)
def _() -> Any:
    def refused(x, k):
        rows = [[v] for v in x]
        first = rows[k]
        rows.pop()
        rows[k - 1].append(1.0)
        return sum(first)

    def followed(x, k):
        rows = [[v] for v in x]
        first = list(rows[k])
        rows.pop()
        rows[k - 1].append(1.0)
        return sum(first)

    return refused, followed


@case("take a copy: `copy.copy(x)`")
def an_object_in_a_list() -> tuple[Any, Any]:
    def refused(x: Any) -> Any:
        springs = [Spring(v) for v in x]
        first = springs[0]
        springs[0] = Spring(1.0)
        for p in springs:
            p.v *= 2.0
        return first.v

    def followed(x: Any) -> Any:
        springs = [Spring(v) for v in x]
        first = copy.copy(springs[0])
        springs[0] = Spring(1.0)
        for p in springs:
            p.v *= 2.0
        return first.v

    return refused, followed


@case("take a copy: `[copy.copy(x) for x in xs]`")
def objects_in_two_lists() -> tuple[Any, Any]:
    def refused(x: Any) -> Any:
        springs = [Spring(v) for v in x]
        stiff = [p for p in springs if p.v > 0.1]
        for p in stiff:
            p.v *= 2.0
        return sum(p.v for p in springs)

    def followed(x: Any) -> Any:
        springs = [Spring(v) for v in x]
        stiff = [copy.copy(p) for p in springs if p.v > 0.1]
        for p in stiff:
            p.v *= 2.0
        return sum(p.v for p in springs)

    return refused, followed


@case("use it in an `if`")
def _() -> Any:
    def refused(x):
        return np.sum(x[x[0] > 0.0, 1:])

    def followed(x):
        return np.sum(x[1:]) if x[0] > 0.0 else x[0]

    return refused, followed


@case("write `np.asarray(...)`")
def _() -> Any:
    def refused(x):
        return np.sum(np.array([x[0], x[1]], copy=False))

    def followed(x):
        return np.sum(np.asarray([x[0], x[1]]))

    return refused, followed


@case("write `y[...] = np.dot(a, b)`", np.ones((3, 3)))
def _() -> Any:
    def refused(a):
        y = np.zeros((3, 3)).T
        np.dot(a, a, out=y)
        return np.sum(y)

    def followed(a):
        y = np.zeros((3, 3)).T
        y[...] = np.dot(a, a)
        return np.sum(y)

    return refused, followed


@case("write it around the call of the derivative, or put it into a separate helper function "
      "whose arguments do not depend on differentiated values; `with np.errstate(...)` is fine")
def _() -> Any:
    def refused(x):
        with open("log.txt", "w"):
            return np.sum(x * x)

    def followed(x):
        with np.errstate(all="ignore"):
            return np.sum(x * x)

    return refused, followed


@case("put a number into each item; in place of tuples that grow, use lists")
def _() -> Any:
    def refused(x):
        return len([() for v in x if v > 0.0]) * np.sum(x)

    def followed(x):
        return len([(1,) for v in x if v > 0.0]) * np.sum(x)

    return refused, followed


class Elastic:
    def __init__(self, k):
        self.k = k


class Viscous:
    def __init__(self, c):
        self.c = c


@case("ask for the class of it first: `isinstance(...)`")
def _() -> Any:
    def refused(x):
        total = 0.0
        for v in x:
            part = Elastic(v) if v > 0.5 else Viscous(v)
            match part:
                case object(k=k):
                    total += k
        return total

    def followed(x):
        total = 0.0
        for v in x:
            part = Elastic(v) if v > 0.5 else Viscous(v)
            if isinstance(part, Elastic):
                match part:
                    case object(k=k):
                        total += k
        return total

    return refused, followed


# -- the table --------------------------------------------------------------------------


@pytest.mark.parametrize("each", CASES, ids=lambda each: each.hint)
def test_the_hint_is_given_and_works(each: Case) -> None:
    with warnings.catch_warnings(), pytest.raises(SctError) as caught:
        warnings.simplefilter("ignore", SctWarning)
        value_and_grad(each.refused)(*each.args)
    assert caught.value.hint == each.hint
    agrees(each.followed, *each.args, rtol=1e-2 if each.args[0].dtype == np.float32 else 1e-5,
           atol=1e-1 if each.args[0].dtype == np.float32 else 1e-6)


@case("make it a float on all: `float(...)`")
def _() -> Any:
    def refused(x):
        os.getpid()  # what reaches outside is not observed
        k = 1 if x[0] > 0.0 else 2.5
        return np.sum(np.full(3, k) * x)

    def followed(x):
        k = float(1 if x[0] > 0.0 else 2.5)
        return np.sum(np.full(3, k) * x)

    return refused, followed


@case("bind `k` on every path before the call")
def _() -> Any:
    def refused(x):
        def power(v, n):
            return power(v * k[0], n - 1) if n > 0 else v

        if x[0] > 0.0:
            k = (2.0, 3.0)
        return power(x[0], int(x[2] * 3.0))

    def followed(x):
        def power(v, n):
            return power(v * k[0], n - 1) if n > 0 else v

        k = (1.0, 0.0)
        if x[0] > 0.0:
            k = (2.0, 3.0)
        return power(x[0], int(x[2] * 3.0))

    return refused, followed


class _Holder:
    pass


@case("set `y` before, where the object is made")
def _attribute_of_one_path():
    def refused(x):
        held = _Holder()
        if x[0] > 0.0:
            held.y = x
        return np.sum(getattr(held, "y", 0.0 * x))

    def followed(x):
        held = _Holder()
        held.y = 0.0 * x
        if x[0] > 0.0:
            held.y = x
        return np.sum(getattr(held, "y", 0.0 * x))

    return refused, followed


@case("set `gain` first")
def _() -> Any:
    def refused(x):
        return np.sum(x * LAZY.gain)

    def followed(x):
        return np.sum(x * READY.gain)

    return refused, followed


@case("take the element: `x[0]`, `x[0, 0]`")
def _() -> Any:
    def refused(x):
        return np.outer(x, x).item(2)

    def followed(x):
        return np.outer(x, x)[0, 2]

    return refused, followed


@case("convert it: `float(...)`")
def _() -> Any:
    def refused(x):
        v = x[0] if x[1] < 0.0 else 2.0
        return v.conj() * x[2]

    def followed(x):
        v = float(x[0] if x[1] < 0.0 else 2.0)
        return v.real * x[2]

    return refused, followed


@case("run over the positions: `for i, j in itertools.combinations(range(len(xs)), 2)`", X, 6)
def _() -> Any:
    def refused(x, n):
        rows = [[x[0] * i, x[1]] for i in range(n)]
        return sum(p[0] * q[0] for p, q in itertools.combinations(rows, 2))

    def followed(x, n):
        rows = [[x[0] * i, x[1]] for i in range(n)]
        return sum(rows[i][0] * rows[j][0] for i, j in itertools.combinations(range(len(rows)), 2))

    return refused, followed


@case("copy the items that you write: `[list(row) for row in rows]`", X, 6)
def _() -> Any:
    def refused(x, n):
        row = x * 2.0
        rows = [row for _ in range(n)]
        mine = copy.deepcopy(rows)
        return mine[0][0] * mine[1][1] * x[2]

    def followed(x, n):
        row = x * 2.0
        rows = [row for _ in range(n)]
        mine = [list(row) for row in rows]
        return mine[0][0] * mine[1][1] * x[2]

    return refused, followed


@case("copy each of them first: `[list(row) for row in rows]`", X, [[1.0, 2.0]] * 6)
def _() -> Any:
    def refused(x, rows):
        rows[0][0] = x[0] * x[1]
        return rows[1][0] * x[2]

    def followed(x, rows):
        rows = [list(row) for row in rows]
        rows[0][0] = x[0] * x[1]
        return (rows[0][0] + rows[1][0]) * x[2]

    return refused, followed


@case("use a list of items that are alike, or choose: `f(xs[0]) if c else f(xs[1])`")
def _() -> Any:
    def refused(x):
        xs = [x[0], x * 2.0]
        k = 0 if x[0] > 1.0 else 1
        return np.sum(xs[k]) * x[1]

    def followed(x):
        xs = [x[0], x * 2.0]
        c = x[0] > 1.0
        return (np.sum(xs[0]) if c else np.sum(xs[1])) * x[1]

    return refused, followed


@case("use a list of items that are alike, or choose: `f(xs[0]) if c else f(xs[1])`")
def _() -> Any:
    def refused(x):
        k = 1
        if x[0] > 0.5:
            k = 2
        return sum((x[0], 3.0, x[1])[:k]) * x[1]

    def followed(x):
        k = 1
        if x[0] > 0.5:
            k = 2
        return sum([x[0], 3.0, x[1]][:k]) * x[1]

    return refused, followed


@case("use an array, and ints as indices in place of keys")
def _() -> Any:
    def refused(x):
        d = {"low": 1.0, "high": 2.0}
        for v in x:
            if d == {"low": 1.0}:
                break
            k = "high" if v > 0.0 else "low"
            d[k] = d[k] * v
        return d["high"]

    def followed(x):
        d = np.array([1.0, 2.0])
        for v in x:
            k = 1 if v > 0.0 else 0
            d[k] = d[k] * v
        return d[1]

    return refused, followed


@case("use np.concatenate, np.arange or np.linspace")
def _() -> Any:
    return lambda x: np.sum(np.r_["0,1", x, [x[0]]] ** 2), lambda x: np.sum(np.concatenate([x, [x[0]]]) ** 2)


@case("begin with an array: `sum(xs, np.zeros(n))`")
def _() -> Any:
    def summed(x: Any, *start: Any) -> Any:
        xs = []
        for v in x:
            xs.append(v * x)
        try:
            return np.sum(sum(xs, *start) ** 2)
        except TypeError:
            return x[0]

    return summed, lambda x: summed(x, np.zeros(len(x)))


@case("flatten its arrays before: `[np.ravel(v) for v in xs]`")
def _() -> Any:
    def flat(x: Any, each: Any, **axis: Any) -> Any:
        xs = []
        for v in x:
            xs.append(each(np.outer(x, x) * v))
        return np.sum(np.concatenate(xs, **axis) ** 2)

    return lambda x: flat(x, lambda v: v, axis=None), lambda x: flat(x, np.ravel)


@case("use np.column_stack")
def _() -> Any:
    return lambda x: np.sum(np.c_["1,2,0", x, x * x] ** 2), lambda x: np.sum(np.column_stack([x, x * x]) ** 2)


@case("use np.meshgrid of np.arange or np.linspace")
def _() -> Any:
    return (lambda x: np.sum(np.mgrid[0:3, 0.0:2.0][1] * x[0]),
            lambda x: np.sum(np.meshgrid(np.arange(0, 3), np.arange(0.0, 2.0), indexing="ij")[1] * x[0]))


@case("use np.arange or np.linspace, and reshape")
def _() -> Any:
    return (lambda x: np.sum(np.ogrid[0:3, 0.0:2.0][1] * x[0]),
            lambda x: np.sum(np.arange(0.0, 2.0).reshape(1, 2) * x[0]))


@case("let it take the value alone")
def _() -> Any:
    return (lambda x: np.sum(sct.probe(x, lambda: None) * 2.0), lambda x: np.sum(sct.probe(x, lambda v: None) * 2.0))


@case("call np.arctan2 in a loop over the items")
def _() -> Any:
    def followed(x):
        s = x[0]
        for v in x[1:]:
            s = np.arctan2(s, v)
        return s

    return lambda x: np.arctan2.reduce(x), followed


@case("write `a[mask] = values` with as many values as the mask selects")
def _() -> Any:
    def repeated(x):
        y = x.copy()
        np.place(y, np.array([True, False, True]), x[1:])
        return np.sum(y * y)

    def followed(x):
        y = x.copy()
        y[np.array([True, False, True])] = x[1:]
        return np.sum(y * y)

    return repeated, followed


@case("choose it with `if` before")
def _() -> Any:
    def doubled(x: Any, otherwise: Any) -> Any:
        b = x[1] if x[0] > 0.0 else otherwise
        return np.sum(sct.tree.map(lambda v: 2.0 * v, {"a": x * x, "b": b})["a"])

    return lambda x: doubled(x, None), lambda x: doubled(x, 0.0)


@case("call it for each leaf: `sct.tree.map(lambda x: sct.probe(x, print), tree)`")
def _() -> Any:
    return lambda x: np.sum(sct.probe({"a": x * x}, print)["a"]), \
        lambda x: np.sum(sct.tree.map(lambda v: sct.probe(v, print), {"a": x * x})["a"])


@case("use `@` or np.einsum")
def _() -> Any:
    return lambda x: np.sum(np.matvec(np.ones((2, 3)), np.stack([x, x]))), \
        lambda x: np.sum(np.einsum("ij,kj->ki", np.ones((2, 3)), np.stack([x, x])))


@case("use a list, a dict or an array")
def _() -> Any:
    def refused(x):
        doubled = map(lambda v: 2.0 * v, x)
        return doubled[0]

    def followed(x):
        doubled = [*map(lambda v: 2.0 * v, x)]
        return doubled[0]

    return refused, followed


@case("use a list, a dict or an array; or make the object outside the function, at the top of a module")
def _() -> Any:
    def refused(x):
        document = xml.dom.minidom.Document()
        return x[0] * len(document.nodeName)

    return refused, lambda x: x[0] * len(DOCUMENT.nodeName)


@case("use np.mean, np.median, np.std and np.var")
def _() -> Any:
    return lambda x: statistics.mean(x) * x[0], lambda x: np.mean(x) * x[0]


@case("sort by numbers, strings or tuples of these, all of one length")
def _() -> Any:
    return lambda x: sorted([(x[0], 1.0), (x[1], 2.0, 1.0)])[0][0] * x[0], lambda x: np.sort(x[:2])[0] * x[0]


@case("write out what it does with functions of NumPy; or give it a derivative: "
      "sct.rule(scipy.special.factorial, vjp=lambda ct, y, x: ...)")
def _() -> Any:
    return lambda x: scipy.special.factorial(x * x)[0], lambda x: scipy.special.gamma(x * x + 1.0)[0]


def own_libm() -> Any:
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    libm.cbrt.argtypes, libm.cbrt.restype = [ctypes.c_double], ctypes.c_double
    return libm


@case("compute it outside the differentiated function; or give it a derivative: "
      "sct.rule(libm.cbrt, vjp=lambda ct, y, x: ...)")
def a_function_of_c() -> tuple[Any, Any]:
    libm = own_libm()

    def refused(x):
        return libm.cbrt(x[0]) * x[1]

    def rewritten() -> Any:
        libm = own_libm()
        rule(libm.cbrt, vjp=lambda ct, y, x: ct / (3.0 * y * y))
        return lambda x: libm.cbrt(x[0]) * x[1]

    return refused, rewritten()


@case("leave `once` out, if its formula is exact for derivatives of higher order, too")
def a_rule_that_is_differentiated() -> tuple[Any, Any]:
    @rule(vjp=lambda ct, y, x: ct * np.cos(x), once=True)
    def sine_once(x):
        return np.sin(x)

    @rule(vjp=lambda ct, y, x: ct * np.cos(x))
    def sine(x):
        return np.sin(x)

    return lambda x: grad(sine_once)(x[0]) * x[1], lambda x: grad(sine)(x[0]) * x[1]


@case("write to a copy in it: `x = x.copy()`")
def a_function_with_a_rule_that_writes() -> tuple[Any, Any]:
    @rule(vjp=lambda ct, y, x: 2.0 * ct * np.array([0.0, 1.0, 1.0]))
    def writes(x):
        x[0] = 0.0
        return 2.0 * x

    @rule(vjp=lambda ct, y, x: 2.0 * ct * np.array([0.0, 1.0, 1.0]))
    def copies(x):
        x = x.copy()
        x[0] = 0.0
        return 2.0 * x

    return lambda x: np.sum(writes(x) ** 2), lambda x: np.sum(copies(x) ** 2)


@case("pass `sct.stop_gradient(...)` of the order, if no derivative is meant to pass")
def an_order() -> tuple[Any, Any]:
    return (lambda x: scipy.special.jv(x[0], x[2]),
            lambda x: scipy.special.jv(stop_gradient(0.5), x[2]))


@case("pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass")
def a_parameter() -> tuple[Any, Any]:
    return (lambda x: scipy.special.betainc(x[0], 2.0, 0.5 * x[2]),
            lambda x: scipy.special.betainc(stop_gradient(0.5), 2.0, 0.5 * x[2]))


@case("write out what it does, as a loop; or call it outside the function")
def _() -> Any:
    def followed(x):
        s = 0.0
        for k in range(1000):
            s = s + x[0] * ((k + 0.5) / 1000) ** 2 / 1000
        return s

    return lambda x: scipy.integrate.qmc_quad(lambda t: x[0] * t[0] ** 2, 0.0, 1.0).integral, followed


@case("pass a vector, or a matrix whose rows are the points; for numbers use `scipy.stats.norm`")
def _() -> Any:
    return (lambda x: scipy.stats.multivariate_normal.logpdf(x[0], np.zeros(2), np.eye(2)),
            lambda x: scipy.stats.norm.logpdf(x[0]))


TABLE = scipy.interpolate.RegularGridInterpolator


def table(x, **options):
    return TABLE(((0.0, 9.0), (0.0, 9.0)), x[:4].reshape(2, 2), **options)


class Matter(enum.Enum):
    SOLID = 1
    LIQUID = 2


def phases(x):
    result = []
    for v in x:
        result.append(Matter.SOLID if v < 1.0 else Matter.LIQUID)
    return result


@case("make a list of their values: `[k.value for k in xs]`")
def _() -> Any:
    def refused(x):
        xs = phases(x)
        return x.sum() * (2.0 if xs == xs[::-1] else 1.0)

    def followed(x):
        xs = [k.value for k in phases(x)]
        return x.sum() * (2.0 if xs == xs[::-1] else 1.0)

    return refused, followed


@case("differentiate what it gives with `sct.grad`", FOUR)
def _() -> Any:
    def slope(x):
        return grad(lambda t: table(x)((t, 2.0)) * 1.0)(1.0)

    return lambda x: table(x)((1.0, 2.0), nu=(1, 0)) * 1.0, slope


@case("leave out `s`, `bbox` and `maxit`", FOUR)
def _() -> Any:
    def read(x, **options):
        return np.sum(scipy.interpolate.RectBivariateSpline(
            T[:2], T[:2], x.reshape(2, 2), kx=1, ky=1, **options).ev(0.3, 0.6))

    return lambda x: read(x, s=1.0), read


@case("call it, or `ev` of it", FOUR)
def _() -> Any:
    def spline(x):
        return scipy.interpolate.RectBivariateSpline(T[:2], T[:2], x.reshape(2, 2), kx=1, ky=1)

    return lambda x: spline(x).integral(0.0, 1.0, 0.0, 1.0), lambda x: np.sum(spline(x)(0.3, 0.6))


@case("use `krogh_interpolate`")
def _() -> Any:
    return (lambda x: scipy.interpolate.barycentric_interpolate(T, x, 0.3, der=1) * 1.0,
            lambda x: scipy.interpolate.krogh_interpolate(T, x, 0.3, der=1) * 1.0)


@case("give where it begins: `rng=0`", FOUR)
def _() -> Any:
    def largest(x, **options):
        return scipy.sparse.linalg.eigsh(np.diag(x) + 0.1, k=1, which="LA", **options)[0][0]

    return largest, lambda x: largest(x, rng=0)


@case("pass `(num, den)`, or `(A, B, C, D)`")
def _() -> Any:
    def response(x, system):
        return np.sum(np.abs(scipy.signal.freqresp(system, T[1:])[1]))

    return lambda x: response(x, (x[:1], x[1:], 1.0)), lambda x: response(x, (x[:2], x))


@case("pass an array as `T`")
def _() -> Any:
    return (lambda x: np.sum(scipy.signal.step((x[:1], x))[1]),
            lambda x: np.sum(scipy.signal.step((x[:1], x), T=np.linspace(0.0, 1.0, 4))[1]))


@case("pass a tuple of coordinates", FOUR)
def _() -> Any:
    return lambda x: np.sum(table(x)(np.ones(3))), lambda x: np.sum(table(x)((np.ones(3), 0.5)))


@case("pass `(xs, ys)`", FOUR)
def _() -> Any:
    def read(x, grid):
        return TABLE(grid, x[:4].reshape(2, 2))((1.0, 2.0)) * 1.0

    return lambda x: read(x, np.array([[0.0, 9.0], [0.0, 9.0]])), lambda x: read(x, (np.array([0.0, 9.0]), [0.0, 9.0]))


@case("reshape it: `x.reshape(-1, 2)`", FOUR)
def _() -> Any:
    return (lambda x: np.sum(table(x)(np.ones((1, 1, 1, 2)))),
            lambda x: np.sum(table(x)(np.ones((1, 1, 1, 2)).reshape(-1, 2))))


@case("pass `p0` as a list of numbers")
def _() -> Any:
    def line(t, *p):
        return p[0] * t + p[1]

    def fit(x, p0):
        return 1e-3 * scipy.optimize.curve_fit(line, np.arange(3.0), x[:3], p0)[0][0]  # found to half of the digits

    return lambda x: fit(x, 1.0), lambda x: fit(x, [1.0, 1.0])


@case("pass vectors: `x.ravel()`", FOUR)
def _() -> Any:
    def fit(x, y):
        return 1e-3 * scipy.optimize.curve_fit(lambda t, a: a * t, np.arange(4.0), y)[0][0]

    return lambda x: fit(x, x[:4].reshape(2, 2)), lambda x: fit(x, x[:4].reshape(2, 2).ravel())


@case("pass an array or a list: `[1.0, 0.0]`, `y0.ravel()`", FOUR)
def _() -> Any:
    def end(x, y0):
        return scipy.integrate.solve_ivp(lambda t, y: -x[0] * y, (0.0, 1.0), y0, rtol=1e-10).y[0, -1]

    return lambda x: end(x, x[:4].reshape(2, 2)), lambda x: end(x, x[:4].reshape(2, 2).ravel())


@case("pass a bool argument that says whether they are the same object, or the position in the list in place of an "
      "item", X, [1.0, 2.0])
def _() -> Any:
    def followed(x, xs, it_is=False):
        return x[0] * (2.0 if it_is else 3.0)

    return lambda x, xs: x[0] * (2.0 if xs is ROWS[-1] else 3.0), followed


@case('choose among texts: `node["left" if c else "right"]`', X, 2)
def _() -> Any:
    def tree(x, n):
        if n == 0:
            return {"left": x[0], "right": x[1]}
        return {"left": x[0] * n, "right": x[1], "next": tree(x, n - 1)}

    def refused(x, n):
        key = "r"
        for _ in range(n - 1):
            key = key + "ight"
        return tree(x, n)[key]

    def followed(x, n):
        return tree(x, n)["right" if n == 2 else "left"]

    return refused, followed


@case("compare their positions in the list: `i == j`", np.linspace(0.1, 0.9, 6))
def _() -> Any:
    def refused(x):
        table = [[v * (j + 1) for j in range(3)] for v in x]
        pivot, total = table[0], 0.0
        for r in range(len(table)):
            if table[r] is not pivot:
                total += table[r][0] - 0.1 * pivot[1]
        return total

    def followed(x):
        table = [[v * (j + 1) for j in range(3)] for v in x]
        pivot, total = 0, 0.0
        for r in range(len(table)):
            if r != pivot:
                total += table[r][0] - 0.1 * table[pivot][1]
        return total

    return refused, followed


@case("leave None out of the list before: `[v for v in xs if v is not None]`", X, 2)
def _() -> Any:
    def refused(x, n):
        xs = [None] * 3
        for i in range(n):
            xs[i] = x[i]
        try:
            return np.sum(xs)
        except TypeError:
            return x[0]

    def followed(x, n):
        xs = [None] * 3
        for i in range(n):
            xs[i] = x[i]
        try:
            return np.sum([v for v in xs if v is not None]) if None not in xs else x[0]
        except TypeError:
            return x[0]

    return refused, followed


@case("use a list or an array")
def _() -> Any:
    def refused(x):
        for a, (b, c) in json.loads("[[1, [2, 3]]]"):
            x = x * a * b * c
        return x[0]

    def followed(x):
        for a, (b, c) in OUTSIDE_PAIRS:
            x = x * a * b * c
        return x[0]

    return refused, followed


@case("run over a copy: `list(...)`")
def _() -> Any:
    def refused(x):
        queue = json.loads("[1, 2]")
        for k in queue:
            if len(queue) <= k:
                queue.append(3)
            x = x * k
        return x[0]

    def followed(x):
        queue = json.loads("[1, 2]")
        for k in list(queue):
            if len(queue) <= k:
                queue.append(3)
            x = x * k
        return x[0]

    return refused, followed


@case("write `np.finfo(x.dtype)`")
def _() -> Any:
    def followed(x):
        return x[0] * np.finfo(x.dtype).eps + x[1] * np.finfo(float).max * 1e-300 + x[2] * np.iinfo(np.int8).max

    return lambda x: x[0] * np.finfo(x).eps, followed


@case("make it float(HALF) outside the function")
def _() -> Any:
    half = float(HALF)
    return lambda x: HALF * x[0], lambda x: half * x[0]


@case("make it np.asarray(MATRIX) outside the function")
def _() -> Any:
    outside = np.asarray(MATRIX)
    return lambda x: np.sum(MATRIX * x[0]), lambda x: np.sum(outside * x[0])


@case("use an array for each field")
def _() -> Any:
    def refused(x):
        record = np.zeros(2, dtype=[("u", float), ("name", "U8")])
        record["u"] = x[0]
        return record["u"][0]

    def followed(x):
        u, names = np.zeros(2), ["a", "b"]
        u[:] = x[0]
        return u[0] + len(names)

    return refused, followed


@case("write out what that function does")
def _() -> Any:
    return lambda x: marshal.loads(marshal.dumps(float(x[0]))), lambda x: float(x[0])


@case("write the key into it before the call")
def _() -> Any:
    return lambda x: x[0] * COUNTS["b"], lambda x: x[0] * COUNTED["b"]


@case("read it outside the function, and pass it")
def _() -> Any:
    return lambda x: x[0] * x.itemsize, lambda x: x[0] * 8


@case("read the attribute of the object, or use getattr")
def _() -> Any:
    return lambda x: vars(SPACE)["k"] * x[0], lambda x: getattr(SPACE, "k") * SPACE.k * x[0]  # noqa: B009


class Near(enum.Enum):
    ONE = 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(other - self.value) < 0.5

    __hash__ = enum.Enum.__hash__


@case("write `not a == b`")
def _() -> Any:
    return lambda x: x[0] * (2.0 if Near.ONE != 1.25 else 3.0), lambda x: x[0] * (2.0 if not Near.ONE == 1.25 else 3.0)


@case("move the `return`, `break` or `continue` behind the `finally`")
def _() -> Any:
    def refused(x):
        s = 0.0
        for i in range(3):
            try:
                if x[i] < 0.0:
                    continue
                s += x[i]
            finally:
                if i == 1:
                    break  # noqa: B012
        return s

    def followed(x):
        s = 0.0
        for i in range(3):
            if x[i] >= 0.0:
                s += x[i]
            if i == 1:
                break
        return s

    return refused, followed


@contextlib.contextmanager
def twice_or_not(x):
    if x > 0.0:
        yield 2.0 * x


@contextlib.contextmanager
def twice(x):
    yield 2.0 * x if x > 0.0 else x


@case("let the `yield` stand in no `if` and no loop")
def _() -> Any:
    def refused(x):
        with twice_or_not(x[0]) as y:
            return y

    def followed(x):
        with twice(x[0]) as y:
            return y

    return refused, followed


def roots(x):
    for v in x:
        try:
            yield math.sqrt(v)
            print("taken")
        except ValueError:
            continue


def roots_after(x):
    for v in x:
        try:
            root = math.sqrt(v)
        except ValueError:
            continue
        yield root
        print("taken")


@case("move the `yield` behind the `try`")
def _() -> Any:
    return lambda x: sum(roots(x)), lambda x: sum(roots_after(x))


def raises_again() -> None:
    raise


@case("name the exception: `except ValueError as e: ...; raise e`")
def _() -> Any:
    def refused(x):
        try:
            y = math.log(float(x[0]))
        except ValueError:
            raises_again()
        return y

    def followed(x):
        try:
            y = math.log(float(x[0]))
        except ValueError as e:
            raise e
        return y

    return refused, followed


@case("check for the bad case first, with `if`")
def _() -> Any:
    def refused(x):
        try:
            return np.log(x[0])
        except MemoryError:
            return 0.0 * x[0]

    return refused, lambda x: np.log(x[0]) if x[0] > 0.0 else 0.0 * x[0]


class Far(enum.Enum):
    TWO = 2.0


@case("check for the bad case first, with `if`")
def _() -> Any:
    table = {"a": 1.0}
    return lambda x: x[0] * table[Far.TWO], lambda x: x[0] * (table[Far.TWO] if Far.TWO in table else 2.0)


@case("call it outside the differentiated function, and pass its result", X, 3.0)
def _() -> Any:
    return lambda x, _: x[0] * eval("2.0 + 1.0"), lambda x, three: x[0] * three


@case("leave out `dtype`, and convert the result with `.astype(...)`", X.astype(np.float32))
def _() -> Any:
    return lambda x: np.add(x[0], 1.0, dtype=np.float64), lambda x: np.add(x[0], 1.0).astype(np.float64)


@case("write a copy: `a[::2] = a[1:5].copy()`", np.arange(8.0))
def _() -> Any:
    def refused(x):
        a = x * x
        a[::2] = a[1:5]
        return np.sum(a * x)

    def followed(x):
        a = x * x
        a[::2] = a[1:5].copy()
        return np.sum(a * x)

    return refused, followed


@case("convert it first: `float(...)`")
def _() -> Any:
    def refused(x):
        k = 1 if x[0] > 0.0 else 2.5 * x[0]
        return k * (2.0 if type(k) is int else 3.0)

    def followed(x):
        k = float(1 if x[0] > 0.0 else 2.5 * x[0])
        return k * (2.0 if type(k) is int else 3.0)

    return refused, followed


def doubled(x: Any) -> Any:
    for v in x:
        yield 2.0 * v


@case("differentiate a function that consumes it: `def f(x): return sum(terms(x))`")
def _() -> Any:
    return doubled, lambda x: sum(doubled(x))


@case("make a list of it: `list(...)`")
def _() -> Any:
    return lambda x: (sum(x), doubled(x)), lambda x: (sum(x), list(doubled(x)))[0]


@case("make it a statement of its own: `v = yield x`")
def _() -> Any:
    def refused(x):
        def items():
            k = 2.0 if (yield x[0]) is None else 3.0
            yield k * x[1]
        return sum(items())

    def followed(x):
        def items():
            v = yield x[0]
            k = 2.0 if v is None else 3.0
            yield k * x[1]
        return sum(items())

    return refused, followed


@case("change a copy: `copy.copy(...)` before", X, collections.deque([1.0]))
def _() -> Any:
    def refused(x, window):
        window.append(2.0)
        return x[0] * len(window)

    def followed(x, window):
        own = copy.copy(window)
        own.append(2.0)
        return x[0] * len(own)

    return refused, followed


@case("make a sorted list: `xs = sorted(xs)`")
def _() -> Any:
    def refused(x):
        days = [datetime.date.fromisoformat(text) for text in ("2020-05-03", "2020-01-07")]
        days.sort()
        return x[0] * days[0].day

    def followed(x):
        days = [datetime.date.fromisoformat(text) for text in ("2020-05-03", "2020-01-07")]
        ordered = sorted(days)
        return x[0] * ordered[0].day

    return refused, followed


@case("write the new value out: `a = a + b`; or call the method: `a.extend(b)`, `a.update(b)`")
def _() -> Any:
    def refused(x):
        weights = json.loads("[1.0, 2.0]")
        weights += [3.0]
        return x[0] * len(weights)

    def followed(x):
        weights = json.loads("[1.0, 2.0]")
        weights = weights + [3.0]
        return x[0] * len(weights)

    return refused, followed


@case("join several unknowns: `np.array([x, y])`, `np.concatenate`; flatten a matrix: `x.ravel()`")
def _() -> Any:
    def both(p):
        return p[0] * p[0], p[0] + p[1]

    return (lambda x: implicit(both, lambda v, p: (v[0] - p[0] * p[0], v[1] - p[0] - p[1]))(x)[0],
            lambda x: implicit(lambda p: np.array(both(p)), lambda v, p: v - np.array(both(p)))(x)[0])


@case("write to a copy: `x = x.copy()`")
def _() -> Any:
    def refused(x):
        def f(v):
            v[0] = abs(v[0])
            return v ** 2 - x * x
        return scipy.optimize.fsolve(f, np.ones(3), xtol=1e-13)[0]

    def followed(x):
        def f(v):
            v = v.copy()
            v[0] = abs(v[0])
            return v ** 2 - x * x
        return scipy.optimize.fsolve(f, np.ones(3), xtol=1e-13)[0]

    return refused, followed


@case("start from an array with one axis: `np.array([...])`, `x0.ravel()`")
def _() -> Any:
    start = np.ones((1, 3))
    return (lambda x: scipy.optimize.fsolve(lambda v: v ** 2 - x * x, start, xtol=1e-13)[0],
            lambda x: scipy.optimize.fsolve(lambda v: v ** 2 - x * x, start.ravel(), xtol=1e-13)[0])


@case("return an array: `np.array([...])`")
def _() -> Any:
    return (lambda x: scipy.optimize.fsolve(lambda v: v[0] ** 2 - x[0], 1.0, xtol=1e-13)[0],
            lambda x: scipy.optimize.fsolve(lambda v: np.array([v[0] ** 2 - x[0]]), 1.0, xtol=1e-13)[0])


@case("write it with the matrix first: `(A.T @ x.T).T`")
def _() -> Any:
    A = scipy.sparse.csr_array(np.arange(9.0).reshape(3, 3))
    return (lambda x: np.sum(np.stack([x, x * x]) @ A), lambda x: np.sum((A.T @ np.stack([x, x * x]).T).T))


@case("start from the number: `x0[0]`")
def _() -> Any:
    start = np.ones(1)
    return (lambda x: scipy.optimize.newton(lambda v: v ** 2 - x[0], start)[0],
            lambda x: scipy.optimize.newton(lambda v: v ** 2 - x[0], start[0]))


@case("write one `quad` in the other: `quad(lambda x: quad(lambda y: f(y, x), c, d)[0], a, b)[0]`")
def _() -> Any:
    quad = scipy.integrate.quad
    return (lambda x: scipy.integrate.nquad(lambda v, u: u * v * x[0], [(0.0, 2.0), (0.0, 1.0)])[0],
            lambda x: quad(lambda u: quad(lambda v: u * v * x[0], 0.0, 2.0)[0], 0.0, 1.0)[0])


@case("integrate the parts apart: `quad(f, a, k)[0] + quad(g, k, b)[0]`; where they meet without a jump, "
      "np.maximum, np.minimum and np.clip do without a comparison")
def _() -> Any:
    quad = scipy.integrate.quad
    return (lambda x: quad(lambda t: t if t < x[0] else 1.0, 0.0, 1.0)[0],
            lambda x: quad(lambda t: t, 0.0, x[0])[0] + quad(lambda t: 1.0, x[0], 1.0)[0]
            + quad(lambda t: np.maximum(t - x[0], 0.0), 0.0, 1.0, points=[x[0]])[0])


T = np.array([0.0, 1.0, 2.0])
UNSORTED = np.array([2.0, 0.0, 1.0])
LOG = io.StringIO()


@case("differentiate by the values; or pass `sct.stop_gradient(...)` of the positions")
def _() -> Any:
    return (lambda x: scipy.interpolate.make_interp_spline(np.cumsum(np.exp(x)), x * x, k=2)(1.5),
            lambda x: scipy.interpolate.make_interp_spline(T, x * x, k=2)(1.5))


@case("differentiate by the data; or pass `sct.stop_gradient(...)` of it")
def _() -> Any:
    return (lambda x: scipy.interpolate.CubicSpline(T, x, bc_type=((1, x[0]), (1, 0.0)))(1.5),
            lambda x: scipy.interpolate.CubicSpline(T, x, bc_type=((1, 0.5), (1, 0.0)))(1.5))


@case("write it as a constant: `bc_type=...`")
def _() -> Any:
    return (lambda x: scipy.interpolate.CubicSpline(T, x, bc_type="natural" if x[0] > 0.0 else "clamped")(1.5),
            lambda x: scipy.interpolate.CubicSpline(T, x, bc_type="natural")(1.5) if x[0] > 0.0 else
            scipy.interpolate.CubicSpline(T, x, bc_type="clamped")(1.5))


@case("leave `t` out")
def _() -> Any:
    return (lambda x: scipy.interpolate.make_interp_spline(T, x, k=2, t=(0, 0, 0, 2, 2, 2))(1.5),
            lambda x: scipy.interpolate.make_interp_spline(T, x, k=2)(1.5))


@case("leave out `bounds_error` and `fill_value`, or use fill_value='extrapolate'")
def _() -> Any:
    table = scipy.interpolate.interp1d
    return (lambda x: table(T, x, "quadratic", bounds_error=False, fill_value=0.5)(1.5),
            lambda x: table(T, x, "quadratic", fill_value="extrapolate")(1.5) * table(T, x, "quadratic")(0.5))


@case("leave `fill_value` out")
def _() -> Any:
    return (lambda x: scipy.interpolate.interp1d(T, x * x, "previous", fill_value="extrapolate")(1.5),
            lambda x: scipy.interpolate.interp1d(T, x * x, "previous")(1.5))


@case("sort them, and the values with them: `order = np.argsort(x)`")
def _() -> Any:
    def followed(x):
        order = np.argsort(UNSORTED)
        return scipy.interpolate.interp1d(UNSORTED[order], (x * x)[order])(1.5)

    return lambda x: scipy.interpolate.interp1d(UNSORTED, x * x)(1.5), followed


@case("use `antiderivative`")
def _() -> Any:
    return (lambda x: scipy.interpolate.CubicSpline(T, x * x)(1.5, -1),
            lambda x: scipy.interpolate.CubicSpline(T, x * x).antiderivative()(1.5))


@case("use `make_interp_spline`")
def _() -> Any:
    return (lambda x: scipy.interpolate.interp1d(T, x * x)(1.5, 1),
            lambda x: scipy.interpolate.make_interp_spline(T, x * x, 1)(1.5, 1))


@case("call it, or `derivative` or `integrate` of a spline")
def _() -> Any:
    return (lambda x: scipy.interpolate.CubicSpline(T, x * x).c[2, 0],
            lambda x: scipy.interpolate.CubicSpline(T, x * x).derivative()(0.0))


@case("differentiate by the image; or write the sum over the weights, `sum(w[k] * shifted ...)`")
def _() -> Any:
    def followed(x):
        padded = np.pad(np.arange(5.0), 2, mode="symmetric")
        return np.sum(sum(x[k] * padded[k:k + 5] for k in range(3)) ** 2)

    return lambda x: np.sum(scipy.ndimage.correlate1d(np.arange(5.0), x, origin=1) ** 2), followed


@case("give a point of several numbers as a column, `point[:, None]`")
def _() -> Any:
    data = np.arange(12.0).reshape(2, 6) % 5.0
    return (lambda x: scipy.stats.gaussian_kde(data)(x[:2])[0],
            lambda x: scipy.stats.gaussian_kde(data)(x[:2, None])[0])


@case("convert with astype(float); read one point as `[[y], [x]]`")
def _() -> Any:
    return (lambda x: scipy.ndimage.map_coordinates(x * x, np.array([1.5]), order=1),
            lambda x: scipy.ndimage.map_coordinates(x * x, np.array([[1.5]]), order=1)[0])


@case("use the eigenvalues: `w, v = np.linalg.eig(A)`, `(v * np.log(w)) @ np.linalg.inv(v)`", X,
      np.array([[2.0, 1j], [1.0, 3.0]]))
def _() -> Any:
    def followed(x, m):
        w, v = np.linalg.eig(m * x[0])
        return np.sum(np.abs((v * np.log(w)) @ np.linalg.inv(v)))

    return lambda x, m: np.sum(np.abs(scipy.linalg.logm(m * x[0]))), followed


@case("where it is linear in them, call it twice: `f(z.real) + 1j * f(z.imag)`")
def _() -> Any:
    def followed(x):
        z = x * (1.0 + 2.0j)
        return np.sum(np.abs(scipy.signal.detrend(z.real) + 1j * scipy.signal.detrend(z.imag)))

    return lambda x: np.sum(np.abs(scipy.signal.detrend(x * (1.0 + 2.0j)))), followed


@case("multiply the function by a weight 'cos' or 'sin': `quad(lambda x: f(x) * np.cos(w * x), a, b)`")
def _() -> Any:
    quad = scipy.integrate.quad
    return (lambda x: quad(lambda t: math.exp(-x[0] * t), 0.0, 1.0, weight="cos", wvar=3.0)[0],
            lambda x: quad(lambda t: math.exp(-x[0] * t) * np.cos(3.0 * t), 0.0, 1.0)[0])


@case("integrate both parts: `quad(lambda x: f(x).real, a, b)[0] + 1j * quad(lambda x: f(x).imag, a, b)[0]`")
def _() -> Any:
    quad = scipy.integrate.quad

    def followed(x):
        def f(t):
            return np.exp(1j * x[0] * t)

        return abs(quad(lambda t: f(t).real, 0.0, 1.0)[0] + 1j * quad(lambda t: f(t).imag, 0.0, 1.0)[0])

    return lambda x: abs(quad(lambda t: np.exp(1j * x[0] * t), 0.0, 1.0, complex_func=True)[0]), followed


@case("solve for the real and the imaginary parts as one vector: `np.concatenate((z.real, z.imag))`")
def _() -> Any:
    def followed(x):
        z = x[:1] + 1j

        def slope(t, y):
            d = 1j * x[0] * (y[:1] + 1j * y[1:])
            return np.concatenate((d.real, d.imag))

        y0 = np.concatenate((z.real, z.imag))
        return scipy.integrate.solve_ivp(slope, (0.0, 1.0), y0, rtol=1e-10).y[0, -1]

    return lambda x: scipy.integrate.solve_ivp(
        lambda t, z: 1j * x[0] * z, (0.0, 1.0), x[:1] + 1j, rtol=1e-10).y[0, -1].real, followed


@case("take the slice of all of them: `w[lo:hi + 1]`, `v[:, lo:hi + 1]`", X, np.diag([1.0, 2.0, 4.0]) + 0.1)
def _() -> Any:
    return (lambda x, a: np.sum(scipy.linalg.eigh(a * x[0], a, subset_by_index=(0, 1))[0]),
            lambda x, a: np.sum(scipy.linalg.eigh(a * x[0] + np.diag(x * x), a)[0][0:1 + 1]))


@case("call it, or `derivative`, `antiderivative` or `integrate` of it")
def _() -> Any:
    ends = np.array([0.0, 1.0, 4.0])
    return (lambda x: np.sum(scipy.interpolate.PchipInterpolator(ends, x).c),
            lambda x: np.sum(scipy.interpolate.PchipInterpolator(ends, x).derivative()(ends)))


@case("use sct.grad of `integrate`, or quad")
def _() -> Any:
    ends = np.array([0.0, 1.0, 4.0])
    pchip, quad = scipy.interpolate.PchipInterpolator, scipy.integrate.quad
    return (lambda x: float(pchip(ends, x).antiderivative(2)(2.0)),
            lambda x: quad(lambda s: float(pchip(ends, x).integrate(0.0, s)), 0.0, 2.0, points=[1.0])[0])


@case("differentiate another result; or pass `sct.stop_gradient(...)` of the arguments, if no derivative is "
      "meant to pass")
def _() -> Any:
    ys = np.array([0.3, 1.2, 2.0])
    return (lambda x: scipy.stats.ttest_ind(x, ys, equal_var=False).pvalue,
            lambda x: scipy.stats.ttest_ind(x, ys, equal_var=False).statistic)


@case("test it before, with `is None`")
def _() -> Any:
    def refused(x):
        y = None if x[0] > 5.0 else x[:1]
        return x[0] * np.shape(y)[0]

    def followed(x):
        y = None if x[0] > 5.0 else x[:1]
        return x[0] * (1.0 if y is None else np.shape(y)[0])

    return refused, followed


@case("let the variable be a number on every path, such as math.nan, or use it outside the `try`")
def _() -> Any:
    def refused(x):
        y = None if x[0] > 5.0 else x[1]
        try:
            return x[0] * y
        except TypeError as error:
            return x[0] * len(str(error))

    def followed(x):
        y = math.nan if x[0] > 5.0 else x[1]
        try:
            return x[0] * y
        except TypeError as error:
            return x[0] * len(str(error))

    return refused, followed


@case("print to `sys.stdout` or `sys.stderr`, or return the text and write it outside the function")
def _() -> Any:
    def refused(x):
        print("the sum of", len(x), file=LOG)
        return np.sum(x * x)

    def followed(x):
        print("the sum of", len(x), file=sys.stderr)
        return np.sum(x * x)

    return refused, followed


def parts(x, n):
    for i in range(n):
        if i % 2:
            yield x * i
        else:
            yield -x
            if i == 2:
                continue
            yield x + i
        yield 1.0
    yield x * x


@case("loop over an array of the items: `for v in np.array(list(parts(...)))`")
def _() -> Any:
    def refused(x):
        s = 0.0
        for a in parts(x[0], 4):
            for b in parts(a, 4):
                for c in parts(b, 4):
                    for d in parts(c, 4):
                        s += math.sin(d)
                        s *= 0.5
        return s

    def followed(x):
        s = 0.0
        for a in parts(x[0], 4):
            for b in np.array(list(parts(a, 4))):
                for c in np.array(list(parts(b, 4))):
                    for d in parts(c, 4):
                        s += math.sin(d)
                        s *= 0.5
        return s

    return refused, followed


@case("do it before the loop: draw all random numbers at once, and read `noise[i]`")
def _() -> Any:
    def refused(x):
        rng = np.random.default_rng(0)
        for _ in sct.checkpointed(range(4)):
            x = x + rng.normal() * x * x
        return np.sum(x)

    def followed(x):
        rng = np.random.default_rng(0)
        noise = rng.normal(size=4)
        for i in sct.checkpointed(range(4)):
            x = x + noise[i] * x * x
        return np.sum(x)

    return refused, followed


@case("run over a range, an array or a list, or over `enumerate` or `zip` of these")
def _() -> Any:
    def refused(x):
        s = 1.0
        for v, w in sct.checkpointed(itertools.product(x, x)):
            s = s * v + w
        return s

    def followed(x):
        s = 1.0
        for v, w in sct.checkpointed(zip(np.repeat(x, 3), np.tile(x, 3))):
            s = s * v + w
        return s

    return refused, followed


@case("write `for i in sct.checkpointed(range(n)):`")
def _() -> Any:
    def refused(x):
        return sum(x[i] * x[i] for i in sct.checkpointed(range(3)))

    def followed(x):
        s = 0.0
        for i in sct.checkpointed(range(3)):
            s += x[i] * x[i]
        return s

    return refused, followed


@case("use `int(...)` of it")
def _() -> Any:
    def refused(x):
        return np.sum(x) * [2.0, 3.0][max(x[0], 1.0) <= 1.5]

    def followed(x):
        return np.sum(x) * [2.0, 3.0][int(max(x[0], 1.0) <= 1.5)]

    return refused, followed


def _sparse(x):
    return scipy.sparse.csr_matrix((x, (np.arange(3), np.array([1, 2, 0]))), shape=(3, 3))


@case("make it of all its elements: `csr_matrix((data, (rows, cols)))`")
def _() -> Any:
    def refused(x):
        a = scipy.sparse.csr_matrix((x, (np.arange(3), np.arange(3))))
        a[0, 1] = x[2]
        return np.sum(a @ x)

    def followed(x):
        data = np.append(x, x[2])
        return np.sum(scipy.sparse.csr_matrix((data, ([0, 1, 2, 0], [0, 1, 2, 1]))) @ x)

    return refused, followed


@case("multiply by ones: `A @ np.ones(A.shape[1])`")
def _() -> Any:
    def refused(x):
        return np.sum(_sparse(x).sum(axis=1) * 2.0)

    def followed(x):
        a = _sparse(x)
        return np.sum((a @ np.ones(a.shape[1])) * 2.0)

    return refused, followed


@case("multiply by ones: `A.T @ np.ones(A.shape[0])`")
def _() -> Any:
    def refused(x):
        return np.sum(_sparse(x).sum(axis=0) * 2.0)

    def followed(x):
        a = _sparse(x)
        return np.sum((a.T @ np.ones(a.shape[0])) * 2.0)

    return refused, followed


@case("make two of it: `it, other = itertools.tee(it)`")
def _() -> Any:
    def refused(x):
        it = iter([1.0, 2.0, 3.0])
        other = copy.copy(it)
        return next(it) * x[0] + next(other) * x[1]

    def followed(x):
        it = iter([1.0, 2.0, 3.0])
        it, other = itertools.tee(it)
        return next(it) * x[0] + next(other) * x[1]

    return refused, followed


@case("write `A = A * c`")
def _() -> Any:
    def refused(x):
        a = _sparse(x)
        a *= 2.0
        return np.sum(a @ x)

    def followed(x):
        a = _sparse(x)
        a = a * 2.0
        return np.sum(a @ x)

    return refused, followed


@case("use `A.toarray()`")
def _() -> Any:
    def refused(x):
        return np.sum((_sparse(x) + 1.0) @ x)

    def followed(x):
        return np.sum((_sparse(x).toarray() + 1.0) @ x)

    return refused, followed


@case("use slices, or an array of positions and a slice: `A[rows][:, cols]`, `A[np.ix_(rows, cols)]`")
def _() -> Any:
    rows, cols = np.array([0, 2]), np.array([1, 0])

    def refused(x):
        return np.sum(_sparse(x)[rows, cols])

    def followed(x):
        a = _sparse(x)
        return np.sum(a[rows][:, cols].diagonal()) + 0.0 * a[np.ix_(rows, cols)].sum()

    return refused, followed


@case("make an array of it: `x[np.array(xs)]`")
def _() -> Any:
    def active(x: Any) -> Any:
        rows = set()
        for k in range(len(x)):
            if x[k] > 0.0:
                rows.add(k)
        return sorted(rows)

    return lambda x: np.sum(x[active(x)]), lambda x: np.sum(x[np.array(active(x))])


@case("make the matrix complex: `np.linalg.eigvals(A + 0j)`")
def _() -> Any:
    def rates(x: Any, shift: Any) -> Any:
        C, total = np.eye(2), 0.0
        for i in range(4):
            C = np.array([[0.0, x[0]], [1.0 - i, 0.2]])
            total += np.sum(np.abs(np.linalg.eigvals(C + shift)) ** 2)
        return total

    return lambda x: rates(x, 0.0), lambda x: rates(x, 0j)


@case("multiply the factors: `np.poly1d([1.0, -r])`")
def _() -> Any:
    def refused(x):
        return np.poly1d(x[:2], True)(3.0)

    def followed(x):
        return (np.poly1d([1.0, -x[0]]) * np.poly1d([1.0, -x[1]]))(3.0)

    return refused, followed


@case("pass what the key reads as a default: `key=lambda i, w=w: i // w`")
def _() -> Any:
    def refused(x):
        s, w = 0.0, 2
        for k, group in itertools.groupby([int(v > 0.0) + i for i, v in enumerate(x)], key=lambda i: i // w):
            s, w = s + np.sum(x) * k * len(list(group)), w + 1
        return s

    def followed(x):
        s, w = 0.0, 2
        for k, group in itertools.groupby([int(v > 0.0) + i for i, v in enumerate(x)], key=lambda i, w=w: i // w):
            s, w = s + np.sum(x) * k * len(list(group)), w + 1
        return s

    return refused, followed


@case("enter each context by a statement of the body of the `with`; call what a callback does in a `finally`")
def _() -> Any:
    def refused(x):
        with contextlib.ExitStack() as stack:
            stack.callback(print, "end")
            return np.sum(x * x)

    def followed(x):
        try:
            return np.sum(x * x)
        finally:
            print("end")

    return refused, followed


@case("let empty lists stand for None: `[[] for _ in range(n)]`", X, 9)
def _() -> Any:
    def refused(x, n):
        bins = [None] * n
        for i in range(4 * n):
            if bins[i % n] is None:
                bins[i % n] = []
            bins[i % n].append(x[i % 3] * i)
        return sum(max(values) for values in bins if values is not None)

    def followed(x, n):
        bins = [[] for _ in range(n)]
        for i in range(4 * n):
            bins[i % n].append(x[i % 3] * i)
        return sum(max(values) for values in bins if values)

    return refused, followed


@case("set the attribute right behind the `def`, to a constant")
def attribute_of_a_function() -> tuple[Any, Any]:
    def refused(x):
        def scaled(v):
            return v * scaled.factor

        scaled.factor = x[1]
        return scaled(x[0])

    def followed(x):
        def scaled(v):
            return v * scaled.factor

        scaled.factor = 1.5
        return scaled(x[0]) * x[1]

    return refused, followed


@case("ask for an array: `query_pairs(r, output_type='ndarray')`")
def pairs_of_points() -> tuple[Any, Any]:
    def refused(x):
        points = np.outer(x, [1.0, 0.5])
        return sum(points[i] @ points[j] for i, j in scipy.spatial.KDTree(points).query_pairs(2.0))

    def followed(x):
        points = np.outer(x, [1.0, 0.5])
        pairs = scipy.spatial.KDTree(points).query_pairs(2.0, output_type="ndarray")
        return np.sum(points[pairs[:, 0]] * points[pairs[:, 1]])

    return refused, followed


@case("pass a number `k`, and leave out `p` and `eps`")
def neighbours_of_points() -> tuple[Any, Any]:
    def refused(x):
        return scipy.spatial.cKDTree(np.outer(x, [1.0, 0.5])).query([0.3, 0.2], k=1, p=1.0)[0]

    def followed(x):
        return scipy.spatial.cKDTree(np.outer(x, [1.0, 0.5])).query([0.3, 0.2], k=1)[0]

    return refused, followed


class Bounded(Exception):
    def __init__(self, bound: Any) -> None:
        super().__init__("out of bounds")
        self.bound = 2.0 * bound


@case("bind the number to a variable before the `raise`, and read that")
def numbers_of_exceptions() -> tuple[Any, Any]:
    def refused(x):
        try:
            if x[0] > -5.0:
                raise Bounded(x[1])
        except Bounded as error:
            return x[0] * error.bound
        return x[0]

    def followed(x):
        bound = 2.0 * x[1]
        try:
            if x[0] > -5.0:
                raise Bounded(x[1])
        except Bounded:
            return x[0] * bound
        return x[0]

    return refused, followed


class Phase(enum.Flag):
    UP = 1
    DOWN = 2


@case("put its `value` into the list, and compare that")
def lists_of_flags_that_are_no_members() -> tuple[Any, Any]:
    def refused(x):
        phases = []
        for i in range(3 * len(x)):
            phases.append(Phase.UP | Phase.DOWN if i % 2 else Phase.DOWN)
        s = 0.0
        for i, phase in enumerate(phases):
            s += x[i % len(x)] if phase == Phase.UP | Phase.DOWN else x[0] * x[i % len(x)]
        return s

    def followed(x):
        phases = []
        for i in range(3 * len(x)):
            phases.append((Phase.UP | Phase.DOWN if i % 2 else Phase.DOWN).value)
        s = 0.0
        for i, phase in enumerate(phases):
            s += x[i % len(x)] if phase == (Phase.UP | Phase.DOWN).value else x[0] * x[i % len(x)]
        return s

    return refused, followed


@case("pass what it reads by defaults: `lambda z, a=a: a * z`")
def functions_of_a_call_that_has_returned() -> tuple[Any, Any]:
    def refused(x):
        def multiples(a):
            functions = []
            for i in range(9 * len(x)):
                functions.append(lambda z, i=i: a * i * z)
            a = 2.0 * a
            return functions
        return sum(f(x[1]) for f in multiples(x[0]))

    def followed(x):
        def multiples(a):
            functions = []
            for i in range(9 * len(x)):
                functions.append(lambda z, i=i, a=2.0 * a: a * i * z)
            return functions
        return sum(f(x[1]) for f in multiples(x[0]))

    return refused, followed


@case("write the weighted distance as a formula of NumPy, or use 'minkowski' with `w`")
def weighted_distances() -> tuple[Any, Any]:
    w = np.array([0.5, 2.0, 1.0])

    def refused(x):
        return np.sum(scipy.spatial.distance.cdist(np.outer(x, x), np.eye(3), "canberra", w=w))

    def followed(x):
        u, v = np.outer(x, x)[:, None], np.eye(3)
        return np.sum(w * abs(u - v) / (abs(u) + abs(v)))

    return refused, followed


@case("give a number as `lam`")
def smoothing_that_depends_on_the_data() -> tuple[Any, Any]:
    t = np.arange(6.0)
    return (lambda x: scipy.interpolate.make_smoothing_spline(t, np.sin(x[0] * t))(1.5),
            lambda x: scipy.interpolate.make_smoothing_spline(t, np.sin(x[0] * t), lam=0.5)(1.5))


@case("leave `w` out")
def smoothing_with_weights() -> tuple[Any, Any]:
    t = np.arange(6.0)
    return (lambda x: scipy.interpolate.make_smoothing_spline(t, np.sin(x[0] * t), w=(2.0,) * 6, lam=1.0)(1.5),
            lambda x: scipy.interpolate.make_smoothing_spline(t, np.sin(x[0] * t), lam=0.5)(1.5))


@case("leave `symbol` out")
def polynomials_of_a_symbol() -> tuple[Any, Any]:
    return (lambda x: np.polynomial.Chebyshev(x, symbol="t")(0.3), lambda x: np.polynomial.Chebyshev(x)(0.3))


@case("use the zeros and the poles: `output='zpk'`")
def sections_of_an_analog_filter() -> tuple[Any, Any]:
    def refused(x):
        return np.sum(scipy.signal.butter(2, 0.2 + x[0] ** 2, analog=True, output="sos"))

    def followed(x):
        _, p, k = scipy.signal.butter(2, 0.2 + x[0] ** 2, analog=True, output="zpk")
        return k - 2.0 * p[0].real + (p[0] * p[1]).real + 1.0

    return refused, followed


@case("write its bounds: `x[s.start:s.stop:s.step]`", X, slice(1, None))
def slices_in_arguments() -> tuple[Any, Any]:
    return lambda x, s: np.sum(x[s] ** 2), lambda x, s: np.sum(x[s.start:s.stop:s.step] ** 2)


@case("put a copy into the list: `append(x.copy())`; change an item by replacing it: `x = xs[i].copy()`, write to `x`, "
      "then `xs[i] = x`; write to rows of `a` in `for r in a`")
def rows_of_an_array() -> tuple[Any, Any]:
    def refused(x):
        a = np.outer(x, x)
        rows = [r for r in a]
        for r in rows:
            r += x
        return np.sum(a**2)

    def followed(x):
        a = np.outer(x, x)
        for r in a:
            r += x
        return np.sum(a**2)

    return refused, followed


@case("write the whole numbers: `z[...] = x + 1j * z.imag`")
def real_parts() -> tuple[Any, Any]:
    def refused(x):
        z = (1.0 + 2.0j) * x
        z.real = x**2
        return np.sum(np.abs(z) ** 2)

    def followed(x):
        z = (1.0 + 2.0j) * x
        z[...] = x**2 + 1j * z.imag
        return np.sum(np.abs(z) ** 2)

    return refused, followed


@case("write the whole numbers: `z[...] = z.real + 1j * y`")
def imaginary_parts() -> tuple[Any, Any]:
    def refused(x):
        z = (1.0 + 2.0j) * x
        z.imag = x**2
        return np.sum(np.abs(z) ** 2)

    def followed(x):
        z = (1.0 + 2.0j) * x
        z[...] = z.real + 1j * x**2
        return np.sum(np.abs(z) ** 2)

    return refused, followed


@case("use `np.lib.stride_tricks.sliding_window_view(x, n)`")
def windows_by_strides() -> tuple[Any, Any]:
    def refused(x):
        windows = np.lib.stride_tricks.as_strided(x, (len(x) - 1, 2), (x.strides[0], x.strides[0]))
        return np.sum(windows[:, 0] * windows[:, 1])

    def followed(x):
        windows = np.lib.stride_tricks.sliding_window_view(x, 2)
        return np.sum(windows[:, 0] * windows[:, 1])

    return refused, followed


@case("call `scipy.signal.windows.kaiser`, which is differentiated by `beta`")
def a_window_of_numpy() -> tuple[Any, Any]:
    return (lambda x: np.sum(np.kaiser(5, x[0]) ** 2), lambda x: np.sum(scipy.signal.windows.kaiser(5, x[0]) ** 2))


@case("if a solver computes it, change the start, the tolerance or the number of iterations, or test its `success`; or "
      "write `sct.stop_gradient(...)` around the value, if no derivative is meant to pass")
def a_solver_that_has_not_converged() -> tuple[Any, Any]:
    def least(x, **options):
        return scipy.optimize.minimize(lambda z: np.sum((z - x) ** 2 + z**4), np.zeros(3), options=options,
                                       jac=lambda z: 2.0 * (z - x) + 4.0 * z**3).x[0]

    return lambda x: x[1] * least(x, maxiter=1), lambda x: x[1] * least(x, gtol=1e-12)


class Metered:
    def __init__(self, v: Any) -> None:
        self.value, self.reads = v, 0

    @property
    def v(self) -> Any:
        self.reads += 1
        return self.value * self.reads


@case("read the attribute before the `match`, and match its value")
def an_attribute_of_a_pattern_that_counts() -> tuple[Any, Any]:
    def refused(x):
        match Metered(x[0]):
            case Metered(v=u):
                return u * x[1]
        return x[2]

    def followed(x):
        match Metered(x[0]).v:
            case u:
                return u * x[1]
        return x[2]

    return refused, followed


class Table(collections.OrderedDict):  # type: ignore[type-arg]
    def __missing__(self, key: Any) -> Any:
        return 2.0


class UserTable(collections.UserDict):  # type: ignore[type-arg]
    __missing__ = Table.__missing__


class Members(set):  # type: ignore[type-arg]
    def least(self) -> Any:
        return min(self)


class OfMembers:
    def __init__(self, items: Any) -> None:
        self.items = set(items)

    def least(self) -> Any:
        return min(self.items)


@case("derive the class from `collections.UserDict`")
def a_subclass_of_dict() -> tuple[Any, Any]:
    return lambda x: Table({"a": x[0]})["b"] * x[1], lambda x: UserTable({"a": x[0]})["b"] * x[1]


@case("let it hold a set in an attribute")
def a_subclass_of_set() -> tuple[Any, Any]:
    return lambda x: Members([x[0], 2]).least() * x[1], lambda x: OfMembers([3, 2]).least() * x[1]


ITEMS = ("take its items one by one, as in `for v in items:`, or by position, as in `while i < len(items):`, if the "
         "loop appends to it; pass the list in place of `*items`")


@case(ITEMS, X, 3)
def a_list_that_grows_while_it_is_run_over() -> tuple[Any, Any]:
    def refused(x, n):
        queue = [x[0]]
        for v in queue:
            if len(queue) < n:
                queue.append(v * 0.5 + x[1])
        return sum(queue)

    def followed(x, n):
        queue, i = [x[0]], 0
        while i < len(queue):
            v = queue[i]
            i += 1
            if len(queue) < n:
                queue.append(v * 0.5 + x[1])
        return sum(queue)

    return refused, followed


@case("keep the object itself: `self.parent = parent`")
def weak_reference() -> Any:
    class Weak:
        def __init__(self, length, parent=None):
            self.length = length
            self._parent = None if parent is None else weakref.ref(parent)

        def total(self):
            return self.length if self._parent is None else self.length + self._parent().total()

    class Strong:
        def __init__(self, length, parent=None):
            self.length, self.parent = length, parent

        def total(self):
            return self.length if self.parent is None else self.length + self.parent.total()

    def refused(x):
        root = Weak(x[0])
        return Weak(x[0] * x[1], root).total()

    def followed(x):
        root = Strong(x[0])
        return Strong(x[0] * x[1], root).total()

    return refused, followed


@case("make a tuple of it, with `tuple(...)`, or use its items")
def named_tuple_as_result() -> Any:
    def refused(x):
        def fitted(y):
            return scipy.stats.linregress(y, np.arange(1.0 * len(y)) ** 2)
        return sct.vjp(fitted, x)[0][0]

    def followed(x):
        def fitted(y):
            return tuple(scipy.stats.linregress(y, np.arange(1.0 * len(y)) ** 2))
        return sct.vjp(fitted, x)[0][0]

    return refused, followed


@case("sort the items of all: `sorted([*a, *b], reverse=True)`")
def merged() -> Any:
    return (lambda x: sum(v * x for v in heapq.merge([4.0, x[0]], [2.0, 0.5], reverse=True)) @ x,
            lambda x: sum(v * x for v in sorted([*[4.0, x[0]], *[2.0, 0.5]], reverse=True)) @ x)


@case("sort the items of all: `sorted([*a, *b])`")
def merged_with_effects() -> Any:
    def shown(xs: Any) -> Any:
        for v in xs:
            print(v)
            yield v

    return (lambda x: sum(v * x for v in heapq.merge(shown([x[0], 4.0]), [0.5, 2.0])) @ x,
            lambda x: sum(v * x for v in sorted([*shown([x[0], 4.0]), *[0.5, 2.0]])) @ x)


@case("np.linalg.vector_norm takes any axes, and any number as `ord`")
def norm_over_three_axes() -> Any:
    return (lambda x: np.linalg.norm(x[:, None, None] * np.ones((1, 2, 2)), 3),
            lambda x: np.linalg.vector_norm(x[:, None, None] * np.ones((1, 2, 2)), ord=3))


def spellings() -> Iterator[str]:
    """The hints of sct that name a spelling in backticks, as far as they are literal."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                for part in ast.walk(node.value):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and "`" in part.value:
                        yield part.value


def test_no_message_has_a_placeholder_that_is_not_filled() -> None:
    """A text with `{0}` or `{name}` is no f-string by mistake, unless `format` fills it."""
    unfilled = []
    for path in ROOT.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            name = getattr(getattr(call, "func", None), "attr", getattr(getattr(call, "func", None), "id", ""))
            if not isinstance(call, ast.Call) or name not in ("refuse", "SctError"):
                continue
            formatted = {id(n.func.value) for n in ast.walk(call) if isinstance(n, ast.Call)
                         and isinstance(n.func, ast.Attribute) and n.func.attr == "format"}
            in_texts = {id(part) for n in ast.walk(call) if isinstance(n, ast.JoinedStr) for part in n.values}
            unfilled += [f"{path.name}:{n.lineno}" for n in ast.walk(call)
                         if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in formatted
                         and id(n) not in in_texts and re.search(r"\{\w*\}", n.value)]
    assert not unfilled


def test_every_spelling_is_followed() -> None:
    hints = " ".join(each.hint for each in CASES)
    assert not sorted(text for text in spellings() if text not in hints)
