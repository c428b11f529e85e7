"""Calls with the items of a list whose length is known only at run time: `f(*xs)`, `f(a, *xs, b, key=c)`."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, agrees_in_second_order, refuses

from sct import jvp, value_and_grad


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


def area(a, b):
    return a * b


def of_two(x, n):
    return area(*[x + i for i in range(n)])


def with_defaults(x, n):
    def f(a, b=2.0, c=1.0):
        return a * b + c

    return f(*[x + i for i in range(n)])


def greatest(x, n):
    return max(*[x * (i - 2.5) for i in range(n)]) * x


FUNCTIONS = {"max": max, "min": min, "sin": math.sin, "if": lambda c, a, b: a if c else b,
             "norm": lambda a, b=2.0: a * a + b * b}


class Num:
    def __init__(self, v):
        self.v = v


class Call:
    def __init__(self, f, args):
        self.f, self.args = f, args


def parse(tokens):
    t = tokens.pop(0)
    if t in FUNCTIONS:
        args = []
        while tokens[0] != ")":
            args.append(parse(tokens))
        tokens.pop(0)
        return Call(t, args)
    return Num(float(t))


def evaluated(n, x):
    return n.v * x if isinstance(n, Num) else FUNCTIONS[n.f](*[evaluated(a, x) for a in n.args])


def of_a_table(x, text):
    return evaluated(parse(text.split()), x)


@pytest.mark.parametrize(("f", "accepted", "raises"), [
    (of_two, [2], [0, 1, 3]), (with_defaults, [1, 2, 3], [0, 4]), (greatest, [2, 3, 6], [0, 1]),
    (of_a_table, ["max 2 min 3 4 ) )", "norm 3 sin 2 ) )", "if 0 2 3 )", "norm 3 )", "4"],
     ["norm 1 2 3 )", "max 3 )", "sin )"])])
def test_as_many_arguments_as_items(f, accepted, raises) -> None:
    derivative = value_and_grad(f)
    for how in accepted:
        agrees(f, 1.3, how, derivative=derivative)
        assert jvp(f, (1.3, how), (1.0, None))[1] == pytest.approx(derivative(1.3, how)[1], rel=1e-12)
    for how in raises:
        agrees(f, 1.3, how, derivative=derivative)
    agrees_in_second_order(f, 1.3, accepted[0])


program = Programs()
COUNTS = [([1.5, 0.7], n) for n in (3, 0, 1, 2, 6)]


def items(x, n):
    return [x[0] + i for i in range(n) if i != 2]


def product(a, *bs):
    for b in bs:
        a = a * b
    return a


def scaled(a, *bs, scale=1.0):
    return scale * (a + sum(bs))


class Linear:
    def __init__(self, k, *rest):
        self.k, self.rest = k, rest

    def at(self, *args):
        return self.k * sum(args)

    def by_two(self, a, b):
        return self.k * a / b

    def __call__(self, a, *args):
        return self.k * sum(args) + a

    def nested(self, *args):
        return args[0] * self.nested(*args[1:]) if len(args) > 0 else self.k

    @classmethod
    def of(cls, k, *rest):
        return cls(k, *rest).total()

    def total(self):
        s = self.k
        for r in self.rest:
            s = s * 0.5 + r
        return s


OUTSIDE = Linear(2.0)


@program(*COUNTS[:4])
def behind_an_argument(x, n):
    return product(x[1], *items(x, n)) + area(x[1], *items(x, n)[:1])


@program(*COUNTS)
def before_an_argument(x, n):
    return product(*items(x, n), x[1]) + product(x[1], *items(x, n), *items(x, n))


@program(*COUNTS)
def with_keywords(x, n):
    return scaled(x[1], *items(x, n), scale=x[0])


@program(*COUNTS)
def of_methods(x, n):
    o = Linear(x[1])
    return o.at(*items(x, n)) + o(x[0], *items(x, n)) + OUTSIDE.at(*items(x, n)) + Linear.of(x[1], *items(x, n))


@program(*COUNTS[:4])
def of_a_method_of_two(x, n):
    return Linear(x[1]).by_two(*items(x, n))


@program(*COUNTS)
def recursive(x, n):
    return Linear(x[1]).nested(*items(x, n))


@program(*COUNTS)
def of_a_class(x, n):
    return Linear(x[1], *items(x, n)).total()


@program(*COUNTS)
def of_generators(x, n):
    def multiples(a, *bs):
        yield a
        for b in bs:
            yield a * b

    return sum(multiples(x[1], *items(x, n))) + product(x[1], *(2.0 * v for v in items(x, n)))


@program(*COUNTS)
def of_a_list_that_grows(x, n):
    a = items(x, n)

    def f(k, *bs, s=1.0):
        a.append(x[1])
        return k * sum(bs) * s

    return f(2.0, *a, s=x[1]) + sum(a)


@program(*COUNTS)
def of_tuples(x, n):
    def moment(*points):
        s = 0.0
        for a, b in points:
            s += a * b
        return s

    return moment((x[1], 1.0), *[(v, i) for i, v in enumerate(items(x, n))])


@program(*COUNTS)
def of_arrays(x, n):
    return np.sum(product(np.array(x), *[np.array([v, 2.0 * v]) for v in items(x, n)]))


@program(*COUNTS)
def handed_on(x, n):
    def outer(a, *bs):
        return a * inner(*bs)

    def inner(*cs):
        return sum(cs) + len(cs)

    return outer(x[1], *items(x, n))


@program(*COUNTS)
def of_a_partial(x, n):
    return functools.partial(product, x[1])(*items(x, n))


@program(*COUNTS[:4])
def of_a_ufunc(x, n):
    return np.arctan2(*items(x, n)) * x[1]


@program(*COUNTS)
def norms(x, n):
    return math.hypot(*items(x, n)) * math.hypot(x[1], *items(x, n)) + math.hypot(*[i for i in range(n) if i != 1])


@program(*COUNTS)
def extrema(x, n):
    return max(x[1], *items(x, n)) + min(*items(x, n), x[1], 0.5) + max(x[1], *items(x, n), key=lambda v: -v)


@program(*COUNTS)
def chains(x, n):
    return sum(itertools.chain([x[1]], *[[v, v * v] for v in items(x, n)]))


@program(([1.5, 0.7], [("neg", 1), ("add", 2)]), ([1.5, 0.7], [("neg", 1), ("hypot", 2)]), ([1.5, 0.7], []))
def stack_machine(x, code):
    stack = [x[0]]
    for name, k in code:
        args = [stack.pop() for _ in range(k)]
        stack.append(OPERATIONS[name](*args))
        stack.append(x[1])
    return sum(stack)


OPERATIONS = {"add": lambda a, b: a + b, "hypot": math.hypot, "neg": lambda a: -a}


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: v.__name__ if callable(v) else "")
def test_starred_lists_among_other_arguments(f, calls) -> None:
    agrees_in_every_mode(f, calls)


def test_one_compiled_function_serves_all_numbers_of_items() -> None:
    derivative = value_and_grad(with_keywords)
    for args in COUNTS:
        derivative(*args)
    assert "for" in derivative.source and derivative.source.count("\n") < 40


def test_a_function_that_is_not_read_is_refused_with_the_number_of_items() -> None:
    def f(x, n):
        return x * len("{} {} {}".format(*[str(i) for i in range(n)]))

    refuses(f, 1.3, 3, code="SCT505")
