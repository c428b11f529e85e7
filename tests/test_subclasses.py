"""Registries by `cls.__subclasses__()`: the classes are known, and each call checks that they are still all of them."""

from __future__ import annotations

import abc
from typing import Any

import pytest
from oracle import agrees_in_every_mode

from sct import emit, grad


class Policy:
    scale = 1.0

    @classmethod
    def create(cls, name: str) -> Any:
        return {c.name: c for c in cls.__subclasses__()}[name]()


class Square(Policy):
    name = "square"

    def __call__(self, x: Any) -> Any:
        return self.scale * x * x


class Cube(Policy):
    name = "cube"

    def __call__(self, x: Any) -> Any:
        return self.scale * x ** 3


class SteeperCube(Cube):
    name = "steeper"
    scale = 3.0


class Term(abc.ABC):
    @abc.abstractmethod
    def value(self, x: Any) -> Any: ...


class Linear(Term):
    def value(self, x: Any) -> Any:
        return 2.0 * x


class Curved(Term):
    def value(self, x: Any) -> Any:
        return x * x


def by_name(x: Any, name: str) -> Any:
    return Policy.create(name)(x[0])


def of_all(x: Any, n: int) -> Any:
    return sum(cls().value(x[0]) for cls in Term.__subclasses__()) * n + len(Term.__subclasses__())


def recursive(x: Any, n: int) -> Any:
    names = []

    def visit(cls: Any) -> None:
        for c in cls.__subclasses__():
            names.append(c.__name__)
            visit(c)

    visit(Policy)
    return x[0] * len(names) + ("SteeperCube" in names) + n


def of_none(x: Any, n: int) -> Any:
    classes = Linear.__subclasses__()
    classes.append(Curved)
    return classes[0]().value(x[0]) * n


@pytest.mark.parametrize("validate", ["1", "0"])
@pytest.mark.parametrize(("f", "calls"), [
    (by_name, [([1.1], "cube"), ([0.3], "square")]), (of_all, [([1.1], 2)]), (recursive, [([1.1], 2)]),
    (of_none, [([1.1], 2)])], ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f: Any, calls: Any, validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, calls)


class Base:
    pass


class First(Base):
    weight = 2.0


def weights(x: Any) -> Any:
    return x * sum(c.weight for c in Base.__subclasses__())


def test_a_class_that_is_added_later() -> None:
    derivative = grad(weights)
    assert derivative(1.5) == 2.0

    class Second(Base):
        weight = 5.0

    assert derivative(1.5) == 7.0
    Second.weight = 6.0
    assert derivative(1.5) == 8.0
    assert "__subclasses__" not in derivative.source


def written(x: float) -> float:
    return sum([c.weight for c in Base.__subclasses__()]) * x * x


def test_written_as_a_module() -> None:
    text = emit(written)
    module: dict[str, Any] = {}
    exec(text, module)
    assert module["written_grad"](1.5) == grad(written)(1.5)
