"""Writing programs: indented lines and weighted choices."""

from __future__ import annotations

import ast
import contextlib
import random
from collections.abc import Iterator

__all__ = ["Random", "Writer", "normal"]


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
