"""Imports run one way:

    errors < ir < ops < {frontend, passes, codegen} < {modules, validation} < derivative < api < {cli, plugin}

`violations` reads the imports of every file (also those inside functions) with
`ast` and names each that runs against the arrows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "sct"

# The three of level 3 may not import each other; `__init__` shows what api and errors hold.
LEVEL = {"errors": 0, "ir": 1, "ops": 2, "frontend": 3, "passes": 3, "codegen": 3, "dispatch": 4, "modules": 4,
         "tangents": 4, "validation": 4, "derivative": 5, "api": 6, "cli": 7, "pytest_plugin": 7}


def violations(root: Path) -> list[str]:
    """'file:line imports part', for each import under `root` that is not allowed."""
    return [
        f"{path.relative_to(root).as_posix()}:{line} imports {target}"
        for path in sorted(root.rglob("*.py"))
        for line, target in imports(ast.parse(path.read_text()), package_of(path, root))
        if not allowed(part_of(path, root), target)
    ]


def part_of(path: Path, root: Path) -> str:
    return path.relative_to(root).with_suffix("").parts[0]


def package_of(path: Path, root: Path) -> list[str]:
    return ["sct", *path.relative_to(root).parts[:-1]]


def allowed(part: str, target: str) -> bool:
    if part == "__init__":
        return target in {"api", "errors"}
    if part == target:
        return True
    return target in LEVEL and LEVEL[target] < LEVEL[part]


def imports(tree: ast.Module, package: list[str]) -> Iterator[tuple[int, str]]:
    """(line, the part of sct) of every import of sct; "sct" for the package itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            names = [[*base, alias.name] if base == ["sct"] else base for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "sct":
                yield node.lineno, name[1] if len(name) > 1 else "sct"


def test_imports_follow_the_arrows() -> None:
    assert violations(ROOT) == []


def test_every_part_has_a_level() -> None:
    parts = {part_of(path, ROOT) for path in ROOT.rglob("*.py")}
    assert parts - {"__init__"} <= set(LEVEL)


@pytest.mark.parametrize(
    ("file", "line", "target"),
    [
        ("errors.py", "from sct.ir.core import Fn", "ir"),
        ("ir/extra.py", "from sct.ops import sin", "ops"),
        ("ops/extra.py", "import sct.passes.cse", "passes"),
        ("passes/extra.py", "from sct.frontend import trace", "frontend"),
        ("passes/extra.py", "from ..codegen import generate", "codegen"),
        ("passes/deep/extra.py", "from ...codegen import generate", "codegen"),
        ("codegen/extra.py", "def f():\n    from sct import passes", "passes"),
        ("frontend/extra.py", "import numpy, sct.codegen as c", "codegen"),
        ("frontend/extra.py", "import sct", "sct"),
        ("derivative.py", "from sct.api import grad", "api"),
        ("api.py", "from sct.cli import main", "cli"),
        ("api.py", "from . import cli", "cli"),
        ("__init__.py", "from sct.cli import main", "cli"),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, file: str, line: str, target: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"from __future__ import annotations\nfrom sct import errors\n{line}\n")
    found = violations(tmp_path)
    assert len(found) == 1
    assert found[0].startswith(f"{file}:") and found[0].endswith(f"imports {target}")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("passes/extra.py", "from . import cse\nfrom .cse import run\nfrom ..ir import core\nfrom sct.ops import sin"),
        ("api.py", "from sct import frontend\nimport sct.passes.manager\nimport numpy as np"),
        ("__init__.py", "from sct.api import grad\nfrom .errors import SctError"),
    ],
)
def test_allowed_imports_pass(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line + "\n")
    assert violations(tmp_path) == []
