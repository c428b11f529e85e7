"""Arrays of dates, durations, texts and records, which Python computes with: nothing is differentiated by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, grad, jvp, value_and_grad, vjp

DAYS = np.array(["2020-01-01", "2020-02-15", "2020-07-01", "2021-03-01", "2021-03-02"], dtype="datetime64[D]")
DAY = np.timedelta64(1, "D")
NAMES = np.array(["a", "b", "a", "c", "b"])
BODIES = np.zeros(5, dtype=[("at", float, 3), ("mass", float), ("id", int)])
BODIES["at"], BODIES["mass"], BODIES["id"] = np.arange(15.0).reshape(5, 3) ** 1.3, 0.5 + np.arange(5.0) / 7, range(5)
X = np.array([0.3, 1.2, 0.7, 2.1, 1.5])


# -- dates -------------------------------------------------------------------------------------------------------------


def discounted(x, days):
    t = (days - days[0]) / np.timedelta64(365, "D")
    return np.sum(100.0 * np.exp(-x * t)) + np.interp(0.3, t, x) ** 2


def selected(x, days):
    inside = (days >= np.datetime64("2020-02-01")) & (days < np.datetime64("2021-03-02"))
    return np.mean(x[inside]) ** 2 + np.sum(x[np.searchsorted(days, np.datetime64("2020-03-01")):] ** 3) \
        + np.sum(x**2 * (days == days[1]))


def by_month(x, days):
    months = days.astype("datetime64[M]").astype(int) % 12
    return np.sum(x**2 * (months + 1)) + np.sum(np.diff(days).astype(float) * x[1:] ** 2) * len(days) / days.size


def by_year(x, days):
    years = days.astype("datetime64[Y]").astype(int) + 1970
    total = 0.0
    for year in np.unique(years):
        total += np.mean(x[years == year]) ** 2
    return total


def between(x, days):
    """One date after the other, by position; the calendar of NumPy."""
    total = 0.0
    for i in range(1, len(days)):
        total += (days[i] - days[i - 1]).astype(int) * x[i] ** 2
    return total + np.sum(x**2 * np.is_busday(days)) + x[0] * np.busday_count(days[0], days[1])


def ordered(x, days):
    order = np.argsort(days)[::-1]
    return np.sum(x[order] ** 2 * np.arange(5)) + np.sum(np.where(days > days[1], x**2, x))


def iterated(x, days):
    """Dates beside numbers, in step; parts of arrays of dates."""
    total = 0.0
    for day, v in zip(days, x):
        total += v**2 * ((day - days[0]) / DAY)
    for i, day in enumerate(days[1:], 1):
        total += x[i] ** 3 * (day - days[i - 1]).astype(int) * (1 if day > days[2] else 2)
    for i, (b, a) in enumerate(zip(days[1:], days[:-1])):
        total += x[i] * (b - a).astype(float)
    weights = np.array([(day - days[0]).astype(float) for day in days])
    return total + np.sum(weights * x**2) + sum(v for day, v in zip(days, x) if day > days[1])


def parts(x, days):
    steps = days[1:] - days[:-1]
    turned, table = days[::-1], days[:4].reshape(2, 2)
    return np.sum(steps / steps.sum() * x[1:] ** 2) + np.sum(x**2 * (turned[0] - turned).astype(float)) \
        + x[0] ** 2 * (table[:, 1] - table[:, 0]).astype(float)[0] + x[1] * (table[1, 1] - table[0, 0]).astype(float)


@pytest.mark.parametrize("f", [discounted, selected, by_month, by_year, between, ordered, iterated, parts])
def test_dates(f: Callable[..., Any]) -> None:
    agrees(f, X, DAYS)
    slope = grad(f)(X, DAYS)
    np.testing.assert_allclose(jvp(f, (X, DAYS), (X[::-1],))[1], slope @ X[::-1], rtol=1e-12)
    np.testing.assert_array_equal(vjp(f, X, DAYS)[1](1.0)[0], slope)
    np.testing.assert_array_equal(grad(lambda x: f(x, DAYS))(X), slope)


def test_other_dates_at_the_next_call() -> None:
    g = value_and_grad(discounted)
    for days in (DAYS, DAYS[::-1].copy(), DAYS + 30 * DAY, DAYS.astype("datetime64[s]")):
        assert g(X, days)[0] == discounted(X, days)
    assert g(X[:3], DAYS[2:])[0] == discounted(X[:3], DAYS[2:])


def test_one_date() -> None:
    f = lambda x, start, end: x**2 * ((end - start) / DAY)
    assert grad(f)(2.0, DAYS[0], DAYS[1]) == 180.0 and grad(f)(2.0, DAYS[1], DAYS[0]) == -180.0


START = np.array(["2020-01-01", "2020-01-31"], dtype="datetime64[D]")


def test_what_a_global_holds_is_read_anew() -> None:
    f = lambda x: x * ((START[1] - START[0]) / DAY)
    g = grad(f)
    assert g(1.0) == 30.0
    START[1] = "2020-01-11"
    assert g(1.0) == 10.0


# -- records and texts -------------------------------------------------------------------------------------------------


def energy(x, bodies):
    kinetic = np.sum(0.5 * bodies["mass"] * x**2)
    total = 0.0
    for i in range(len(bodies)):
        total += bodies[i]["mass"] * x[i] ** 3
    return kinetic + total + np.sum(x[bodies["id"] > 2]) + np.sum(BODIES["mass"] * x)


def arms(x, bodies):
    own = bodies.copy()
    own["mass"] = 2.0
    return np.sum(x**2 * np.linalg.norm(bodies["at"], axis=1) * own["mass"]) + np.sum(x[np.argsort(bodies["mass"])][:2])


def by_name(x, names):
    of_a, inverse = np.mean(x[names == "a"]), np.unique(names, return_inverse=True)[1]
    weights = np.array([{"a": 1.0, "b": 2.0, "c": 3.0}[v] for v in names])
    return of_a**2 + np.sum(np.bincount(inverse, weights=x**2) ** 2) + np.sum(weights * x**3) \
        + np.sum(x[NAMES != "b"]) + np.sum(np.where(names == "b", x**2, x) * np.isin(names, ["b", "c"]))


@pytest.mark.parametrize(("f", "data"), [(energy, BODIES), (arms, BODIES), (by_name, NAMES)])
def test_records_and_texts(f: Callable[..., Any], data: np.ndarray) -> None:
    before = data.copy()
    for _ in range(2):
        value, slope = value_and_grad(f)(X, data)
        assert value == f(X, data)
    at = lambda h: np.array([f(X + h * e, data) for e in np.eye(5)])
    np.testing.assert_allclose(slope, (at(1e-5) - at(-1e-5)) / 2e-5, rtol=1e-6)
    assert (data == before).all()


# -- what is refused ---------------------------------------------------------------------------------------------------


def shifted(x, days):
    days += DAY
    return np.sum(x)


def set_first(x, days):
    days[0] = days[1]
    return np.sum(x)


def of_a_shape(x, days):
    table = days[:4].reshape(2, 2)
    table[0, 0] = table[1, 1]
    return np.sum(x)


def same_array(x, days):
    view = np.asarray(days)
    view[0] = view[1]
    return np.sum(x)


def shuffled(x, days):
    np.random.shuffle(days)
    return np.sum(x)


def sorted_in_place(x, days):
    days.sort()
    return np.sum(x)


def reversed_by_memory(x, days):
    days.view("int64")[0] = 3
    return np.sum(x)


@pytest.mark.parametrize("f", [
    shifted, set_first, of_a_shape, same_array, shuffled, sorted_in_place, reversed_by_memory])
def test_writes_are_refused(monkeypatch: pytest.MonkeyPatch, f: Callable[..., Any]) -> None:
    """Also where the call is not validated."""
    monkeypatch.setenv("SCT_VALIDATE", "0")
    days = DAYS.copy()
    with pytest.raises(SctError, match=r"SCT30|SCT503"):
        value_and_grad(f)(X, days)
    assert (days == DAYS).all()


def test_fields_are_not_written() -> None:
    def f(x, bodies):
        mass = bodies["mass"]
        mass *= 2.0
        return np.sum(mass * x)

    refuses(f, X, BODIES, code="SCT307")
    refuses(lambda x, bodies: bodies.__setitem__("mass", x) or np.sum(bodies["mass"]), X, BODIES, code="SCT207")


def test_nothing_is_differentiated_by_them() -> None:
    with pytest.raises(SctError, match="SCT408"):
        grad(lambda x, bodies: np.sum(bodies["mass"] * x), argnums=1)(X, BODIES)
