"""Methods of objects that Python makes: static and class methods, `super`, methods that builtins call."""

import functools
import json

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import SctError, check_grads, value_and_grad

X = np.array([0.5, 0.7, -0.3])
TREES = ('{"i": 0, "kids": [{"i": 1}, {"i": 2}, {"i": 0, "kids": [{"i": 1}]}]}', '{"i": 2, "kids": [{"i": 1}]}')


class Node:
    factor = 1.5

    def __init__(self, d):
        self.kids, self.i, self.w = d.get("kids", []), d["i"], 0.5

    @staticmethod
    def square(v):
        return v * v

    @classmethod
    def scaled(cls, v):
        return v * cls.factor

    @classmethod
    def named(cls, v):
        return cls.scaled(v) * len(cls.__name__)

    def base(self, x):
        return x[self.i] * self.w

    def value(self, x):
        return sum([kid.value(x) for kid in self.kids]) * x[self.i]

    def weighted(self, v):
        return v * v * self.w


class Leaf(Node):
    factor = 2.5

    def base(self, x):
        return super().base(x) * 2.0

    def value(self, x):
        return super().base(x) * self.square(x[0]) + super(Leaf, self).scaled(x[1])

    @staticmethod
    def square(v):
        return v * v * v


class Last(Leaf):
    @classmethod
    def scaled(cls, v):
        return super().scaled(v) + 1.0

    def base(self, x):
        return super().base(x) + x[0]


def node_of(d):
    return (Node if "kids" in d else Last if d["i"] == 2 else Leaf)(d)


def load(text):
    return json.loads(text, object_hook=node_of)


def static_methods(x, text):
    total = load(text).square(x[0])
    for kid in load(text).kids:
        total += kid.square(x[kid.i])
    return total


def class_methods(x, text):
    return load(text).scaled(x[1]) + sum([kid.named(x[kid.i] * x[0]) for kid in load(text).kids])


def methods_behind_super(x, text):
    return load(text).value(x) + sum([kid.base(x) ** 2 for kid in load(text).kids])


def passed_to_builtins(x, text):
    node = load(text)
    largest = max(node.kids, key=lambda kid: kid.i)
    return sum(map(node.weighted, [x[0], x[1] * 2.0])) + sum(map(node.square, x)) + x[largest.i] + max(
        map(lambda kid: kid.base(x), node.kids)) * functools.reduce(lambda a, kid: a + kid.i, node.kids, 1)


def classes_compared(x, text):
    def visit(node):
        if type(node) is Leaf or type(node) == Last:  # noqa: E721
            return x[node.i] ** 2
        if node.__class__ is Node and type(node) not in (int, float):
            return sum([visit(kid) for kid in node.kids]) * x[node.i] + (type(node.i) is int)
        return 0.0

    return visit(load(text)) * 1.0


@pytest.mark.parametrize("f", [
    static_methods, class_methods, methods_behind_super, passed_to_builtins, classes_compared])
def test_methods(f):
    for text in TREES:
        agrees(f, X, text)
        agrees_in_second_order(f, X, text)
    check_grads(f, (X, TREES[0]), order=2)


class Other(Leaf):
    @staticmethod
    def square(v):
        return v + 1.0

    @classmethod
    def scaled(cls, v):
        return v - 1.0

    def base(self, x):
        return x[2]


def of_kind(d):
    return (Other if d.get("other") else node_of)(d)


@pytest.mark.parametrize("read", [
    lambda node, x: node.square(x[0]), lambda node, x: node.scaled(x[0]), lambda node, x: node.base(x),
    lambda node, x: x[0] if type(node) is Leaf else x[1]])
def test_a_class_that_was_not_observed(read):
    def f(x, text):
        return read(json.loads(text, object_hook=of_kind), x) * 1.0

    derivative = value_and_grad(f)
    for text in ('{"i": 1}', '{"i": 1, "other": 1}', '{"i": 2}', '{"i": 1, "kids": []}'):
        try:
            value, gradient = derivative(X, text)
        except SctError:
            continue
        assert value == f(X, text)
        np.testing.assert_allclose(gradient, [(f(X + e, text) - f(X - e, text)) / 2e-6 for e in np.eye(3) * 1e-6],
                                   rtol=1e-6, atol=1e-8)
        agrees(f, X, text)


def test_an_attribute_in_the_place_of_a_static_method():
    def hidden(d):
        node = Leaf(d)
        if "hides" in d:
            node.square = lambda v: 7.0 * v
        return node

    def f(x, text):
        return json.loads(text, object_hook=hidden).square(x)

    derivative = value_and_grad(f)
    assert derivative(1.5, '{"i": 1}')[1] == pytest.approx(3.0 * 1.5 ** 2)
    with pytest.raises(SctError):
        derivative(1.5, '{"i": 1, "hides": 1}')
