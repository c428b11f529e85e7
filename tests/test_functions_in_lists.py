"""Lists of functions whose length is known only at run time: what they hold by defaults, of calls that have returned,
and as arguments of partials, has columns; other variables are read when they are called."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import grad, value_and_grad

program = Programs()
X = [1.3, 0.7]
CALLS = (X, 12), (X, 30), (X, 0)


@program(*CALLS)
def defaults(x, n):
    terms = []
    for i in range(n):
        a = x[i % 2]
        terms.append(lambda z, a=a: a * z)
    return sum(t(x[0]) for t in terms) * x[1]


@program(*CALLS)
def layers(x, n):
    functions = []
    for i in range(n):
        def layer(h, w=x[0] * i, *, b=0.1 * i):
            return math.tanh(w * h + b)
        functions.append(layer)
    h = x[1]
    for f in functions:
        h = f(h)
    for f in reversed(functions):
        h = h + 0.1 * f(h, b=x[0])
    return h + sum(f(x[1]) for f in functions[2:5])


@program(*CALLS)
def partials(x, n):
    steps = []
    for i in range(n):
        steps.append((i, functools.partial(lambda a, z, k=1.0: math.sin(a * z + k), x[0], k=x[1] * i)))
    v = x[0]
    for weight, step in steps:
        v = v + 0.01 * weight * step(v)
    return v


@program(*CALLS)
def of_calls_that_have_returned(x, n):
    def scaled(a):
        b = a * x[1]
        def f(z):
            return a * z + b
        return f

    def product(a):
        def of(j):
            return lambda z: a * j * z
        return of

    functions = []
    for i in range(n):
        functions.append(scaled(x[0] * i))
    others = [product(x[0] * i)(i) for i in range(n)]
    return sum(f(x[1]) for f in functions) + sum(f(x[0]) for f in others)


@program(*CALLS)
def put_in_by_a_call(x, n):
    functions = []

    def register(a):
        twice = 2.0 * a
        functions.append(lambda z: twice * z + a)

    for i in range(n):
        register(x[0] * i)
    return sum(f(x[1]) for f in functions)


@program((X, 12), (X, 30))
def variables_are_read_when_called(x, n):
    functions, b = [], x[0]
    for i in range(n):
        a = x[1] * i
        functions.append(lambda z, i=i: a * z + b * i)
    first = functions[2](x[0])
    b = 3.0 * x[1]
    a = a * x[0]
    return first + sum(f(x[0]) for f in functions)


@program(*CALLS)
def variables_of_a_comprehension(x, n):
    k = x[0]
    late = [lambda z: k * z for k in range(n)]
    own = [lambda z, k=k: k * z for k in range(n)]
    return sum(f(x[1]) for f in late) + sum(f(x[1]) for f in own) + k


class Term:
    def __init__(self, a):
        self.a = a

    def value(self, z):
        return self.a * z


@program(*CALLS)
def of_objects(x, n):
    methods, functions = [], []
    for i in range(n):
        t = Term(x[0] * i)
        methods.append(Term(x[1] * i).value)
        functions.append(lambda z, t=t, c=[x[0], i]: t.a * z + c[1] * c[0])
    return sum(m(x[0]) for m in methods) + sum(f(x[1]) for f in functions)


@program((X, 12), (X, 30))
def arranged(x, n):
    functions = []
    for i in range(n):
        functions.append(lambda z, i=i: math.sin(i * z * x[0]))
        if i > 20 and functions[-1](x[1]) > 0.9:
            break
    functions.sort(key=lambda f: -f(x[1]))
    best = max(functions, key=lambda f: f(x[0]))
    total = best(x[1]) + functions[0](x[0]) * len(functions)
    while len(functions) > 5:
        total += functions.pop()(x[1])
    return total + sum(w * f(x[0]) for w, f in enumerate(functions))


@program(*CALLS)
def without_parts(x, n):
    functions = []
    for _ in range(n):
        functions.append(lambda z: z * x[0])
    return sum(f(x[1]) for f in functions) + len(functions) * x[0]


@program(*CALLS)
def put_in_by_recursion(x, n):
    a = x[0]

    def collected(k, functions):
        if k == 0:
            return functions
        functions.append(lambda z, k=k: k * z * a)
        return collected(k - 1, functions)

    return sum(f(x[1]) for f in collected(n, []))


@pytest.mark.parametrize(("f", "calls"), [pytest.param(f, calls, id=f.__name__) for f, calls in program])
def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def derivatives(x: float, n: int) -> Any:
    functions = []
    for i in range(n):
        functions.append(lambda z, i=i: i * z * z * x)
    return sum(grad(f)(x) for f in functions)


def arrays(x: float, n: int) -> Any:
    functions = []
    for i in range(n):
        w = np.array([x * i, 1.0])
        functions.append(lambda z, w=w: float(w @ z))
    return sum(f(np.array([x, 2.0])) for f in functions)


def out_of_range(x: float, n: int) -> Any:
    functions = []
    for _ in range(n):
        functions.append(lambda z: z * x)
    return functions[n](x)


def several_calls(x: float, n: int) -> Any:
    def terms(k: float) -> Any:
        out = []
        b = k
        for j in range(20):
            b = b + x
            out.append(lambda z, j=j: b * j * z)
        return out

    functions = []
    for k in range(n):
        functions.extend(terms(x * k))
    return sum(f(x) for f in functions)


@pytest.mark.parametrize("f", [derivatives, arrays, out_of_range, several_calls])
def test_numbers(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 12)


def counters(x: float, n: int) -> Any:
    def counter(a: float) -> Any:
        c = a

        def more(v: float) -> float:
            nonlocal c
            c += v
            return c
        return more

    functions = []
    for i in range(n):
        functions.append(counter(x * i))
    return functions[0](1.0) + functions[0](2.0)


def of_a_generator(x: float, n: int) -> Any:
    def each() -> Any:
        for k in range(n):
            yield lambda z: k * z

    functions = []
    for f in each():
        functions.append(f)
    return sum(f(x) for f in functions)


def changed_later(x: float, n: int) -> Any:
    functions = []

    def register(a: float) -> None:
        functions.append(lambda z: a * z)
        a = a + 1.0

    for i in range(n):
        register(x * i)
    return sum(f(x) for f in functions)


def written_later(x: float, n: int) -> Any:
    functions = []
    for i in range(n):
        c = [x * i, 1.0]
        functions.append(lambda z, c=c: c[0] * z + c[1])
        c[0] = 100.0
    return sum(f(x) for f in functions)


@pytest.mark.parametrize(("f", "code"), [
    (counters, "SCT310"), (of_a_generator, "SCT310"), (changed_later, "SCT310"), (written_later, "SCT307")])
def test_what_changes_later_is_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, 1.3, 12, code=code)


def result(x: float, n: int) -> Any:
    functions = []
    for i in range(n):
        functions.append(lambda z, i=i: i * z * x)
    return functions


def test_functions_are_no_result() -> None:
    refuses(result, 1.3, 12, code="SCT503")


def test_the_code_does_not_grow() -> None:
    derivative = value_and_grad(defaults)
    for n in (9, 12, 30):
        derivative(X, n)
    assert len(derivative.sources) == 1
