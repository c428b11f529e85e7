"""The state of an evaluation and its parts are changed by their own methods alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FRONTEND = Path(__file__).parent.parent / "sct" / "frontend"


def assignments(tree: ast.AST) -> Iterator[int]:
    """The lines that assign an attribute of `ev` or of a frame, or of what it holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and _of_state(node.value):
            yield node.lineno


def _of_state(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute) and node.attr != "ev" or isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) or isinstance(node, ast.Name) and node.id in ("ev", "frame")


def test_nothing_outside_assigns_attributes_of_the_state() -> None:
    found = [f"{path.relative_to(FRONTEND)}:{line}" for path in sorted(FRONTEND.rglob("*.py"))
             for line in assignments(ast.parse(path.read_text()))]
    assert found == []


@pytest.mark.parametrize("line", [
    "ev.store = s", "self.ev.b = b", "ev.loops.depth += 1", "x, ev.loc = y", "ev.store.dead = True",
    "del ev.loops.memo", "for ev.loc in places: pass", "ev.frames[-1].now = live", "frame.now = names"])
def test_a_planted_assignment_is_found(line: str) -> None:
    assert list(assignments(ast.parse(line))) == [1]


@pytest.mark.parametrize("line", ["s = ev.store", "ev.store.vars[k] = v", "self.loc = at", "carry.back = v"])
def test_other_lines_are_not(line: str) -> None:
    assert list(assignments(ast.parse(line))) == []
