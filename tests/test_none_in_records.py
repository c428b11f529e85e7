"""None in tuples and records of a list, where others have a number or a string: roots, back pointers, no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracle import Programs, agrees_in_every_mode

PROGRAMS = program = Programs()
OBSERVED, OTHERS = [0.1, 0.3, -1.2, -0.7, 0.5, 2.2], [0.9, -0.4, 0.25, 1.3]
X, Y = [0.5, 1.2], [-0.8, 0.3]


@program((X, OBSERVED), (Y, OTHERS))
def back_pointers_that_are_strings(x: Any, observed: list[float]) -> Any:
    best = [(x[0], None)]
    for y in observed:
        best.append((best[-1][0] * x[1] + x[0] * y, "up" if y > 0 else "down"))
    path = []
    for v, way in reversed(best):
        if way is None:
            break
        if way == "up":
            path.append(v * v)
    return sum(path) + best[-1][0]


@program((X, OBSERVED), (Y, OTHERS))
def one_or_the_other(x: Any, observed: list[float]) -> Any:
    taken = []
    for y in observed:
        if y > 0:
            taken.append((x[0] * y, "up"))
        else:
            taken.append((x[1] * x[0], None))
    return sum(v * v for v, name in taken if name is not None)


@program((X, OBSERVED), (Y, OTHERS))
def parents(x: Any, observed: list[float]) -> Any:
    nodes = [{"v": x[0], "parent": None}]
    for k, y in enumerate(observed):
        nodes.append({"v": nodes[k // 2]["v"] * y + x[1], "parent": k // 2})
    s, i = 0.0, len(nodes) - 1
    while i is not None:
        s += nodes[i]["v"] ** 2
        i = nodes[i]["parent"]
    return s


class Node:
    def __init__(self, v: Any, parent: int | None = None) -> None:
        self.v, self.parent = v, parent


@program((X, OBSERVED), (Y, OTHERS))
def parents_of_objects(x: Any, observed: list[float]) -> Any:
    nodes = [Node(x[0] * x[1])]
    for k, y in enumerate(observed):
        nodes.append(Node(x[0] * y, k // 2))
    return sum(n.v * (nodes[n.parent].v if n.parent is not None else x[1]) for n in nodes)


@program((X, OBSERVED), (Y, OTHERS))
def missing_values(x: Any, observed: list[float]) -> Any:
    rows = []
    for k, y in enumerate(observed):
        label = None
        if y > 0.2:
            label = "high"
        elif y < -1.0:
            label = "low"
        rows.append({"v": x[0] * y, "label": label, "w": None if k % 2 else x[1]})
    s = 0.0
    for row in rows:
        if row["label"] == "high":
            s += row["v"] ** 2
        if row["w"] is not None:
            s += row["w"] ** 3
    return s


@program((X, OBSERVED), (Y, OTHERS))
def in_a_dict(x: Any, observed: list[float]) -> Any:
    states = {0: (x[0], None)}
    for k, y in enumerate(observed):
        states[k + 1] = (states[k][0] * y + x[1] * x[0], k)
    s, k = 0.0, len(observed)
    while k is not None:
        v, k = states[k]
        s += v * v
    return s


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)
