"""Expressions that Python evaluates as a whole, since sct does not evaluate a part of them.

    sorted(flows, key=lambda flow: flow["date"])        Counter(c for c in text if c.isalpha())

An expression is a candidate if nothing differentiated enters it, and if it changes nothing that sct keeps track of.
The innermost candidate around a refusal is left to Python, and the function is evaluated again.
"""

from __future__ import annotations

import ast
import copy
import inspect
import types
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import python_expression
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.inactive import (
    evaluated_by_python,
    is_callers,
    is_harmless_module,
    is_varied,
    pure_builtin,
    template_of,
)
from sct.frontend.interpreter.attributes import SET_BY_RAISE
from sct.frontend.interpreter.expressions import lookup
from sct.frontend.objects.objects import is_data
from sct.frontend.source.bindings import Bindings
from sct.frontend.source.changing_calls import changes_object, writes_arguments, writes_keyword
from sct.frontend.source.name_scopes import free_in
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import Abstract, Container, ObjRef, Ref, Static, Tup
from sct.frontend.writes.callees import UNKNOWN, Callees
from sct.frontend.writes.written_expressions import written_expressions
from sct.ir import Operand, Value
from sct.ir.pytrees.user_objects import is_defined_by_user
from sct.ir.types import Link, leaf_type
from sct.ops.registry import template_tree

__all__: list[str] = []

_REFUSED = (gast.Yield, gast.YieldFrom, gast.Await, gast.NamedExpr)


@python_expression
def by_python(ev: Evaluator, node: Any) -> Abstract | None:
    """The value of the expression, which Python evaluates; None if it may not."""
    fields = _Fields(ev, node)
    node = fields.visit(copy.deepcopy(node))
    if (values := _values(ev, node, fields.values)) is None or not ev.observed(ev.loc):  # which runs the function: last
        return None
    operands: list[Operand] = []
    texts = {name: _name(v) or template_of(ev, v, operands) for name, v in values.items()}
    if None in texts.values() or any(isinstance(x, Value) and isinstance(leaf_type(x.type), Link) for x in operands):
        return None
    if _changes_objects(node):
        ev.note_change()
    text = ast.unparse(_Rename({k: str(v) for k, v in texts.items()}).visit(gast.gast_to_ast(node)))
    return evaluated_by_python(ev, text, operands, list(values.values()))


class _Fields(gast.NodeTransformer):  # type: ignore[misc]
    """Puts variables in the place of attributes of objects that the function has made, which may hold others that are
    differentiated: `site("x", i, self.n)`."""

    def __init__(self, ev: Evaluator, node: Any) -> None:
        self.ev, self.free = ev, free_in(node)
        self.values: dict[str, Abstract] = {}

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        node.value = self.visit(node.value)
        owner = self._variable(node.value)
        if not isinstance(node.ctx, gast.Load) or not isinstance(owner, ObjRef):
            return node
        cell = self.ev.slots(owner)
        if node.attr not in cell.keys or node.attr in (cell.unset or ()) or is_data(
                inspect.getattr_static(owner.cls, node.attr, None)):
            return node
        name = f"_field{len(self.values)}"
        self.values[name] = cell.items[cell.keys.index(node.attr)]
        return gast.Name(name, gast.Load(), None, None)

    def _variable(self, node: Any) -> Abstract | None:
        if not isinstance(node, gast.Name):
            return None
        if node.id in self.values:
            return self.values[node.id]
        try:
            return lookup(self.ev, node.id) if node.id in self.free else None
        except (SctError, Dead):
            return None


def _values(ev: Evaluator, node: Any, fields: dict[str, Abstract]) -> dict[str, Abstract] | None:
    """The values of the variables that the expression reads; None if Python may not evaluate it.

    fields  the values of those that stand for attributes
    """
    parts = list(gast.walk(node))
    if any(isinstance(n, _REFUSED) for n in parts) or \
            any(isinstance(n, gast.keyword) and writes_keyword(n.arg) for n in parts) or \
            any(isinstance(n, gast.Attribute) and (writes_arguments(n.attr) or n.attr in SET_BY_RAISE) for n in parts):
        return None
    free = free_in(node)
    if any(isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load) and n.id in free for n in parts):
        return None  # one name for a variable of the expression and one outside
    if not all(map(str.isidentifier, free)):
        return None  # it stands for another expression, which the user has written here
    values = {}
    for name in sorted(free):
        try:
            values[name] = fields[name] if name in fields else lookup(ev, name)
        except (SctError, Dead):
            return None
    if any(is_varied(ev, v) for v in values.values()):
        return None
    if _changes_objects(node) and any(isinstance(v, (Container, Ref, Tup)) or is_callers(ev, v) or _is_outside(v)
                                      for v in values.values()):
        return None  # copies would be changed, objects of the caller, or what is read before
    return None if _writes_what_is_known(ev, node, values) else values


def _changes_objects(node: Any) -> bool:
    """Does the expression read a method that changes its object?"""
    return any(isinstance(n, gast.Attribute) and changes_object(f".{n.attr}") for n in gast.walk(node))


def _writes_what_is_known(ev: Evaluator, node: Any, values: dict[str, Abstract]) -> bool:
    """May the expression, by a function of a library, write into what sct keeps track of, or what was read before?"""
    bindings = Bindings(node)
    callees = Callees(bindings, lambda name: _object_of(values.get(name)))
    for target in written_expressions(node, callees):
        if target is None:
            return True
        owner = target
        while isinstance(owner, (gast.Attribute, gast.Subscript)):
            owner = owner.value
        read = free_in(owner) & values.keys()
        if any(_is_known(ev, values[name]) for name in read):
            return True
    return False


def _is_known(ev: Evaluator, v: Abstract) -> bool:
    """Is this an array or a container, an object of the caller or from outside, or a function that may give one?"""
    return isinstance(v, (Container, Ref, Tup)) or is_callers(ev, v) or _is_outside(v) or \
        isinstance(v, Static) and isinstance(v.peek, types.FunctionType) and not is_library(v.peek)


def _object_of(v: Abstract | None) -> Any:
    return v.peek if isinstance(v, Static) else UNKNOWN


def _is_outside(v: Abstract) -> bool:
    """Is this an object, or a class of the user, that the function reads from outside?"""
    if not isinstance(v, Static) or v.path is None or isinstance(v.peek, _NOT_CHANGED):
        return False
    return not isinstance(v.peek, type) or is_defined_by_user(v.peek)


_NOT_CHANGED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
"""Classes of what is read from outside, and has functions that are called as methods which change an object are:
`np.append`."""


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
        return ast.Name(f"_{node.id}_", node.ctx) if text is None else template_tree(text)

    def visit_arg(self, node: ast.arg) -> Any:
        return ast.arg(f"_{node.arg}_", None)
