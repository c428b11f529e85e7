"""Iterators of the user's own, functions chosen by the class of their argument, questions about dtypes."""

from __future__ import annotations

import functools
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees

import sct

X = np.array([0.7, -0.3, 1.2, 0.1, 0.6])


# -- iterators -----------------------------------------------------------------------------------------------


class Backwards:
    def __init__(self, xs: Any) -> None:
        self.xs, self.left = xs, len(xs)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.xs[self.left]


class Newton:
    """Gives better and better roots, until they stay the same."""

    def __init__(self, a: Any) -> None:
        self.a = a

    def __iter__(self) -> Any:
        self.x, self.steps, self.done = 1.0, 0, False
        return self

    def __next__(self) -> Any:
        if self.done:
            raise StopIteration
        new = 0.5 * (self.x + self.a / self.x)
        self.done = abs(new - self.x) < 1e-10
        self.x, self.steps = new, self.steps + 1
        return new


class Steps:
    def __init__(self, n: int) -> None:
        self.n, self.k = n, 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> int:
        self.k += 1
        if self.k > self.n:
            raise StopIteration
        return self.k


def converged(x: Any) -> Any:
    roots = Newton(x[0])
    for root in roots:
        pass
    return root * roots.steps  # type: ignore[has-type]


def left_and_continued(x: Any) -> Any:
    s = 0.0
    for v in Backwards(x):
        if v < 0:
            continue
        if v > 1:
            break
        s = 0.5 * s + v
    return s


def used_again(x: Any) -> Any:
    it, s = Backwards(x), 0.0
    for v in it:
        s += v
        if v > 1:
            break
    for v in it:
        s += 10 * v * v
    return s


def one_in_another(x: Any) -> Any:
    s = 0.0
    for i in Steps(4):
        for j in Steps(i):
            s += x[0] ** j * i
    return s


def _first_above(it: Any, limit: float, x: Any) -> Any:
    for k in it:
        if k > limit:
            return k * x
    return x


def returned_from(x: Any) -> Any:
    return _first_above(Steps(5), 2, x[0]) + _first_above(Steps(1), 2, x[1]) ** 2


# -- functions chosen by a class ------------------------------------------------------------------------------


@dataclass
class Circle:
    r: Any


@dataclass
class Box:
    w: Any
    h: Any


@functools.singledispatch
def area(shape: Any) -> Any:
    raise NotImplementedError(type(shape).__name__)


@area.register
def _(shape: Circle) -> Any:
    return math.pi * shape.r**2


@area.register(Box)
def _box(shape: Any) -> Any:
    return shape.w * shape.h


@area.register(float)
def _number(shape: Any) -> Any:
    return shape * 3.0


class Weights:
    def __init__(self, n: Any) -> None:
        self.n = n

    @functools.singledispatchmethod
    def of(self, shape: Any) -> Any:
        return 1.0

    @of.register
    def _(self, shape: Circle) -> Any:
        return shape.r * self.n


def by_class(x: Any) -> Any:
    return sum(area(s) for s in (Circle(x[0]), Box(x[0], x[1]), Circle(x[1] * x[2])))


def by_class_of_a_method(x: Any) -> Any:
    w = Weights(x[2])
    return w.of(Circle(x[0])) * x[1] + w.of(2.0) * w.of(Box(x[0], x[1]))


def by_path(x: Any) -> Any:
    s = 0.0
    for v in x:
        s += area(Circle(v) if v > 0.5 else Box(v, 2.0))
    return s


def of_no_class(x: Any) -> Any:
    return area("text") * x[0]


# -- dtypes ---------------------------------------------------------------------------------------------------


def dtypes(x: Any) -> Any:
    if np.issubdtype(x.dtype, np.integer):
        return 0.0
    y = x.astype(np.promote_types(x.dtype, np.float32))
    return np.sum(y**2) * (2 if np.issubdtype(np.float64, np.number) else 1)


# -- names that are read no more ------------------------------------------------------------------------------


def either_array(x: Any) -> Any:
    y = x if x[0] > 0 else x * 2
    y *= 3
    return np.sum(y**2)


def by_a_helper(x: Any) -> Any:
    def limited(p: Any) -> Any:
        if np.max(p) > 2.0:
            return p / np.max(p)
        return p

    p = x * 1.0
    for _ in range(12):
        p = limited(p)
        p *= 1.3
    return np.sum(p**2)


@pytest.mark.parametrize("f", [
    converged, left_and_continued, used_again, one_in_another, returned_from, by_class, by_class_of_a_method, by_path,
    of_no_class, dtypes, either_array, by_a_helper])
def test_is_what_python_does(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative = sct.value_and_grad(f)
    for x in (X, X + 0.5, 0.3 * np.abs(X) + 0.1):
        agrees(f, x, derivative=derivative)


def test_a_class_that_is_registered_later_is_asked_for() -> None:
    @functools.singledispatch
    def g(v: Any) -> Any:
        return v.r

    def f(x: Any) -> Any:
        return g(Circle(x))

    derivative = sct.value_and_grad(f)
    assert derivative(2.0) == (2.0, 1.0)
    g.register(Circle, lambda v: v.r**2)
    assert derivative(2.0) == (4.0, 4.0)


def test_a_name_that_is_read_again_may_still_be_an_alias() -> None:
    def f(x: Any) -> Any:
        y = x if x[0] > 0 else x * 2
        y *= 3
        return np.sum(y * x)

    def caught(x: Any) -> Any:
        def check(p: Any) -> Any:
            p *= 2.0
            if p[0] > 5.0:
                raise ValueError
            return p if p[1] > 0 else p * 1.0

        p = x * 1.0
        try:
            p = check(p)
            p *= 2.0
        except ValueError:
            p[0] = 0.0
        return np.sum(p)

    agrees(f, X)
    agrees(f, -X)
    for x in (X, X + 0.4, X + 4.0):
        try:
            agrees(caught, x)
        except sct.SctError as error:
            assert error.code == "SCT301"


# -- values that jump -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("f", "what"), [
    (lambda x: x ** int(x), "`int(...)`"),
    (lambda x: x * round(x), "`round(...)`"),
    (lambda x: x * 2.0 if x == 0.5 else x, "a comparison for equality")])
def test_a_value_that_jumps_is_warned_of_with_its_line(f: Any, what: str) -> None:
    with pytest.warns(sct.SctWarning) as caught:
        sct.grad(f)(2.7)
    (text,) = {str(w.message) for w in caught}
    assert what in text and f"{__file__}:" in text, text


@pytest.mark.parametrize("f", [
    lambda x: x[0] * len(x), lambda x: x[0] * round(2.7), lambda x: x[0] if len(x) == 3 else x[1],
    lambda x: np.sum(x[x == 0.7])])
def test_numbers_that_are_not_differentiated_may_jump(f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sct.grad(f)(X)


class Powers:
    def __init__(self, x: Any, n: int) -> None:
        self.x, self.n, self.k = x, n, 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.k >= self.n:
            raise StopIteration
        self.k += 1
        return self.x ** self.k


@pytest.mark.parametrize("use", [sum, list, tuple, sorted, max])
@pytest.mark.parametrize("n", [1, 3, 8])
def test_functions_that_take_all_items_of_an_iterator(use: Any, n: int) -> None:
    def f(x: Any, n: int) -> Any:
        powers = Powers(x[0], n)
        taken = use(powers)
        return taken * x[1] + powers.k if use in (sum, max) else sum(taken) * taken[-1] + powers.k

    agrees(f, X, n)
