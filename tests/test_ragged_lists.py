"""Lists whose items are arrays of different sizes: the size of an item is that of no other one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import jvp, value_and_grad

Program = Callable[[Any, int], Any]
PROGRAMS: list[Program] = []


def program(f: Program) -> Program:
    """Registers a program of an array and a number."""
    PROGRAMS.append(f)
    return f


class Layer:
    """An object with an array."""

    def __init__(self, w: Any) -> None:
        self.w = w


@program
def coarser_grids(x: Any, n: int) -> Any:
    us = [x]
    for _ in range(n):
        us.append(0.5 * (us[-1][:-1:2] + us[-1][1::2]) if len(us[-1]) > 1 else us[-1] * 2)
    s = 0.0
    for u in us:
        s += np.sum(u * u) / len(u)
    return s


@program
def down_and_up_the_grids(x: Any, n: int) -> Any:
    us = [x]
    for _ in range(n):
        us.append(us[-1][::2] * 1.5)
    v = us.pop()
    while us:
        u = us.pop()
        w = np.zeros_like(u)
        w[::2] = v
        v = w + u * u
    return np.sum(v ** 2)


@program
def groups_about_their_means(x: Any, n: int) -> Any:
    groups = [x[k::n] for k in range(n)]
    means = [g.mean() for g in groups]
    return sum((np.sum((g - m) ** 2) for g, m in zip(groups, means)))


@program
def objects_with_arrays(x: Any, n: int) -> Any:
    ls = []
    for k in range(n):
        ls.append(Layer(x[k:] * 2))
    s = 0.0
    for l in ls:
        l.w = l.w - l.w.mean()
    for l in ls:
        s += np.sum(l.w ** 3)
    return s + ls[0].w[0]


@program
def values_of_a_dict(x: Any, n: int) -> Any:
    d = {}
    for k in range(n):
        d[k] = x[:k + 1] - x[:k + 1].mean()
    return sum((np.sum(v ** 3) for v in d.values())) + d[n - 1][0]


@program
def joined_items(x: Any, n: int) -> Any:
    L = [x[k:] for k in range(n)]
    y = np.concatenate(L)
    return np.sum((y - y.mean()) ** 2 * np.arange(y.size))


@program
def array_of_equal_items(x: Any, n: int) -> Any:
    L = [x[:n] * k for k in range(1, n + 1)]
    y = np.array(L)
    return np.sum((y - y.mean(axis=0)) ** 3)


@program
def reversed_inserted_and_sorted(x: Any, n: int) -> Any:
    L = [x[k:] for k in range(n)]
    L.reverse()
    L.insert(0, x[:1])
    L.insert(2, x * x)
    M = sorted(L, key=len)
    s = 0.0
    for i, v in enumerate(M):
        s += (i + 1) * np.sum((v - v.mean()) ** 2) * v[0]
    return s


@program
def tuples_with_arrays(x: Any, n: int) -> Any:
    L = [(k, x[k:]) for k in range(n)]
    s = 0.0
    for k, v in L:
        s += k * v.std() + np.sum(v) / v.size
    return s * L[-1][1][0]


@program
def halved_until_one_is_left(x: Any, n: int) -> Any:
    L = []
    u = x
    while len(u) > 1:
        u = u[::2] + u[0]
        L.append(u)
    s = 0.0
    for a, b in zip(L[:-1], L[1:]):  # noqa: RUF007
        s += np.sum(a) * b.mean() + np.sum(a[:len(b)] * b)
    return s


@program
def matrices(x: Any, n: int) -> Any:
    L = [np.outer(x[k:], x[:k + 1]) for k in range(n)]
    s = 0.0
    for A in L:
        s += np.sum((A - A.mean(axis=0)) ** 2) + np.sum(A @ A.T)
    return s + L[-1][0, 0]


@program
def first_and_last(x: Any, n: int) -> Any:
    L = [x[k:] for k in range(n)]
    return np.sum(L[0] * L[-1]) if len(L[-1]) == 1 else np.sum(L[0][:len(L[-1])] * L[-1])


@program
def items_that_broadcast(x: Any, n: int) -> Any:
    L = [x[k:] for k in range(len(x))]
    a, b = (L[0], L[-1])
    return np.sum((a + b) ** 2) + np.sum(a * b)


@program
def made_by_recursion(x: Any, n: int) -> Any:

    def rec(u: Any) -> Any:
        if len(u) <= 1:
            return [u]
        rest = rec(u[::2] * 1.1)
        rest.append(u - u.mean())
        return rest
    L = rec(x)
    return sum((np.sum(v ** 3) / v.size for v in L)) + L[0][0]


@program
def lists_of_lists(x: Any, n: int) -> Any:
    LL = [[x[j:] for j in range(k + 1)] for k in range(n)]
    s = 0.0
    for L in LL:
        for v in L:
            s += np.sum((v - v.mean()) ** 3)
    return s + LL[-1][-1][0]


@program
def parts_of_a_split(x: Any, n: int) -> Any:
    parts = np.split(x, [n])
    L = [p * 2 for p in parts]
    L += [x[:1]]
    return sum(((v - v.mean()) @ v for v in L))


@program
def window_of_a_deque(x: Any, n: int) -> Any:
    q = deque()
    for k in range(n + 2):
        q.append(x[k % 3:] * k)
        if len(q) > 2:
            q.popleft()
    return sum((np.var(v) for v in q)) * q[0][0]


@program
def each_longer_than_the_last(x: Any, n: int) -> Any:
    ws = [x[:n]]
    for k in range(3):
        ws.append(np.append(ws[-1], ws[-1].mean()))
    return np.sum((ws[-1] - ws[-2][0]) ** 3) + ws[1].mean()


@program
def the_longest_so_far(x: Any, n: int) -> Any:
    best = None
    for k in range(1, n + 1):
        v = x[:k] - x[:k].mean()
        if best is None or v @ v > best @ best:
            best = v
    return np.sum(best ** 3) * best[0]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python_does(f: Program) -> None:
    """Value, gradient and second derivative, for calls of one derivative with other sizes."""
    rng, derivative = np.random.default_rng(0), value_and_grad(f)
    for n, size in ((2, 6), (3, 8), (1, 4), (4, 9)):
        x = rng.normal(1, 1, size)
        agrees(f, x, n, derivative=derivative, rtol=1e-4, atol=1e-5)
        agrees_in_second_order(f, x, n, rtol=1e-3, atol=1e-4)
        v = rng.normal(size=size)
        assert jvp(f, (x, n), (v,))[1] == pytest.approx(derivative(x, n)[1] @ v, rel=1e-9, abs=1e-9)


def test_a_list_of_the_caller() -> None:
    """Items that are appended to a list of the caller have sizes of their own, too."""
    def f(us: Any, n: int) -> Any:
        us = list(us)
        for _ in range(n):
            us.append(us[-1].mean(keepdims=True))
        return us[-1][0]

    for n in (1, 2, 3):
        agrees(f, [np.arange(8.0), np.arange(5.0)], n)


def test_sums_of_arrays_of_unknown_sizes() -> None:
    """NumPy broadcasts them, and raises where they do not fit."""
    def f(x: Any, n: int) -> Any:
        return np.sum(sum([x[k:] ** 2 for k in range(n)], np.zeros(1)) * 1.5)

    for x in (np.array([0.7, 1.3, -0.4, 2.0]), np.array([0.7]), np.array([2.0, 3.0])):
        for n in range(4):
            agrees(f, x, n)
