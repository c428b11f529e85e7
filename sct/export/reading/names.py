"""The names that statements bind, change and read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["bound_alias", "bound_names", "changed_names", "is_docstring", "is_main_guard", "local_names", "read_names",
           "statements_without_main"]


def bound_names(node: ast.AST) -> set[str]:
    """The names that a statement binds at its own level."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {bound_alias(a) for a in node.names}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return changed_names(node)


def local_names(node: ast.AST) -> set[str]:
    """The names that a statement of a function makes local."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def changed_names(node: ast.AST) -> set[str]:
    """The names that are assigned, deleted or written into, anywhere in a statement."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    for part in ast.walk(node):
        if isinstance(part, (ast.Subscript, ast.Attribute)) and not isinstance(part.ctx, ast.Load):
            names |= {inner.id for inner in ast.walk(part.value) if isinstance(inner, ast.Name)}
        elif isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            names.add(part.name)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            names |= {bound_alias(a) for a in part.names}
    return names


def read_names(node: ast.AST) -> set[str]:
    """The names of the module that a statement reads when it runs, or when the function that it defines is called."""
    if isinstance(node, ast.ClassDef):
        return {name for part in ast.iter_child_nodes(node) for name in read_names(part)}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        own |= {name for part in node.body for name in local_names(part)}
        return {name for part in ast.iter_child_nodes(node) for name in read_names(part)} - own
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def statements_without_main(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements without `if __name__ == "__main__": ...`."""
    for node in body:
        if not is_main_guard(node):
            yield node


def is_main_guard(node: ast.stmt) -> bool:
    """Is this `if __name__ == "__main__": ...`?"""
    return isinstance(node, ast.If) and "__name__" in read_names(node.test)


def bound_alias(alias: ast.alias) -> str:
    """The name that a part of an import binds."""
    return alias.asname or alias.name.split(".")[0]


def is_docstring(node: ast.stmt) -> bool:
    """Is the statement a constant alone?"""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
