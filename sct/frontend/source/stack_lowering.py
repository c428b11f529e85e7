"""Rewrites a `with ExitStack()` whose contexts are entered by statements of its body as `with` statements in it.

    with ExitStack() as stack:                         with ExitStack() as stack:
        f = stack.enter_context(a())     ->                with a() as f:
        use(f)                                                 use(f)
"""

from __future__ import annotations

from typing import Any

import gast

__all__ = ["StackLowering"]


def _is_stack(node: Any) -> bool:
    """Is this `ExitStack()`, by its name?"""
    return isinstance(node, gast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "ExitStack" \
        and not node.args and not node.keywords


def _entered(stmt: Any, name: str) -> Any:
    """The context and the target of a statement that enters a context; None for other statements."""
    value: Any = stmt.value if isinstance(stmt, (gast.Expr, gast.Assign)) else None
    call = isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and isinstance(
        value.func.value, gast.Name) and value.func.value.id == name and value.func.attr == "enter_context"
    if not call or len(value.args) != 1 or value.keywords or isinstance(stmt, gast.Assign) and len(stmt.targets) > 1:
        return None
    return value.args[0], stmt.targets[0] if isinstance(stmt, gast.Assign) else None


class StackLowering(gast.NodeTransformer):  # type: ignore[misc]
    """Nests the contexts that a stack enters; a stack that is used otherwise stays as it is."""

    def visit_With(self, node: Any) -> Any:
        self.generic_visit(node)
        last = node.items[-1]
        if not _is_stack(last.context_expr) or not isinstance(last.optional_vars, gast.Name):
            return node
        name = last.optional_vars.id
        body = _nested(node.body, name)
        if any(isinstance(n, gast.Name) and n.id == name for stmt in body for n in gast.walk(stmt)):
            return node
        node.body, node.nested = body, True
        return node


def _nested(stmts: list[Any], name: str) -> list[Any]:
    for k, stmt in enumerate(stmts):
        if (entered := _entered(stmt, name)) is not None:
            inner = gast.With([gast.withitem(*entered)], _nested(stmts[k + 1:], name) or [gast.Pass()], None)
            for n in (inner, *inner.items, *inner.body):
                if not hasattr(n, "lineno"):
                    gast.copy_location(n, stmt)
            return [*stmts[:k], inner]
    return list(stmts)
