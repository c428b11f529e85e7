"""Expressions that Python evaluates as a whole, since sct does not evaluate a part of them.

    sorted(flows, key=lambda flow: flow["date"])        Counter(c for c in text if c.isalpha())

An expression is a candidate if nothing differentiated enters it, and if it changes nothing that sct keeps track of.
The innermost candidate around a refusal is left to Python, and the function is evaluated again.
"""

from __future__ import annotations

import ast
import functools
import types
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.fixpoint import Dead
from sct.frontend.evaluator.handlers import python_expression
from sct.frontend.heap.inactive import (
    evaluated_by_python,
    is_harmless_module,
    may_be_differentiated,
    pure_builtin,
    template_of,
    writes_arguments,
)
from sct.frontend.interpreter.expressions import lookup
from sct.frontend.source.name_scopes import free_in
from sct.frontend.values.abstract_values import Abstract, Container, Static
from sct.ir import Operand

__all__: list[str] = []

_READERS = frozenset(("index", "count", "get", "keys", "values", "items", "copy"))
"""Methods of lists and dicts that change nothing."""

_REFUSED = (gast.Yield, gast.YieldFrom, gast.Await, gast.NamedExpr)


@python_expression
def by_python(ev: Evaluator, node: Any) -> Abstract | None:
    """The value of the expression, which Python evaluates; None if it may not."""
    values = _values(ev, node)
    if values is None or not ev.observed(ev.loc):
        return None
    operands: list[Operand] = []
    texts = {name: _name(v) or template_of(ev, v, operands) for name, v in values.items()}
    if None in texts.values():
        return None
    text = ast.unparse(_Rename({k: str(v) for k, v in texts.items()}).visit(gast.gast_to_ast(node)))
    return evaluated_by_python(ev, text, operands, list(values.values()))


def _values(ev: Evaluator, node: Any) -> dict[str, Abstract] | None:
    """The values of the variables that the expression reads; None if Python may not evaluate it."""
    if any(isinstance(n, _REFUSED) for n in gast.walk(node)) or not ev.is_observed:
        return None
    values = {}
    for name in sorted(free_in(node)):
        try:
            values[name] = lookup(ev, name)
        except (SctError, Dead):
            return None
    if any(may_be_differentiated(ev, v) for v in values.values()):
        return None
    for n in gast.walk(node):
        if isinstance(n, gast.Attribute):
            owner = values.get(n.value.id) if isinstance(n.value, gast.Name) else None
            if writes_arguments(n.attr) or isinstance(owner, Container) and n.attr not in _READERS:
                return None
    return values


def _name(v: Abstract) -> str | None:
    """The name of a builtin or a module of a library."""
    if not isinstance(v, Static):
        return None
    if isinstance(v.peek, types.ModuleType):
        return v.peek.__name__ if is_harmless_module(v.peek.__name__) else None
    return pure_builtin(v.peek)


class _Rename(ast.NodeTransformer):
    """Writes the templates of variables, and underscores around the names that the expression itself binds."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def visit_Name(self, node: ast.Name) -> Any:
        text = self.texts.get(node.id)
        return ast.Name(f"_{node.id}_", node.ctx) if text is None else _parsed(text)

    def visit_arg(self, node: ast.arg) -> Any:
        return ast.arg(f"_{node.arg}_", None)


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
