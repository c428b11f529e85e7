"""The plugin for users' tests, run in pytest of its own."""

from __future__ import annotations

import ast
import importlib.metadata
import linecache
import sys
from pathlib import Path

import pytest

import sct  # once, in this process: NumPy does not stand being imported twice
from sct.export.golden import GoldenModule

pytest_plugins = ["pytester"]

INSTALLED = any(point.name == "sct" for point in importlib.metadata.entry_points(group="pytest11"))
PLUGIN = () if INSTALLED else ("-p", "sct.pytest_plugin")

MODEL = """
import numpy as np

RATE = 0.5
TABLE = np.linspace(0.0, 1.0, {size})

def loss(x):
    y = 2.0 * RATE * x
    return np.sum(y * y * TABLE)

def make(k):
    return lambda x: k * x * x
"""

TESTS = """
import numpy as np
from sct import grad, value_and_grad
from model_of_plugin import TABLE, loss, make

def test_loss(sct_golden):
    x = np.ones(TABLE.size)
    dx = sct_golden(grad(loss), x)
    assert dx.shape == x.shape and x.tolist() == [1.0] * TABLE.size

def test_both(sct_golden):
    sct_golden(value_and_grad(make(3.0)), 2.0, name="made")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """run(*options): the result of pytest in a project with MODEL and TESTS; `model` edits the model."""
    # Bytecode of a file that is edited twice in a second, to the same size, would be stale.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    class Project:
        path = pytester.path
        golden = pytester.path / "golden" / "test_model"

        def run(self, *options: str) -> pytest.RunResult:
            linecache.clearcache()
            return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *options)

        def model(self, old: str = "", new: str = "", size: int = 3) -> None:
            (pytester.path / "model_of_plugin.py").write_text(MODEL.format(size=size).replace(old, new))

    made = Project()
    made.model()
    pytester.makepyfile(test_model=TESTS)
    pytester.makeini("[pytest]\npythonpath = .\n")
    return made


def test_a_missing_file_fails_with_the_command(project) -> None:
    result = project.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*there is no golden/test_model/test_loss.py; write it by",
                                 "*pytest 'test_model.py::test_loss' --sct-update"])
    assert not project.golden.exists()


def test_update_writes_the_files_and_prints_the_diff(project) -> None:
    result = project.run("--sct-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["*golden files of sct written*", "+++ golden/test_model/made.py (now)", "+def f_value_and_grad(x):"])
    assert sorted(path.name for path in project.golden.iterdir()) == ["made.py", "test_loss.py"]
    assert "RATE = 0.5" in (project.golden / "test_loss.py").read_text()
    project.run().assert_outcomes(passed=2)
    assert "golden files of sct" not in project.run("--sct-update").stdout.str()


@pytest.mark.parametrize(("old", "new"), [
    ("RATE = 0.5", "RATE = 0.25"), ("2.0 * RATE", "3.0 * RATE"), ("linspace(0.0, 1.0", "linspace(0.0, 2.0"),
])
def test_a_constant_that_changes_is_recognised(project, old: str, new: str) -> None:
    project.run("--sct-update").assert_outcomes(passed=2)
    project.model(old, new)
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*--- golden/test_model/test_loss.py (committed)",
                                 "*+++ golden/test_model/test_loss.py (now)", "*if it is meant to be so:",
                                 "*--sct-update"])


def test_a_constant_of_a_closure_and_a_large_array_that_change_are_recognised(project) -> None:
    project.model("np.linspace", "(lambda *a: np.linspace(*a))", size=100)
    project.run("--sct-update").assert_outcomes(passed=2)
    assert "# TABLE: shape (100,), float64, sha256" in (project.golden / "test_loss.py").read_text()
    project.run().assert_outcomes(passed=2)
    project.model("np.linspace(0.0, 1.0", "(lambda *a: np.linspace(*a))(0.0, 1.5", size=100)
    project.run().assert_outcomes(passed=1, failed=1)
    tests = project.path / "test_model.py"
    tests.write_text(tests.read_text().replace("make(3.0)", "make(4.0)"))
    project.run().assert_outcomes(failed=2)


def test_a_file_that_computes_something_else_fails(project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run("--sct-update")
    monkeypatch.setattr(GoldenModule, "compare", lambda self, path: "result is 1")
    result = project.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*computes something else than the derivative: result is 1"])


def test_one_name_used_twice_fails(project) -> None:
    (project.path / "test_model.py").write_text(
        "from sct import grad\ndef test_it(sct_golden):\n"
        "    sct_golden(grad(lambda x: x), 1.0)\n    sct_golden(grad(lambda x: 2.0 * x), 1.0)\n")
    result = project.run("--sct-update")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*used twice in this test*"])


def test_tests_of_one_name_have_files_of_their_own(project) -> None:
    """Parameters that differ in a sign, classes, and modules."""
    text = """
import pytest
from sct import grad

@pytest.mark.parametrize("k", [1, -1, 0.5, "a/b"])
def test_it(sct_golden, k):
    scale = float(len(str(k)))
    sct_golden(grad(lambda x: x * scale), 1.0)

class TestA:
    def test_it(self, sct_golden):
        sct_golden(grad(lambda x: 3.0 * x * x), 1.0)

class TestB:
    def test_it(self, sct_golden):
        sct_golden(grad(lambda x: x ** 4), 1.0)
"""
    for name in ("test_model.py", "test_other.py"):
        (project.path / name).write_text(text)
    project.run("--sct-update").assert_outcomes(passed=12)
    for name in ("test_model", "test_other"):
        assert sorted(path.name for path in (project.path / "golden" / name).iterdir()) == [
            "TestA.test_it.py", "TestB.test_it.py", "test_it[-1].py", "test_it[0.5].py", "test_it[1].py",
            "test_it[a%2Fb].py"]
    project.run().assert_outcomes(passed=12)


def test_an_argument_may_be_of_a_dataclass_of_the_test_module(project) -> None:
    (project.path / "test_model.py").write_text("""
from dataclasses import dataclass
import numpy as np
from sct import grad

@dataclass
class Pair:
    a: float
    b: np.ndarray

def squares(p):
    return p.a * np.sum(p.b ** 2)

def test_it(sct_golden):
    assert type(sct_golden(grad(squares), Pair(1.5, np.ones(3)))) is Pair
""")
    project.run("--sct-update").assert_outcomes(passed=1)
    project.run().assert_outcomes(passed=1)


def test_golden_files_are_not_collected(project) -> None:
    project.run("--sct-update").assert_outcomes(passed=2)
    (project.golden / "test_loss.py").write_text("raise SystemExit")
    result = project.run("--collect-only", "-q")
    result.stdout.fnmatch_lines(["test_model.py::test_loss", "test_model.py::test_both", "*2 tests collected*"])


def test_several_processes(project) -> None:
    pytest.importorskip("xdist")
    result = project.run("-n", "2", "--sct-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*golden files of sct written*", "*golden/test_model/made.py (now)"])


def test_what_is_not_a_derivative_is_refused(project) -> None:
    (project.path / "test_model.py").write_text("def test_it(sct_golden):\n    sct_golden(len, [1.0])\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*SCT902*"])


def test_pytest_is_imported_by_the_plugin_alone() -> None:
    root = Path(sct.__file__).parent
    names = {path.name for path in root.rglob("*.py") for node in ast.walk(ast.parse(path.read_text()))
             if isinstance(node, ast.Import) and any(a.name == "pytest" for a in node.names)}
    assert names == {"pytest_plugin.py"}
