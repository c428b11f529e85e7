"""Faults of the frontend, planted again: each file has one, as `plant`, and a program that it makes wrong.

    plant(tables)      puts the fault into the tables of handlers for the time of one test
    program, args      read wrongly with it, and right or refused without
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gast
import pytest

from sct.frontend.evaluator.handlers import EXPRESSIONS, SPECIAL, STATEMENTS
from sct.frontend.source.parse import source_of

__all__ = ["Tables", "code"]

Change = Callable[[Any], Any]


class Tables:
    """The tables of the frontend, changed until the end of a test."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        source_of.__globals__["_source_of"].cache_clear()

    def read(self, kind: type, change: Change) -> None:
        """A node of this kind is read as the one that `change` makes of it; None: as it is."""
        table = STATEMENTS if issubclass(kind, gast.stmt) else EXPRESSIONS
        before = table[kind]

        def handler(ev: Any, node: Any) -> Any:
            if getattr(node, "as_it_is", False):
                return before(ev, node)
            own = copy.copy(node)
            own.as_it_is = True
            made = change(own)
            if made is None:
                return before(ev, node)
            if issubclass(kind, gast.stmt) and isinstance(made, gast.expr):
                made = gast.Expr(made)
            made = gast.fix_missing_locations(gast.copy_location(made, node))
            made.as_it_is = type(made) is kind
            return ev.exec(made) if isinstance(made, gast.stmt) else ev.eval(made)

        self.patch.setitem(table, kind, handler)

    def evaluate(self, kind: type, handler: Callable[[Any, Any, Any], Any]) -> None:
        """A node of this kind is what `handler(ev, node, before)` says; `before` is the handler that there is."""
        table = STATEMENTS if issubclass(kind, gast.stmt) else EXPRESSIONS
        before = table[kind]
        self.patch.setitem(table, kind, lambda ev, node: handler(ev, node, before))

    def call(self, f: Any, handler: Callable[..., Any]) -> None:
        """A call of `f` is what `handler(ev, args, kwargs, before)` says."""
        before = SPECIAL.get(id(f))
        self.patch.setitem(SPECIAL, id(f), lambda ev, args, kwargs: handler(ev, args, kwargs, before))


def code(text: str, **parts: Any) -> Any:
    """The node of an expression or a statement, its names that `parts` has replaced.

    >>> gast.unparse(code("list(_it)", _it=code("f(x)")))
    'list(f(x))'
    """
    (made,) = gast.parse(text).body

    class Fill(gast.NodeTransformer):
        def visit_Name(self, node: Any) -> Any:
            return parts.get(node.id, node)

    made = Fill().visit(made)
    return made.value if isinstance(made, gast.Expr) else made


def named(node: Any, *names: str) -> bool:
    """Is this a call of a name, or of a method of a name, among these?"""
    return isinstance(node, gast.Call) and (
        isinstance(node.func, gast.Name) and node.func.id in names
        or isinstance(node.func, gast.Attribute) and node.func.attr in names)
