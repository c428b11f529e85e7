"""Dicts of many alike values in the arguments: one value each, with keys that are data, if a program runs over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, jvp, value_and_grad, vjp
from tests.oracle import agrees, agrees_in_second_order, refuses


@dataclass
class Group:
    weight: float
    members: list[float]
    total: float = 0.0
    censored: bool = False


@dataclass
class Model:
    groups: dict[str, Group]
    limits: dict[str, float]
    table: list[dict[str, float]] = field(default_factory=list)


def groups(n: int) -> dict[str, Group]:
    return {f"g{k}": Group(1.0 + 0.1 * k, [0.1 * j - 0.3 for j in range(k % 4)], 0.2, k % 3 == n % 3) for k in range(n)}


def events(n: int) -> list[tuple[str, float]]:
    return [(f"g{5 * k % n}", 0.3 * k - 1.0) for k in range(2 * n)]


def written_through(x, groups, events):
    for name, amount in events:
        groups[name].total += amount * x[0]
    s = 0.0
    for name, g in groups.items():
        s += g.weight * (g.total - x[1]) ** 2 + len(name) * x[0]
        for v in g.members:
            s += v * x[1] if g.censored else v * v * x[0]
    return s


def of_numbers(x, rates, order):
    total = 0.0
    for name in order:
        total += rates[name] * x[0] + rates.get(name + "!", x[1])
    rates["new"] = x[0] * x[1]
    for name in rates:
        rates[name] *= x[1]
    return total + sum(rates.values()) * len(rates) + ("g3" in rates) * x[0] + max(rates.values())


def of_arrays(x, strata):
    ll = 0.0
    for name, d in strata.items():
        eta = d["X"] @ x
        ll += np.sum(d["y"] * eta - np.log1p(np.exp(eta)))
        if name == "s3":
            ll += x[0] ** 2
    return ll


def of_an_object(x, model):
    s = 0.0
    for name, g in model.groups.items():
        if not g.censored and g.weight < model.limits[name]:
            s += g.weight * x[0] ** 2
    return s + sum(row["w"] * x[1] for row in model.table)


def graph(x, edges, start):
    distance = {k: x[0] for k in edges}
    for k in edges:
        for m, w in edges[k].items():
            distance[m] = 0.5 * distance[m] + w * distance[k]
    return distance[start] * x[1] + sum(distance.values())


def removed(x, rates):
    for name in [name for name, v in rates.items() if v > 1.0]:
        del rates[name]
    last = rates.pop("g1", 3.0) * x[1]
    return sum(v * x[0] ** 2 for v in list(rates.values())) + last + len(rates) * x[0]


def by_pairs_of_ints(x, table, at):
    s = 0.0
    for i, j in at:
        if (i, j) in table:
            s += table[i, j] * x[0] ** 2
    for (i, j), v in table.items():
        s += v * (i - j) * x[1]
    return s


def strata(n: int) -> dict[str, dict[str, np.ndarray]]:
    rng = np.random.default_rng(n)
    sizes = [4 + k % 5 for k in range(n)]
    return {f"s{k}": {"X": rng.normal(size=(m, 2)), "y": rng.uniform(size=m)} for k, m in enumerate(sizes)}


def edges(n: int) -> dict[str, dict[str, float]]:
    return {f"n{k}": {f"n{(3 * k + j) % n}": 0.1 * j + 0.01 * k for j in range(k % 4)} for k in range(n)}


PROGRAMS: list[tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = [
    (written_through, lambda n: (groups(n), events(n))),
    (of_numbers, lambda n: ({f"g{k}": 0.1 * k for k in range(n)}, [f"g{3 * k % n}" for k in range(n)])),
    (of_arrays, lambda n: (strata(n),)),
    (of_an_object, lambda n: (Model(groups(n), {f"g{k}": 0.1 * n for k in range(n)}, [{"w": 1.0}] * 3),)),
    (graph, lambda n: (edges(n), "n5")),
    (by_pairs_of_ints, lambda n: ({(k, 3 * k % 7): 0.1 * k for k in range(n)}, [(k, k % 3) for k in range(n)])),
]


@pytest.mark.parametrize("validate", ["1", "0"])
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: v.__name__)
def test_one_program_for_any_number_of_keys(f: Callable[..., Any], args: Callable[[int], Any], validate: str,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    df = value_and_grad(f)
    df(np.array([0.7, 1.2]), *args(20))
    sources = len(df.sources)  # type: ignore[attr-defined]
    for n in (20, 41, 150):
        agrees(f, np.array([0.7, 1.2]), *args(n), derivative=df)
    assert len(df.sources) == sources  # type: ignore[attr-defined]
    for n in (6, 17):
        agrees(f, np.array([0.7, 1.2]), *args(n), derivative=df)
    x, others = np.array([0.7, 1.2]), args(20)
    agrees_in_second_order(f, x, *others)
    gradient, v = grad(f)(x, *others), np.array([0.3, 0.8])
    assert jvp(f, (x, *others), (v,))[1] == pytest.approx(gradient @ v, rel=1e-12)
    assert hvp(f, (x, *others), (v,)) == pytest.approx((grad(f)(x + 1e-6 * v, *others) - gradient) / 1e-6, rel=1e-3,
                                                       abs=1e-3)
    by_all = vjp(f, x, *others)[1](1.0)
    np.testing.assert_allclose(by_all[0] if isinstance(by_all, tuple) else by_all, gradient, rtol=1e-12)


@pytest.mark.parametrize("validate", ["1", "0"])
def test_keys_are_removed(validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dict of few keys, or by which the function is differentiated, is taken apart: none of its keys is removed."""
    monkeypatch.setenv("SCT_VALIDATE", validate)
    df, x = value_and_grad(removed), np.array([0.7, 1.2])
    for n in (20, 41, 150, 17):
        agrees(removed, x, {f"g{k}": 0.1 * k for k in range(n)}, derivative=df)
    assert len(df.sources) == 1  # type: ignore[attr-defined]
    refuses(removed, x, {f"g{k}": 0.1 * k for k in range(6)}, code="SCT505")


def test_the_gradient_by_a_dict_has_its_keys() -> None:
    d = {f"k{i}": 0.5 * i for i in range(20)}
    value, slopes = value_and_grad(lambda d, x: sum(v * v * x for v in d.values()))(d, 2.0)
    assert slopes == {f"k{i}": 2.0 * i for i in range(20)} and value == sum(0.5 * i * i for i in range(20))


def test_keyword_arguments_are_no_such_dict() -> None:
    def f(x, **rates):
        return sum(v * x * x for v in rates.values()) + sum(len(k) for k in rates)

    rates = {f"k{i}": 0.5 * i for i in range(30)}
    assert grad(f)(2.0, **rates) == 4.0 * sum(rates.values())


def test_other_kinds_are_compiled_again() -> None:
    def f(x, d):
        return sum(v * x for v in d.values()) + sum(k * x for k in d)

    df = value_and_grad(f)
    for d in ({k: 0.5 * k for k in range(20)}, {0.5 * k: k for k in range(20)}, {k: 1.0 + k for k in range(30)},
              {k: k if k % 2 else 0.5 for k in range(20)}, {k: np.ones(3) * k for k in range(3)}):
        if not isinstance(d[1], np.ndarray):
            agrees(f, 0.7, d, derivative=df)


def test_one_object_at_two_keys() -> None:
    def reads(x, groups):
        return sum(g.weight * x[0] for g in groups.values())

    def writes(x, groups):
        for g in groups.values():
            g.total += x[0]
        return sum(g.total ** 2 for g in groups.values())

    shared = groups(20)
    shared["g7"] = shared["g3"]
    for f in (reads, writes):
        df = value_and_grad(f)
        agrees(f, [0.7], groups(20), derivative=df)
        agrees(f, [0.7], shared, derivative=df)


def test_an_emitted_module_checks_the_dict(tmp_path: Any) -> None:
    df = grad(written_through)
    x = np.array([0.7, 1.2])
    expected = df(x, groups(20), events(20))
    df.save(tmp_path / "made.py")
    space: dict[str, Any] = {"__name__": "made"}
    exec(compile((tmp_path / "made.py").read_text(), "made.py", "exec"), space)
    made = space["written_through_grad"]
    np.testing.assert_array_equal(made(x, groups(20), events(20)), expected)
    np.testing.assert_array_equal(made(x, groups(33), events(33)), df(x, groups(33), events(33)))
    with pytest.raises(TypeError):
        made(x, {**groups(20), "g3": 1.0}, events(20))
