"""Are functions of libraries still those of the library?  A function that was replaced has another derivative.

    math.sin = lambda v: v * v        `math.sin` is no op, but a user's function
    emitted: dx = math.cos(x)         `math.cos` must be Python's own, now and at every call
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Iterator
from typing import Any

from sct.errors import Loc, SctError
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.values.abstract_values import Path
from sct.ir.pytrees.user_objects import is_user_class
from sct.ops import BY_CALL

__all__ = ["is_genuine", "library_facts"]

_ALIASES = {"numpy.abs": "absolute", "numpy.mod": "remainder", "scipy.special.digamma": "psi"}
"""Functions whose own name is no spelling of an op."""

_CHECKED = frozenset(("builtins", "math", "numpy", "operator", "scipy"))


def is_genuine(f: Any, spelling: str) -> bool:
    """Is `f`, which a library has under this name, a function of the library, and the one that the op is for?"""
    root, (owner, _, last) = spelling.split(".")[0], spelling.rpartition(".")
    if spelling in BY_CALL and BY_CALL[spelling].run is f and root not in _CHECKED:
        return True  # an op of the user's own function
    if isinstance(f, types.FunctionType) and not is_library(f) or is_user_class(type(f)):
        return False
    if spelling not in BY_CALL:
        return True
    name, home = getattr(f, "__name__", None), getattr(f, "__module__", None) or root
    if home.split(".")[0].lstrip("_") != root:
        return False
    return name in (last, _ALIASES.get(spelling)) or BY_CALL.get(f"{owner}.{name}") is BY_CALL[spelling]


def library_facts(text: str, loc: Loc | None) -> tuple[tuple[Path, str, Any], ...]:
    """The functions of libraries that emitted code names, as facts; refuses one that was replaced."""
    facts: dict[str, tuple[Path, str, Any]] = {}
    for module, name in dict.fromkeys(_named(ast.parse(text))):
        f, spelling = getattr(module, name, None), f"{module.__name__}.{name}"
        if not is_genuine(f, spelling):
            raise SctError("SCT206", f"`{spelling}` was replaced", loc=loc,
                           why="the derivative of the replacement is not known",
                           hint="bind the other function to a name of its own, and call it by that")
        facts[spelling] = (module, ("attr", name)), "is", f
    return tuple(facts.values())


def _named(tree: ast.Module) -> Iterator[tuple[types.ModuleType, str]]:
    """The modules of libraries, and the names of them, that the code reads."""
    modules: dict[str, Any] = {}
    own: set[str] = set()
    nodes = _naming(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            for a in node.names:
                name = a.name if a.asname else a.name.split(".")[0]
                modules[a.asname or name] = sys.modules.get(name)
        elif isinstance(node, ast.ImportFrom):
            own.update(a.asname or a.name for a in node.names)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            own.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(module := _module(node.value, modules), types.ModuleType) \
                and module.__name__.split(".")[0] in _CHECKED:
            yield module, node.attr
        elif isinstance(node, ast.Name) and node.id not in own and node.id not in modules and \
                hasattr(builtins, node.id):
            yield builtins, node.id


def _naming(tree: ast.Module) -> list[ast.AST]:
    """The nodes of a tree that have names in them, outer before inner."""
    return [node for node in ast.walk(tree) if isinstance(node, _NAMING)]


_NAMING = ast.Name, ast.Attribute, ast.arg, ast.FunctionDef, ast.Import, ast.ImportFrom


def _module(node: ast.expr, modules: dict[str, Any]) -> Any:
    """The module that an expression names, if it is one."""
    if isinstance(node, ast.Name):
        return modules.get(node.id)
    return getattr(_module(node.value, modules), node.attr, None) if isinstance(node, ast.Attribute) else None
