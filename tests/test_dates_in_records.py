"""Dates, durations, fractions and decimal numbers in lists of records and in long lists: a column each."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import decimal
import fractions
import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from sct import SctWarning, grad, value_and_grad
from tests.oracle import Programs

program = Programs()
TODAY = dt.date(2025, 1, 1)


@dataclass
class Bond:
    price: float
    maturity: dt.date
    coupon: float

    def years(self, today: Any) -> Any:
        return (self.maturity - today).days / 365.0


class Flow(NamedTuple):
    when: dt.datetime
    amount: float


def bonds_of(n: int) -> list[Bond]:
    return [Bond(0.9 + 0.1 * k, dt.date(2024 + k, 1 + k % 12, 3), 1.0 + k) for k in range(n)]


def flows_of(n: int) -> list[Flow]:
    return [Flow(dt.datetime(2024, 1, 1 + (k * 7) % 25, k % 24), 1.0 + k) for k in range(n)]


def pairs_of(n: int) -> list[tuple[dt.date, float]]:
    return [(dt.date(2020 + (k * 3) % 7, 2, 1 + k), 0.5 * k) for k in range(n)]


def dates_of(n: int) -> list[dt.date]:
    return [dt.date(2020 + (k * 3) % 7, 2, 1 + k) for k in range(n)]


@program(([0.03], bonds_of(3), TODAY), ([0.1], bonds_of(9), TODAY), ([0.1], [], TODAY))
def present_value(x, bonds, today):
    total = 0.0
    for b in bonds:
        if b.maturity <= today:
            continue
        total += b.coupon * (1 + x[0]) ** -b.years(today) - b.price
    return total


@program(([0.03], bonds_of(3)), ([0.1], bonds_of(9)))
def last_and_first(x, bonds):
    first = min(b.maturity for b in bonds)
    last = max(bonds, key=lambda b: b.maturity)
    return x[0] * last.coupon * (last.maturity - first).days


@program(([0.03], bonds_of(3)), ([0.1], bonds_of(9)))
def in_order(x, bonds):
    ranked = sorted(bonds, key=lambda b: b.maturity, reverse=True)
    return sum([b.coupon * x[0] ** k for k, b in enumerate(ranked)])


@program(([0.03], bonds_of(3)), ([0.1], bonds_of(9)))
def attributes_of_dates(x, bonds):
    return x[0] * sum([b.coupon * b.maturity.year + b.maturity.month for b in bonds])


@program(([0.4], flows_of(3)), ([0.1], flows_of(9)))
def named_tuples(x, flows):
    total = x[0]
    for a, b in itertools.pairwise(flows):
        hours = (b.when - a.when).total_seconds() / 3600.0
        total += b.amount * x[0] * hours if b.when > a.when else a.amount
    return total


@program(([0.4], pairs_of(3)), ([0.1], pairs_of(9)))
def tuples(x, pairs):
    total = x[0]
    for when, amount in pairs:
        total = total * (1.1 if when == dt.date(2020, 2, 1) else 1.0) + amount * x[0]
    return total


@program(([0.4], dates_of(3)), ([0.1], dates_of(9)))
def alone(x, dates):
    total = x[0]
    for d in dates:
        total += x[0] * (d - dates[0]).days
    return total * len(dates)


@program(([0.4], pairs_of(3)), ([0.1], pairs_of(9)))
def largest_tuple(x, pairs):
    return x[0] * max(pairs)[1] + min(pairs)[1] + (x[0] if pairs[0] == pairs[1] else 0.0)


@program(([0.4], dates_of(3), dt.date(2020, 2, 1)), ([0.1], dates_of(9), dt.date(2021, 2, 1)))
def looked_for(x, dates, d):
    return x[0] * (2.0 if d in dates else 1.0) + dates.count(d)


@program(([0.4], [{"t": dt.timedelta(hours=k), "y": 1.0 * k} for k in range(9)]))
def durations(x, rows):
    return sum([r["y"] * x[0] * r["t"].total_seconds() for r in rows])


@program(([0.4], [(fractions.Fraction(1, k + 1), decimal.Decimal(k), 1.0 * k) for k in range(9)]))
def numbers_of_python(x, rows):
    return sum([y * x[0] * float(p) + float(q) for p, q, y in rows])


@program(([0.03], bonds_of(3)), ([0.1], bonds_of(9)))
def kept_in_a_list(x, bonds):
    late = []
    for b in bonds:
        if b.maturity > dt.date(2025, 6, 1):
            late.append((b.maturity, b.coupon))
    return x[0] * sum([c * (d - dt.date(2025, 1, 1)).days for d, c in late])


@program(([0.03], bonds_of(3)), ([0.1], bonds_of(9)))
def written(x, bonds):
    for b in bonds:
        b.maturity = b.maturity + dt.timedelta(days=30)
    return x[0] * sum([b.coupon * b.years(dt.date(2025, 1, 1)) for b in bonds])


test_programs = program.test()


def test_more_records_are_no_longer_a_program() -> None:
    lines = set()
    for n in (3, 10, 40):
        derivative = grad(present_value)
        derivative([0.03], bonds_of(n), TODAY)
        lines.add(derivative.source)
    assert len(lines) == 1


def by_records(bonds: Any, rate: Any) -> Any:
    return sum([b.coupon * (1 + rate) ** -b.years(TODAY) for b in bonds])


def test_gradients_of_records() -> None:
    for n in (3, 9):
        with pytest.warns(SctWarning, match="does not depend on `price`") if n == 3 else contextlib.nullcontext():
            _, found = value_and_grad(by_records)(bonds_of(n), 0.04)
        for k, (b, d) in enumerate(zip(bonds_of(n), found, strict=True)):
            assert type(d) is Bond
            assert d.coupon == pytest.approx((1 + 0.04) ** -b.years(TODAY))
            moved = copy.deepcopy(bonds_of(n))
            moved[k].coupon += 1.0
            assert by_records(moved, 0.04) - by_records(bonds_of(n), 0.04) == pytest.approx(d.coupon)


def test_a_date_in_the_place_of_a_datetime() -> None:
    derivative = grad(lambda x, rows: x * sum([c * t.day for t, c in rows]))
    rows = [(dt.date(2024, 1, 1 + k), 1.0) for k in range(6)]
    assert derivative(2.0, rows) == 21.0
    assert derivative(2.0, [(dt.datetime(2024, 1, 2 + k), c) for k, (_, c) in enumerate(rows)]) == 27.0
