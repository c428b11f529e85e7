"""Members of enums in lists from outside, alone and as attributes of records: columns, whatever the members are."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from sct import grad, jvp, value_and_grad, vjp
from tests.oracle import Programs, agrees

program = Programs()


class Kind(enum.Enum):
    RIGID = "rigid"
    PINNED = "pinned"
    CABLE = 2.5

    def weight(self, x):
        return x * (2.0 if self is Kind.RIGID else 0.5)

    @property
    def is_stiff(self):
        return self in (Kind.RIGID, Kind.PINNED)


class Sex(enum.IntEnum):
    F = 0
    M = 1


class Asset(str, enum.Enum):
    BOND = "bond"
    STOCK = "stock"


class Flags(enum.Flag):
    A = 1
    B = 2


class Named(enum.Enum):
    P = 1
    Q = 2

    @property
    def name(self):
        return "same"


class Own(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 7


@dataclass
class Bar:
    i: int
    area: float
    kind: Kind


@dataclass
class Joint:
    load: float
    support: Kind | None
    bars: list[Bar] = field(default_factory=list)


class Position(NamedTuple):
    asset: Asset
    amount: float
    strike: float | None


KINDS = [Kind.RIGID, Kind.CABLE, Kind.PINNED, Kind.CABLE, Kind.RIGID, Kind.PINNED, Kind.RIGID]
STIFFNESS = {Kind.RIGID: 3.0, Kind.PINNED: 2.0, Kind.CABLE: 1.0}


def bars(n: int, first: int = 0) -> list[Bar]:
    return [Bar(k % 2, 1.0 + 0.1 * k, KINDS[(k + first) % 7]) for k in range(n)]


def joints(n: int) -> list[Joint]:
    return [Joint(0.3 * k, KINDS[k] if k % 2 else None, bars(k, k)) for k in range(n)]


def book(n: int) -> list[Position]:
    return [Position(list(Asset)[k % 2], 0.5 + k, 1.1 if k % 3 else None) for k in range(n)]


@program(([0.7, 1.2], bars(5)), ([0.3, 0.4], bars(7, 2)), ([0.3, 0.4], bars(1)))
def of_objects(x, bars):
    energy = 0.0
    for b in bars:
        if b.kind is Kind.RIGID:
            energy += b.area * x[b.i] ** 2
        elif b.kind == Kind.CABLE:
            energy += b.area * max(x[b.i], 0.0)
        else:
            energy += b.kind.weight(x[b.i])
        if b.kind.is_stiff and b.kind in (Kind.PINNED, Kind.RIGID):
            energy += STIFFNESS[b.kind] * x[1] + len(b.kind.name)
    return energy


@program(([0.7, 1.2], joints(5)), ([0.3, 0.4], joints(3)))
def in_lists_of_objects_or_none(x, joints):
    total = 0.0
    for j in joints:
        if j.support is None:
            total += j.load * x[0]
        elif j.support is Kind.CABLE:
            total += x[1] ** 2
        for b in j.bars:
            if b.kind is not Kind.CABLE:
                total += b.area * x[b.i] ** 2
    return total


@program(([0.7, 1.2], book(6)), ([0.3, 0.4], book(5)))
def of_named_tuples(x, book):
    value = 0.0
    for p in book:
        if p.asset == "bond":
            value += p.amount * np.exp(-x[0])
        else:
            value += p.amount * max(x[1] - (p.strike or x[0]), 0.0)
        if p.asset is Asset.STOCK and p.asset.value.startswith("st"):
            value += 0.1 * x[0] ** 2
    return value


@program(([0.7, 1.2], [{"law": k, "rate": 0.5} for k in KINDS]), ([0.7, 1.2], [{"law": KINDS[1], "rate": 0.5}]))
def in_dicts_that_are_matched(x, reactions):
    c = x[0]
    for r in reactions:
        match r["law"]:
            case Kind.RIGID:
                c += r["rate"] * x[0] ** 2
            case Kind.CABLE | Kind.PINNED:
                c -= 0.1 * r["rate"] * x[1] * c
    return c


@program(([0.7, 1.2], [(0.2, Sex.F), (0.4, Sex.M), (0.1, Sex.M)]), ([0.7, 1.2], [(0.2, Sex.F)]))
def of_ints(x, patients):
    risk = {s: 0.0 for s in Sex}
    for age, sex in patients:
        risk[sex] += age * x[sex] * (1 + sex)
        if sex > 0:
            risk[Sex.F] += x[0] ** 2
    return risk[Sex.F] + 2.0 * risk[Sex.M]


@program(([0.7, 1.2], KINDS, 3), ([0.7, 1.2], KINDS[:5], 0))
def alone(x, kinds, n):
    total = x[0]
    for k in kinds:
        total += k.weight(x[1]) * total
    last = kinds[n]
    return total * (1 + kinds.count(Kind.RIGID)) + sum([x[0] ** 2 for k in kinds if k is last])


@program(([0.7, 1.2], bars(5)), ([0.7, 1.2], bars(6, 3)))
def selected_and_sorted(x, bars):
    stiff = [b for b in bars if b.kind in (Kind.RIGID, Kind.PINNED)]
    total = 0.0
    for k, b in enumerate(sorted(stiff, key=lambda b: (b.kind.name, b.area))):
        total += k * x[b.i] ** 2 * b.area
    largest = max(bars, key=lambda b: b.area)
    return total + (x[0] if largest.kind is Kind.CABLE else x[1] ** 2)


@program(([0.7, 1.2], bars(5)), ([0.7, 1.2], bars(6, 3)))
def written(x, bars):
    for b in bars:
        if b.area > 1.2:
            b.kind = Kind.CABLE
        b.area = b.area * x[b.i]
    total = 0.0
    for b in bars:
        total += b.area ** 2 if b.kind is Kind.CABLE else b.area
    return total


@program(([0.7, 1.2], bars(4)))
def counted_by_kind(x, bars):
    total = {}
    for b in bars:
        total[b.kind] = total.get(b.kind, 0.0) + b.area * x[b.i]
    return sum([v ** 2 for v in total.values()])


@program(([0.7, 1.2], [(1.0, k) for k in (Named.P, Named.Q, Named.P)]))
def with_own_names(x, items):
    return sum([y * x[0] if k is Named.P else x[1] * len(k.name) for y, k in items])


@program(([0.7, 1.2], [(1.0, k) for k in (Flags.A, Flags.B, Flags.A)]), ([0.7, 1.2], [(1.0, Flags.A | Flags.B)]))
def of_flags(x, items):
    total = 0.0
    for y, k in items:
        total += y * x[0] ** 2 if k & Flags.A else x[1]
    return total


@program(([0.7, 1.2], [(1.0, Own.A), (2.0, Own.B)]))
def with_own_comparisons(x, items):
    return sum([y * x[0] ** 2 for y, k in items if k == Own.A])


@program(([0.7, 1.2], [(1.0, Kind.RIGID), (2.0, Sex.M)]), ([0.7, 1.2], [(1.0, Kind.RIGID), (2.0, "M")]))
def of_several_enums(x, items):
    return sum([y * x[0] ** 2 for y, k in items if k is Kind.RIGID]) + x[1]


@program(([0.7, 1.2], [("add", Kind.RIGID), ("push", 1.5, Kind.CABLE), ("add", Kind.CABLE)] * 30))
def in_items_of_several_kinds(x, items):
    total = 0.0
    for item in items:
        if item[0] == "push":
            total += item[1] * x[0] ** 2 if item[2] is Kind.CABLE else x[1]
        elif item[1] is Kind.CABLE:
            total += x[1] ** 2
    return total


test_programs = program.test()


@pytest.mark.parametrize(("f", "args"), [
    (of_objects, lambda n: (bars(n, n),)), (of_named_tuples, lambda n: (book(n),)),
    (alone, lambda n: ((KINDS * n)[:n], n - 1)), (selected_and_sorted, lambda n: (bars(n, n),)),
    (in_dicts_that_are_matched, lambda n: ([{"law": k, "rate": 0.5} for k in (KINDS * n)[n:2 * n]],))],
    ids=lambda v: v.__name__)
def test_other_members_and_more_items_are_compiled_once(f: Callable[..., Any], args: Callable[[int], Any]) -> None:
    df = value_and_grad(f)
    for n in (6, 7, 40):
        agrees(f, [0.7, 1.2], *args(n), derivative=df)
    assert len(df.sources) == 1  # type: ignore[attr-defined]


def test_the_gradient_by_a_list_with_members() -> None:
    def area(bars):
        return sum([b.area ** 2 if b.kind is Kind.RIGID else b.area for b in bars])

    df = value_and_grad(lambda bars, x: area(bars) * x, argnums=(0, 1))
    df(bars(6, 1), 2.0)
    value, (slopes, x) = df(bars(3), 2.0)
    assert len(df.sources) == 1  # type: ignore[attr-defined]
    assert [(b.i, b.area, b.kind) for b in slopes] == [(None, 4.0, None), (None, 2.0, None), (None, 2.0, None)]
    assert value == 2.0 * area(bars(3)) and x == area(bars(3))
    assert vjp(area, bars(3))[1](1.0)[0] == grad(area)(bars(3))
    directions = [Bar(None, 1.0, None), Bar(None, 0.5, None), Bar(None, 0.0, None)]  # type: ignore[arg-type]
    assert jvp(area, (bars(3),), (directions,)) == (area(bars(3)), 2.5)


class Frame:
    def __init__(self, n: int) -> None:
        self.joints, self.kinds = joints(n), KINDS[:n]

    def work(self, u):
        work = 0.0
        for j, kind in zip(self.joints, self.kinds):
            if j.support is kind:
                work += j.load * u[0] ** 2
            elif j.support is None:
                work += u[1] * len(j.bars)
        return work


def test_attributes_of_a_bound_object() -> None:
    df = {}
    for n in (5, 6, 7):
        df[n] = value_and_grad(Frame(n).work)
        agrees(Frame(n).work, [0.7, 1.2], derivative=df[n])
    assert df[5].source == df[7].source


def test_an_emitted_module_checks_the_members(tmp_path: Any) -> None:
    df = grad(in_lists_of_objects_or_none)
    expected = df([0.7, 1.2], joints(5))
    df.save(tmp_path / "made.py")
    space: dict[str, Any] = {"__name__": "made"}
    exec(compile((tmp_path / "made.py").read_text(), "made.py", "exec"), space)
    made = space["in_lists_of_objects_or_none_grad"]
    assert made([0.7, 1.2], joints(5)) == expected and made([0.7, 1.2], joints(3)) == df([0.7, 1.2], joints(3))
    other = joints(5)
    other[1].support = Sex.M  # type: ignore[assignment]
    with pytest.raises(TypeError, match="must be a member of Kind or None"):
        made([0.7, 1.2], other)
