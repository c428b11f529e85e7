"""Generators that call themselves over trees that the program makes: their items are a list, or they are refused."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import jvp, value_and_grad


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


class T:
    def __init__(self, v, l, r):
        self.v, self.l, self.r, self.g = v, l, r, 0.0

    def __iter__(self):
        if self.l:
            yield from self.l
        yield self.v
        if self.r:
            yield from self.r

    def nodes(self):
        yield self
        for c in (self.l, self.r):
            if c is not None:
                yield from c.nodes()


def ins(n, v):
    if n is None:
        return T(v, None, None)
    if v < n.v:
        n.l = ins(n.l, v)
    else:
        n.r = ins(n.r, v)
    return n


def tree(c, x):
    root = None
    for v in x:
        root = ins(root, c * v)
    return root


class G:
    def __init__(self, v):
        self.v, self.kids = v, []

    def __iter__(self):
        yield self.v
        for k in self.kids:
            yield from k


def grow(c, x):
    root = G(c)
    nodes = [root]
    for k, v in enumerate(x):
        n = G(c * v)
        nodes[k // 2].kids.append(n)
        nodes.append(n)
    return root


def in_turn(c, x):
    s, k = 0.0, 1.0
    for v in tree(c, x):
        s += v * v * k
        k += 1.0
    return s


def numbered(c, x):
    return sum(v * k for k, v in enumerate(list(tree(c, x))))


def extremes(c, x):
    return max(tree(c, x)) + min(v * 2 for v in tree(c, x))


def selected(c, x):
    return sum([v ** 2 for v in tree(c, x) if v > 2.0])


def of_nodes(c, x):
    return sum(n.v ** 2 for n in tree(c, x).nodes())


def of_depths(c, x):
    def w(n, d):
        if n is not None:
            yield n.v, d
            yield from w(n.l, d + 1)
            yield from w(n.r, d + 1)
    return sum(v * d for v, d in w(tree(c, x), 0))


def of_closures(c, x):
    def w(n):
        if n is not None:
            yield from w(n.l)
            yield n.v * c
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v * v
    return s


def returns_early(c, x):
    def w(n):
        if n is None:
            return
        yield n.v
        for v in w(n.r):
            yield v * 2.0
        for v in w(n.l):
            yield v * 3.0
    return sum(w(tree(c, x)))


def of_expressions(c, x):
    def w(n):
        if n is None:
            return
        yield n.v
        yield from (v * c for v in w(n.r))
    return sum(w(tree(c, x)))


def of_arrays(c, x):
    def w(n):
        if n is not None:
            yield from w(n.l)
            yield np.array([n.v, c])
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v[0] * v[1]
    return s


def with_lists_of_its_own(c, x):
    def w(n, p):
        if n is not None:
            q = p + [n.v]
            yield sum(q)
            yield from w(n.l, q)
            yield from w(n.r, q)
    return sum(w(tree(c, x), []))


def of_leaves(c, x):
    def leaves(n):
        if n.l is None and n.r is None:
            yield n.v
        else:
            for k in (n.l, n.r):
                if k is not None:
                    yield from leaves(k)
    p = 1.0
    for v in leaves(tree(c, x)):
        p *= v + 1.0
    return p


def printed(c, x):
    s = 0.0
    for v in tree(c, x):
        print("c", v > 2.0)
        s += v
    return s


def of_many_children(c, x):
    return sum(v * v for v in grow(c, x))


def left_early(c, x):
    s = 0.0
    for v in list(tree(c, x)):
        s += v
        if s > 5.0:
            break
    return s


def nested_loops(c, x):
    t = tree(c, x)
    s = 0.0
    for a in t:
        for b in t:
            s += a * b
    return s


ACCEPTED = [
    in_turn, numbered, extremes, selected, of_nodes, of_depths, of_closures, returns_early, of_expressions,
    of_arrays, with_lists_of_its_own, of_leaves, printed, of_many_children, left_early, nested_loops,
]
X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
OTHERS = [(0.7, np.array([2.0, 9.0, 1.0, 1.5, 0.5, 7.0, 3.0])), (0.7, np.array([2.0])), (-1.2, np.arange(6.0)[::-1])]


@pytest.mark.parametrize("f", ACCEPTED)
def test_items_are_a_list(f) -> None:
    derivative = value_and_grad(f)
    for args in [(1.5, X), *OTHERS]:
        agrees(f, *args, derivative=derivative)
    agrees_in_second_order(f, 1.5, X)
    assert jvp(f, (1.5, X), (1.0,))[1] == pytest.approx(derivative(1.5, X)[1], rel=1e-12)


def left(c, x):
    s = 0.0
    for v in tree(c, x):
        s += v
        if s > 5.0:
            break
    return s


def returned_from(c, x):
    for v in tree(c, x):
        if v > 3.0:
            return v * v
    return c


def quantified(c, x):
    return c if any(v > 5.0 for v in tree(c, x)) else c * c


def child_written(c, x):
    s = 0.0
    for n in tree(c, x).nodes():
        s += n.v
        if n.r is not None:
            n.r.v = n.r.v * 2.0
    return s


def link_written(c, x):
    s = 0.0
    for n in tree(c, x).nodes():
        s += n.v
        n.l = None
    return s


def name_bound(c, x):
    k = 1.0
    def w(n):
        if n is not None:
            yield from w(n.l)
            yield n.v * k
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v
        k = k * 2.0
    return s


def list_written(c, x):
    k = [1.0]
    def w(n):
        if n is not None:
            yield from w(n.l)
            yield n.v * k[0]
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v
        k[0] = k[0] * 2.0
    return s


def array_written(c, x):
    k = np.ones(2)
    def w(n, k):
        if n is not None:
            yield from w(n.l, k)
            yield n.v * k[0]
            yield from w(n.r, k)
    s = 0.0
    for v in w(tree(c, x), k):
        s += v
        k[0] = k[0] * 2.0
    return s


def writes_list(c, x):
    k = [1.0]
    def w(n):
        if n is not None:
            yield from w(n.l)
            k[0] = k[0] * 2.0
            yield n.v
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v * k[0]
    return s


def binds_name(c, x):
    k = 1.0
    def w(n):
        nonlocal k
        if n is not None:
            yield from w(n.l)
            k = k * 2.0
            yield n.v
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v * k
    return s


def writes_attribute(c, x):
    def w(n):
        if n is not None:
            yield from w(n.l)
            yield n.v
            n.v = 0.0
            yield from w(n.r)
    s = 0.0
    t = tree(c, x)
    for v in w(t):
        s += v * t.v
    return s


def yields_one_array(c, x):
    def w(n, a):
        if n is not None:
            yield from w(n.l, a)
            a[0] = n.v
            yield a
            yield from w(n.r, a)
    s = 0.0
    for v in w(tree(c, x), np.zeros(2)):
        s += v[0] * v[0]
    return s


def yields_array_it_writes(c, x):
    def w(n):
        if n is not None:
            yield from w(n.l)
            a = np.zeros(2)
            for k in range(2):
                a[k] = n.v
                yield a
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        s += v[0] * v[1]
    return s


def yields_list(c, x):
    def w(n, p):
        if n is not None:
            p.append(n.v)
            yield p
            yield from w(n.l, p)
            yield from w(n.r, p)
    s = 0.0
    for v in w(tree(c, x), []):
        s += sum(v)
    return s


def in_try(c, x):
    def w(n):
        if n is not None:
            yield from w(n.l)
            if n.v > 4.0:
                raise ValueError
            yield n.v
            yield from w(n.r)
    s = 0.0
    try:
        for v in w(tree(c, x)):
            s += v
    except ValueError:
        pass
    return s


def prints(c, x):
    def w(n):
        if n is not None:
            yield from w(n.l)
            print("g", n.v)
            yield n.v
            yield from w(n.r)
    s = 0.0
    for v in w(tree(c, x)):
        print("c")
        s += v
    return s


REFUSED = [
    (left, "SCT204", "may end before"),
    (returned_from, "SCT204", "may end before"),
    (quantified, "SCT204", "may end before"),
    (child_written, "SCT204", "the loop over it writes"),
    (link_written, "SCT204", "the loop over it writes"),
    (name_bound, "SCT204", "the loop over it writes"),
    (list_written, "SCT204", "the loop over it writes"),
    (array_written, "SCT204", "the loop over it writes"),
    (writes_list, "SCT204", "it writes"),
    (binds_name, "SCT204", "it writes"),
    (writes_attribute, "SCT204", "it writes"),
    (yields_one_array, "SCT301", "alias"),
    (yields_array_it_writes, "SCT301", "alias"),
    (yields_list, "SCT204", "it yields a list"),
    (in_try, "SCT204", "it runs in a `try`"),
    (prints, "SCT204", "it has an effect"),
]


@pytest.mark.parametrize(("f", "code", "what"), REFUSED)
def test_what_is_seen_of_the_order_is_refused(f, code: str, what: str) -> None:
    assert what in refuses(f, 1.5, X, code=code).what


def halves(a):
    yield a
    if a > 1e-30:
        yield from halves(a * 0.5)


def test_a_generator_that_calls_itself_with_numbers() -> None:
    for a in (1.0, 3.0, 0.2):
        agrees(lambda a: sum(halves(a)), a)
