"""Objects of several classes in one list from outside: one value, with a column of their classes."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sct import grad, value_and_grad
from tests.oracle import Programs, agrees

program = Programs()


class Material(enum.Enum):
    STEEL = 1
    WOOD = 2


class Element:
    factor = 0.5

    def scaled(self, x):
        return self.factor * self.energy(x)


@dataclass
class Rod(Element):
    i: int
    k: float
    material: Material
    force: float = 0.0

    def energy(self, x):
        return self.k * x[self.i] ** 2 * (2.0 if self.material is Material.STEEL else 1.0)


@dataclass
class Spring(Element):
    i: int
    j: int
    k: float
    rest: float | None
    force: float = 0.0
    factor = 0.25

    def energy(self, x):
        d = x[self.j] - x[self.i] - (0.1 if self.rest is None else self.rest)
        return self.k * d * d


@dataclass
class Pin:
    name: str
    loads: list[float]

    def energy(self, x):
        return x[0] * len(self.name) + sum(self.loads) * x[1]


def elements(n: int, first: int = 0) -> list[Any]:
    def made(k: int) -> Any:
        if k % 3 == 0:
            return Rod(k % 2, 1.0 + 0.1 * k, list(Material)[k % 2])
        return Spring(k % 2, (k + 1) % 2, 1.5, None if k % 2 else 0.2)

    return [made(k) for k in range(first, first + n)]


def with_pins(n: int) -> list[Any]:
    return [Pin("p" * k, [0.1 * j for j in range(k % 4)]) if k % 4 == 1 else x for k, x in enumerate(elements(n))]


@program(([0.7, 1.2], elements(7)), ([0.7, 1.2], elements(12, 2)), ([0.7, 1.2], elements(2)))
def methods(x, elements):
    total = 0.0
    for e in elements:
        total += e.energy(x) + e.scaled(x) * e.factor
    return total


@program(([0.7, 1.2], elements(7)), ([0.7, 1.2], elements(12, 2)))
def asked_for_the_class(x, elements):
    total = 0.0
    for e in elements:
        if isinstance(e, Rod):
            total += e.k * x[e.i] if e.material is Material.WOOD else x[1]
        elif e.rest is not None:
            total += e.rest * x[e.j] ** 2
        if type(e) is Spring and isinstance(e, Element):
            total += e.k * x[0]
    return total + sum([isinstance(e, Rod) for e in elements]) * x[0]


@program(([0.7, 1.2], elements(7)), ([0.7, 1.2], elements(12, 2)))
def written(x, elements):
    for e in elements:
        e.force = e.k * x[e.i]
    total = 0.0
    for e in elements:
        e.force *= 2.0
        total += e.force ** 2 if isinstance(e, Rod) else e.force * x[1]
    return total


@program(([0.7, 1.2], elements(7)), ([0.7, 1.2], elements(12, 2)))
def selected(x, elements):
    rods = [e for e in elements if isinstance(e, Rod)]
    stiff = [e for e in elements if e.k > 1.3]
    total = sum([r.k * x[r.i] for r in rods])
    for e in sorted(stiff, key=lambda e: -e.k):
        total = 0.5 * total + e.energy(x)
    return total + max(elements, key=lambda e: e.k).energy(x)


@program(([0.7, 1.2], with_pins(9)), ([0.7, 1.2], with_pins(14)))
def of_three_classes(x, elements):
    total = elements[2].energy(x)
    for k, e in enumerate(elements):
        total += e.energy(x) * (1 + k)
        if isinstance(e, Pin):
            total += len(e.name) * x[1] ** 2
        elif hasattr(e, "loads"):
            total += x[0]
    return total


@program(([0.7, 1.2], elements(7), 3), ([0.7, 1.2], elements(12, 2), 4))
def compared_by_identity(x, elements, k):
    total, chosen, first = 0.0, elements[k], elements[0]
    for e in elements:
        if e is chosen:
            total += e.energy(x)
        elif e is not first:
            total += x[1] ** 2
    return total


@program(([0.7, 1.2], elements(7)), ([0.7, 1.2], elements(12, 2)))
def written_under_two_names(x, elements):
    heavy = elements[0]
    for e in elements:
        if e.k > heavy.k:
            heavy = e
    heavy.force = x[0] ** 2
    for e in elements:
        e.k = 2.0 * e.k + x[1] * e.force
    return sum([e.k * e.force for e in elements]) + heavy.k * x[0]


@program(([0.7, 1.2], {"elements": elements(7), "name": "a"}), ([0.7, 1.2], {"elements": elements(8, 3), "name": "b"}))
def in_a_dict(x, model):
    return sum([e.energy(x) for e in model["elements"]]) * len(model["name"])


@program(([0.7, 1.2], [(e, 0.5) for e in elements(7)]), ([0.7, 1.2], [(e, 0.5) for e in elements(9, 1)]))
def in_tuples(x, pairs):
    total = 0.0
    for e, weight in pairs:
        total += weight * e.energy(x)
    return total


test_programs = program.test()


@pytest.mark.parametrize("f", [methods, asked_for_the_class, written, selected])
def test_other_classes_at_the_positions_are_compiled_once(f: Callable[..., Any]) -> None:
    df = value_and_grad(f)
    df([0.7, 1.2], elements(8))
    sources = len(df.sources)  # type: ignore[attr-defined]
    for n, first in ((8, 1), (11, 2), (40, 0)):
        agrees(f, [0.7, 1.2], elements(n, first), derivative=df)
    assert len(df.sources) == sources  # type: ignore[attr-defined]


class Frame:
    def __init__(self, n: int) -> None:
        self.elements = elements(n)

    def energy(self, x):
        return sum([e.energy(x) for e in self.elements])


def test_attributes_of_a_bound_object() -> None:
    lengths = set()
    for n in (6, 9, 30):
        df = value_and_grad(Frame(n).energy)
        agrees(Frame(n).energy, [0.7, 1.2], derivative=df)
        lengths.add(len(df.source))
    assert len(lengths) == 1


def test_the_gradient_by_the_list() -> None:
    slopes = grad(lambda elements, x: methods(x, elements))(elements(6), [0.7, 1.2])
    step = 1e-6
    for k in range(6):
        ends = []
        for sign in (1.0, -1.0):
            moved = elements(6)
            moved[k].k += sign * step
            ends.append(methods([0.7, 1.2], moved))
        assert slopes[k].k == pytest.approx((ends[0] - ends[1]) / (2.0 * step), rel=1e-6)


def test_one_object_twice() -> None:
    shared = elements(7)
    shared[4] = shared[1]
    agrees(written, [0.7, 1.2], shared)
    agrees(methods, [0.7, 1.2], shared)


class Leaf:
    def __init__(self, v):
        self.v = v


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def test_objects_that_refer_to_themselves_are_as_before() -> None:
    def f(x, nodes):
        return sum([n.v * x if isinstance(n, Leaf) else x * x for n in nodes])

    nodes: list[Any] = [Leaf(0.1 * k) for k in range(5)]
    nodes.append(Pair(nodes[0], None))
    nodes[-1].b = nodes[-1]
    assert value_and_grad(f)(0.7, nodes)[0] == f(0.7, nodes)


def test_an_emitted_module_checks_the_classes(tmp_path: Any) -> None:
    df = grad(methods)
    expected = df([0.7, 1.2], elements(7))
    df.save(tmp_path / "made.py")
    space: dict[str, Any] = {"__name__": "made"}
    exec(compile((tmp_path / "made.py").read_text(), "made.py", "exec"), space)
    made = space["methods_grad"]
    assert made([0.7, 1.2], elements(7)) == expected
    assert made([0.7, 1.2], elements(9, 1)) == df([0.7, 1.2], elements(9, 1))
    with pytest.raises(TypeError, match="kinds Rod, Spring"):
        made([0.7, 1.2], [*elements(7), np.ones(2)])
