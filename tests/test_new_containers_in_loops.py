"""Loops over objects of Python, whose body makes containers and changes them: what it runs over stays the same."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees, refuses

from sct import check_grads

REACTIONS = json.dumps({"reactions": [{"in": ["A", "B"], "out": ["C", "C"]}, {"in": ["C"], "out": ["A", "B", "B"]}]})


def changes(x: dict[str, float], text: str) -> Any:
    spec = json.loads(text)
    total = 0.0
    for r in spec["reactions"]:
        change = Counter(r["out"])
        change.subtract(Counter(r["in"]))
        for s, n in change.items():
            total += n * x[s] ** 2
    return total


def longer_lists(x: dict[str, float], text: str) -> Any:
    spec = json.loads(text)
    total = 0.0
    for r in spec["reactions"]:
        names = list(r["in"])
        names.append("A")
        for s in names:
            total += x[s] ** 2
    return total


def queues(x: dict[str, float], text: str) -> Any:
    spec = json.loads(text)
    total = 1.0
    for r in spec["reactions"]:
        names = deque(r["out"])
        names.rotate(1)
        total *= x[names[0]]
    return total


@pytest.mark.parametrize("f", [changes, longer_lists, queues])
def test_containers_that_the_body_makes(f: Callable[..., Any]) -> None:
    x = {"A": 1.5, "B": 2.0, "C": 0.5}
    agrees(f, x, REACTIONS)
    check_grads(f, (x, REACTIONS), order=2)


def test_a_part_of_what_the_loop_runs_over_is_refused() -> None:
    def f(x: dict[str, float], text: str) -> Any:
        spec = json.loads(text)
        total = 0.0
        for r in spec["reactions"]:
            r["in"].append("A")
            for s in r["in"]:
                total += x[s]
        return total

    refuses(f, {"A": 1.5, "B": 2.0, "C": 0.5}, REACTIONS, code="SCT306")


def made_before_the_loop(x: dict[str, float], text: str) -> Any:
    names = list(json.loads(text)["reactions"][0]["in"])
    total = 0.0
    for s in names:
        if len(names) < 4:
            names.append("A")
        total += x[s]
    return total


def in_a_dict(x: dict[str, float], text: str) -> Any:
    names = list(json.loads(text)["reactions"][0]["in"])
    held = {"names": names}
    total = 0.0
    for s in held["names"]:
        if len(names) < 4:
            names.append("A")
        total += x[s]
    return total


def items_of_a_dict(x: dict[str, float], text: str) -> Any:
    counts = Counter(json.loads(text)["reactions"][1]["out"])
    total = 0.0
    for s, n in counts.items():
        if s == "A":
            counts.update("B")
        total += n * x[s]
    return total


@pytest.mark.parametrize("f", [made_before_the_loop, in_a_dict, items_of_a_dict])
def test_what_the_loop_runs_over_may_not_change(f: Callable[..., Any]) -> None:
    refuses(f, {"A": 1.5, "B": 2.0}, REACTIONS, code="SCT306")


def copy_of_what_changes(x: dict[str, float], text: str) -> Any:
    counts = Counter(json.loads(text)["reactions"][1]["out"])
    total = 0.0
    for s in list(counts):
        counts.update("B")
        total += counts["B"] * x[s] ** 2
    return total


def another_list(x: dict[str, float], text: str) -> Any:
    names = sorted(json.loads(text)["reactions"][1]["out"])
    seen = list(json.loads(text)["reactions"][0]["out"])
    total = 0.0
    for s in names:
        seen.append(s)
        total += len(seen) * x[s] ** 2
    return total


@pytest.mark.parametrize("f", [copy_of_what_changes, another_list])
def test_what_else_changes_in_the_loop(f: Callable[..., Any]) -> None:
    agrees(f, {"A": 1.5, "B": 2.0}, REACTIONS)
