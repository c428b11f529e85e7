"""Rewrites `return` where a `try` and a loop are around it: its value is computed there, and may raise there.

    return f(x)   ->   result = f(x); return result
"""

from __future__ import annotations

from typing import Any

import gast

__all__ = ["TryLowering", "changes_nothing"]


def changes_nothing(node: Any) -> bool:
    """Are the contexts of this `with` of kinds that run the same code at its end, whatever happens in it?"""
    return all(isinstance(f := item.context_expr, gast.Call) and getattr(f.func, "attr", getattr(f.func, "id", "")) in (
        "errstate", "printoptions", "catch_warnings", "nullcontext") for item in node.items)


class TryLowering(gast.NodeTransformer):  # type: ignore[misc]
    """Names what is returned from a `try` in a loop, or from a loop in a `try`."""

    def __init__(self) -> None:
        self.around: list[type] = []

    def visit(self, node: Any) -> Any:
        kind = type(node)
        if kind in (gast.FunctionDef, gast.Lambda, gast.AsyncFunctionDef):
            outer, self.around = self.around, []
            result = super().visit(node)
            self.around = outer
            return result
        block = kind in (gast.For, gast.While, gast.Try) or kind is gast.With and not changes_nothing(node)
        self.around += [gast.Try if kind is gast.With else kind] * block
        result = super().visit(node)
        del self.around[len(self.around) - block:]
        return result

    def visit_Return(self, node: Any) -> Any:
        in_loop = gast.For in self.around or gast.While in self.around
        if not in_loop or gast.Try not in self.around or isinstance(node.value, (gast.Constant, type(None))):
            return node
        name = f"result_{node.lineno}"
        first = gast.Assign([gast.Name(name, gast.Store(), None, None)], node.value, None)
        last = gast.Return(gast.Name(name, gast.Load(), None, None))
        for n in (*gast.walk(first), *gast.walk(last)):
            if not hasattr(n, "lineno"):
                gast.copy_location(n, node)
        return [first, last]
