"""Programs whose evaluations take turns with what they note of dicts of the arguments end, and name a line."""

from __future__ import annotations

from typing import Any

import pytest

import sct
from sct.frontend.calls.outlining import OutliningPlan


def by_position(x: float, rows: Any, p: int) -> float:
    t = x
    while p < len(rows):
        r = rows[p]
        t = t * 0.9 + (sum(r.values()) * x if len(r) else x)
        p = p + 1
    return t


def one_by_one(x: float, rows: Any, p: int) -> float:
    t = x
    for r in rows:
        t = t * 0.9 + (sum(r.values()) * x if len(r) else x)
    return t


def test_an_empty_dict_among_dicts_of_the_arguments() -> None:
    rows = [{"w": 1.0}, {"w": 1.0, "z": 2.0}, {}]
    with pytest.raises(sct.SctError, match=r"(?s)SCT502: this value cannot be used.*r.values\(\)"):
        sct.value_and_grad(by_position)(1.5, rows, 0)
    for some in (rows, rows[:1], rows[2:], []):
        value, slope = sct.value_and_grad(one_by_one)(1.5, some, 0)
        assert value == one_by_one(1.5, some, 0)
        assert slope == pytest.approx((one_by_one(1.5 + 1e-6, some, 0) - one_by_one(1.5 - 1e-6, some, 0)) / 2e-6)
    same = [{"w": 1.0}, {"w": 3.0}]
    assert sct.value_and_grad(by_position)(1.5, same, 0)[0] == by_position(1.5, same, 0)


def test_a_plan_that_does_not_settle_names_the_last_refusal() -> None:
    plan = OutliningPlan()
    with pytest.raises(sct.SctError, match="SCT204"):
        plan.refuse_unstable()
    plan.refusals.append(sct.SctError("SCT502", "this value cannot be used"))
    with pytest.raises(sct.SctError, match="SCT502"):
        plan.refuse_unstable()
