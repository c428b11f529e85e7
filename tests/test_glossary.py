"""The words that docs/glossary.md retires do not come back, and a class has its name alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RETIRED = re.compile(r"\| ([\w ,]+?) \* \|")
MOST = {"arm": 8, "trip": 0, "lent": 0}
"""How many lines still use the word: a number that only falls."""


def retired() -> set[str]:
    rows = RETIRED.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    return {word.strip() for row in rows for word in row.split(",")}


def lines(root: Path, word: str) -> Iterator[str]:
    """The lines of the package and its documentation in which the word stands, alone or as part of a name."""
    pattern = re.compile(rf"(?<![a-zA-Z]){word}s?(?![a-zA-Z])", re.IGNORECASE)
    pages = [page for page in (root / "docs").glob("*.md") if page.name != "glossary.md"]
    for path in sorted([*(root / "sct").rglob("*.py"), *pages]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                yield f"{path.relative_to(root)}:{number}: {line.strip()}"


def test_each_retired_word_has_a_bound() -> None:
    assert retired() == set(MOST)


@pytest.mark.parametrize("word", sorted(MOST))
def test_a_retired_word_does_not_come_back(word: str) -> None:
    found = list(lines(ROOT, word))
    assert len(found) <= MOST[word], "\n".join(found)
    assert len(found) > MOST[word] - 10, f"lower the bound of {word!r} to {len(found)}"


def test_a_retired_word_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "sct").mkdir()
    (tmp_path / "sct" / "x.py").write_text("first_arm = 1\nalarm = harm = 2\n# two arms\ntripled = 3\n")
    assert [line.split(":")[1] for line in lines(tmp_path, "arm")] == ["1", "3"]
    assert list(lines(tmp_path, "trip")) == []


NO_NAMES = frozenset(("made", "found", "given", "known"))
"""Words that fit every result, so that they tell none: no variable, parameter or attribute has one for its name."""


def meaningless(root: Path) -> Iterator[str]:
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            stored = isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
            name = getattr(node, "id", "") or getattr(node, "attr", "") if stored else getattr(node, "arg", "")
            if name in NO_NAMES and not isinstance(node, ast.keyword):
                yield f"{path.relative_to(root)}:{node.lineno} {name}"


def test_a_name_says_what_the_thing_is(tmp_path: Path) -> None:
    assert list(meaningless(ROOT / "sct")) == []
    (tmp_path / "x.py").write_text("made = 1\ndef f(given, a):\n    a.found = g(known=1)\nis_known = made\n")
    assert list(meaningless(tmp_path)) == ["x.py:1 made", "x.py:2 given", "x.py:3 found"]


def twice(root: Path) -> list[str]:
    """The public names of classes that more than one class of the package has."""
    names = [node.name for path in root.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    return [name for name, count in Counter(names).items() if count > 1]


def test_no_two_classes_have_one_name(tmp_path: Path) -> None:
    assert twice(ROOT / "sct") == []
    (tmp_path / "a.py").write_text("class Node: pass\nclass _Walk: pass\n")
    (tmp_path / "b.py").write_text("class Leaf:\n    class Node: pass\nclass _Walk: pass\n")
    assert twice(tmp_path) == ["Node"]
