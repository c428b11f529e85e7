"""Twice the program, twice the work of the compiler: the calls that it makes are counted, as time varies."""

import cProfile
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sct import grad
from sct.frontend.calls import outlining

PARTS = {
    "statements": ["x = math.sin(x) * y + {k}.0", "y = y * 0.5 + x"],
    "calls": ["x = part(x, y)"],
    "squares": ["x = x * x", "y = y * x"],
    "branches": ["if x > y:", "    x = math.sin(x) * y", "else:", "    x = math.cos(y) + x"],
    "branches of one predicate": ["if c > 0.5:", "    x = math.sin(x) * y", "else:", "    y = math.cos(y) + x"],
    "loops": ["for i in range(n):", "    x = math.sin(x) * u[i]"],
    "loops that end early": ["for i in range(n):", "    x = math.sin(x) + u[i]", "    if x > {k}.5:", "        break"],
    "loops with an else": ["for i in range(n):", "    x = math.sin(x) + u[i]", "    if x > {k}.5:", "        break",
                           "else:", "    x = x * 0.5"],
    "loops with predicates on tapes": ["for i in range(n):", "    if u[i] > 0.5:", "        x = math.sin(x) * u[i]",
                                       "        if x > {k}.5:", "            break", "    y = y * x"],
    "variables that may be unbound": ["for i in range(n):", "    if u[i] > 0.5:", "        z{k} = x * u[i]",
                                      "        break", "x = x * z{k}"],
}


def repeated(part: list[str], count: int, path: Path) -> Callable[..., Any]:
    """A function with `part` so many times."""
    body = [line.replace("{k}", str(k)) for k in range(count) for line in part]
    lines = ["import math", "def part(x, y):", "    return math.sin(x) * y + x",
             "def f(x: float, y: float, c: float, u, n: int):", *(f"    {line}" for line in body), "    return x + y"]
    path.write_text("\n".join([*lines, ""]))
    return loaded(path).f


def loaded(path: Path) -> Any:
    """The module of a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calls(f: Callable[..., Any]) -> int:
    """The calls that are made until the gradient is emitted and has run."""
    derivative, args = grad(f, (0, 1)), (0.3, 0.7, 0.6, np.linspace(0.1, 0.8, 8), 8)
    profile = cProfile.Profile()
    profile.enable()
    derivative(*args)
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("name", PARTS)
def test_the_work_is_linear_in_the_length_of_the_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCT_VERIFY", "0")
    once, twice = (calls(repeated(PARTS[name], n, tmp_path / f"f{n}.py")) for n in (20, 40))
    assert twice < 2.25 * once, f"{once} calls, and {twice} for twice the program"


@pytest.mark.parametrize("start", ["b", "b + A[i]"])
def test_sums_over_iterations_of_values_that_are_read_twice(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCT_VERIFY", "0")
    counts = []
    for n in (8, 16):
        path = tmp_path / f"f{n}.py"
        body = [f"z = M{k} @ z + z" for k in range(n)]
        lines = ["import numpy as np", f"def f(b, A, {', '.join(f'M{k}' for k in range(n))}):", "    total = 0.0",
                 "    for i in range(len(A)):", f"        z = {start}", *(f"        {line}" for line in body),
                 "        total += np.sum(z * A[i])", "    return total"]
        path.write_text("\n".join([*lines, ""]))
        profile = cProfile.Profile()
        derivative, arrays = grad(loaded(path).f), [np.eye(3) for _ in range(n + 1)]
        profile.enable()
        derivative(np.ones(3), *arrays)
        profile.disable()
        assert "for i in" not in derivative.source
        counts.append(sum(entry.callcount for entry in profile.getstats()))
    assert counts[1] < 2.5 * counts[0], f"{counts[0]} calls, and {counts[1]} for twice the program"


def test_a_long_function_that_is_called_once_is_evaluated_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCT_VERIFY", "0")
    f = repeated(PARTS["statements"], 20, tmp_path / "f.py")
    few = calls(f)
    monkeypatch.setattr(outlining, "TOO_MUCH", 10)
    assert calls(repeated(PARTS["statements"], 20, tmp_path / "g.py")) < 1.1 * few
