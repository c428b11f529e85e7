"""Copies the definitions of the user's module that emitted code needs.

    SCALE = 2.0 * TAU     needs TAU, which needs math:
                          import math; TAU = 2.0 * math.pi; SCALE = 2.0 * TAU
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection

from sct.errors import SctError
from sct.export.reading.names import (
    bound_alias,
    bound_names,
    changed_names,
    is_docstring,
    read_names,
    statements_without_main,
)
from sct.export.reading.plain_statements import plain_statements
from sct.export.reading.sources import SourceText

__all__ = ["Definitions"]


class Definitions:
    """The statements of a module.

    source         its text and trees
    plain          the statements that are run: imports, functions, classes, constants
    statements_of  the plain statements that bind each name
    future         the names that `from __future__` imports bind
    not_run        all other statements
    """

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.plain = plain_statements(source.statements)
        self.statements_of: dict[str, list[ast.stmt]] = {}
        for node in self.plain:
            for name in bound_names(node):
                self.statements_of.setdefault(name, []).append(node)
        self.future = [name for name, (first, *_) in self.statements_of.items()
                       if isinstance(first, ast.ImportFrom) and first.module == "__future__"]
        self.not_run = [node for node in statements_without_main(source.statements)
                        if node not in self.plain and not is_docstring(node)]

    def statements_for(self, names: Collection[str], emitted: Collection[str]) -> list[ast.stmt]:
        """The statements that bind these names and, in turn, the names that those read; in the order of the module.

        `emitted` are bound already.  Raises SctError SCT914 where a value does not come from plain statements alone, or
        needs sct.
        """
        needed: set[ast.stmt] = set()
        todo = list(names)
        seen = {*emitted}
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name not in self.statements_of:
                if not hasattr(builtins, name):
                    raise self._not_plain(name)
                continue
            self._refuse_if_changed_elsewhere(name)
            for node in self.statements_of[name]:
                needed.add(node)
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    todo += self.future
                todo += [read for read in read_names(node)
                         if read in self.statements_of or self._is_changed_elsewhere(read)]
        return [node for node in self.plain if node in needed]

    def source_of(self, node: ast.stmt, names: Collection[str] | None = None) -> str:
        """The text of a statement, as the user wrote it; of an import, only the part that binds `names`."""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            aliases = [a for a in node.names if names is None or bound_alias(a) in names]
            return ast.unparse(type(node)(**{**dict(ast.iter_fields(node)), "names": aliases}))
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        return "\n".join(self.source.part_of(node).lines[first - 1:node.end_lineno])

    def names_needed_by(self, node: ast.ClassDef, without: Collection[ast.stmt]) -> list[str]:
        """The names of the module that a class reads outside these methods."""
        names = list(self.future)
        for part in (*node.bases, *node.decorator_list, *(part for part in node.body if part not in without)):
            if isinstance(part, ast.ClassDef):
                names += self.names_needed_by(part, without)
            else:
                names += [name for name in sorted(read_names(part)) if name in self.statements_of]
        return names

    def _refuse_if_changed_elsewhere(self, name: str) -> None:
        """Refuse a name whose value may be changed by statements that are not run, or by a function."""
        statements = self.statements_of[name]
        if any(isinstance(node, (ast.Import, ast.ImportFrom)) and _is_sct(node, name) for node in statements):
            raise SctError("SCT914", f"`{name}` of sct is needed where the derivative runs", loc=self.source.loc(
                self.statements_of[name][0]), hint="functions that are called at run time may not call sct")
        values = all(isinstance(node, (ast.Assign, ast.AnnAssign)) for node in self.statements_of[name])
        for node in self.not_run:
            stores = name in changed_names(node)
            if stores or values and name in read_names(node) and not self._is_number(name):
                raise self._not_plain(name, node)
        for node in self.plain:
            if isinstance(node, ast.FunctionDef) and any(
                    isinstance(inner, ast.Global) and name in inner.names for inner in ast.walk(node)):
                raise self._not_plain(name, node)

    def _is_number(self, name: str) -> bool:
        """Is this name bound to immutable literals only?"""
        return all(isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
                   for node in self.statements_of[name])

    def _is_changed_elsewhere(self, name: str) -> bool:
        return any(name in changed_names(node) for node in self.not_run)

    def _not_plain(self, name: str, node: ast.stmt | None = None) -> SctError:
        node = node or next((statement for statement in self.not_run if name in changed_names(statement)), None)
        return SctError("SCT914", f"the definition of `{name}` cannot be copied",
                        why="its value is made or changed by statements that sct does not run" if node else
                            f"no plain statement of {self.source.path} binds it",
                        hint="assign it once, with a literal or a call of NumPy, or make it an argument",
                        loc=self.source.loc(node) if node else None)


def _is_sct(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    home = node.module if isinstance(node, ast.ImportFrom) else None
    return any(bound_alias(a) == name and (home or a.name).split(".")[0] == "sct" for a in node.names)

