"""Python's limits on the nesting of statements.

20 blocks of `for`, `while`, `with` and `try`, where a handler counts twice and `finally` once more, and 99 levels of
indentation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from sct.errors import Loc, SctError

__all__ = ["TRIES", "check_nesting"]

TRIES = (ast.Try,)
"""The statements of emitted code whose body may end anywhere, in a handler."""

_MOST_BLOCKS = 20
_MOST_LEVELS = 99


def check_nesting(tree: ast.Module, locs: Mapping[ast.stmt, Loc]) -> None:
    """Refuses statements that Python cannot compile, for they are nested too deeply.

    locs  the user's places of statements
    """
    for s, blocks, levels in _statements(tree.body):
        if blocks > _MOST_BLOCKS or levels > _MOST_LEVELS:
            limit = f"{_MOST_BLOCKS} loops" if blocks > _MOST_BLOCKS else f"{_MOST_LEVELS} levels"
            raise SctError("SCT503", f"the derivative has statements in more than {limit} of nesting", loc=locs.get(s),
                           why="Python compiles no more, and calls stand in line where they are differentiated",
                           hint="nest fewer loops and conditionals in the function and in the functions that it calls")


def _statements(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, int, int]]:
    """The statements, each with the number of blocks that Python counts around it, and its indentation."""
    stack = [(s, 0, 0) for s in body]
    while stack:
        s, blocks, levels = stack.pop()
        yield s, blocks, levels
        for inside, added in _parts(s):
            around = 0 if isinstance(s, ast.FunctionDef) else blocks + added
            stack += [(inner, around, levels + 1) for inner in inside]


def _parts(s: ast.stmt) -> Iterator[tuple[list[ast.stmt], int]]:
    """The blocks of statements in a statement, each with what it adds to Python's count."""
    final = int(bool(getattr(s, "finalbody", ())))
    if isinstance(s, TRIES):
        yield s.body, bool(s.handlers) + final
        yield s.finalbody, 1
        for handler in s.handlers:
            yield handler.body, 2 + final
    else:
        yield getattr(s, "body", []), int(isinstance(s, (ast.For, ast.While, ast.With)))
    for case in getattr(s, "cases", ()):
        yield case.body, 0
    yield getattr(s, "orelse", []), final
