"""Methods that the class of an object chooses: `getattr(self, "visit_" + name)`, and tables by class."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import check_grads, grad, value_and_grad


class Node(Protocol):
    """The class of all nodes, which has a metaclass."""


@dataclass
class Num(Node):
    value: float


@dataclass
class Var(Node):
    name: str


@dataclass
class Op(Node):
    sign: str
    left: Any
    right: Any


@dataclass
class Call(Node):
    name: str
    of: Any


@dataclass
class Unknown:
    name: str


def parsed(tokens: list[str]) -> Any:
    """The tree of a formula in prefix notation."""
    token = tokens.pop(0)
    if token in "+-*/":
        left = parsed(tokens)
        return Op(token, left, parsed(tokens))
    if token in ("sin", "exp"):
        return Call(token, parsed(tokens))
    if token == "?":
        return Unknown(token)
    return Num(float(token)) if token[0].isdigit() else Var(token)


TREE = parsed("+ * a sin * 2.0 b / exp a + b 3.0".split())
FUNCTIONS = {"sin": math.sin, "exp": math.exp}


class Formula:
    def __init__(self, values):
        self.values = values

    def visit_Num(self, node):
        return node.value

    def visit_Var(self, node):
        return self.values[node.name]

    def visit_Op(self, node):
        a, b = self.visit(node.left), self.visit(node.right)
        return a + b if node.sign == "+" else a - b if node.sign == "-" else a * b if node.sign == "*" else a / b

    def visit_Call(self, node):
        return FUNCTIONS[node.name](self.visit(node.of))


class ByName(Formula):
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)


class ByFormat(Formula):
    def visit(self, node):
        method = f"visit_{node.__class__.__name__}"
        return getattr(self, method)(node)


class WithDefault(Formula):
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__, self.other)(node)

    def other(self, node):
        return self.values["b"] ** 2


class Asked(Formula):
    def visit(self, node):
        name = "visit_" + type(node).__name__
        return getattr(self, name)(node) if hasattr(self, name) else 3.0 * self.values["a"]


class ByClass(Formula):
    def visit(self, node):
        table = {Num: self.visit_Num, Var: self.visit_Var, Op: self.visit_Op, Call: self.visit_Call}
        return table[type(node)](node)


class ByClassIfKnown(Formula):
    def visit(self, node):
        table = {Num: self.visit_Num, Var: self.visit_Var, Op: self.visit_Op, Call: self.visit_Call}
        if node.__class__ in table:
            return table[node.__class__](node)
        return self.values["a"]


class Inherited(ByName):
    @staticmethod
    def visit_Num(node):
        return node.value

    @classmethod
    def visit_Call(cls, node):
        return 0.25 if node.name == "sin" else 0.5


EVERY = [ByName, ByFormat, WithDefault, Asked, ByClass, ByClassIfKnown, Inherited]


def of_formula(cls: type, text: str) -> Callable[[Any, Any], Any]:
    def f(a, b):
        tree = parsed(text.split())
        total = 0.0
        for scale in np.linspace(0.5, 1.5, 6):
            total = total + cls({"a": a * scale, "b": b}).visit(tree) ** 2
        return total
    return f


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("text", ["+ * a sin * 2.0 b / exp a + b 3.0", "a", "* a - b 1.5"])
def test_methods_of_a_visitor(cls: type, text: str) -> None:
    f = of_formula(cls, text)
    agrees(f, 1.3, 0.7)
    check_grads(f, (1.3, 0.7), order=2)
    derivative = value_and_grad(f, (0, 1))
    derivative(1.3, 0.7)
    assert derivative(0.4, 1.1)[0] == f(0.4, 1.1)


@pytest.mark.parametrize("cls", [ByName, ByClass], ids=lambda cls: cls.__name__)
def test_a_tree_as_an_argument(cls: type) -> None:
    f = lambda a, b, tree: cls({"a": a, "b": b}).visit(tree)
    derivative = value_and_grad(f, (0, 1))
    for text in ("+ * a sin * 2.0 b / exp a + b 3.0", "a", "* b - b 1.5"):
        tree = parsed(text.split())
        plain = lambda a, b: f(a, b, tree)
        assert derivative(1.3, 0.7, tree)[0] == plain(1.3, 0.7)
        np.testing.assert_allclose(derivative(1.3, 0.7, tree)[1], [
            (plain(1.3 + 1e-6, 0.7) - plain(1.3 - 1e-6, 0.7)) / 2e-6,
            (plain(1.3, 0.7 + 1e-6) - plain(1.3, 0.7 - 1e-6)) / 2e-6], rtol=1e-7, atol=1e-9)


def test_no_method_has_the_name() -> None:
    for cls, error in ((ByName, AttributeError), (ByFormat, AttributeError), (ByClass, KeyError)):
        f = of_formula(cls, "+ a ?")
        with pytest.raises(error) as plain:
            f(1.3, 0.7)
        with pytest.raises(error) as raised:
            grad(f)(1.3, 0.7)
        assert str(raised.value) == str(plain.value)
    for cls in (WithDefault, Asked, ByClassIfKnown):
        agrees(of_formula(cls, "+ a ?"), 1.3, 0.7)


def test_a_class_gets_a_method_later() -> None:
    class Late(Formula):
        def visit(self, node):
            return getattr(self, "visit_" + type(node).__name__, self.other)(node)

        def other(self, node):
            return self.values["a"] * 5.0

    f = of_formula(Late, "* b ?")
    derivative = value_and_grad(f, (0, 1))
    assert derivative(1.3, 0.7)[0] == f(1.3, 0.7)
    Late.visit_Unknown = lambda self, node: self.values["a"] ** 3
    assert derivative(1.3, 0.7)[0] == f(1.3, 0.7)
    agrees(f, 1.3, 0.7)


class WithProperty(Formula):
    @property
    def visit_Var(self):
        return lambda node: self.values[node.name] * 2.0

    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)


class AnyName(Formula):
    def visit(self, node):
        return getattr(self, type(node).__name__)(node)

    Num, Var, Op, Call = Formula.visit_Num, Formula.visit_Var, Formula.visit_Op, Formula.visit_Call


class Shadowed(Formula):
    def __init__(self, values):
        self.values = values
        self.visit_Var = lambda node: values[node.name] * 2.0

    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)


@pytest.mark.parametrize("cls", [WithProperty, AnyName, Shadowed], ids=lambda cls: cls.__name__)
def test_names_that_must_be_known(cls: type) -> None:
    refuses(of_formula(cls, "* a - b 1.5"), 1.3, 0.7, code="SCT505")


class Flow:
    """A solver whose scheme is chosen by its name."""

    def __init__(self, rate, scheme):
        self.rate, self.scheme = rate, scheme

    def step_euler(self, y, h):
        return y + h * self.rate * y

    def step_midpoint(self, y, h):
        return y + h * self.rate * (y + 0.5 * h * self.rate * y)

    def run(self, y, n):
        for _ in range(n):
            y = getattr(self, "step_" + self.scheme)(y, 0.1)
        return y


@pytest.mark.parametrize("scheme", ["euler", "midpoint"])
def test_a_scheme_by_its_name(scheme: str) -> None:
    f = lambda rate, y: np.sum(Flow(rate, scheme).run(y, 7) ** 2)
    agrees(f, 0.3, np.array([1.0, 2.0]))
    check_grads(f, (0.3, np.array([1.0, 2.0])), order=2)
    agrees(lambda rate, y: sum(Flow(rate, s).run(y, 3) for s in ["euler", scheme, "midpoint"]), 0.3, 1.2)


def test_the_text_that_is_emitted() -> None:
    derivative = grad(of_formula(ByName, "* a - b 1.5"))
    derivative(1.3, 0.7)
    assert 'if t2 == "visit_Num":' in derivative.source or '== "visit_Num"' in derivative.source
    derivative = grad(of_formula(ByClass, "* a - b 1.5"))
    derivative(1.3, 0.7)
    assert "Num: \"ByClass.visit_Num\"" in derivative.source
