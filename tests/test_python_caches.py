"""Functions of a module that keep their results, and read what changes between the calls: as Python, or refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest

from sct import SctError, value_and_grad

SCALE = 2.0
ARRAY = np.array([1.0, 2.0])
ITEMS = [1.0]


class Settings:
    scale = 2.0


SETTINGS = Settings()


def helper(n: float) -> float:
    return n * SCALE


@lru_cache(None)
def of_number(n: float) -> Any:
    return n * SCALE


@lru_cache(None)
def of_array(n: float) -> Any:
    return n * ARRAY[0]


@lru_cache(None)
def of_list(n: float) -> Any:
    return n * ITEMS[0]


@lru_cache(None)
def of_object(n: float) -> Any:
    return n * SETTINGS.scale


@lru_cache(None)
def of_class(n: float) -> Any:
    return n * Settings.scale


@cache
def of_nothing() -> Any:
    return SCALE


@lru_cache(None)
def of_helper(n: float) -> Any:
    return helper(n)


@lru_cache(None)
def of_default(n: float, k: Any = ARRAY) -> Any:
    return n * k[0]


@lru_cache(None)
def of_cached(n: float) -> Any:
    return of_number(n) + 1.0


@lru_cache(None)
def of_flag(n: float) -> Any:
    return n if SCALE > 3.0 else 2.0 * n


@lru_cache(None)
def makes_array(n: int) -> Any:
    return np.ones(n) * SCALE


@lru_cache(None)
def of_nothing_outside(n: float) -> Any:
    return n * np.pi


def change(scale: float) -> None:
    global SCALE
    SCALE = scale
    ARRAY[0] = ITEMS[0] = SETTINGS.scale = Settings.scale = scale


CACHES = [of_number, of_array, of_list, of_object, of_class, of_nothing, of_helper, of_default, of_cached, of_flag,
          makes_array]


def in_loop(x: float) -> Any:
    s = 0.0
    for k in range(3):
        s += x * of_number(k)
    return s


PROGRAMS: list[Callable[[float], Any]] = [
    lambda x: x * np.sum(makes_array(3)),
    lambda x: x * of_number(2.0), lambda x: x * of_array(2.0), lambda x: x * of_list(2.0),
    lambda x: x * of_object(2.0), lambda x: x * of_class(2.0), lambda x: x * of_nothing(),
    lambda x: x * of_helper(2.0), lambda x: x * of_default(2.0), lambda x: x * of_cached(2.0),
    lambda x: x * of_flag(2.0), lambda x: sum(x * of_number(float(k)) for k in range(3)), in_loop,
]


@pytest.mark.parametrize("first", ["sct", "python"])
@pytest.mark.parametrize("f", PROGRAMS, ids=range(len(PROGRAMS)))
def test_the_cache_gives_what_it_holds(f: Callable[[float], Any], first: str) -> None:
    values = []
    for call in (value_and_grad(f), lambda x: (f(x), None)):
        for each in CACHES:
            each.cache_clear()
        change(2.0)
        if first == "python":
            f(3.0)
        before = call(3.0)[0]
        change(5.0)
        values.append((before, call(3.0)[0], type(before)))
    assert values[0] == values[1]
    change(2.0)


def test_what_depends_on_the_argument_is_refused() -> None:
    with pytest.raises(SctError, match="reads `SCALE`, which may change") as caught:
        value_and_grad(lambda x: x * of_number(x))(3.0)
    assert caught.value.code == "SCT204"


def test_what_nothing_changes_is_evaluated_anew() -> None:
    value, gradient = value_and_grad(lambda x: x * of_nothing_outside(x))(3.0)
    assert value == 3.0 * (3.0 * np.pi)
    assert gradient == pytest.approx(6.0 * np.pi)


@cache
def exact_weight(n: int) -> float:
    half = Fraction(1, 2)
    weight = half
    weight *= n
    for k in range(1, n):
        weight += Fraction(1, k)
    return float(weight)


@cache
def weight_that_is_logged(n: int) -> float:
    log = LOG
    log += [n]
    weight = Fraction(1, 2)
    weight *= n
    return float(weight)


LOG: list[int] = []


def test_updates_in_place_of_numbers_that_do_not_change_are_no_writes() -> None:
    def f(x: float, n: int) -> float:
        return x * exact_weight(n) * exact_weight(n + 1)

    for n in (2, 5):
        value, slope = value_and_grad(f)(1.3, n)
        assert value == f(1.3, n)
        assert slope == pytest.approx(f(1.0, n), rel=1e-15)


def test_a_list_from_outside_under_another_name_is_written() -> None:
    with pytest.raises(SctError, match="SCT30"):
        value_and_grad(lambda x: x * weight_that_is_logged(3) + len(LOG))(1.3)
