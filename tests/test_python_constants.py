"""Constants without a literal, in results and as keys of dicts: they are the objects themselves."""

from __future__ import annotations

import collections
import enum
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import SctError, emit, grad, jvp, value_and_grad, vjp

Function = Callable[..., Any]


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Key:
    def __repr__(self) -> str:
        return "a key"


FIRST, SECOND = Key(), Key()
HELD = {1, 2}
FROZEN = frozenset((1, 2))
QUEUE = collections.deque((1.0, 2.0))


def cube(x: Any) -> Any:
    return x * x * x


CONSTANTS = (Color.RED, Size.LARGE, cube, math.sin, float, np.float64, Key, FIRST, np, NotImplemented, FROZEN,
             slice(1, None, 2), np.add, (Color.RED, (cube,)), b"text", ...)


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda x: type(x).__name__)
def test_a_constant_in_a_result_is_the_object_itself(constant: Any) -> None:
    def f(x: Any, c: Any) -> Any:
        return x * x, (constant, {"again": [x, constant]})

    def given(x: Any, c: Any) -> Any:
        return x * x, [c, x]

    for _ in range(2):
        (value, (first, rest)), by_x = value_and_grad(f, has_aux=True)(1.5, 0)
        assert (value, by_x, rest["again"][0]) == (2.25, 3.0, 1.5)
        assert first is constant or first == constant and type(first) is type(constant)
        assert rest["again"][1] is constant or rest["again"][1] == constant
    if isinstance(constant, enum.Enum) or callable(constant):
        for other in (constant, Color.BLUE, constant):
            assert grad(given, has_aux=True)(1.5, other)[1][0] is other


@pytest.mark.parametrize(("one", "other"), ((Color.RED, Color.BLUE), (Size.SMALL, Size.LARGE), (Key, int),
                                            (float, np.float64), ((Color.RED, 1), (Color.RED, 2))))
def test_keys_of_an_argument_are_objects(one: Any, other: Any) -> None:
    def f(d: Any) -> Any:
        return d[one] * d[other] ** 2

    d = {one: 1.5, other: 2.0}
    gradient = grad(f)(d)
    assert gradient == {one: 4.0, other: 6.0} and [*gradient] == [*d]
    assert vjp(f, d)[1](1.0)[0] == gradient
    assert jvp(f, (d,), ({one: 1.0, other: 0.0},)) == (6.0, 4.0)
    nested, array = {one: {other: d}}, {one: np.array([1.0, 2.0])}
    assert grad(lambda n: f(n[one][other]))(nested) == {one: {other: gradient}}
    assert grad(lambda a: np.sum(a[one] ** 2))(array)[one].tolist() == [2.0, 4.0]


def test_objects_are_no_keys_of_an_argument() -> None:
    for key in (FIRST, cube, (1, SECOND)):
        with pytest.raises(SctError, match="SCT503"):
            grad(lambda d: d["k"])({key: 1.5, "k": 2.0})


def test_keys_of_a_result_are_objects() -> None:
    def f(x: Any) -> Any:
        return x * x, {Color.RED: x, FIRST: 2.0 * x, SECOND: [x]}

    assert grad(f, has_aux=True)(1.5) == (3.0, {Color.RED: 1.5, FIRST: 3.0, SECOND: [1.5]})


def test_a_set_in_a_result_is_a_new_one() -> None:
    def f(x: Any) -> Any:
        return x * x, {1, 2}, set()

    derivative = value_and_grad(lambda x: (f(x)[0], f(x)[1:]), has_aux=True)
    for _ in range(2):
        (_, (two, none)), _ = derivative(1.5)
        assert (two, none) == ({1, 2}, set())
        two.add(3)
        none.add(4)


def test_what_may_be_another_object_is_not_returned() -> None:
    for f in (lambda x: (x * x, HELD), lambda x: (x * x, [QUEUE])):
        with pytest.raises(SctError, match="SCT503"):
            grad(f, has_aux=True)(1.5)
    with pytest.raises(SctError, match="SCT401"):
        grad(lambda x: (x * x, {x}), has_aux=True)(1.5)


def with_a_member(x: float) -> Any:
    return x * x, Color.RED


def test_a_module_has_no_constants_without_a_literal() -> None:
    with pytest.raises(SctError, match="SCT914"):
        emit(with_a_member, has_aux=True)
