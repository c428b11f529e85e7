"""`sct` on projects: directories, packages, notebooks, standard input, encodings, imports that fail; formats."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import sct
from sct.cli import main
from sct.errors import SctError
from sct.export.reading.sources import read_source

MODEL = '''
"""The model."""
from __future__ import annotations
import os
from typing import TYPE_CHECKING
import numpy as np
import no_such_library
from no_such_library import nn
from sct import grad, value_and_grad
from .util import scaled, TABLE
from sct_test_pkg.sub.deep import shift
if TYPE_CHECKING:
    from numpy.typing import NDArray
try:
    import no_such_library_either as xp
except ImportError:
    xp = np

print("the model is loaded")
RATE = float(os.environ.get("RATE", "1"))

@grad
def loss(w: NDArray[np.float32], x: np.ndarray) -> float:
    """The squared error."""
    return np.sum((scaled(w) * x - shift(1.0)) ** 2)

@grad
def uses_library(x: float): return no_such_library.sin(x)

@grad
def uses_rate(x: float): return RATE * x

@grad
def uses_table(x: float): return TABLE * x

@grad
def uses_xp(x: np.ndarray): return xp.sum(xp.sin(x))

class Net(nn.Module):
    @grad
    def forward(self, x: float): return x * x

@grad
@no_such_library.script
def scripted(x: float): return x

def plain(x: float, kind=no_such_library.float32): return x * x
'''

FILES = {
    "pyproject.toml": "",
    "src/sct_test_pkg/__init__.py": "from .model import loss\nimport no_such_library\n",
    "src/sct_test_pkg/model.py": MODEL,
    "src/sct_test_pkg/util.py": "import no_such_library\nTABLE = no_such_library.table()\n"
                                "def scaled(w): return 2.0 * w\n",
    "src/sct_test_pkg/sub/__init__.py": "",
    "src/sct_test_pkg/sub/deep.py": "from ..util import scaled\nfrom sct import grad\ndef shift(x): return x + 1.0\n"
                                    "@grad\ndef h(x: float): return scaled(x) * shift(x)\n",
    "src/sct_test_pkg/broken.py": "def f(x:\n",
    ".hidden/a.py": "raise SystemExit\n", "build/a.py": "raise SystemExit\n",
    "env/pyvenv.cfg": "", "env/lib/a.py": "raise SystemExit\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sct_(command: str, status: int = 0, stdin: bytes | None = None) -> Result:
    result = CliRunner().invoke(main, shlex.split(command), input=stdin)
    assert result.exit_code == status, f"{result.output}\n{result.stderr}"
    assert "Traceback" not in result.output and "SCT602" not in result.output + result.stderr
    return result


def module_of(text: str) -> ModuleType:
    module = ModuleType("emitted")
    exec(compile(text, "<emitted>", "exec"), vars(module))
    return module


def notebook(*cells: tuple[str, str], **metadata: Any) -> str:
    return json.dumps({"metadata": metadata, "nbformat": 4, "cells": [
        {"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]})


# -- packages -------------------------------------------------------------------------


def test_a_directory(project: Path) -> None:
    before, modules = list(sys.path), set(sys.modules)
    result = sct_("check .", status=1)
    assert result.stdout.splitlines() == [
        "accepted  src/sct_test_pkg/model.py::loss(w: f32[n], x: f64[n])",
        *(f"refused   src/sct_test_pkg/model.py::{name}" for name in ("uses_library", "uses_rate", "uses_table")),
        "accepted  src/sct_test_pkg/model.py::uses_xp(x: f64[n])",
        *(f"refused   src/sct_test_pkg/model.py::{name}" for name in ("Net.forward", "scripted")),
        "accepted  src/sct_test_pkg/sub/deep.py::h(x: float)",
        "3 accepted, 6 refused"]
    assert "the model is loaded" not in result.output and "broken.py is not valid Python" in result.stderr
    assert sys.path == before
    assert not {name for name in set(sys.modules) - modules if name.startswith("sct_test_pkg")}


@pytest.mark.parametrize(("name", "line", "reason"), [
    ("uses_library", "return no_such_library.sin(x)", "No module named 'no_such_library'"),
    ("uses_rate", "RATE = float(", "a statement that sct does not run"),
    ("uses_table", "TABLE = no_such_library.table()", "a statement that sct does not run"),
    ("Net.forward", "def forward(self, x", "`from no_such_library import nn` raises"),
    ("scripted", "def scripted(x", "`import no_such_library` raises"),
    ("plain", "def plain(x", "`import no_such_library` raises"),
])
def test_what_is_not_known_is_refused_where_it_is_used(project: Path, name: str, line: str, reason: str) -> None:
    result = sct_(f"check src/sct_test_pkg/model.py --function {name}", status=1)
    assert "SCT914" in result.stderr and line in result.stderr and reason in result.stderr


def test_the_parameter_that_has_no_known_default_may_have_a_type(project: Path) -> None:
    result = sct_("check src/sct_test_pkg/model.py --function plain --args 'kind: int'")
    assert result.stdout == "accepted  plain(x: float, kind: int)\n"


def test_a_module_of_a_package_is_emitted(project: Path) -> None:
    text = sct_("emit src/sct_test_pkg/model.py --function loss").stdout
    assert "no_such" not in text and '"""The squared error."""' in text
    w, x = np.ones(3, np.float32), np.ones(3)
    assert module_of(text).loss(w, x).tolist() == [0.0, 0.0, 0.0]


def test_a_directory_is_emitted_as_one(project: Path) -> None:
    sct_("emit src -o out", status=1)
    assert [path.relative_to(project / "out").as_posix() for path in sorted((project / "out").rglob("*.py"))] == [
        "sct_test_pkg/sub/deep.py"]
    assert module_of((project / "out/sct_test_pkg/sub/deep.py").read_text()).h(1.0) == 6.0
    sct_("emit src", status=2)


def test_show_ir_of_several_files(project: Path) -> None:
    (project / "a.py").write_text("def f(x: float): return x * x\n")
    (project / "b.py").write_text("def g(x: float): return x * x * x\n")
    shown = sct_("show-ir a.py b.py --function f --function g").stdout
    assert re.findall(r"^(?:# \S+|def \w+)", shown, re.MULTILINE) == ["# a.py", "def f_grad", "# b.py", "def g_grad"]
    assert "there is no function 'h' in a.py, b.py; it has f, g" in sct_("show-ir a.py b.py --function h", 2).stderr


def test_a_project_without_decorated_functions_is_checked_whole(project: Path) -> None:
    (project / "plain").mkdir()
    (project / "plain/a.py").write_text("def f(x): return x * x\ndef nothing(): return 1.0\n")
    (project / "plain/b.py").write_text("def g(x): return x * x\n")
    listed = ["accepted  plain/a.py::f(x: float)", "accepted  plain/b.py::g(x: float)", "2 accepted, 0 refused"]
    assert sct_("check plain").stdout.splitlines() == listed
    assert sct_("check plain --all").stdout.splitlines() == listed
    assert sct_("check plain --decorated").stdout == "0 accepted, 0 refused\n"
    assert sct_("check plain/a.py --decorated").stdout == ""
    sct_("show-ir plain", status=2)


def test_namesakes_do_not_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, factor in (("one", 2), ("two", 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.py").write_text(
            f"from sct import grad\nK = {factor}.0\n@grad\ndef f(x: float): return K * x\n")
    sct_("emit one two -o out")
    assert sct_("check .").stdout.count("accepted  ") == 2 + 0 * len(list((tmp_path / "out").rglob("*.py")))


def test_a_name_that_a_definition_needs_and_the_file_does_not_give(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import os\nfrom sct import grad\nMODE = os.environ.get('X')\n"
                    "def choose(f): return f if MODE == 'a' else None\n@grad\n@choose\ndef f(x: float): return x\n"
                    "@grad\ndef g(x: float): return x * x\n")
    result = sct_(f"check {path}", status=1)
    assert result.stdout == "refused   f\naccepted  g(x: float)\n"
    assert "the value of `MODE` is not known" in result.stderr


# -- notebooks ------------------------------------------------------------------------

CELLS = (
    ("markdown", "# Title\n"),
    ("code", "%matplotlib inline\nimport numpy as np\nfrom sct import grad\n!pip install x 'y\n"),
    ("code", "%%time\n@grad\ndef f(x: float):\n    y = (3\n    % 2)\n    s = '''\n%d\n'''\n    return x * x * y\n"),
    ("code", "%%bash\nls | foo\n"),
    ("code", "f?\nfiles = !ls *.py\nif True:\n    %cd ..\n@grad\n"
             "def g(x: float):\n    global q\n    q = x\n    return x\nawait foo()\n"),
)


def test_a_notebook(project: Path) -> None:
    (project / "a.ipynb").write_text(notebook(*CELLS, kernelspec={"language": "python"}))
    result = sct_("check a.ipynb", status=1)
    assert result.stdout == "accepted  f(x: float)\nrefused   g\n"
    assert "a.ipynb:cell 5:8:5" in result.stderr and "8 |     q = x" in result.stderr
    assert module_of(sct_("emit a.ipynb --function f").stdout).f(3.0) == 6.0


def test_an_old_notebook(project: Path) -> None:
    (project / "old.ipynb").write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "code", "language": "python", "input": "def f(x): return x * x"}]}]}))
    assert sct_("check old.ipynb").stdout == "accepted  f(x: float)\n"


@pytest.mark.parametrize(("text", "message"), [
    ("{", "is not a notebook"), ("[]", "is not a notebook"), ('{"cells": [{}]}', "is not a notebook"),
    (notebook(kernelspec={"language": "R"}), "a notebook of R"),
    (notebook(("code", "x = (\n")), "cell 1 of a.ipynb is not valid Python"),
    (notebook(("code", "x = 1 ! 2\n")), "cell 1 of a.ipynb is not valid Python"),
])
def test_what_is_no_notebook(project: Path, text: str, message: str) -> None:
    (project / "a.ipynb").write_text(text)
    assert message in sct_("check a.ipynb", status=1).stderr


# -- texts ----------------------------------------------------------------------------


def test_standard_input(project: Path) -> None:
    program = b"from sct import grad\nfrom sct_test_neighbour import K\n@grad\ndef f(x: float):\n    return K * x * x\n"
    (project / "sct_test_neighbour.py").write_text("K = 3.0\n")
    assert sct_("check -", stdin=program).stdout == "accepted  f(x: float, K: float)\n"
    assert "Derivatives of <stdin>" in sct_("emit -", stdin=program).stdout
    assert "<stdin>:3:5" in sct_("check -", 1, b"def f(x: float):\n    global q\n    q = x\n    return x\n").stderr
    sct_("check - a.py", status=2, stdin=program)


@pytest.mark.parametrize("content", [
    b'# -*- coding: latin-1 -*-\nfrom sct import grad\n@grad\ndef f(x: float):\n    """Caf\xe9."""\n    return x * x\n',
    b'\xef\xbb\xbffrom sct import grad\r\n@grad\r\ndef f(x: float):\r\n    """Caf\xc3\xa9."""\r\n    return x * x\r\n',
    b'from sct import grad\n\x0c\n@grad\ndef f(x: float):\n    "Caf\xc3\xa9."\n    return K * x * x\n\x0c\nK = 1.0\n',
])
def test_encodings_and_ends_of_lines(project: Path, content: bytes) -> None:
    (project / "a.py").write_bytes(content)
    emitted = module_of(sct_("emit a.py").stdout)
    assert emitted.f(3.0) == 6.0 and emitted.f.__doc__ == "Café."


@pytest.mark.parametrize("content", [b"# coding: no-such-coding\n", b"\xff\xfe\xfa", b"x = '\xe9'\n", b"x = \x00\n"])
def test_what_is_no_text(project: Path, content: bytes) -> None:
    (project / "a.py").write_bytes(content)
    with pytest.raises(SctError, match="SCT911"):
        read_source(project / "a.py")


def test_a_docstring_is_kept_as_it_is(project: Path) -> None:
    (project / "a.py").write_text(
        "from sct import grad\n@grad\ndef f(x: float):\n"
        "    r'''One line.\n\n    A path: C:\\temp, and \"\"\"quotes\"\"\".\n    '''\n    return x * x\n")
    emitted = module_of(sct_("emit a.py").stdout)
    assert emitted.f.__doc__.split() == 'One line. A path: C:\\temp, and """quotes""".'.split()


# -- formats --------------------------------------------------------------------------


def test_json(project: Path) -> None:
    result = sct_("check src --format json", status=1)
    assert result.stderr == ""
    functions = json.loads(result.stdout)["functions"]
    assert functions[0] == {"file": "src/sct_test_pkg/model.py", "function": "loss", "accepted": True,
                            "types": "w: f32[n], x: f64[n]", "copies": []}
    rate = next(f for f in functions if f["function"] == "uses_rate")
    assert rate["code"] == "SCT914" and rate["location"]["line"] == 20 and not rate["accepted"]
    assert functions[-1]["code"] == "SCT911" and functions[-1]["function"] is None


def test_github(project: Path) -> None:
    (project / "a.ipynb").write_text(notebook(*CELLS))
    lines = sct_("check . --format github", status=1).stdout.splitlines()
    assert all(re.fullmatch(r"::error file=[^,:]+(,(line|col|endLine|endColumn)=\d+)*,title=[^,:]+::.+", line)
               for line in lines)
    assert any(line.startswith("::error file=a.ipynb,title=SCT106 g::") and "cell 5:8" in line for line in lines)
    (project / "b.py").write_text("def f(x: float): return x\n")
    assert sct_("check b.py --format github").stdout == ""


def test_sarif(project: Path) -> None:
    (project / "slow.py").write_text(
        "import numpy as np\nfrom sct import grad\n@grad\ndef f(u: np.ndarray, n: int):\n    s = 0.0\n"
        "    for i in range(n):\n        v = u\n        u = np.sin(u)\n        v[0] = 2.0 * s\n"
        "        s += np.sum(u * v)\n    return s\n")
    run = json.loads(sct_("check . --format sarif", status=1).stdout)["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {entry["ruleId"] for entry in run["results"]} == rules == {"SCT911", "SCT914", "copy-in-loop"}
    copy = next(entry for entry in run["results"] if entry["ruleId"] == "copy-in-loop")
    place = copy["locations"][0]["physicalLocation"]
    assert copy["level"] == "note" and place["artifactLocation"] == {"uri": "slow.py"}
    assert place["region"]["startLine"] == 9


def test_the_hook_of_pre_commit(project: Path) -> None:
    text = (Path(sct.__file__).parent.parent / ".pre-commit-hooks.yaml").read_text()
    entry = re.search(r"entry: sct (.*)", text)[1]
    assert sct_(f"{entry} src/sct_test_pkg/util.py").stdout == ""
    sct_(f"{entry} src/sct_test_pkg/model.py", status=1)


# -- options of emit ------------------------------------------------------------------

PLAIN = '''
import numpy as np
from sct import grad

class Spring:
    k = 2.0
    def energy(self, x: float): return self.k * x * x * x
    @staticmethod
    def still(x: float): return x * x

@grad
def loss(w: float, x: float): return w * w * x * x * x

def plain(x, n):
    for _ in range(n):
        x = x * x
    return np.sum(x)
'''


def test_emit_of_what_is_asked_for(project: Path) -> None:
    (project / "a.py").write_text(PLAIN)

    def emitted(options: str) -> ModuleType:
        return module_of(sct_(f"emit a.py {options}").stdout)

    assert emitted("--function plain").plain_grad(3.0, 1) == 6.0
    by_array = emitted("--function plain --args 'x: f64[n], n = 1'")
    assert by_array.plain_grad(np.ones(2), 1).tolist() == [2.0, 2.0]
    assert emitted("--function loss").loss(2.0, 3.0) == 108.0
    assert emitted("--wrt x").loss_grad(2.0, 3.0) == 108.0
    assert emitted("--wrt w,x --mode value_and_grad").loss_value_and_grad(2.0, 3.0) == (108.0, (108.0, 108.0))
    assert emitted("--mode hessian").loss_hessian(2.0, 3.0) == 54.0
    assert emitted("--mode forward").loss_jvp(2.0, 3.0, 1.0, None) == (108.0, 108.0)
    assert emitted("--mode jvp").loss_jvp(2.0, 3.0, 1.0, 1.0) == (108.0, 216.0)
    assert emitted("--mode hvp").loss_hvp(2.0, 3.0, 1.0, 0.0) == 54.0
    value, pullback = emitted("--mode vjp").loss_vjp(2.0, 3.0)
    assert value == 108.0 and pullback(1.0) == (108.0, 108.0)
    spring = emitted("--function Spring.energy --function Spring.still").Spring
    assert spring().energy_grad(1.0) == 6.0 and spring().energy(1.0) == 2.0 and spring.still_grad(3.0) == 6.0


def test_emit_of_a_function_by_examples(project: Path) -> None:
    (project / "a.py").write_text(PLAIN)
    calls = "--example 'plain_grad(np.ones(2), 3)' --example 'plain_grad(2.0, 3)'"
    text = sct_(f"emit a.py --function plain {calls}").stdout
    f = module_of(text).plain_grad
    assert f(np.ones(2), 1).tolist() == [2.0, 2.0] and f(3.0, 1) == 6.0


def test_show_ir_of_every_mode(project: Path) -> None:
    (project / "a.py").write_text(PLAIN)
    for mode in ("jacobian", "hessian", "vjp", "jvp", "hvp", "value_and_grad"):
        assert f"def loss_{mode}(" in sct_(f"show-ir a.py --mode {mode} --function loss").stdout


# -- np.ndarray, which does not say how many axes there are -----------------------------

RANKS = '''
import numpy as np
from sct import grad

@grad
def loss(w: np.ndarray, x: np.ndarray) -> float:
    """The error."""
    return 2.0 * np.sum((w * x - 1.0) ** 2)

class Model:
    def __init__(self, k: float):
        self.k = k

    @grad
    def misfit(self, X: np.ndarray, w: np.ndarray):
        r = X @ w
        return self.k * np.sum(r * r)

@grad
def fixed(x: "f64[n, m]"):
    return np.sum(x * x)
'''


def test_every_number_of_axes_is_written(project: Path) -> None:
    (project / "a.py").write_text(RANKS)
    text = sct_("emit a.py").stdout
    emitted, plain = module_of(text), module_of(RANKS)
    rng = np.random.default_rng(0)
    for shapes in [((), ()), ((), (3,)), ((3,), ()), ((3,), (3,)), ((3,), (2, 3)), ((1, 3), (2, 1)),
                   ((2, 3, 4), (3, 4)), ((1,), (1,)), ((0,), (0,))]:
        w, x = (np.array(rng.normal(size=shape)) for shape in shapes)
        if shapes == ((1, 3), (2, 1)):
            with pytest.raises(TypeError, match="not compiled for arguments like these"):
                emitted.loss(w, x)
            continue
        ours, theirs = emitted.loss(w, x), sct.grad(lambda w, x: 2.0 * np.sum((w * x - 1.0) ** 2))(w, x)
        assert np.shape(ours) == w.shape and np.allclose(ours, theirs), shapes
    for shapes in [((4,), (4,)), ((3, 4), (4,)), ((3, 4), (4, 2)), ((1, 4), (4,)), ((2, 3, 4), (4,)), ((4,), (4, 2))]:
        X, w = (rng.normal(size=shape) for shape in shapes)
        ours = emitted.Model(3.0).misfit(X, w)
        assert np.allclose(ours, plain_gradient(X, w, 3.0)), shapes
    for wrong in ((1.0, 2.0), (np.ones(3, np.float32), np.ones(3)), (np.ones((1,) * 4), np.ones(3))):
        with pytest.raises(TypeError):
            emitted.loss(*wrong)
    with pytest.raises(TypeError, match="x must be a 2-D array"):
        emitted.fixed(np.ones(3))
    assert emitted.loss.__doc__ == "The error." and plain.loss.__doc__ == "The error."
    assert text.count("return 4.0 * (w * x - 1.0) * x\n") == 1


def plain_gradient(X: np.ndarray, w: np.ndarray, k: float) -> np.ndarray:
    """The gradient of `k * np.sum((X @ w) ** 2)` by X, entry by entry."""
    found = np.zeros_like(X)
    for at in np.ndindex(X.shape):
        direction = np.zeros_like(X)
        direction[at] = 1.0
        found[at] = 2.0 * k * np.sum((X @ w) * (direction @ w))
    return found


def test_every_number_of_axes_in_python(tmp_path: Path) -> None:
    def energy(x: np.ndarray):
        return np.sum(x * x)

    for text in (sct.emit(energy), sct.emit(energy, "hvp")):
        name = "energy_grad" if "energy_grad(" in text else "energy_hvp"
        for shape in ((), (2,), (2, 3), (2, 1, 3)):
            x = np.full(shape, 3.0)
            result = getattr(module_of(text), name)(*(x,) * (1 + (name == "energy_hvp")))
            assert np.shape(result) == shape and np.all(result == 6.0)
    assert "_energy" not in sct.emit(energy, types={"x": "f64[n]"})
    sct.grad(energy).save(tmp_path / "saved.py")
    assert module_of((tmp_path / "saved.py").read_text()).energy_grad(np.ones((2, 2))).tolist() == [[2.0, 2.0]] * 2


def test_many_arrays_are_as_simple_as_possible() -> None:
    def f(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray):
        return np.sum(a * b * c * d)

    text = sct.emit(f)
    assert "# a: f64[p], b: f64[p], c: f64[p], d: f64[p]" in text and text.count("def ") == 1


def test_a_method_for_several_types_is_a_method(project: Path) -> None:
    (project / "a.py").write_text(RANKS)
    calls = " ".join(f"--example 'Model(2.0).misfit(np.ones({shape}), np.ones(3))'" for shape in ("3", "(2, 3)"))
    model = module_of(sct_(f"emit a.py --function Model.misfit {calls}").stdout).Model(2.0)
    assert model.misfit(np.ones(3), np.ones(3)).tolist() == [12.0] * 3
    assert model.misfit(np.ones((2, 3)), np.ones(3)).tolist() == [[12.0] * 3] * 2
