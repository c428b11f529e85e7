"""A part of the sweep of docs/sweep.md: every sixtieth line of docs/coverage.md, with all sets of arguments."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sweep import case, functions, lines, sweep, usual

from sct import value_and_grad


@pytest.mark.parametrize("first", range(0, 240, 60))
def test_nothing_is_wrong(first: int) -> None:
    records = list(sweep(lines()[first::240]))
    assert len(records) >= 100
    assert [r for r in records if r["outcome"] in ("wrong", "crash")] == []
    assert Counter(r["outcome"] for r in records)["right"] >= 0.9 * len(records)


@pytest.mark.filterwarnings("ignore:.*the result does not depend on")
def test_a_wrong_gradient_is_found() -> None:
    (f,) = functions(["np.sin(x)"])
    derivative = value_and_grad(f, (0, 1, 2, 3))

    def altered(*args):
        value, (dx, *others) = derivative(*args)
        return value, (1.001 * dx, *others)

    assert case(f, derivative, lambda: usual(1)) == ("right", "")
    assert case(f, altered, lambda: usual(1))[0] == "wrong"


@pytest.mark.filterwarnings("ignore:.*the result does not depend on")
def test_ties_of_several_elements_are_told_from_wrong_slopes() -> None:
    def outcome_at(line: str, maker, factor: float = 1.0) -> str:
        (f,) = functions([line])
        derivative = value_and_grad(f, (0, 1, 2, 3))

        def altered(*args):
            value, (dx, *others) = derivative(*args)
            return value, (factor * dx, *others)

        return case(f, altered, maker)[0]

    def tied():
        _, m, s, c = usual(1)
        return np.ones(6), m, s, c

    assert outcome_at("np.median(x[:5])", tied) == "several kinks"
    assert outcome_at("np.median(x[:5])", tied, 9.0) == "wrong"
    assert outcome_at("np.exp(3.0 * x)", lambda: usual(3), 1.001) == "wrong"
