"""A function of sct has at most 60 lines, a file 500, and a package twelve files."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "sct"

LINES_OF_A_FUNCTION = 60
LINES_OF_A_FILE = 500
FILES_OF_A_PACKAGE = 12


def too_large(root: Path) -> Iterator[str]:
    """What is over a bound: functions, files, and packages, but those of `ops`, which has a file for each family."""
    files: Counter[Path] = Counter()
    for path in sorted(root.rglob("*.py")):
        text, name = path.read_text(), path.relative_to(root).as_posix()
        if (lines := len(text.splitlines())) > LINES_OF_A_FILE:
            yield f"{name}: {lines} lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno is not None \
                    and (lines := node.end_lineno - node.lineno + 1) > LINES_OF_A_FUNCTION:
                yield f"{name}:{node.lineno} {node.name}: {lines} lines"
        files[path.parent.relative_to(root)] += path.name != "__init__.py"
    for package, count in files.items():
        if count > FILES_OF_A_PACKAGE and package.parts[:1] != ("ops",):
            yield f"{package.as_posix()}/: {count} files"


def test_nothing_is_too_large() -> None:
    assert list(too_large(ROOT)) == []


@pytest.mark.parametrize(("files", "found"), [
    ({"a.py": "x = 1\n" * 500}, []),
    ({"a.py": "x = 1\n" * 501}, ["a.py: 501 lines"]),
    ({"p/a.py": "def f():\n" + "    x = 1\n" * 59}, []),
    ({"p/a.py": "class C:\n    def f(self):\n" + "        x = 1\n" * 60}, ["p/a.py:2 f: 61 lines"]),
    ({f"p/m{k}.py": "" for k in range(12)} | {"p/__init__.py": ""}, []),
    ({f"p/m{k}.py": "" for k in range(13)}, ["p/: 13 files"]),
    ({f"ops/m{k}.py": "" for k in range(13)}, []),
])
def test_what_is_planted_is_found(tmp_path: Path, files: dict[str, str], found: list[str]) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert list(too_large(tmp_path)) == found
