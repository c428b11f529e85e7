"""Parameters: the signature, and how values are taken out of the containers among the arguments.

    params = {"W": Leaf(0), "b": Leaf(1)}   ->   W = params["W"]; b = params["b"]
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, cast

from sct.codegen.expressions import Modules, constant
from sct.codegen.interface import NO_DEFAULT, Interface, Parameter
from sct.codegen.program import Let
from sct.codegen.templates import ATTRIBUTE, COLUMN, ITEM
from sct.ir.core import Eqn, Lit, Value
from sct.ir.objects import is_plain
from sct.ir.tree import Leaf, Node, Tree
from sct.ir.types import Opaque

__all__ = ["parameter", "signature"]


def parameter(name: str, tree: Tree, values: Sequence[Value]) -> tuple[Value, list[Let]]:
    """The value that is the parameter, and the statements that take `values` out of it."""
    if isinstance(tree, Leaf):
        return values[tree.index], []
    container = Value(Opaque(), name)
    return container, list(_items(tree, container, values))


def _items(tree: Tree, container: Value, values: Sequence[Value]) -> Iterator[Let]:
    if not isinstance(tree, Node):
        return
    for key, child in zip(tree.keys, tree.children):
        if isinstance(child, Leaf):
            value = values[child.index]
        else:
            value = Value(Opaque(), key if isinstance(key, str) and key.isidentifier() else None)
        if tree.kind != "object":
            eqn = Eqn(COLUMN if tree.kind == "rows" else ITEM, (container, Lit(key)), (value,))
        elif is_plain(tree.cls, key):
            eqn = Eqn(ATTRIBUTE, (container,), (value,), {"name": key})
        else:
            held = Value(Opaque(), None)
            eqn = Eqn(ATTRIBUTE, (container,), (held,), {"name": "__dict__"})
            yield Let(eqn, eqn)
            eqn = Eqn(ITEM, (held, Lit(key)), (value,))
        yield Let(eqn, eqn)
        yield from _items(child, value, values)


def signature(interface: Interface, modules: Modules) -> tuple[ast.arguments, dict[str, Any]]:
    """The parameters, and the defaults that have no literal form by the names they are given."""
    bindings: dict[str, Any] = {}

    def default(p: Parameter) -> ast.expr:
        try:
            if isinstance(p.default, (list, dict)):
                raise ValueError("it may change: the object itself is the default")
            return constant(p.default, modules)
        except ValueError:
            bindings[f"_{p.name}"] = p.default
            return ast.Name(f"_{p.name}", ast.Load())

    groups: dict[str, list[Parameter]] = {}
    for p in interface.params:
        groups.setdefault(p.kind, []).append(p)
    arg = {kind: [ast.arg(p.name, None, None) for p in group] for kind, group in groups.items()}
    ordered = groups.get("positional_only", []) + groups.get("positional", [])
    keywords = groups.get("keyword", [])
    return ast.arguments(
        arg.get("positional_only", []), arg.get("positional", []), _only(arg.get("varargs")), arg.get("keyword", []),
        cast("list[ast.expr | None]", [default(p) if _has_default(p) else None for p in keywords]),
        _only(arg.get("varkeywords")), [default(p) for p in ordered if _has_default(p)]), bindings


def _only(args: list[ast.arg] | None) -> ast.arg | None:
    return args[0] if args else None


def _has_default(p: Parameter) -> bool:
    return p.default is not NO_DEFAULT and p.default is not inspect.Parameter.empty
