"""Sizes that are equal in each record stay so only where a list is read at one position: in other orders, behind
writes, and from iteration to iteration they are told apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_ragged_arguments import agrees, pairs

from sct import value_and_grad

Program = Callable[[Any, Any], Any]
PROGRAMS: list[Program] = []


def program(f: Program) -> Program:
    PROGRAMS.append(f)
    return f


@program
def item_of_the_iteration_before(b: Any, records: Any) -> Any:
    s, before = 0.0, records[0][0]
    for y, _ in records:
        s += np.sum((before[:, None] * b[0] + y) ** 2) + np.sum(before) * y[0] * b[1]
        before = y
    return s


@program
def broadcast_with_the_iteration_before(b: Any, records: Any) -> Any:
    s, before = 0.0, records[0][0][:1]
    for y, _ in records:
        s += np.sum((before + y * b[0]) ** 2)
        before = y[:1] * b[1]
    return s


@program
def from_both_ends(b: Any, records: Any) -> Any:
    s = 0.0
    for i in range(len(records)):
        j = len(records) - 1 - i
        s += np.sum(np.outer(records[i][0], records[j][0])) * b[0] + np.sum(records[j][1] @ b)
    return s


@program
def beside_the_reversed_list(b: Any, records: Any) -> Any:
    s = 0.0
    for (y, _), (z, Z) in zip(records, records[::-1]):
        s += np.sum(np.outer(y, z - Z @ b))
    return s


@program
def neighbours(b: Any, records: Any) -> Any:
    return sum(np.sum(np.outer(y - X @ b, z - Z @ b)) for (y, X), (z, Z) in itertools.pairwise(records))


@program
def behind_a_deletion(b: Any, records: Any) -> Any:
    rest = list(records)
    del rest[0]
    s = 0.0
    for (y, X), (z, Z) in zip(rest, records):
        s += np.sum((y - X @ b) ** 2) * np.sum(z) + np.sum(Z @ b)
    return s


@program
def behind_an_insertion(b: Any, records: Any) -> Any:
    longer = list(records)
    longer.append((records[0][0] * b[0], records[0][1]))
    longer.insert(0, longer[1])
    return sum(np.sum((y - X @ b) ** 2) for y, X in longer)


@program
def replaced_and_swapped(b: Any, records: Any) -> Any:
    records[0] = (records[1][0] * 2, records[1][1])
    records[1], records[-1] = records[-1], records[1]
    s = 0.0
    for k, (y, X) in enumerate(records):
        s += (k + 1) * np.sum((y - X @ b) ** 2)
    return s


@program
def beside_the_sorted_list(b: Any, records: Any) -> Any:
    s = 0.0
    for (y, X), (z, Z) in zip(sorted(records, key=lambda r: -len(r[0])), records):
        s += np.sum((y - X @ b) ** 2) * np.sum(z) + np.sum((z - Z @ b) ** 3)
    return s


@program
def one_of_two_orders(b: Any, records: Any) -> Any:
    chosen = records if b[0] > 0 else records[::-1]
    s = 0.0
    for (y, X), (z, _) in zip(chosen, records):
        s += np.sum((y - X @ b) ** 2) * z[0]
    return s


@program
def the_longest(b: Any, records: Any) -> Any:
    longest = records[0]
    for r in records:
        if len(r[0]) > len(longest[0]):
            longest = r
    y, X = longest
    return np.sum((y - X @ b) ** 2)


@program
def some_of_the_records(b: Any, records: Any) -> Any:
    return sum(np.sum((y - X @ b) ** 2) for y, X in [r for r in records if len(r[0]) > 2])


@program
def states_of_all_records(b: Any, records: Any) -> Any:
    states = []
    for y, X in records:
        z = np.zeros(len(y))
        for t in range(len(y)):
            z[t] = X[t] @ b + (z[t - 1] if t > 0 else 0.0)
        states.append(z)
    return sum(np.sum((z - y) ** 2) for z, (y, _) in zip(states, records))


@program
def rest_of_the_list_in_a_recursion(b: Any, records: Any) -> Any:
    def of(rest: Any) -> Any:
        if not rest:
            return 0.0
        y, X = rest[0]
        return np.sum((y - X @ b) ** 2) + 0.5 * of(rest[1:])
    return of(records)


@program
def padded(b: Any, records: Any) -> Any:
    M = np.zeros((len(records), max(len(y) for y, _ in records)))
    for i, (y, X) in enumerate(records):
        M[i, :len(y)] = y - X @ b
    return np.sum(M ** 2) + np.sum(M[:, 0])


@program
def taken_from_the_end(b: Any, records: Any) -> Any:
    s = 0.0
    while records:
        y, X = records.pop()
        s += np.sum((y - X @ b) ** 2) * len(records)
    return s


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python_does(f: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the parameters and by the records, also where a wrong translation would not be found at the first call."""
    monkeypatch.setenv("SCT_VALIDATE", "0")
    rng, derivative = np.random.default_rng(0), value_and_grad(f)
    by_records = value_and_grad(lambda records, b: f(b, records))
    for sizes in ((3, 5, 4), (2, 6, 3, 1, 5), (4, 4, 4), (5, 2, 7, 3)):
        b, records = rng.normal(size=2), pairs(rng, sizes)
        agrees(f, (b, records), derivative)
        agrees(lambda records, b: f(b, records), (records, b), by_records)
