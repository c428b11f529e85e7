"""Objects of the arguments are compared by identity, and written in the lists that hold them, as Python does it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import SctError, grad, value_and_grad


@dataclass
class Body:
    m: float
    r: float
    v: float


def bodies(n: int) -> list[Body]:
    rng = np.random.default_rng(n)
    return [Body(1.0 + k, float(rng.normal()), float(rng.normal())) for k in range(n)]


def attraction(dt, bodies, steps):
    for _ in range(steps):
        for b in bodies:
            a = 0.0
            for other in bodies:
                if other is not b:
                    d = other.r - b.r
                    a += other.m * d / (d * d + 0.1) ** 1.5
            b.v = b.v + dt * a
        for b in bodies:
            b.r = b.r + dt * b.v
    return sum(0.5 * b.m * b.v**2 for b in bodies)


def masses(dt, bodies):
    for b in bodies:
        b.m *= dt
    for b in bodies[1:]:
        b.m += bodies[0].m
    return sum(b.m**2 for b in bodies)


def scaled(dt, bodies):
    for b in bodies:
        b.m *= dt
        b.v = b.m * b.r
    return sum(b.v**2 for b in bodies)


def either(k, a, b):
    return k * a.m if a is b else 10.0 * k * b.m


def pairs(k, bodies):
    total = 0.0
    for p in bodies:
        for q in bodies:
            total += k * p.m if p is q else k * k * p.m * q.m
    return total


def member(k, bodies, one):
    return k * sum(b.m for b in bodies if b is one)


def lists(k, a, b):
    return k * (2.0 if a[0] is b[0] else 3.0)


ONE, TWO = bodies(2)
FEW, MANY = bodies(3), bodies(6)
ROW = [1.0, 2.0]


@pytest.mark.parametrize("f, args", [
    (attraction, (FEW, 3)), (attraction, (MANY, 2)), (masses, (FEW,)), (masses, (MANY,)), (scaled, (MANY,)),
    (either, (ONE, ONE)), (either, (ONE, TWO)), (pairs, (FEW,)), (pairs, (MANY,)), (pairs, ([ONE, ONE],)),
    (member, (FEW, FEW[1])), (member, (FEW, ONE)), (lists, ([ROW], [ROW])), (lists, ([ROW], [[1.0, 2.0]]))])
def test_as_python_does_it(f, args):
    agrees(f, 0.3, *args)


def test_each_call_asks_again():
    derivative = value_and_grad(either)
    for a, b in ((ONE, TWO), (ONE, ONE), (TWO, ONE), (TWO, TWO)):
        assert derivative(0.3, a, b)[0] == either(0.3, a, b)
    derivative = value_and_grad(pairs)
    for args in (MANY, bodies(6), [*MANY[:5], MANY[0]]):
        assert derivative(0.3, args)[0] == pairs(0.3, args)


def nested(x):
    one = Body(x, 0.0, 0.0)
    return grad(either)(2.0, one, one)



@pytest.mark.parametrize("f", [nested])
def test_in_a_derivative_in_the_function(f):
    assert value_and_grad(f)(3.0) == (f(3.0), 1.0) == (3.0, 1.0)


def test_what_is_one_object_is_not_differentiated_by():
    with pytest.raises(SctError, match="SCT305"):
        grad(either, 1)(0.3, ONE, ONE)


@pytest.mark.parametrize("f", [scaled, pairs])
def test_the_code_does_not_grow_with_the_list(f: Any):
    lengths = set()
    for n in (6, 40):
        derivative = value_and_grad(f)
        derivative(0.3, bodies(n))
        lengths.add(len(derivative.source))
    assert len(lengths) == 1


def test_the_callers_objects_stay_as_they_are():
    before = copy.deepcopy(MANY)
    value_and_grad(masses, argnums=(0, 1))(0.3, MANY)
    assert before == MANY
