"""`sct show-ir`: what it prints, what it runs of the file, how it refuses."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sct.cli import main
from sct.export.reading.file_without_running import opened
from sct.frontend import Unloaded

FILE = '''
"""A module."""
from __future__ import annotations
import math
import numpy as np
import sct
from sct import grad, value_and_grad

SCALE = 2.0

def plain(x: float, y: float) -> float:
    return SCALE * x * y

@grad
def first(x: float) -> float:
    return math.sin(x)

@value_and_grad(argnums=("x", "k"))
def second(x: np.ndarray, k: float) -> float:
    return k * np.sum(x * x)

@sct.grad(argnums=1)
def third(x, y: float):
    return x * y

class Model:
    @grad
    def loss(self, w: float) -> float:
        return w * w

    def free(self, w: float) -> float:
        return w * w * w
'''


@pytest.fixture
def run(tmp_path: Path):
    """run(text, *options): the result of `sct show-ir` of a file with that text."""

    def run(text: str, *options: str) -> Result:
        file = tmp_path / "program.py"
        file.write_text(text)
        return CliRunner().invoke(main, ["show-ir", str(file), *options])

    return run


def functions(result: Result) -> list[str]:
    """The names of the functions that were printed; each must be valid Python."""
    assert result.exit_code == 0, result.stderr
    return [node.name for node in ast.parse(result.stdout).body if isinstance(node, ast.FunctionDef)]


# -- what is printed ------------------------------------------------------------------


def test_every_decorated_function_is_printed_in_order(run) -> None:
    assert functions(run(FILE))[:3] == ["first_grad", "second_value_and_grad", "third_grad"]


def test_function_picks_one_decorated_or_not(run) -> None:
    assert functions(run(FILE, "--function", "plain")) == ["plain_grad"]
    assert functions(run(FILE, "--function", "second")) == ["second_value_and_grad"]
    assert functions(run(FILE, "--function", "plain", "--function", "first")) == ["plain_grad", "first_grad"]


def test_wrt_picks_the_arguments(run) -> None:
    by_x, by_y, by_both = (run(FILE, "--function", "plain", "--wrt", w).stdout for w in ("x", "y", "x, y"))
    assert len({by_x, by_y, by_both}) == 3
    assert "dx" not in by_y
    space: dict = {}
    exec(by_both, space)
    assert space["plain_grad"](3.0, 5.0, SCALE=2.0) == (10.0, 6.0)


def test_args_give_types(run) -> None:
    text = "import numpy as np\ndef f(x, y):\n    return np.sum(x * y)\n"
    array = run(text, "--function", "f", "--args", "x: f64[n, m], y: float")
    number = run(text, "--function", "f", "--args", "x: float, y: float")
    assert functions(array) == functions(number) == ["f_grad"]
    assert array.stdout != number.stdout and "f64[n, m]" in array.stdout


def test_args_override_annotations(run) -> None:
    assert run(FILE, "--function", "plain", "--args", "x: f64").stdout != run(FILE, "--function", "plain").stdout


def test_the_readme_example(run) -> None:
    result = CliRunner().invoke(main, ["show-ir", "examples/seed.py", "--function", "seed", "--wrt", "x1,x2"])
    space: dict = {}
    exec(result.stdout, space)
    dx1, dx2 = space["seed_grad"](2.0, 5.0)
    assert (round(dx1, 3), round(dx2, 3)) == (5.5, 1.716)


# -- what is run ----------------------------------------------------------------------

SIDE_EFFECTS = '''
import math
import numpy as np
import sct
from math import pi
from sct import grad

EFFECTS = []
WEIGHTS = np.array([1.0, 2.0])
TAU = 2.0 * pi
A, (B, C) = 1.0, (2.0, [3.0])
LIMIT: float = math.sqrt(2.0)
SHAPED = np.zeros(3).reshape(3, 1)
ALIAS = np.ndarray

def effect(x: float = 1.0) -> float:
    raise RuntimeError("run at the top level")

@grad
def f(x: float) -> float:
    return TAU * LIMIT * x

DERIVED = sct.grad(effect)

print("printed")
effect()
WEIGHTS[0] = 9.0
EFFECTS += [effect()]
MADE = effect()
NESTED = np.array([effect()])
CALLED = sct.grad(effect)(1.0)
METHOD = EFFECTS.append(1)
WALRUS = (EFFECTS := 3)
COMPREHENDED = [effect() for _ in range(1)]
FAILED = np.zeros(-1)
for i in range(3):
    effect()
while True:
    effect()
with open("never") as file:
    effect()
try:
    effect()
finally:
    effect()
if True:
    effect()
if __name__ == "__main__":
    effect()
assert False
raise SystemExit(3)
'''


def test_only_definitions_and_plain_assignments_run(run) -> None:
    result = run(SIDE_EFFECTS)
    assert functions(result) == ["f_grad", "effect_grad"]
    assert "printed" not in result.output


def test_what_load_binds(tmp_path: Path) -> None:
    file = tmp_path / "effects.py"
    file.write_text(SIDE_EFFECTS)
    with opened(file) as (_, module):
        bound = {name: x for name, x in vars(module).items() if not isinstance(x, Unloaded)}
    assert bound["TAU"] > 6.28 and bound["C"] == [3.0] and bound["SHAPED"].shape == (3, 1)
    assert bound["EFFECTS"] == [] and bound["WEIGHTS"][0] == 1.0
    for name in ("MADE", "NESTED", "CALLED", "METHOD", "WALRUS", "COMPREHENDED", "FAILED", "i"):
        assert name not in bound
    assert {"A", "B", "LIMIT", "ALIAS", "DERIVED", "f"} <= bound.keys()


def test_neighbouring_modules_can_be_imported(run, tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_program.py").write_text("def twice(x):\n    return 2.0 * x\n")
    text = (
        "from sct import grad\nfrom neighbour_of_program import twice\n"
        "@grad\ndef f(x: float):\n    return twice(x)\n"
    )
    assert functions(run(text)) == ["f_grad"]


def test_dataclasses_and_future_annotations(run) -> None:
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom sct import grad\n"
        "@dataclass\nclass Options:\n    rate: float = 0.5\n    missing: Unknown = None\n"
        "@grad\ndef f(x: float) -> Unknown:\n    return x * x\n"
    )
    assert functions(run(text)) == ["f_grad"]


# -- refusals -------------------------------------------------------------------------


def test_a_refused_function_exits_with_1_and_a_caret(run) -> None:
    text = (
        "from sct import grad\n"
        "@grad\ndef bad(x: float) -> float:\n    global G\n    G = x\n    return x\n"
        "@grad\ndef good(x: float) -> float:\n    return x * x\n"
    )
    result = run(text)
    assert result.exit_code == 1
    assert "SCT" in result.stderr and "^" in result.stderr and "program.py:" in result.stderr
    assert "good_grad" in result.stdout and "Traceback" not in result.output


def test_a_method_without_an_argument_is_refused_alone(run) -> None:
    result = run("import sct\nclass Model:\n    @sct.grad\n    def cost(self):\n        return 1.0\n"
                 "@sct.grad\ndef square(x: float):\n    return x * x\n")
    assert result.exit_code == 1 and "SCT903" in result.output and "def cost(self)" in result.output
    assert "def square_grad(x)" in result.stdout


def test_a_syntax_error_exits_with_1(run) -> None:
    result = run("def f(x):\n    return x +\n")
    assert result.exit_code == 1
    assert "not valid Python" in result.stderr and "program.py:2:" in result.stderr and "^" in result.stderr


@pytest.mark.parametrize("content", [b"x = 1\x00\n", b"\xff\xfe\xfa"])
def test_a_file_that_is_not_text_exits_with_1(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "program.py"
    file.write_bytes(content)
    result = CliRunner().invoke(main, ["show-ir", str(file)])
    assert result.exit_code == 1 and "SCT911" in result.stderr


@pytest.mark.parametrize("line", ["class A(1): pass", "def f(x=1 / 0): pass"])
def test_a_file_that_cannot_be_loaded_exits_with_1(run, line: str) -> None:
    result = run("import math\n" + line + "\n")
    assert result.exit_code == 1
    assert "cannot be loaded" in result.stderr and "program.py:2:1" in result.stderr


def test_a_wrong_decorator_is_refused_at_the_function(run) -> None:
    result = run("from sct import grad\n@grad(argnums=3)\ndef f(x: float):\n    return x\n")
    assert result.exit_code == 1 and "SCT903" in result.stderr and "program.py:3" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--function", "missing"], "no function 'missing'"),
        (["--function", "SCALE"], "no function 'SCALE'"),
        (["--function", "Model"], "no function 'Model'"),
        (["--function", "Model.missing"], "no function 'Model.missing'"),
        (["--function", "plain", "--wrt", "z"], "no parameter 'z'"),
        (["--function", "plain", "--wrt", "x,x"], "twice"),
        (["--function", "plain", "--wrt", ""], "no parameter ''"),
        (["--function", "plain", "--args", "z: float"], "no parameter 'z'"),
        (["--function", "plain", "--args", "x"], "is not"),
        (["--function", "plain", "--args", "x float"], "is not"),
        (["--function", "plain", "--args", "x:"], "is not"),
        (["--function", "plain", "--args", "x: f64[n"], "f64[n"),
        (["--function", "plain", "--args", "x: nonsense!"], "nonsense!"),
        (["--bogus"], "No such option"),
    ],
)
def test_wrong_command_lines_exit_with_2(run, options: list[str], message: str) -> None:
    result = run(FILE, *options)
    assert result.exit_code == 2, result.output
    assert message in result.stderr and "Traceback" not in result.output


def test_a_missing_file_and_an_empty_directory_exit_with_2(tmp_path: Path) -> None:
    for path in (tmp_path / "none.py", tmp_path):
        result = CliRunner().invoke(main, ["show-ir", str(path)])
        assert result.exit_code == 2 and str(path) in result.stderr


def test_a_file_without_decorated_functions_exits_with_2(run) -> None:
    result = run("def f(x):\n    return x\n")
    assert result.exit_code == 2 and "--function" in result.stderr


# -- the command ----------------------------------------------------------------------


def test_the_command_imports_no_library_that_is_slow_to_import(tmp_path: Path) -> None:
    """How long it takes is measured by benchmarks/compile_time.py."""
    file = tmp_path / "sine.py"
    file.write_text("import math\nfrom sct import grad\n@grad\ndef f(x: float):\n    return x * math.sin(x)\n")
    command = [sys.executable, "-X", "importtime", "-c", "from sct.cli import main; main()", "show-ir", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "def f_grad(x" in done.stdout and "numpy" in modules
    assert not modules & {"scipy", "numba", "jax", "pandas", "matplotlib", "pytest"}


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "sct", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("Usage: sct [OPTIONS]") and "show-ir" in shown


def test_help() -> None:
    for command in ("show-ir", "emit", "check"):
        assert command in CliRunner().invoke(main, ["--help"]).output
        assert "Usage:" in CliRunner().invoke(main, [command, "-h"]).output


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.exit_code == 0 and result.output.startswith("sct, version ")


# -- stages ---------------------------------------------------------------------------


@pytest.mark.parametrize(("stage", "holds", "lacks"), [
    ("ast", "FunctionDef(", "vjp"), ("anf", "vjp[float", "# active"), ("activity", "  # active\n", "adj."),
    ("adjoint", "adj.", "vjp["), ("optimized", "adj.", "vjp["), ("source", "def first_grad(x):", "adj."),
])
def test_each_stage(run, stage: str, holds: str, lacks: str) -> None:
    result = run(FILE, "--function", "first", "--stage", stage)
    assert result.exit_code == 0 and holds in result.stdout and lacks not in result.stdout


def test_all_stages_have_headings(run) -> None:
    lines = run(FILE, "--function", "first", "--all-stages").stdout.splitlines()
    heads = [line.split()[2] for line in lines if line.startswith("# -- ")]
    assert heads == ["ast", "anf", "activity", "adjoint", "optimized", "source"]


def test_activity_marks_what_carries_a_derivative(run) -> None:
    text = "def f(x: float, n: int):\n    m = n + 1\n    y = x * m\n    return y\n"
    lines = run(text, "--function", "f", "--stage", "activity").stdout.splitlines()
    marked = {line.split(":")[0].strip() for line in lines if line.endswith("# active")}
    assert marked == {"y"} and any(line.strip().startswith("m:") for line in lines)


def test_forward_mode(run) -> None:
    text = "def f(x: float, y: float, n: int):\n    return x * y * n\n"
    space: dict = {}
    exec(run(text, "--function", "f", "--mode", "forward").stdout, space)
    assert space["f_jvp"](2.0, 3.0, 4, 1.0, None, None) == (24.0, 12.0)
    exec(run(text, "--function", "f", "--mode", "forward", "--wrt", "x,y").stdout, space)
    assert space["f_jvp"](2.0, 3.0, 4, 1.0, 1.0, None) == (24.0, 20.0)
    assert functions(run(FILE, "--function", "second", "--mode", "reverse")) == ["second_value_and_grad"]


# -- functions and types --------------------------------------------------------------


def test_methods(run) -> None:
    text = (
        "import numpy as np\nfrom sct import grad\nclass A:\n    rate = 2.0\n"
        "    def __init__(self, w: np.ndarray): self.w = w\n"
        "    def loss(self, x): return np.sum(self.w * x) * self.rate\n"
        "    @grad\n    def marked(self, x: float): return x * self.rate\n"
        "    @staticmethod\n    def still(x: float): return x * x\n"
        "    @classmethod\n    def shared(cls, x: float): return x * cls.rate\n"
    )
    space: dict = {}
    exec(run(text, "--function", "A.loss").stdout, space)
    assert space["loss_grad"](3.0, self_w=np.ones(2), self_rate=2.0) == 4.0
    assert functions(run(text)) == ["marked_grad"]
    assert functions(run(text, "--function", "A.still")) == ["still_grad"]
    assert functions(run(text, "--function", "A.shared")) == ["shared_grad"]
    by_array = run(text, "--function", "A.loss", "--args", "x: f64[n], self.w: f64[n, m]")
    assert "self_w: f64[" in by_array.stdout and by_array.exit_code == 0


def test_values_and_structures_in_args(run) -> None:
    text = "import numpy as np\ndef f(p, k): return np.sum(p['w'] * p['b'][0], axis=k)\n"
    result = run(text, "--function", "f", "--args", "p: {'w': f64[n], 'b': (float, int)}, k = 0")
    assert functions(result) == ["f_grad"]
    missing = run(text, "--function", "f", "--args", "p: {'w': f64[n], 'b': (float, int)}")
    assert missing.exit_code == 1 and '--args "k = ..."' in missing.stderr


def test_types_that_nothing_says_are_the_simplest(run) -> None:
    def comment(text: str) -> str:
        return next(line.strip() for line in run(text, "--function", "f").stdout.splitlines() if "#" in line)

    head = "import numpy as np\nfrom numpy.typing import NDArray\n"
    assert comment("def f(x, y): return x * y\n") == "# x: float, y: float"
    assert comment(head + "def f(x, y): return np.sum(x[1:] * y)\n") == "# x: f64[n], y: float"
    assert comment(head + "def f(x, n):\n    for i in range(n): x = x * x\n    return x\n") == "# x: float, n: int"
    assert comment(head + "def f(x, A): return (A.T @ x)[0] + A[0, 0]\n") == "# x: f64[n], A: f64[n, k]"
    assert comment(head + "def f(x: np.ndarray): return np.sum(x)\n") == "# x: f64[n]"
    assert comment(head + "def f(x: NDArray[np.float32]): return np.sum(x)\n") == "# x: f32[n]"
    assert comment("def f(p: tuple[float, int], k=2): return p[0] * p[1] * k\n") == "# p: (float, int), k: int"


def test_two_functions_of_one_name_are_the_last(run) -> None:
    text = "def f(x: float): return x\ndef f(x: float): return 3.0 * x\n"
    assert "return 3.0" in run(text, "--function", "f").stdout


# -- colour ---------------------------------------------------------------------------


def test_colour(run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run(FILE, "--function", "first")
    assert "\x1b[" not in plain.stdout
    painted = run(FILE, "--function", "first", "--color", "always")
    assert "\x1b[" in painted.stdout
    assert re.sub(r"\x1b\[[\d;]*m", "", painted.stdout) == plain.stdout


# -- check ----------------------------------------------------------------------------


def check(tmp_path: Path, text: str, *options: str) -> Result:
    file = tmp_path / "program.py"
    file.write_text(text)
    return CliRunner().invoke(main, ["check", str(file), *options])


def test_check_says_what_is_accepted_and_refused(tmp_path: Path) -> None:
    text = (
        "from sct import grad\n@grad\ndef good(x: float, n: int): return x * n\n"
        "@grad\ndef bad(x: float): yield x\ndef other(x: float): yield x\n"
    )
    result = check(tmp_path, text)
    assert result.exit_code == 1 and "^" in result.stderr and "SCT101" in result.stderr
    assert result.stdout == "accepted  good(x: float, n: int)\nrefused   bad\n"
    assert check(tmp_path, text, "--function", "good").exit_code == 0


def test_check_of_a_file_without_decorators_checks_every_function(tmp_path: Path) -> None:
    result = check(tmp_path, "from math import sin\ndef f(x): return sin(x)\ndef g(x): return x[0]\n")
    assert result.exit_code == 0
    assert result.stdout == "accepted  f(x: float)\naccepted  g(x: f64[n])\n"


def test_check_finds_copies_in_loops(tmp_path: Path) -> None:
    result = check(tmp_path, (
        "import numpy as np\nfrom sct import grad\n@grad\ndef f(u: np.ndarray, n: int):\n    s = 0.0\n"
        "    for i in range(n):\n        v = u\n        u = np.sin(u)\n        v[0] = 2.0 * s\n"
        "        s += np.sum(u * v)\n    return s\n"
    ))
    assert result.exit_code == 0
    assert "program.py:9: a copy of `u` is made in each iteration of a loop" in result.stdout


def test_an_empty_file(tmp_path: Path) -> None:
    assert check(tmp_path, "").exit_code == 2
