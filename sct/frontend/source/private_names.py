"""Private names, written out as Python's compiler does: in a class `P`, `self.__k` is the attribute `_P__k`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import gast

from sct.ir.pytrees.user_objects import mangle

__all__ = ["functions_in", "mangle_names", "name_of"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

_NAMES: dict[type, tuple[str, ...]] = {
    gast.Name: ("id",),
    gast.Attribute: ("attr",),
    gast.FunctionDef: ("name",),
    gast.AsyncFunctionDef: ("name",),
    gast.ClassDef: ("name",),
    gast.alias: ("name", "asname"),
    gast.ImportFrom: ("module",),
    gast.MatchAs: ("name",),
    gast.MatchStar: ("name",),
    gast.MatchMapping: ("rest",),
}
"""The fields of nodes that name a variable, an attribute or a module.  The keywords of calls and of class patterns
are written as they are."""


def functions_in(module: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every function in a tree, and the name of the class in whose body it stands, "" for none."""
    todo = [(module, "")]
    while todo:
        node, cls = todo.pop()
        if isinstance(node, _FUNCTIONS):
            yield node, cls
        children = [child for field in node._fields for child in _nodes(getattr(node, field, None))]
        if isinstance(node, ast.ClassDef):
            todo += [(child, _class_at(node, child, cls)) for child in children]
        else:
            todo += [(child, cls) for child in children]


def _nodes(field: object) -> Sequence[ast.AST]:
    """The nodes that are in a field of a node, but for those without fields: operators and contexts."""
    if type(field) is list:
        return [child for child in field if isinstance(child, ast.AST)]
    return (field,) if isinstance(field, ast.AST) and field._fields else ()


def _class_at(node: Any, child: Any, cls: str) -> str:
    """The class by which names in a child of the node are private."""
    return str(node.name) if isinstance(node, (ast.ClassDef, gast.ClassDef)) and child in node.body else cls


def mangle_names(function: Any, cls: str) -> None:
    """Write out the private names in a function that stands in the body of a class."""
    todo = [(child, cls) for child in gast.iter_child_nodes(function)]
    while todo:
        node, cls = todo.pop()
        todo += [(child, _class_at(node, child, cls)) for child in gast.iter_child_nodes(node)]
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
            node.written = node.name
        for field in _NAMES.get(type(node), ()):
            if (name := getattr(node, field)) is not None:
                setattr(node, field, mangle(name, cls))
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [mangle(name, cls) for name in node.names]


def name_of(node: Any) -> str:
    """The `__name__` of a function; the variable that a `def` of a private name binds is called otherwise."""
    return str(getattr(node, "written", getattr(node, "name", "<lambda>")))
