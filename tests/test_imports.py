"""Imports run one way:

    errors < ir < ops < {frontend, passes, codegen} < {export, validation} < specialization < derivative < api
    < {cli, plugin} < __main__

and inside `ir`, `frontend`, `passes` and `codegen` between their sub-packages (`INSIDE`).  `violations` reads the
imports of every file (also those inside functions) with `ast` and names each that runs against the
arrows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "sct"

# The three of level 3 may not import each other; `__init__` shows what api and errors hold.
LEVEL = {"errors": 0, "ir": 1, "ops": 2, "frontend": 3, "passes": 3, "codegen": 3, "call_checks": 4, "debugging": 4,
         "export": 4, "memory_limit": 1, "tangents": 4, "tree": 4, "validation": 5,
         "specialization": 6, "derivative": 7, "api": 8, "gradient_check": 9, "cli": 10, "pytest_plugin": 10,
         "__main__": 11}

# Sub-packages and files of a package, the lowest first; those of one line do not import each other.
INSIDE = {
    "ir": (("dims",), ("types",), ("core", "pytrees"), ("interp", "loop_view", "real_ints", "text", "uses"),
           ("affine", "build", "check"), ("array_accesses",)),
    "frontend": (("source", "user_rules", "values"), ("transform",), ("root_function", "signatures"), ("state",),
                 ("evaluator",), ("arguments",), ("writes",), ("objects",), ("heap",),
                 ("iteration", "scipy_objects", "structured_arrays"), ("operators",), ("interpreter",), ("loops",),
                 ("numpy_library",), ("standard_library",), ("autodiff",), ("scipy_library",), ("polynomials",),
                 ("calls",), ("refusals",), ("specialize",), ("ahead_of_time",)),
    "passes": (("rewriting",), ("analysis",), ("scalar",), ("memory", "rematerialization"),
               ("functions", "motion", "vectorization"), ("autodiff",), ("pipeline",)),
    "codegen": (("interface", "cache_directory"), ("program",), ("polish",), ("python",), ("numba",), ("emit",)),
}


def violations(root: Path) -> list[str]:
    """'file:line imports part', for each import under `root` that is not allowed."""
    return [
        f"{path.relative_to(root).as_posix()}:{line} imports {target}"
        for path in sorted(root.rglob("*.py"))
        for line, module in imports(ast.parse(path.read_text()), package_of(path, root))
        for target in [forbidden(path.relative_to(root).with_suffix("").parts, module)]
        if target is not None
    ]


def package_of(path: Path, root: Path) -> list[str]:
    return ["sct", *path.relative_to(root).parts[:-1]]


def forbidden(file: tuple[str, ...], module: list[str]) -> str | None:
    """What of an imported module the file may not import: a part of sct, or of the file's own part."""
    part, target = file[0], module[1] if len(module) > 1 else "sct"
    if part == "__init__":
        return None if target in {"api", "debugging", "errors", "gradient_check", "tree"} else target
    if part != target:
        return None if target in LEVEL and LEVEL[target] < LEVEL[part] else target
    levels = {name: level for level, names in enumerate(INSIDE.get(part, ())) for name in names}
    if not levels or file[1] == "__init__" or len(module) < 3 or module[2] == file[1]:
        return None
    return None if levels[module[2]] < levels[file[1]] else module[2]


def imports(tree: ast.Module, package: list[str]) -> Iterator[tuple[int, list[str]]]:
    """(line, the names of the module's path) of every import of sct."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            whole = base == ["sct"] or len(base) == 2 and base[1] in INSIDE
            names = [[*base, alias.name] if whole else base for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "sct":
                yield node.lineno, name


def test_imports_follow_the_arrows() -> None:
    assert violations(ROOT) == []


def test_every_part_has_a_level() -> None:
    paths = [path.relative_to(ROOT).with_suffix("").parts for path in ROOT.rglob("*.py")]
    assert {path[0] for path in paths} - {"__init__"} <= set(LEVEL)
    for part, levels in INSIDE.items():
        inside = [name for names in levels for name in names]
        assert {path[1] for path in paths if path[0] == part} - {"__init__"} == set(inside)
        assert len(inside) == len(set(inside))


@pytest.mark.parametrize(
    ("file", "line", "target"),
    [
        ("errors.py", "from sct.ir.core import Fn", "ir"),
        ("ir/extra.py", "from sct.ops import sin", "ops"),
        ("ops/extra.py", "import sct.passes.scalar.cse", "passes"),
        ("passes/pipeline.py", "from sct.frontend import trace", "frontend"),
        ("passes/pipeline.py", "from ..codegen import generate", "codegen"),
        ("passes/scalar/extra.py", "from ...codegen import generate", "codegen"),
        ("passes/scalar/extra.py", "from sct.passes.autodiff.reverse import reverse", "autodiff"),
        ("passes/memory/extra.py", "from sct.passes import rematerialization", "rematerialization"),
        ("codegen/program/extra.py", "from ..polish import live_ranges", "polish"),
        ("codegen/extra.py", "def f():\n    from sct import passes", "passes"),
        ("frontend/specialize.py", "import numpy, sct.codegen as c", "codegen"),
        ("frontend/heap/extra.py", "from ..loops.loop_head import Head", "loops"),
        ("frontend/evaluator/extra.py", "from sct.frontend.heap import dynamic_lists", "heap"),
        ("frontend/specialize.py", "import sct", "sct"),
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
        ("passes/scalar/extra.py", "from . import cse\nfrom .cse import run\nfrom ...ir import core"),
        ("passes/scalar/extra.py", "from sct.passes.analysis import activity\nfrom ..rewriting.driver import simplify"),
        ("api.py", "from sct import frontend\nimport sct.passes.pipeline\nimport numpy as np"),
        ("__init__.py", "from sct.api import grad\nfrom .errors import SctError"),
    ],
)
def test_allowed_imports_pass(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line + "\n")
    assert violations(tmp_path) == []
