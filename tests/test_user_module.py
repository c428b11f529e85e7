"""A module of 200 lines as a user writes it: differentiated, emitted, committed, and watched.

    pytest tests/test_user_module.py --update-golden      writes usermodule/reservoir_emitted.py anew
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from trees import copied, same_bits

from sct.export.decorated_file import DecoratedFile

HERE = Path(__file__).parent / "usermodule"
MODULE, EMITTED = HERE / "reservoir.py", HERE / "reservoir_emitted.py"


def imported(path: Path) -> ModuleType:
    name = f"usermodule_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def emitted(path: Path) -> str:
    with DecoratedFile.opened(path) as file:
        text, refused = file.emit(list(file.decorated()), lambda decorated: {})
    assert not refused, refused
    return text


def test_it_is_what_is_committed(update_golden: bool) -> None:
    text = emitted(MODULE)
    if update_golden:
        EMITTED.write_text(text)
    command = "pytest tests/test_user_module.py --update-golden"
    assert EMITTED.read_text() == text, f"the emitted module changed; if it is meant to: {command}"


def test_it_is_a_module_of_200_lines_with_all_kinds_of_functions() -> None:
    tree = ast.parse(MODULE.read_text())
    assert len(MODULE.read_text().splitlines()) >= 200
    assert sum(isinstance(node, ast.FunctionDef) for node in tree.body) >= 12
    assert sum(isinstance(node, ast.ClassDef) for node in tree.body) == 2
    assert not any(isinstance(node, (ast.Import, ast.ImportFrom)) and "sct" in ast.unparse(node)
                   for node in ast.walk(ast.parse(EMITTED.read_text())))


CALLS: dict[str, Callable[[ModuleType, np.random.Generator], Any]] = {
    "revenue": lambda m, r: m.revenue(r.uniform(1.0, 3.0, 24), 20.0, r.uniform(0.0, 2.0, 24), 45.0),
    "spilled": lambda m, r: m.spilled(3.0, 1.0),
    "filling_time": lambda m, r: m.filling_time(0.7, 1.0, 5.0),
    "cascade": lambda m, r: m.cascade(r.uniform(0.1, 1.0, 4), 0.7),
    "routed": lambda m, r: m.routed(r.normal(size=5), r.normal(size=5)),
    "forecast": lambda m, r: m.forecast(2.0, 4),
    "satisfaction": lambda m, r: m.satisfaction(1.5, 0.4),
    "smoothness_grad": lambda m, r: m.smoothness_grad(r.normal(size=6), 0.3),
    "curvature": lambda m, r: m.curvature(0.3, 0.9),
    "power": lambda m, r: [m.Turbine(2.0, np.array([0.5, 0.4, -0.1])).power(x) for x in (1.0, 3.0)],
    "cost": lambda m, r: m.Operator(1.0).cost(0.2, -0.4),
    "tax": lambda m, r: [m.Operator.tax(x) for x in (5e3, 2e4)],
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_committed_computes_the_same(name: str) -> None:
    wanted, found = (copied(CALLS[name](imported(path), np.random.default_rng(0))) for path in (MODULE, EMITTED))
    assert same_bits(found, wanted)


CONSTANTS = [
    ("EVAPORATION = 0.002", "EVAPORATION = 0.003"), ("GRAVITY = 9.81", "GRAVITY = 9.80665"),
    ("[32.0, 45.0, 61.0]", "[33.0, 45.0, 61.0]"), ('"spill": 4.0', '"spill": 5.0'),
    ('"kind": "quadratic"', '"kind": "linear"'), ("0.1 * gate", "0.2 * gate"), ("area=2.5e5", "area=2.6e5"),
    ("0.4 * wet", "0.5 * wet"), ("slope = 0.15", "slope = 0.25"), ("momentum = 0.8", "momentum = 0.7"),
    ("0.1 * np.mean", "0.2 * np.mean"), (")(0.3)", ")(0.2)"), ("range(4)", "range(5)"),
    ("gates: int = 3", "gates: int = 4"),
]


@pytest.mark.parametrize(("old", "new"), CONSTANTS)
def test_a_constant_that_changes_is_recognised(tmp_path: Path, old: str, new: str) -> None:
    text = MODULE.read_text()
    assert text.count(old) == 1
    changed = tmp_path / "reservoir.py"
    changed.write_text(text.replace(old, new))
    assert emitted(changed) != emitted(MODULE)
