"""Dicts of many alike values among globals, closures and attributes: their keys are data, and no program."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import grad, value_and_grad

SCALE: dict[str, float] = {}
PAIRS: dict[tuple[int, int], float] = {}
GRAPH: dict[int, list[int]] = {}
PARTS: dict[int, tuple[str, float]] = {}
TABLE: dict[str, dict[str, Any]] = {}
ARRAYS: dict[str, np.ndarray] = {}
WEIGHTS: dict[str, dict[str, float]] = {}
REACTIONS: dict[str, tuple[tuple[str, str], float, dict[str, float]]] = {}


def data(n: int) -> dict[str, Any]:
    """Dicts of n entries each."""
    return {
        "SCALE": {f"s{i}": 0.1 * i + 0.2 for i in range(n)},
        "PAIRS": {(i, i % 5): 0.01 * i - 0.2 for i in range(n)},
        "GRAPH": {i: [(3 * i + j) % n for j in range(i % 3)] for i in range(n)},
        "PARTS": {i: (f"s{(7 * i) % n}", 0.3 + 0.01 * i) for i in range(n)},
        "TABLE": {f"s{i}": {"rate": 0.1 * i, "order": i % 3} for i in range(n)},
        "ARRAYS": {f"s{i}": np.array([0.1 * i, 1.0]) for i in range(n)},
        "WEIGHTS": {f"s{i}": {f"s{(3 * i + j) % n}": 0.1 * j + 0.01 * i for j in range(i % 4)} for i in range(n)},
        "REACTIONS": {f"r{j}": ((f"s{j % n}", f"s{(5 * j + 3) % n}"), 0.1 + 0.02 * j,
                                {f"s{j % n}": -1.0, f"s{(11 * j + 7) % n}": 1.0}) for j in range(n)},
    }


def items_and_records(x):
    total = len(SCALE) * x
    for name, v in SCALE.items():
        row = TABLE[name]
        total += v * row["rate"] * x ** row["order"] + np.sum(ARRAYS[name] * x)
    return total


def parts_of_others(x):
    total = 0.0
    for k in PARTS:
        name, weight = PARTS[k]
        if name in SCALE:
            total += weight * SCALE[name] * x + PAIRS.get((k, 1), 0.5 * x)
    return total


def relaxation(x):
    value = {k: x * k for k in GRAPH}
    for _ in range(2):
        for k, others in GRAPH.items():
            for j in others:
                value[j] += 0.01 * value[k] * x
    return sum(value.values())


def neighbours_by_position(x):
    total = 0.0
    for k in range(25):
        for at, (j, _) in enumerate(zip(GRAPH.get(k, ()), range(9))):
            total += at * j * x
        total += len(GRAPH.get(k, ())) * x
    return total


def weights_of_dicts(x):
    distance = {k: x for k in WEIGHTS}
    for k in WEIGHTS:
        for m, w in WEIGHTS[k].items():
            distance[m] = 0.5 * distance[m] + w * distance[k]
        distance[k] += WEIGHTS[k].get("s4", 0.25) * x + len(WEIGHTS[k]) + ("s5" in WEIGHTS[k])
    return sum(distance.values())


def chemical_network(x):
    c, rate = {}, {}
    for k, name in enumerate(SCALE):
        c[name], rate[name] = x * (1.0 + 0.1 * k), 0.0
    for reactants, k, changes in REACTIONS.values():
        flux = k * x
        for name in reactants:
            flux *= c[name]
        for name, nu in changes.items():
            rate[name] += nu * flux
    return sum(v * v for v in rate.values())


def written_copy(x):
    scale, other = dict(SCALE), SCALE.copy()
    for name in scale:
        scale[name] = scale[name] * x
    scale["new"] = x
    other["s1"] = x * x
    return sum(scale.values()) * len(scale) + sum(other.values()) + max(SCALE.values()) * x


def missing_key(x):
    try:
        return SCALE["none" if x > 0.0 else "s1"] * x
    except KeyError:
        return 7.0 * x * x


EDGES: defaultdict[str, list[int]] = defaultdict(list)
RATES: OrderedDict[str, float] = OrderedDict()


def nearest_of_ordered(x):
    best = None
    for name, rate in RATES.items():
        if best is None or abs(rate - x) < abs(RATES[best] - x):
            best = name
    return RATES[best] * x * x + sum(RATES.values()) + RATES.get("none", x)


def lists_of_a_default_dict(x):
    total = 0.0
    for name in EDGES:
        for at, j in enumerate(EDGES[name]):
            total += at * j * x
        total += len(EDGES.get(name, ())) * x
    return total


@pytest.mark.parametrize("f", [nearest_of_ordered, lists_of_a_default_dict])
def test_ordered_and_default_dicts_are_read(f: Callable[[float], float]) -> None:
    derivative = value_and_grad(f)
    for n in (4, 20, 90):
        EDGES.clear()
        RATES.clear()
        for k in range(n):
            EDGES[f"e{k % 30}"].append(k)
            RATES[f"r{k}"] = 0.1 * k
        if n == 20:
            agrees(f, 0.7)
        value, dx = derivative(0.7)
        assert value == f(0.7)
        assert dx == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-6)
    assert len(derivative.sources) == 2


def test_a_missing_key_of_a_default_dict_is_not_read() -> None:
    EDGES["e1"].append(1)
    refuses(lambda x: EDGES["none"][0] * x, 0.7, code="SCT503")
    assert "none" not in EDGES


class Model:
    def __init__(self) -> None:
        self.weights: dict[str, float] = {}

    def loss(self, x: float) -> float:
        return sum(w * x * x for w in self.weights.values())


@pytest.mark.parametrize("f", [
    items_and_records, parts_of_others, relaxation, neighbours_by_position, weights_of_dicts, chemical_network,
    written_copy, missing_key])
def test_one_program_for_any_number_of_keys(f: Callable[[float], float], monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = value_and_grad(f)
    for n in (20, 100):
        for name, d in data(n).items():
            monkeypatch.setitem(globals(), name, d)
        if n == 20:
            agrees(f, 0.7)
        value, dx = derivative(0.7)
        step = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
        assert (value, type(value)) == (f(0.7), type(f(0.7)))
        assert dx == pytest.approx(step, rel=1e-6)
        assert len(derivative.sources) == 1


def test_values_change_and_other_kinds_are_compiled_again() -> None:
    model = Model()
    model.weights = {f"w{i}": 0.1 * i for i in range(20)}
    derivative = grad(model.loss)
    for change, versions in (
            ({}, 1), ({"w3": 9.0, "more": 1.5}, 1), ({"w4": np.float64(0.25)}, 2), ({"w4": 1}, 3), ({3: 1.0}, 4)):
        model.weights.update(change)
        assert derivative(0.5) == pytest.approx(sum(model.weights.values()), rel=1e-12)
        assert len(derivative.sources) == versions
    model.weights = {"a": 2.0}
    assert derivative(0.5) == 2.0


def writes_values(x):
    for name in SCALE:
        SCALE[name] = SCALE[name] * 2.0
    return SCALE["s1"] * x


def writes_into_values(x):
    for name in WEIGHTS:
        WEIGHTS[name]["more"] = 1.0
    return x


def deletes_in_values(x):
    for row in WEIGHTS.values():
        if "s1" in row:
            del row["s1"]
    return x


@pytest.mark.parametrize("f", [writes_values, writes_into_values, deletes_in_values])
def test_the_dict_is_not_written(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, d in data(20).items():
        monkeypatch.setitem(globals(), name, d)
    refuses(f, 0.7, code="SCT302")
    assert data(20)["WEIGHTS"] == WEIGHTS


def test_a_value_that_is_a_dict_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "WEIGHTS", data(20)["WEIGHTS"])
    derivative = value_and_grad(weights_of_dicts)
    for change, versions in (({}, 1), ({"s3": 4.5}, 1), ({"s4": np.float64(0.5)}, 2), ({"s4": 2}, 3)):
        WEIGHTS["s2"].update(change)
        assert derivative(0.7)[0] == weights_of_dicts(0.7)
        assert len(derivative.sources) == versions


def test_a_module_reads_the_dict_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "network_of_users.py").write_text(
        "from sct import grad\n"
        "WEIGHT = {k: 0.1 * k for k in range(30)}\n"
        "@grad\n"
        "def total(x: float) -> float:\n"
        "    return sum(w * x * WEIGHT.get(k + 1, x) for k, w in WEIGHT.items())\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import network_of_users  # type: ignore[import-not-found]
    first = network_of_users.total(0.7)
    network_of_users.total.save(tmp_path / "saved_network.py")
    import saved_network  # type: ignore[import-not-found]
    assert saved_network.total_grad(0.7) == first
    network_of_users.WEIGHT["x"] = "y"
    with pytest.raises((TypeError, ValueError)):
        saved_network.total_grad(0.7)
