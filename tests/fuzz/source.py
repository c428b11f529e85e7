"""Writing programs: indented lines, weighted choices, and features found in the finished tree."""

from __future__ import annotations

import ast
import contextlib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.fuzz.program import Program, lines_run

__all__ = ["Feature", "Random", "Writer", "features_of", "normal"]


class Random(random.Random):
    """Draws of a generator, a function of the seed alone."""

    def chance(self, p: float) -> bool:
        return self.random() < p

    def pick(self, table: dict[str, float]) -> str:
        return self.choices(list(table), list(table.values()))[0]

    def number(self, low: float, high: float) -> str:
        return repr(round(self.uniform(low, high), 2))


class Writer:
    """Lines of a program."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextlib.contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def text(self) -> str:
        return normal("\n".join(self.lines))


def normal(source: str) -> str:
    """The source as it is printed from its tree: generated and shrunk programs look alike."""
    return ast.unparse(ast.parse(source)) + "\n"


@dataclass(frozen=True)
class Feature:
    """A construct; at least `share` of the programs run it."""

    name: str
    share: float
    find: Callable[[ast.Module], Iterable[ast.AST]]


def features_of(program: Program, features: tuple[Feature, ...]) -> set[str]:
    """The features that plain runs at the program's points reach."""
    tree, lines = program.tree(), lines_run(program)
    for parent in ast.walk(tree):
        for child in ast.iter_child_nodes(parent):
            child.parent = parent  # type: ignore[attr-defined]
    return {f.name for f in features if any(getattr(node, "lineno", 0) in lines for node in f.find(tree))}
