"""Attributes whose name is made of the name of an object's class: `getattr(self, "visit_" + type(node).__name__)`."""

from __future__ import annotations

from typing import Any

import pytest
from oracle import agrees, agrees_in_second_order, outcome, refuses

from sct import jvp, value_and_grad


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


class Num:
    def __init__(self, v):
        self.v = v


class Mul:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Neg:
    def __init__(self, a):
        self.a = a


def parse(tokens):
    t = tokens.pop(0)
    if t == "*":
        return Mul(parse(tokens), parse(tokens))
    if t == "-":
        return Neg(parse(tokens))
    return Num(float(t))


class Visitor:
    def __init__(self, x):
        self.x = x

    def visit(self, n):
        return getattr(self, "visit_" + type(n).__name__)(n)

    def visit_Num(self, n):
        return self.x * n.v

    def visit_Mul(self, n):
        return self.visit(n.a) * self.visit(n.b)

    def visit_Neg(self, n):
        return self.x - self.visit(n.a)


class ByFormat(Visitor):
    def visit(self, n):
        return getattr(self, f"on_{type(n).__name__}", self.other)(n)

    on_Mul = Visitor.visit_Mul

    def other(self, n):
        return self.x


class ByName(Visitor):
    def visit(self, n):
        name = "on_" + n.__class__.__name__.lower()
        method = getattr(self, name, None)
        if method is None:
            return self.x * 0.5
        return method(n)

    on_num = Visitor.visit_Num
    on_mul = Visitor.visit_Mul


class IfItHas(Visitor):
    def visit(self, n):
        name = "%s_of" % type(n).__name__
        if hasattr(self, name):
            return getattr(self, name)(n) + 1.0
        return self.x * self.x

    def Mul_of(self, n):
        return self.visit(n.a) * self.visit(n.b)


class Constants(Visitor):
    weight_Num, weight_Mul, weight_Neg = 2.0, 3.0, 5.0

    def visit(self, n):
        return getattr(self, "weight_" + type(n).__name__) * super().visit(n)


class WithoutNeg:
    def __init__(self, x):
        self.x = x

    visit, visit_Num, visit_Mul = Visitor.visit, Visitor.visit_Num, Visitor.visit_Mul


TEXTS = ["* 2 * 3 4", "5", "- * * 2 3 - 5"]


@pytest.mark.parametrize("cls", [Visitor, ByFormat, ByName, IfItHas, Constants])
def test_each_class_has_its_method(cls) -> None:
    def f(x, text):
        return cls(x).visit(parse(text.split()))

    derivative = value_and_grad(f)
    for text in TEXTS:
        agrees(f, 1.3, text, derivative=derivative)
        assert jvp(f, (1.3, text), (1.0, None))[1] == pytest.approx(derivative(1.3, text)[1], rel=1e-12)
        agrees_in_second_order(f, 1.3, text)


def test_a_class_without_a_method_raises() -> None:
    def f(x, text):
        return WithoutNeg(x).visit(parse(text.split()))

    derivative = value_and_grad(f)
    for text in TEXTS[:2]:
        agrees(f, 1.3, text, derivative=derivative)
    assert type(outcome(derivative, (1.3, TEXTS[2])).error) is AttributeError


def test_a_name_of_other_texts_is_refused() -> None:
    def f(x, text):
        return getattr(Visitor(x), "visit_" + text)(Num(2.0))

    def g(x, text, names):
        total = 0.0
        for name in names:
            total += getattr(Visitor(x), name + type(parse(text.split())).__name__)(Num(2.0))
        return total

    agrees(f, 1.3, "Num")
    refuses(g, 1.3, "2", ["visit_"] * 5, code="SCT505")


class Amount:
    def __init__(self, value: Any) -> None:
        self.value = value


class Name:
    def __init__(self, name: str) -> None:
        self.name, self.value = name, "a text, where others have a number"


class Pair:
    def __init__(self, op: str, left: Any, right: Any) -> None:
        self.op, self.left, self.right = op, left, right


class Negative:
    def __init__(self, left: Any) -> None:
        self.left = left


class Evaluation:
    """Attributes of one name are of several types: which one it is follows from the method that is chosen."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def visit(self, node: Any) -> Any:
        return getattr(self, "visit_" + type(node).__name__)(node)

    def visit_Amount(self, node: Any) -> Any:
        return node.value

    def visit_Name(self, node: Any) -> Any:
        return self.x if node.name == "x" else self.x * self.x

    def visit_Pair(self, node: Any) -> Any:
        a, b = self.visit(node.left), self.visit(node.right)
        return a + b if node.op == "+" else a - b if node.op == "-" else a * b

    def visit_Negative(self, node: Any) -> Any:
        return -self.visit(node.left)


def read_amounts(words: list[str]) -> Any:
    word = words.pop(0)
    if word in "+*-":
        return Pair(word, read_amounts(words), read_amounts(words))
    return Name(word) if word.isalpha() else Amount(float(word))


def read_negatives(words: list[str]) -> Any:
    word = words.pop(0)
    if word in "+*-":
        return Pair(word, read_negatives(words), read_negatives(words))
    if word == "~":
        return Negative(read_negatives(words))
    if word.isalpha():
        return Name(word)
    return Amount(float(word))


def of_amounts(x: Any, text: str) -> Any:
    return Evaluation(x).visit(read_amounts(text.split()))


def of_negatives(x: Any, text: str) -> Any:
    return Evaluation(x).visit(read_negatives(text.split()))


@pytest.mark.parametrize(("f", "texts"), [
    (of_amounts, ["+ * x x * 2 y", "x", "- 3 * x y", "1.5"]),
    (of_negatives, ["+ * x x ~ * 2 y", "~ x", "- 3 ~ * x y", "1.5"])])
def test_the_chosen_method_says_of_which_class_its_argument_is(f: Any, texts: list[str]) -> None:
    derivative = value_and_grad(f)
    for text in texts:
        agrees(f, 1.3, text, derivative=derivative)
    agrees_in_second_order(f, 1.3, texts[0])
