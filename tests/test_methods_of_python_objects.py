"""Methods of objects that Python makes, called with differentiated numbers: composite trees."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import SctError, check_grads, grad, value_and_grad

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|([a-z]+)|(.))")


class Number:
    def __init__(self, value):
        self.value = value

    def eval(self, env):
        return self.value


class Variable:
    def __init__(self, name):
        self.name = name

    def eval(self, env):
        return env[self.name]


class Pair:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def eval(self, env):
        return self.joined(self.left.eval(env), self.right.eval(env))


class Sum(Pair):
    def joined(self, a, b):
        return a + b


class Product(Pair):
    def joined(self, a, b):
        return a * b


class Sine:
    def __init__(self, of):
        self.of = of

    def eval(self, env):
        return math.sin(self.of.eval(env))


class Parser:
    """A formula in prefix notation, by a regular expression."""

    def __init__(self, text):
        self.tokens = [match.groups() for match in TOKEN.finditer(text)]
        self.at = 0

    def tree(self):
        number, name, sign = self.tokens[self.at]
        self.at += 1
        if number is not None:
            return Number(float(number))
        if name == "sin":
            return Sine(self.tree())
        if name is not None:
            return Variable(name)
        left = self.tree()
        return (Sum if sign == "+" else Product)(left, self.tree())


TEXTS = ["+ * a sin * 2.0 b + a * b 3.0", "* a + b 1.5", "sin a", "+ sin + a sin * b b * 0.5 sin sin a"]


def of_formula(text: str) -> Callable[[Any, Any], Any]:
    def f(a, b):
        tree = Parser(text).tree()
        total = 0.0
        for scale in np.linspace(0.5, 1.5, 6):
            total = total + tree.eval({"a": a * scale, "b": b}) ** 2
        return total
    return f


@pytest.mark.parametrize("text", TEXTS)
def test_a_tree_that_python_makes(text: str) -> None:
    f = of_formula(text)
    if "b" in text:
        agrees(f, 1.3, 0.7)
        check_grads(f, (1.3, 0.7), order=2)
    else:
        agrees(lambda a: f(a, 0.7), 1.3)


def of_text(a, b, text):
    return Parser(text).tree().eval({"a": a, "b": b})


def test_another_tree_in_each_call() -> None:
    derivative = value_and_grad(of_text, (0, 1))
    for text in (*TEXTS, *TEXTS[::-1]):
        value, slopes = derivative(1.3, 0.7, text)
        assert value == of_text(1.3, 0.7, text)
        np.testing.assert_allclose(slopes, [
            (of_text(1.3 + 1e-6, 0.7, text) - of_text(1.3 - 1e-6, 0.7, text)) / 2e-6,
            (of_text(1.3, 0.7 + 1e-6, text) - of_text(1.3, 0.7 - 1e-6, text)) / 2e-6], rtol=1e-7, atol=1e-9)


class Layer:
    def __init__(self, width):
        self.width = width

    def apply(self, x, p):
        return np.tanh(x * p) / self.width


class Shift(Layer):
    def apply(self, x, p):
        return x + p * self.width


class Twice(Layer):
    def apply(self, x, p):
        return super().apply(super().apply(x, p), p)


def pipeline(text):
    kinds = {"layer": Layer, "shift": Shift, "twice": Twice}
    words = sorted(set(re.findall(r"(\w+)=(\d+)", text)))
    return {name: kinds[name](int(width)) for name, width in words}


def through(x, p):
    stages = pipeline(CONFIG)
    for name in sorted(stages):
        x = stages[name].apply(x, p)
    return np.sum(x ** 2)


CONFIG = "layer=2 shift=3 twice=4"


def test_layers_of_several_classes() -> None:
    x = np.array([0.3, -1.2, 0.8])
    agrees(through, x, 0.7)
    check_grads(through, (x, 0.7), order=2)


def node_of(parts):
    """An object of a JSON text, which may hide a method of its class."""
    if "name" in parts:
        node = Variable(parts["name"])
    elif "value" in parts:
        node = Number(parts["value"])
    else:
        node = Sum(parts["left"], parts["right"])
    if "hides" in parts:
        node.eval = lambda env: 5.0 * env["a"]
    return node


def of_json(a, text):
    return json.loads(text, object_hook=node_of).eval({"a": a, "b": a}) * a


def handled(a, text):
    try:
        return of_json(a, text)
    except AttributeError:
        return a


PLAIN = '{"left": {"name": "a"}, "right": {"value": 2.0}}'


@pytest.mark.parametrize("f", [of_json, handled])
@pytest.mark.parametrize("hiding", ['{"left": {"name": "a", "hides": 1}, "right": {"value": 2.0}}',
                                    '{"name": "a", "hides": 1}'])
def test_an_attribute_in_the_place_of_a_method_is_refused(f: Callable[..., Any], hiding: str) -> None:
    derivative = value_and_grad(f)
    for _ in range(2):
        value, slope = derivative(1.3, PLAIN)
        assert value == of_json(1.3, PLAIN)
        assert abs(slope - (2.0 * 1.3 + 2.0)) < 1e-12
        for each in (derivative, value_and_grad(f)):
            with pytest.raises(SctError):
                each(1.3, hiding)


def test_methods_are_told_apart_by_their_functions() -> None:
    derivative = grad(of_formula(TEXTS[1]))
    derivative(1.3, 0.7)
    assert "Pair.eval" in derivative.source


class Saver(Number):
    def save(self, path):
        raise AssertionError(path)

    def compile(self, env):
        return env["a"] * self.value


def test_own_methods_with_names_of_builtins() -> None:
    f = lambda a: Saver(float(re.sub("x", "", "2x.5"))).compile({"a": a}) + len(Parser("+ a b").tokens)
    agrees(f, 1.3)
