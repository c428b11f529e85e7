"""Rewrites `match` as `if`, with two expressions of its own: `Matches` tests a pattern, `Binds` binds its names."""

from __future__ import annotations

from typing import Any

import gast

__all__ = ["Binds", "MatchLowering", "Matches"]


class Matches(gast.expr):  # type: ignore[misc]
    """Does `subject` match `pattern`?"""

    _fields = ("subject", "pattern")


class Binds(gast.expr):  # type: ignore[misc]
    """Bind the names of a pattern that `subject` matches; `names` are they."""

    _fields = ("subject", "pattern", "names")


class MatchLowering(gast.NodeTransformer):  # type: ignore[misc]
    """Rewrites each `match` as a chain of `if`."""

    def visit_Match(self, node: Any) -> Any:
        self.generic_visit(node)
        name = f"match_{node.lineno}"
        first = gast.copy_location(gast.Assign([gast.Name(name, gast.Store(), None, None)], node.subject, None), node)
        rest: list[Any] = []
        for case in reversed(node.cases):
            rest = [self._case(case, gast.Name(name, gast.Load(), None, None), rest)]
        for n in gast.walk(rest[0]):
            if not hasattr(n, "lineno"):
                gast.copy_location(n, node)
        return [first, *rest]

    def _case(self, case: Any, subject: Any, orelse: list[Any]) -> Any:
        bound = {n.name for n in gast.walk(case.pattern) if isinstance(n, (gast.MatchAs, gast.MatchStar)) and n.name}
        bound |= {n.rest for n in gast.walk(case.pattern) if isinstance(n, gast.MatchMapping) and n.rest}
        place = case.pattern
        test = gast.copy_location(Matches(subject, case.pattern), place)
        names = [gast.Name(n, gast.Store(), None, None) for n in sorted(bound)]
        bind = gast.copy_location(Binds(subject, case.pattern, names), place)
        body = case.body
        if case.guard is not None:
            test = gast.copy_location(gast.BoolOp(gast.And(), [test, *[bind] * bool(names), case.guard]), place)
        elif names:
            body = [gast.copy_location(gast.Expr(bind), place), *body]
        return gast.copy_location(gast.If(test, body, orelse), place)
