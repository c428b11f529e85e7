"""The signature of the emitted function: `Interface` -> `ast.arguments`.

    Parameter("x"), Parameter("k", default=2.0)   ->   x, k=2.0

Defaults without a literal form become names, which `bindings` maps to the objects.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from typing import Any, cast

from sct.codegen.interface import NO_DEFAULT, Interface, Parameter
from sct.codegen.python.print_expressions import Modules, constant

__all__ = ["arguments", "function", "signature"]


def signature(interface: Interface, modules: Modules) -> tuple[ast.arguments, dict[str, Any]]:
    """The parameters, and the bindings: name -> default that has no literal form."""
    bindings: dict[str, Any] = {}

    def default(p: Parameter) -> ast.expr:
        try:
            if isinstance(p.default, (list, dict)):
                raise ValueError("it may change, so the object itself is the default")
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


def arguments(names: Iterable[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n, None, None) for n in names], None, [], [], None, [])


def function(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.stmt:
    more: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
    return ast.FunctionDef(name, args, body or [ast.Pass()], [], None, None, **more)
