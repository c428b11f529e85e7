"""Generator functions: what Python does, in its order of effects, or refused."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import hessian, jvp, value_and_grad, vjp

X = np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2])
Program = Callable[[np.ndarray], Any]
AGREE: list[Program] = []


def program(f: Program) -> Program:
    """Registers a program that is differentiated."""
    AGREE.append(f)
    return f


def logs(xs):
    for x in xs:
        try:
            y = x + 0.5
            yield math.log(y)
        except ValueError:
            print("no logarithm", x > 0)
        else:
            print("taken")


@program
def a_try_that_ends_with_a_yield(x):
    s = 0.0
    for v in logs(x):
        if v > 0.3:
            break
        s += v * x[0]
    return s


@program
def what_is_done_with_an_item_is_not_tried_where_it_is_yielded(x):
    s = x[0]
    try:
        for v in logs(x):
            s += math.sqrt(v + 0.5)
    except ValueError:
        s *= 2.0 * x[1]
    return s


def terms(x, n):
    t = 1.0
    for k in range(n):
        yield t
        t = t * x / (k + 1)


@program
def sum_terms(x):
    return sum(terms(x[0], 12))


@program
def sum_terms_n(x):
    n = len(x) * 3
    return sum(terms(x[0], n))


def trajectory(x):
    v = x
    for _ in range(5):
        v = v - 0.1 * np.sin(v)
        yield v


@program
def traj(x):
    return np.sum(np.array(list(trajectory(x)))**2)


@program
def traj2(x):
    *_, last = trajectory(x)
    return np.sum(last)


@program
def traj3(x):
    return sum(np.sum(v) for v in trajectory(x))


@program
def traj4(x):
    return max(v.sum() for v in trajectory(x))


@program
def traj5(x):
    s = 0.
    for k, v in enumerate(trajectory(x)):
        s += k * v[0]
    return s


@program
def traj6(x):
    s = 0.
    for a, v in zip(x, trajectory(x)):
        s += a * v[0]
    return s


@program
def traj7(x):
    s = 0.
    for v, a in zip(trajectory(x), x):
        s += a * v[0]
    return s


def roots(x):
    r = np.sqrt(x[0]**2 + 1)
    yield r
    while True:
        r = r - (r*r - 2.0) / (2*r)
        yield r


@program
def next1(x):
    return next(roots(x))


@program
def next2(x):
    g = roots(x)
    a = next(g); b = next(g); c = next(g)
    return a * b * c


@program
def next_default(x):
    g = iter(trajectory(x))
    s = 0.
    for _ in range(7):
        v = next(g, None)
        if v is None:
            break
        s = s + v[1]
    return s


@program
def newton(x):
    for k, r in enumerate(roots(x)):
        if k > 1:
            break
    return r


@program
def newton2(x):
    for r in roots(x):
        if abs(r * r - 2.0) < 1e-6:
            return r * x[1]
    return 0.


@program
def isl(x):
    return sum(itertools.islice(roots(x), 4))


@program
def isl2(x):
    s = 0.
    for r in itertools.islice(roots(x), 2, 6):
        s += r
    return s


@dataclasses.dataclass
class Node:
    value: object
    left: object = None
    right: object = None


def walk(t):
    if t is None:
        return
    yield from walk(t.left)
    yield t.value
    yield from walk(t.right)


@program
def tree(x):
    t = Node(x[0], Node(x[1]), Node(x[2], Node(x[3])))
    s = 0.
    for k, v in enumerate(walk(t)):
        s += (k + 1) * v * v
    return s


@program
def tree2(x):
    t = Node(x[0], Node(x[1]), Node(x[2], Node(x[3])))
    return sum(walk(t)) * x[0]


class Walk:
    def __init__(self, x):
        self.x = x
    def steps(self, n):
        for i in range(n):
            yield self.x[i] * 2
    def __iter__(self):
        for v in self.x:
            yield v * v


@program
def meth(x):
    w = Walk(x)
    return sum(w.steps(3)) + sum(w)


@program
def meth2(x):
    w = Walk(x)
    s = 1.
    for v in w:
        s = s * (1 + v)
    return s


@program
def acc(x):
    out = 0.
    for v in itertools.accumulate(terms(x[0], 5)):
        out += v * v
    return out


@program
def pw(x):
    out = 0.
    for a, b in itertools.pairwise(terms(x[0], 5)):
        out += a * b
    return out


@program
def tw(x):
    out = 0.
    for a in itertools.takewhile(lambda v: v > 1e-4, terms(x[0], 50)):
        out += a
    return out


@program
def chainit(x):
    out = 0.
    for a in itertools.chain.from_iterable(trajectory(x)):
        out += a * a
    return out


@program
def mp(x):
    out = 0.
    for a in map(np.sum, trajectory(x)):
        out += a * a
    return out


@program
def flt(x):
    out = 0.
    for a in filter(lambda v: v > 0.3, Walk(x)):
        out += a * a
    return out


@program
def genexp(x):
    return sum(v * v for v in Walk(x) if v > 0.3)


@program
def anyg(x):
    return x[0] * 2 if any(v > 1 for v in Walk(x)) else x[1]


@program
def anyg2(x):
    return x[0] * 2 if any(trig(x)) else x[1]


def trig(x):
    for v in x:
        yield v > 1


@program
def dictg(x):
    d = dict(items(x))
    return d["a"] * d["b"]


def items(x):
    yield "a", x[0]
    yield "b", x[1] * x[2]


@program
def unp(x):
    a, b = items(x)
    return a[1] * b[1]


@program
def retval(x):
    s = 0.
    for v in outer(x):
        s += v
    return s


def inner(x):
    t = 0.
    for v in x:
        yield v
        t = t + v * v
    return t


def outer(x):
    r = yield from inner(x)
    yield r


@program
def retval2(x):
    s = 0.
    for v in outer(x):
        s += v
        if s > 5.:
            break
    return s


@program
def closure(x):
    k = 2.0
    def g():
        for v in x:
            yield k * v
    s = 0.
    for w in g():
        k = k + w
        s += w
    return s


@program
def pipeline(x):
    def sq(it):
        for v in it:
            yield v * v
    def pos(it):
        for v in it:
            if v > 0:
                yield v
    return sum(sq(pos(x)))


@program
def pipeline2(x):
    def sq(it):
        for v in it:
            yield v * v
    def pos(it):
        for v in it:
            if v > 0:
                yield v
    s = 0.
    for v in sq(pos(x)):
        if v < 0.1:
            continue
        s += v
        if s > 2:
            return s * x[0]
    return s


@program
def resume(x):
    g = terms(x[0], 6)
    first = next(g)
    s = first
    for v in g:
        s += v * v
    return s


@program
def lst(x):
    xs = list(terms(x[0], 4))
    return xs[1] * xs[-1]


@program
def lc(x):
    xs = [t * 2 for t in terms(x[0], len(x))]
    return sum(xs)


@program
def join(x):
    return np.stack(list(trajectory(x))).sum() + np.array([t for t in terms(x[0], 4)]).sum()


@program
def prints(x):
    def g():
        print("start")
        for v in x[:3]:
            print("y")
            yield v
        print("end")
    s = 0.
    for v in g():
        print("body")
        s += v
    return s


@program
def zip2(x):
    s = 0.
    for a, b in zip(terms(x[0], 4), terms(x[1], 4)):
        s += a * b
    return s


@program
def sorted_(x):
    return max(terms(x[0], 4)) + min(terms(x[0], 4)) + math.prod(terms(x[0], 3)) + math.fsum(terms(x[0], 3))


def batches(data, k):
    for i in range(0, len(data), k):
        yield i, data[i:i + k]


@program
def batch_loop(x):
    s = 0.0
    for i, b in batches(x, 2):
        s += np.sum(b) ** 2 * (i + 1)
    return s


@program
def batch_exits(x):
    s = 0.0
    for i, b in batches(x, 2):
        if b[0] < 0.5:
            continue
        if i > 3:
            break
        s += np.sum(b) ** 2 * (i + 1)
    return s


@program
def batch_return(x):
    s = 0.0
    for i, b in batches(x, 2):
        s += np.sum(b) ** 2 * (i + 1)
        if s > 1.0:
            return s * s
    return s


@program
def batch_else(x):
    for i, b in batches(x, 2):
        last = np.sum(b) ** 2
        if last > 1.5:
            break
    else:
        return x[0]
    return last * i


def early(x):
    yield x[0]
    yield x[1] * x[2]
    if x[0] > 0.1:
        return
    yield x[3]


@program
def own_return(x):
    s = 1.0
    for v in early(x):
        s = s * v
        if s > 100.0:
            break
    return s


@program
def inner_return(x):
    s = 2.0
    for _, b in batches(x, 2):
        for v in b:
            if v < 0:
                return v * s
            s = v
    return s


@program
def left_inside_yield_from(x):
    def inner(t):
        yield t * 0.5
        for w in x:
            if w > 1.0:
                continue
            yield w * t

    def outer(t):
        for _ in x:
            yield from inner(t)
        yield t

    s = x[0]
    for a in outer(x[0] * 0.5):
        s = s + a * a
        if a > 0.3:
            break
    return s


@program
def twice(x):
    g = early(x)
    s = 0.0
    for v in g:
        s += v
    for v in g:
        s += 100.0 * v
    return s


@program
def default_of_send(x):
    def steps():
        t = 0.0
        while True:
            v = yield t
            if v is None:
                v = 1.0
            t = t + x[0] * v
    g = steps()
    next(g)
    return next(g) * next(g)


@program
def in_a_list(x):
    gs = [early(x), early(x + 1.0)]
    return sum(sum(g) for g in gs)


@program
def starred(x):
    def ends(*a):
        return a[0] * a[-1]
    return ends(*early(x))


@program
def raises_inside(x):
    def g():
        yield x[0]
        raise ValueError("no")
    return sum(g())


@program
def stops(x):
    g = early(x)
    next(g)
    next(g)
    return next(g)


@program
def stop_iteration_inside(x):
    def g():
        yield x[0]
        raise StopIteration
    return sum(g())


@program
def by_key(x):
    return max(early(x), key=lambda v: -v)


@program
def recursive_by_a_number(x):
    def halves(a, depth):
        if depth == 0:
            yield a
            return
        yield from halves(a * 0.5, depth - 1)
        yield from halves(a * x[1], depth - 1)
    return sum(v * v for v in halves(x[0], len(x) // 2))


@program
def two_loops(x):
    s = 0.0
    for v in (a * b for a in x for b in x[1:] if a > b):
        s += v * v
        if s > 3.0:
            break
    return s


@program
def state_is_read_late(x):
    k = 1.0

    def g():
        for v in x:
            yield k * v

    s = 0.0
    for w in g():
        k = w
        s += w * w
    return s


@program
def writes(x):
    def filled(y):
        for i in range(len(y)):
            y[i] = y[i] * 2.0
            yield i
    y = x * 1.0
    s = 0.0
    for i in filled(y):
        s += y[i] * y[0]
        y[0] = s
    return s + np.sum(y)


@program
def caught_around(x):
    def logs():
        for v in x:
            yield math.log(v + 0.5)
    s = 0.0
    try:
        for w in logs():
            s += w
    except ValueError:
        s = s * 2.0 + x[1]
    return s


@program
def caught_in_the_loop(x):
    s = 0.0
    for v in trajectory(x):
        try:
            s += math.log(v[1] + 0.2)
        except ValueError:
            s += v[0]
            continue
        s += v[2]
    return s


@program
def caught_in_the_generator(x):
    def safe():
        for v in x:
            try:
                w = math.log(v)
            except ValueError:
                w = v * v
            yield w
    return sum(w * w for w in safe())


def pair(v):
    yield v
    yield 2.0 * v


def pairs(v):
    for w in pair(v):
        yield w * w
    yield 3.0 * v


def pairs_of_two(v):
    for w in (v, None):
        yield w
    yield 3.0 * v


def handed_on(v):
    yield from pairs_of_two(v)
    yield 5.0 * v


@program
def breaks_in_a_generator_over_a_generator(x):
    s = 0.0
    for v in x:
        for w in pairs(v):
            if w > 0.5:
                s += w * v
                break
            s += w
    return s


@program
def breaks_in_an_unrolled_loop(x):
    s = 0.0
    for v in x:
        for w in pairs_of_two(v):
            if v > 0.5:
                s += v * v
                break
            s += w or v * 2.0
        else:
            s *= 1.5
    return s


@program
def breaks_in_what_is_handed_on(x):
    s = 0.0
    for v in x:
        for w in handed_on(v):
            if w is not None and w > 0.5:
                s += w * v
                break
            s += 0.25 * v
        else:
            s = s * 2.0
    return s


@program
def breaks_in_a_generator_with_else(x):
    def runs(v):
        for w in pair(v):
            yield w
        else:
            yield v * v
        for w in pair(v * v):
            yield w * 0.5

    s = 0.0
    for v in x:
        for w in runs(v):
            if s > 2.0 and w > 0.4:
                return s * w
            if w > 0.73:
                break
            s += w * w
        else:
            s = s * 0.5
        s += v
    return s


def halves(v, n):
    for _ in range(n):
        yield v
        v = v * 0.5


@program
def breaks_and_returns_before_else(x):
    s = 0.0
    for k in range(len(x)):
        for v in halves(x[k] * x[0], 4):
            if v < 0.2:
                if v < -0.3:
                    return 1.5 * s
                break
            s += v * v
        else:
            s = s * 2.0
        s += x[k]
    return s


@program
def breaks_and_returns_before_else_of_few(x):
    s = 0.0
    for v in pair(x[0]):
        if v > 1.0:
            s += x[1]
            break
        if v < -1.0:
            return s
        s += v
    else:
        s *= x[2]
    return s * x[3]


@program
def excepts_break_and_return_before_else(x):
    s = x[0]
    for v in pair(x[1]):
        try:
            s += math.log(v)
        except KeyError:
            return s
        except ValueError:
            break
    else:
        s *= 2.0
    return s * s


@pytest.mark.parametrize("f", AGREE)
def test_agrees(f: Program) -> None:
    agrees(f, X)
    agrees(f, X[:4])


@pytest.mark.parametrize("f", AGREE)
def test_modes_agree(f: Program) -> None:
    x = X[:4] * 0.9
    try:
        value = f(x.copy())
    except (ValueError, StopIteration, RuntimeError):
        return
    direction = np.array([0.3, -0.2, 0.5, 0.1])
    tangent = jvp(f, (x,), (direction,))[1]
    gradient = vjp(f, x)[1](1.0)[0]
    np.testing.assert_allclose(tangent, gradient @ direction, rtol=1e-10)
    assert isinstance(value, float)
    step = 1e-5 * direction
    differences = (value_and_grad(f)(x + step)[1] - value_and_grad(f)(x - step)[1]) / 2e-5
    np.testing.assert_allclose(hessian(f)(x) @ direction, differences, rtol=1e-5, atol=1e-6)


LONG: list[Program] = [
    f for f in AGREE if f.__name__ in ("sum_terms_n", "batch_loop", "traj6", "traj7", "meth2", "flt", "pipeline2")]


@pytest.mark.parametrize("f", LONG)
def test_data_is_not_program(f: Program) -> None:
    """One function serves all lengths."""
    g = value_and_grad(f)
    for n in (3, 5, 40):
        x = np.linspace(0.1, 0.9, n)
        assert g(x)[0] == f(x)
    assert len(g.sources) == 1


@pytest.mark.parametrize(("after", "code"), [("sum(g)", "SCT503"), ("next(g)", "SCT503")])
def test_a_generator_that_was_left_is_refused(after: str, code: str) -> None:
    def f(x):
        g = early(x)
        for v in g:
            if v > 0.5:
                break
        return sum(g) if after == "sum(g)" else next(g)
    refuses(f, X, code=code)


def test_a_try_around_a_yield_is_refused() -> None:
    def f(x):
        def g():
            try:
                yield x[0]
            finally:
                print("closed")
        return sum(g())
    refuses(f, X, code="SCT101")


class Payment:
    def __init__(self, year, paid):
        self.year, self.paid = year, paid

    @classmethod
    def read(cls, text):
        for line in text.splitlines():
            try:
                year, paid = line.split(";")
                yield cls(int(year), float(paid))
            except ValueError:
                continue


def years_and_amounts(text):
    for payment in Payment.read(text):
        yield payment.year, payment.paid


def amounts(text):
    for line in text.splitlines():
        try:
            yield float(line.split(";")[1])
        except (ValueError, IndexError):
            pass


PAYMENTS = "year;paid\n2009;3.0\n2008;4.0\nbad\n2009;2.5"


@pytest.mark.parametrize("f", [
    lambda x: sum(p.paid * (1.0 + x) ** (2010 - p.year) for p in sorted(Payment.read(PAYMENTS), key=lambda p: p.year)),
    lambda x: sum(paid * x ** (2010 - year) for year, paid in sorted(years_and_amounts(PAYMENTS))),
    lambda x: sum(v * k * x for k, v in enumerate(sorted(amounts(PAYMENTS), reverse=True))),
    lambda x: x * len(set(amounts(PAYMENTS))) + sum([*amounts(PAYMENTS), x]),
    lambda x: x * tuple(amounts(PAYMENTS))[1] + x * max(amounts(PAYMENTS)) * math.fsum(amounts(PAYMENTS))])
def test_items_of_a_generator_that_yields_in_a_try(f: Callable[..., Any]) -> None:
    agrees(f, 0.9)


def gives_in_a_handler(x):
    for v in x:
        try:
            yield v
        except ValueError:
            yield 2.0 * v


def gives_before_more(x):
    for v in x:
        try:
            yield v
            v /= v
        except ZeroDivisionError:
            pass


@pytest.mark.parametrize("f", [
    lambda x: sum(list(gives_in_a_handler(x))), lambda x: sum(tuple(gives_before_more(x))),
    lambda x: sum(sorted(gives_in_a_handler(x))), lambda x: sum([*gives_before_more(x)]),
    lambda x: sum(set(gives_in_a_handler(x))), lambda x: max(*gives_in_a_handler(x)),
    lambda x: sum(a * b for a, b in zip(x, gives_before_more(x)))])
def test_items_from_within_a_try_are_refused_however_they_are_taken(f: Callable[..., Any]) -> None:
    assert "around a `yield`" in str(refuses(f, X, code="SCT101"))
