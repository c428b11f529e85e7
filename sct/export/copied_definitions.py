"""Definitions of the user's module that emitted code needs, copied.

    SCALE = 2.0 * TAU     needs TAU, which needs math:
                          import math; TAU = 2.0 * math.pi; SCALE = 2.0 * TAU
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator

from sct.errors import Loc, SctError
from sct.export.file_without_running import plain

__all__ = ["Definitions", "reads", "stored", "without_main"]


class Definitions:
    """The statements of a module by the names that they bind.

    text, file  the source of the module, and where it stands
    """

    def __init__(self, tree: ast.Module, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.lines = text.splitlines()
        self.plain = plain(tree)
        self.binding: dict[str, list[ast.stmt]] = {}
        for node in self.plain:
            for name in bound(node):
                self.binding.setdefault(name, []).append(node)
        self.future = [name for name, (first, *_) in self.binding.items()
                       if isinstance(first, ast.ImportFrom) and first.module == "__future__"]
        self.other = [node for node in without_main(tree.body) if node not in self.plain and not _is_docstring(node)]

    def needed(self, names: Collection[str], emitted: Collection[str] = ()) -> list[ast.stmt]:
        """The statements that bind these names, and what those need, in order; `emitted` are there already.

        Raises SctError SCT914 where a value is not made by plain statements alone, or takes sct.
        """
        found: set[ast.stmt] = set()
        todo = list(names)
        seen = {*emitted}
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name not in self.binding:
                if not hasattr(builtins, name):
                    raise self._not_plain(name)
                continue
            self._no_other(name)
            for node in self.binding[name]:
                found.add(node)
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    todo += self.future
                todo += [each for each in reads(node) if each in self.binding or self._is_touched(each)]
        return [node for node in self.plain if node in found]

    def source(self, node: ast.stmt, names: Collection[str] | None = None) -> str:
        """The text of a statement, as the user wrote it; of an import only what binds `names`."""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            aliases = [a for a in node.names if names is None or _alias(a) in names]
            return ast.unparse(type(node)(**{**dict(ast.iter_fields(node)), "names": aliases}))
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        return "\n".join(self.lines[first - 1:node.end_lineno])

    def reads_of(self, node: ast.ClassDef, without: Collection[ast.stmt]) -> list[str]:
        """The names of the module that a class needs, but for these methods."""
        found = list(self.future)
        for part in (*node.bases, *node.decorator_list, *(part for part in node.body if part not in without)):
            if isinstance(part, ast.ClassDef):
                found += self.reads_of(part, without)
            else:
                found += [name for name in sorted(reads(part)) if name in self.binding]
        return found

    def _no_other(self, name: str) -> None:
        """Refuse a name whose value other statements make or change."""
        if any(isinstance(node, (ast.Import, ast.ImportFrom)) and _is_sct(node, name) for node in self.binding[name]):
            raise SctError("SCT914", f"`{name}` of sct is needed where the derivative runs", loc=self._loc(
                self.binding[name][0]), hint="what is called at run time may not call sct")
        values = all(isinstance(node, (ast.Assign, ast.AnnAssign)) for node in self.binding[name])
        for node in self.other:
            stores = name in stored(node)
            if stores or values and name in reads(node) and not self._is_number(name):
                raise self._not_plain(name, node)
        for node in self.plain:
            if isinstance(node, ast.FunctionDef) and any(
                    isinstance(inner, ast.Global) and name in inner.names for inner in ast.walk(node)):
                raise self._not_plain(name, node)

    def _is_number(self, name: str) -> bool:
        """Is this bound to a literal that cannot change?"""
        return all(isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
                   for node in self.binding[name])

    def _is_touched(self, name: str) -> bool:
        return any(name in stored(node) for node in self.other)

    def _not_plain(self, name: str, node: ast.stmt | None = None) -> SctError:
        node = node or next((each for each in self.other if name in stored(each)), None)
        return SctError("SCT914", f"the definition of `{name}` cannot be copied",
                        why="its value is made or changed by statements that sct does not run" if node else
                            f"no plain statement of {self.file} binds it",
                        hint="assign it once, with a literal or a call of NumPy, or make it an argument",
                        loc=self._loc(node) if node else None)

    def _loc(self, node: ast.stmt) -> Loc:
        return Loc(self.file, node.lineno, node.col_offset)


def bound(node: ast.AST) -> set[str]:
    """The names that a statement binds at its own level."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {_alias(a) for a in node.names}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return stored(node)


def bound_below(node: ast.AST) -> set[str]:
    """The names that a statement in a function makes local."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def stored(node: ast.AST) -> set[str]:
    """The names that are assigned, deleted or written into, anywhere in a statement."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    for part in ast.walk(node):
        if isinstance(part, (ast.Subscript, ast.Attribute)) and not isinstance(part.ctx, ast.Load):
            found |= {inner.id for inner in ast.walk(part.value) if isinstance(inner, ast.Name)}
        elif isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            found |= {_alias(a) for a in part.names}
    return found


def reads(node: ast.AST) -> set[str]:
    """The names of its module that a statement reads, now or when it is called."""
    if isinstance(node, ast.ClassDef):
        return {name for part in ast.iter_child_nodes(node) for name in reads(part)}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        own |= {name for part in node.body for name in bound_below(part)}
        return {name for part in ast.iter_child_nodes(node) for name in reads(part)} - own
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def without_main(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements but `if __name__ == "__main__": ...`."""
    for node in body:
        if not (isinstance(node, ast.If) and "__name__" in reads(node.test)):
            yield node


def _alias(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


def _is_sct(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    home = node.module if isinstance(node, ast.ImportFrom) else None
    return any(_alias(a) == name and (home or a.name).split(".")[0] == "sct" for a in node.names)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
