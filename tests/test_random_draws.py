"""Draws of NumPy's generators: the same numbers as in Python, and no check of what their size says."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
import scipy.special
from oracle import agrees, refuses

from sct import SctError, value_and_grad

GLOBAL = np.random.default_rng(3)


def in_the_function(s: Any, n: int, rng: Any) -> Any:
    own = np.random.default_rng(n)
    return s * np.sum(own.normal(0.0, 2.0, size=(n, 2))) + s * own.random()


def of_an_argument(s: Any, n: int, rng: Any) -> Any:
    total = 0.0
    for _ in range(3):
        total += s * np.mean(rng.standard_normal(n)) * rng.uniform(1.0, 2.0)
    return total


def of_a_global(s: Any, n: int, rng: Any) -> Any:
    x = np.linspace(0.0, 1.0, n)
    return s * np.sum(GLOBAL.exponential(2.0, x.shape) * x)


def of_numpy(s: Any, n: int, rng: Any) -> Any:
    np.random.seed(n)
    z = np.random.normal(size=n)
    z *= 0.5
    return s * z @ np.random.rand(n)


def bootstrapped(s: Any, n: int, rng: Any) -> Any:
    x = s * np.linspace(0.0, 1.0, n)
    return np.mean(x[rng.integers(0, n, n)]) + np.sum(x * rng.poisson(2.0, n))


def of_single_precision(s: Any, n: int, rng: Any) -> Any:
    return s * np.sum(rng.random(n, np.float32)) + s * np.sum(rng.standard_normal(n, dtype="f4"))


def of_an_array_of_means(s: Any, n: int, rng: Any) -> Any:
    return s * np.sum(rng.normal(np.arange(n)) * rng.integers(5))


@pytest.mark.parametrize("f", [
    in_the_function, of_an_argument, of_a_global, of_numpy, bootstrapped, of_single_precision, of_an_array_of_means])
def test_the_numbers_are_those_of_python(f: Any) -> None:
    global GLOBAL
    derivative = value_and_grad(f)
    for n in (4, 7):
        GLOBAL = np.random.default_rng(n)
        plain = f(1.5, n, np.random.default_rng(5))
        GLOBAL = np.random.default_rng(n)
        value, slope = derivative(1.5, n, np.random.default_rng(5))
        assert value == plain and type(value) is type(plain)
        assert slope == pytest.approx(plain / 1.5, rel=1e-6)
    observed = f in (of_single_precision, of_an_array_of_means)
    assert ("as observed" in derivative.source) == observed


def beside_a_ufunc(s: Any, n: int, rng: Any) -> Any:
    return s * scipy.special.expit(0.5) * np.sum(rng.permutation(n) * rng.choice(n, n))


Pair = namedtuple("Pair", "a b")


@functools.lru_cache
def twice(n: int) -> int:
    return 2 * n


@functools.singledispatch
def weight(x: Any) -> Any:
    return 2.0


def beside_generated_code(s: Any, n: int, rng: Any) -> Any:
    return Pair(s, n).a * twice(n) * weight(n) * np.sum(rng.permutation(n) + n)


@pytest.mark.parametrize("f", [beside_a_ufunc, beside_generated_code])
def test_what_is_observed_beside_calls_without_effects(f: Any) -> None:
    plain = f(1.5, 4, np.random.default_rng(5))
    assert value_and_grad(f)(1.5, 4, np.random.default_rng(5)) == (plain, pytest.approx(plain / 1.5))


def test_draws_are_read_ahead_of_time() -> None:
    def price(spot: float, n: int, seed: int) -> Any:
        rng = np.random.default_rng(seed)
        return np.mean(spot * np.exp(rng.standard_normal(n)))

    assert "rng.standard_normal(n)" in value_and_grad(price).source


class Halves(np.random.Generator):
    def normal(self, size: int) -> Any:
        return np.float32(0.5)


def test_a_subclass_may_draw_something_else() -> None:
    """A copy of its objects is a plain generator, so that what they draw cannot be observed."""
    def f(s: Any, n: int, rng: Any) -> Any:
        return s * np.sum(rng.normal(n))

    derivative = value_and_grad(f)
    assert derivative(1.5, 3, np.random.default_rng(1))[0] == f(1.5, 3, np.random.default_rng(1))
    with pytest.raises(SctError, match="SCT209"):
        derivative(1.5, 3, Halves(np.random.PCG64(1)))


class Result(dict):
    """A dict whose items are attributes."""

    __getattr__ = dict.__getitem__


class Trace(list):
    def note(self, x: Any) -> Any:
        self.append(x)
        return x


class Saved(dict):
    def save(self, path: str) -> None:
        with open(path, "w") as file:
            file.write(str(self))


def fitted(y: Any) -> Result:
    return Result(J=np.sum(y ** 2), resid=y - y.mean())


def bootstrapped(x: Any, count: int) -> Any:
    result, rng, drawn = fitted(x), np.random.default_rng(3), []
    while len(drawn) < count:
        drawn.append(fitted(result.resid * rng.choice([-1.0, 1.0], size=len(x))).J)
    return result.J + np.std(drawn, ddof=1) * x[0]


def in_a_list(x: Any, count: int) -> Any:
    rng, trace = np.random.default_rng(count), Trace()
    trace.note(x[0])
    trace.note(np.sum(x * rng.choice(np.array([-1.0, 1.0, 3.0]), size=3)))
    return trace[0] * trace[1]


@pytest.mark.parametrize("f", (bootstrapped, in_a_list))
def test_draws_beside_objects_that_hold_their_items(f: Any) -> None:
    agrees(f, np.array([1.0, 2.0, 0.3]), 5)


def test_draws_that_are_not_observed() -> None:
    """The reason is that the function is not run, and draws outside are passed."""
    def inside(x: Any, signs: Any = None) -> Any:
        rng, saved = np.random.default_rng(3), Saved(a=x[0])
        return saved["a"] * np.sum(x * rng.choice([-1.0, 1.0], size=3))

    def outside(x: Any, signs: Any) -> Any:
        return Saved(a=x[0])["a"] * np.sum(x * signs)

    x = np.array([1.0, 2.0, 0.3])
    refusal = refuses(inside, x, code="SCT207")
    assert "`choice` draws" in refusal.what and "run of the function on copies" in refusal.why
    agrees(outside, x, np.random.default_rng(3).choice([-1.0, 1.0], size=3))
