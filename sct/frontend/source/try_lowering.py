"""Rewrites `return` and `yield` in a `try`: the value is computed there, and may raise there.

    return f(x)   ->   result = f(x); return result        where a loop is around it, too

    try: yield f(x)                try: item = f(x)
    except ValueError: ...    ->   except ValueError: ...
                                   else: yield item        what is done with the item is not tried
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import gast

from sct.frontend.source.merged_yields import with_blocks
from sct.frontend.source.name_scopes import TRIES, yields

__all__ = ["TRIED", "TryLowering", "changes_nothing", "with_yields_behind_tries"]

TRIED = "<tried>"


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
        is_tried = kind in TRIES or kind is gast.With and not changes_nothing(node)
        block = is_tried or kind in (gast.For, gast.While)
        self.around += [gast.Try if is_tried else kind] * block
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


@functools.lru_cache(maxsize=4096)
def with_yields_behind_tries(node: Any) -> Any:
    """The generator function with each `yield` that ends the body of a `try` behind it; None if there is none."""
    body = _block(node.body)
    if body == node.body:
        return None
    return gast.copy_location(
        gast.FunctionDef(node.name, node.args, body, node.decorator_list, node.returns, node.type_comment), node)


def _block(stmts: Sequence[Any]) -> list[Any]:
    return [_behind(s) if yields(s) else s for s in stmts]


def _behind(s: Any) -> Any:
    """The statement, which yields; itself if nothing in it changes."""
    if isinstance(s, TRIES):
        return _try_behind(s) if _ends_with_yield(s) else s
    new = with_blocks(s, _block)
    return s if new is s or (new.body, new.orelse) == (s.body, s.orelse) else new


def _try_behind(s: Any) -> Any:
    """The `try` with its `yield` in its `else`."""
    last = s.body[-1]
    item = gast.Assign([gast.Name(TRIED, gast.Store(), None, None)], last.value.value, None)
    give = gast.Expr(gast.Yield(gast.Name(TRIED, gast.Load(), None, None)))
    for n in (*gast.walk(item), *gast.walk(give)):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, last)
    return gast.copy_location(type(s)([*s.body[:-1], item], s.handlers, [give, *s.orelse], []), s)


def _ends_with_yield(s: Any) -> bool:
    """Is the last statement of the body the only `yield` of the `try`, and does no handler end a closed generator?"""
    last = s.body[-1]
    alone = isinstance(last, gast.Expr) and isinstance(last.value, gast.Yield) and last.value.value is not None
    rest = [*s.body[:-1], *s.orelse, *s.finalbody, *(t for h in s.handlers for t in h.body)]
    return alone and not s.finalbody and not any(map(yields, rest)) and all(
        h.type is not None and not {"BaseException", "GeneratorExit"} & _names_in(h.type) for h in s.handlers)


def _names_in(node: Any) -> set[str]:
    return {getattr(n, "id", getattr(n, "attr", "")) for n in gast.walk(node)}
