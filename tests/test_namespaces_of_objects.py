"""`o.__dict__` and `vars(o)`: a dict that is the object itself, also where both are written.

Each program has the value of the plain call, with validation and without, and the gradient of differences.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.oracle import Programs, agrees_in_every_mode, refuses

program = Programs()


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Bag:
    scale = 2.0

    def __init__(self, **values):
        self.__dict__.update(values)

    def changed(self, **values):
        other = Bag(**self.__dict__)
        other.__dict__.update(values)
        return other

    def norm(self):
        return self.__dict__.setdefault("_norm", math.sqrt(self.a * self.a + self.b * self.b))

    def product(self):
        if "_product" not in self.__dict__:
            self.__dict__["_product"] = self.a * self.b
        return self._product

    def __eq__(self, other):
        return vars(self) == vars(other)


class Guarded:
    @property
    def level(self):
        return self.__dict__["level"] * 2.0

    @level.setter
    def level(self, value):
        self.__dict__["level"] = value + 1.0


X = ([1.5, 0.7], 3), ([0.4, -1.3], 5)


@program(*X)
def read_after_a_write_of_the_attribute(x, n):
    p = Pair(x[0], x[1])
    d = vars(p)
    p.a = p.a * 2.0
    p.c = x[1]
    return d["a"] * d["c"]


@program(*X)
def read_in_a_loop(x, n):
    p, s = Pair(x[0], x[1]), 0.0
    d = p.__dict__
    for _ in range(n):
        p.a = p.a * x[1]
        s += d["a"]
        d["b"] = d["b"] + p.a
    return s * p.b


@program(*X)
def made_of_keywords(x, n):
    bag = Bag(a=x[0], b=x[1])
    other = bag.changed(b=x[1] * n, c=x[0])
    return bag.norm() * bag.norm() + other.product() * other.product() * other.c + bag.b * bag.scale


@program(*X)
def scale_of_the_class_or_its_own(x, n):
    bag, other = Bag(a=x[0]), Bag(a=x[1], scale=x[0])
    if n > 3:
        vars(bag)["scale"] = x[1]
        return bag.a * bag.scale + other.scale
    return bag.a * bag.scale * other.scale


@program(*X)
def deleted(x, n):
    p = Pair(x[0], x[1])
    d = vars(p)
    del p.a
    s = d.pop("b") * 3.0
    return s + len(d) + getattr(p, "a", x[0] * 2.0) + (0.0 if hasattr(p, "b") else x[1])


@program(*X)
def by_names(x, n):
    p, s = Pair(x[0], x[1]), 0.0
    for name in ("a", "b", "a"):
        vars(p)[name] *= x[1]
        s += getattr(p, name)
    for name, value in vars(p).items():
        s = s * 2.0 + value * len(name)
    return s


@program(*X)
def a_view_of_each_object(x, n):
    s = 0.0
    for k in range(n):
        p = Pair(x[0] * k, x[1])
        d = vars(p)
        p.a *= 3.0
        d["b"] += p.a
        s += p.b * d["a"]
    return s


@program(*X)
def a_view_of_the_last_object(x, n):
    p = Pair(x[0], x[1])
    d, s = vars(p), 0.0
    for k in range(n):
        s += d["a"] * p.b
        p = Pair(p.b, d["a"] + k)
        d = vars(p)
        p.a *= 2.0
    return s + p.a * d["b"]


@program(*X)
def copies_are_apart(x, n):
    p = Pair(x[0], x[1])
    copies = [dict(vars(p)), vars(p).copy(), {**vars(p)}, copy.copy(vars(p))]
    for one in copies:
        one["a"] = 5.0 * x[1]
        one["z"] = x[0]
    return p.a * len(vars(p)) + copies[1]["a"] * copies[3]["b"]


@program(*X)
def set_in_branches(x, n):
    p = Pair(x[0], x[1])
    d = vars(p)
    if n > 3:
        d["a"] = x[1] * 2.0
    else:
        p.b = x[0] * x[0]
    return d["a"] * d["b"] + p.a


@program(*X)
def updated(x, n):
    p = SimpleNamespace(a=x[0])
    d = p.__dict__
    d |= {"b": x[1]}
    d.update(c=x[0] * x[1], a=2.0 * x[0])
    vars(p).setdefault("a", 7.0)
    return p.a * p.b + p.c ** 2


@program(*X)
def under_a_property(x, n):
    g = Guarded()
    g.level = x[0]
    g.__dict__["level"] *= x[1]
    return g.level ** 2


@program(*X)
def compared(x, n):
    p, q = Bag(a=x[0], b=n), Bag(a=x[0], b=3)
    return x[0] * x[1] if p == q else x[0]


@program(([1.5, 0.7, 0.1], 3), ([0.4, -1.3, 0.2], 2))
def an_array(x, n):
    p = Pair(np.array(x), x[1])
    d = vars(p)
    d["a"][0] += x[2]
    p.a[1] *= 2.0
    d["a"] = d["a"] * n
    return np.sum(p.a * d["a"])


@program(*X)
def one_in_a_list(x, n):
    ps = [Pair(x[0] * (k + 1), x[1]) for k in range(n)]
    for p in ps:
        d = vars(p)
        d["a"] = d["a"] + p.b
        p.b = p.b * 2.0
    return sum(vars(p)["a"] * p.b for p in ps)


def keys_in_order(x, n):
    p = Bag()
    if n > 3:
        p.u = x[0]
        p.v = x[1]
    else:
        p.v = x[0]
        p.u = x[1]
    s = 0.0
    for value in vars(p).values():
        s = s * 3.0 + value
    return s


def a_new_key_after_a_branch(x, n):
    p = Bag()
    if n > 3:
        p.u = x[0]
    p.v = x[1]
    p.u = x[0] * x[1]
    return sum(value * (k + 1) for k, value in enumerate(vars(p).values()))


def in_either_order(x, k):
    p = Bag()
    if k % 2 == 0:
        p.u = x[0] * k
        p.v = x[1]
    else:
        p.v = x[0]
        p.u = x[1] * k
    return p


def order_in_a_list(x, n):
    bags, s = [in_either_order(x, k) for k in range(n)], 0.0
    for p in bags:
        for value in vars(p).values():
            s = s * 1.5 + value
    return s


@program(*X)
def in_a_list_by_names(x, n):
    bags, s = [in_either_order(x, k) for k in range(n)], 0.0
    for p in bags:
        p.u *= 2.0
        s = s * 1.5 + p.u * p.v
    return s


def order_in_a_loop(x, n):
    p, s = Bag(u=x[0], v=x[1]), 0.0
    for _ in range(n):
        s = s * 2.0 + [*vars(p).values()][0]
        if s > x[1]:
            value = p.__dict__.pop("u")
            p.u = value
    return s


def a_key_of_one_path(x, n):
    p = Bag()
    d = vars(p)
    if n > 3:
        p.u = x[0]
    return d.get("u", x[1])


def written_after_a_branch(x, n):
    p = Bag(v=x[1])
    d = vars(p)
    if n > 3:
        p.u = x[0]
    del d["u"]
    return p.v


def through_one_of_two_names(x, n):
    p = Pair(x[0], x[1])
    d = vars(p) if n > 3 else vars(Pair(x[1], x[0]))
    p.a *= 3.0
    return d["a"]


def slots_and_a_dict(x, n):
    return vars(Mixed(x[0]))["b"] * x[1]


class WithSlots:
    __slots__ = ("a",)


class Mixed(WithSlots):
    def __init__(self, b):
        self.a, self.b = 1.0, b


@pytest.mark.parametrize(("f", "code"), [
    (keys_in_order, "SCT503"), (a_new_key_after_a_branch, "SCT503"), (order_in_a_loop, "SCT503"),
    (order_in_a_list, "SCT503"),
    (a_key_of_one_path, "SCT503"), (written_after_a_branch, "SCT503"),
    (slots_and_a_dict, "SCT206")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    for args in X:
        refuses(f, *args, code=code)


test_programs = program.test()


def test_a_namespace_that_the_path_chooses() -> None:
    agrees_in_every_mode(through_one_of_two_names, [([0.7, 1.2], 2), ([0.7, 1.2], 5)])
