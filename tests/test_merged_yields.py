"""Loops over generators in one another: the body of each stands in the program few times, whatever the `yield`s."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import value_and_grad


def seven(x, c):
    yield x
    b = x * 0.5
    yield b
    if c > 1.0:
        yield b * c
    d = b + x
    yield d
    yield d * b
    if c > 0.0:
        yield -x
    else:
        b = b + 1.0
        yield b
    yield 0.25


def nested(x):
    s = 0.0
    for u in seven(x[0], x[1]):
        for v in seven(u, x[1]):
            for w in seven(v, x[2]):
                if w > 1.0:
                    break
                s += u * v * w
            else:
                s *= 1.01
            if s > 50.0:
                return s
    return s


def named(x):
    yield "a", x
    yield "b", x * 2.0
    yield "c", x * 3.0
    yield "a", x * 4.0


def with_texts(x):
    d = {"a": 0.0, "b": 1.0, "c": 2.0}
    for k, v in named(x[0]):
        for j, w in named(v):
            for i, z in named(w):
                d[k] += v * w
                d[j] *= 1.01
                d[i] += z
    return d["a"] * d["b"] + d["c"]


def shapes(x):
    yield x
    yield np.ones(3) * x
    yield x * 2.0
    yield np.ones(2) * x


def of_shapes(x):
    s = 0.0
    for a in shapes(x[0]):
        for b in shapes(x[1]):
            for c in shapes(x[0]):
                s += np.sum(a) * np.sum(b) * np.sum(c)
    return s


def written(y):
    yield y[0]
    y[0] = y[0] * 0.9
    yield y[2]
    y = y * 2.0
    yield y[1]
    y[1] = 3.0
    yield y[1] + y[0]
    yield 3.0


def writes_between(x):
    s = 0.0
    for a in written(x):
        for b in written(x):
            s += 0.01 * math.tanh(a * b)
            x[2] += s * 1e-3
            if s > 0.02:
                x[1] *= 0.9
                s = s * 0.1
                continue
            for c in written(x):
                s += c * 0.01
    return s + np.sum(x)


@pytest.mark.parametrize("f", [nested, with_texts, of_shapes, writes_between])
def test_yields_in_nested_loops(f) -> None:
    g = value_and_grad(f)
    for x in (np.array([0.7, 0.5, 1.1]), np.array([-0.4, 1.5, -0.3])):
        agrees(f, x)
        assert g(x.copy())[0] == f(x.copy())


def test_the_source_does_not_grow_with_the_product_of_the_yields() -> None:
    g = value_and_grad(nested)
    g(np.array([0.7, 0.5, 1.1]))
    assert len(g.source.splitlines()) < 600


def many(x, n):
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


def too_many(x):
    s = 0.0
    for a in many(x, 4):
        for b in many(a, 4):
            for c in many(b, 4):
                for d in many(c, 4):
                    s += math.sin(d)
                    s *= 0.5
    return s


def fewer(x):
    s = 0.0
    for a in many(x, 4):
        for b in np.array(list(many(a, 4))):
            for c in np.array(list(many(b, 4))):
                for d in many(c, 4):
                    s += math.sin(d)
                    s *= 0.5
    return s


def test_too_many_copies_are_refused() -> None:
    refuses(too_many, 0.3, code="SCT503")


def test_the_items_may_be_an_array() -> None:
    value, slope = value_and_grad(fewer)(0.3)
    assert value == fewer(0.3)
    assert slope == pytest.approx((fewer(0.3 + 1e-6) - fewer(0.3 - 1e-6)) / 2e-6, rel=1e-5)
