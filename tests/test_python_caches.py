"""Functions of a module that keep their results, and read what changes between the calls: as Python, or refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses
from usermodule import caches

from sct import SctError, hvp, jvp, value_and_grad

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


class Powers:
    def __init__(self, k: float) -> None:
        self.k = k

    @lru_cache  # noqa: B019
    def power(self, n: int) -> float:
        return self.k**n

    @cache  # noqa: B019
    def twice(self) -> float:
        return self.k * 2.0


class EqualPowers(Powers):
    def __hash__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualPowers)


POWERS, EQUAL, EQUAL_TO_IT = Powers(2.0), EqualPowers(3.0), EqualPowers(7.0)


@pytest.mark.parametrize("f", [
    lambda x, n: x * POWERS.power(n),
    lambda x, n: sum(x * POWERS.twice() ** i for i in range(n)),
    lambda x, n: x * EQUAL.twice() * EQUAL_TO_IT.twice(),
    lambda x, n: x * POWERS.twice() * POWERS.k,
    lambda x, n: x * Powers.power(POWERS, n=n),
])
def test_cached_methods_of_objects_from_outside(f: Any) -> None:
    def changed() -> None:
        POWERS.k, EQUAL.k = POWERS.k + 3.0, EQUAL.k + 3.0

    def cleared() -> None:
        Powers.power.cache_clear()
        Powers.twice.cache_clear()

    derivative = value_and_grad(f)
    cleared()
    for change in (lambda: None, changed, cleared, changed):
        change()
        value, slope = derivative(1.5, 3)
        assert value == f(1.5, 3)
        assert slope == pytest.approx(f(1.0, 3) if "sum" not in f.__code__.co_names else value / 1.5)


def of_two_states(x: float, n: int) -> float:
    powers, total = Powers(2.0), 0.0
    for i in range(n):
        total += powers.power(i) * x
    powers.k = 3.0
    return total + powers.power(0) + powers.power(1) * x


def test_cached_methods_of_objects_of_the_function_are_refused() -> None:
    agrees(lambda x: x * Powers(2.0).power(3), 1.5)  # Python evaluates all of it
    refuses(of_two_states, 1.5, 3, code="SCT204")


# -- functions that Python calls, since only the cache makes them fast, or since sct does not evaluate them ----------


def of_binomials(x: float, n: int) -> float:
    return sum(caches.binomial(n, k) * x**k for k in range(n + 1))


def of_another_one(x: float, n: int) -> float:
    return caches.weight(n, 1) * x**2


def of_an_argument(x: float, n: int) -> float:
    return caches.scaled(x, n) * caches.scaled(x, n + 1)


def of_nodes(x: float, n: int) -> Any:
    return np.sum(np.cos(x * caches.nodes(n)))


def of_rule(x: float, n: int) -> Any:
    nodes, weights = caches.rule(n)
    return np.sum(weights * np.exp(x * nodes))


def of_handler(x: float, n: int) -> float:
    return x * x * caches.inverse(n - 1)


def of_primes(x: float, n: int) -> float:
    return sum(x**k for k in range(2 * n) if caches.is_prime(k))


def of_tuple(x: float, n: int) -> float:
    return sum(x ** (k % 3) * v for k, v in enumerate(caches.partitions(n, 2)))


def of_words(x: float, n: int) -> float:
    return x ** caches.distance("kitten"[:n], "sitting"[:n + 1])


def in_matrix(x: float, n: int) -> Any:
    B = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            B[i, j] = caches.binomial(i, j) * x**j
    return np.sum(B @ np.ones(n))


def printed(x: float, n: int) -> float:
    return caches.printed(n) * x + caches.printed(n)


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize("f", [
    of_binomials, of_another_one, of_an_argument, of_nodes, of_rule, of_handler, of_primes, of_tuple, of_words,
    in_matrix, printed])
def test_calls_that_python_makes(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(f)
    for x, n in ((0.7, 6), (0.9, 1), (0.4, 7), (0.3, 2)):
        caches.clear()
        value, slope = derivative(x, n)
        caches.clear()
        assert value == f(x, n)
        agrees(f, x, n, derivative=derivative)
        agrees_in_second_order(f, x, n, atol=1e-4)
        assert jvp(f, (x, n), (1.0,))[1] == pytest.approx(slope, rel=1e-12)
    assert hvp(f, (0.5, 3), (1.0,)) is not None


def test_the_cache_of_the_caller_stays_as_it_is_when_types_are_observed() -> None:
    caches.clear()
    caches.nodes(2)
    value_and_grad(of_nodes)(0.5, 4)
    assert caches.nodes.cache_info().currsize <= 2  # that of the derivative alone
    agrees(of_nodes, 0.5, 4)


def writes_result(x: float, n: int) -> Any:
    w = caches.nodes(n)
    w *= 2.0
    return np.sum(w) * x


def writes_view_of_result(x: float, n: int) -> Any:
    v = caches.nodes(n)[1:]
    v[0] = x
    return np.sum(caches.nodes(n))


def reads_what_is_logged(x: float, n: int) -> float:
    return caches.logged(n) * x + len(caches.LOG)


def reads_what_is_counted(x: float, n: int) -> float:
    return caches.counted(n) * x + caches.COUNT


def differentiates_it(x: float, n: int) -> float:
    return float(caches.binomial(n, x))


@pytest.mark.parametrize(("f", "code"), [
    (writes_result, "SCT301"), (writes_view_of_result, "SCT301"), (reads_what_is_logged, "SCT302"),
    (reads_what_is_counted, "SCT302"), (differentiates_it, "SCT204")])
def test_what_the_cache_would_show_is_refused(f: Callable[..., Any], code: str) -> None:
    caches.clear()
    refuses(f, 1.0, 3, code=code)


def test_draws_and_prints_happen_in_the_first_call() -> None:
    f = lambda x, n: caches.drawn(n) * x + caches.drawn(n)
    values = []
    for call in (f, lambda x, n: value_and_grad(f)(x, n)[0]):
        caches.clear()
        np.random.seed(0)
        values.append([call(1.5, n) for n in (3, 3, 2, 3)])
    assert values[0] == values[1]
