"""The items of a dict are sorted by its keys, no two of which are equal: the values are never compared."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from oracle import agrees

import sct


class Member:
    def __init__(self, group: str, size: float) -> None:
        self.group, self.size = group, size


def in_order(x: float, members: Any) -> float:
    groups = defaultdict(list)
    for m in members:
        groups[m.group].append(m)
    total = 0.0
    for _, each in sorted(groups.items()):
        total = total * 0.5 + sum(m.size for m in each) * x * x
    return total


def in_reverse(x: float, members: Any) -> float:
    groups: dict[str, Any] = {}
    for m in members:
        groups.setdefault(m.group, []).append(m)
    total = 0.0
    for _, each in sorted(groups.items(), reverse=True):
        total = total * 0.5 + sum(m.size * x for m in each) * x
    return total


def of_numbers(x: float, members: Any) -> float:
    groups: dict[tuple[int, str], Any] = {}
    for m in members:
        groups.setdefault((len(groups) % 2, m.group), []).append(m)
    total = 0.0
    for (k, _), each in sorted(groups.items()):
        total = total * 0.5 + k * x + each[0].size * x * x
    return total


@pytest.mark.parametrize("f", [in_order, in_reverse, of_numbers])
def test_values_that_are_lists_of_objects(f: Any) -> None:
    derivative = sct.value_and_grad(f)
    few = [Member("b", 1.0), Member("a", 2.0), Member("b", 3.0)]
    for members in (few, few * 9, few[:1], few[::-1], [*few, Member("0", 5.0)]):
        value, slope = derivative(1.5, members)
        assert value == f(1.5, members)
        assert slope == pytest.approx((f(1.5 + 1e-6, members) - f(1.5 - 1e-6, members)) / 2e-6, rel=1e-7)
        assert sct.jvp(f, (1.5, members), (1.0,)) == (value, pytest.approx(slope, rel=1e-14))
        gradient = sct.grad(f)
        assert sct.hessian(f)(1.5, members) == pytest.approx(
            (gradient(1.5 + 1e-5, members) - gradient(1.5 - 1e-5, members)) / 2e-5, rel=1e-6)


def test_a_list_of_items_is_still_compared_whole() -> None:
    def f(x: float, members: Any) -> float:
        pairs = [(m.group, m) for m in members]
        return x * sorted(pairs)[0][1].size

    with pytest.raises(sct.SctError, match="SCT503: sorting by"):
        sct.grad(f)(1.5, [Member("b", 1.0), Member("b", 2.0)] * 20)


def test_items_of_known_keys_are_in_a_known_order() -> None:
    def f(d):
        e = dict(sorted(d.items()))
        first, *_ = e.values()
        return e["a"] * 2.0 + e["b"] * first

    def g(x):
        e = dict(sorted({"b": x, "a": 2.0 * x, "c": 1.0}.items(), reverse=True))
        return e["a"] * 2.0 + e["b"] * list(e.values())[1]

    agrees(f, {"b": 1.0, "a": 2.0})
    agrees(g, 1.5)
