"""Tail duplication: the rest of a block in each branch of a conditional, where what is written depends on the branch.

    book = bids if side == "buy" else asks          if side == "buy":
    book.append(order)                         ->       bids.append(order)
                                                    else:
                                                        asks.append(order)

Behind the conditional `book` may be either list, and a write is refused; in each branch it is one of them.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.source.parse import loc_of

__all__ = ["as_conditional", "is_duplicated"]

DEEPEST = 4
"""How many conditionals may have the rest of their block in each branch, one in the other."""

_WITH_VALUE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return)


def is_duplicated(ev: Evaluator, stmt: gast.If) -> bool:
    """Is the rest of the block evaluated in each branch of this statement?"""
    places = ev.functions.plan.duplicated
    file = ev.frames[-1].source.file
    return bool(places) and ev.duplications < DEEPEST and not places.isdisjoint(
        (loc_of(stmt, file), loc_of(stmt.test, file)))


def as_conditional(ev: Evaluator, stmt: Any) -> Any:
    """An `if` in place of a statement that evaluates `a if c else b` first, where the rest is duplicated for it."""
    if not isinstance(stmt, _WITH_VALUE) or stmt.value is None:
        return stmt
    frame = ev.frames[-1]
    choice = _evaluated_first(stmt)
    if choice is None or loc_of(choice, frame.source.file) not in ev.functions.plan.duplicated:
        return stmt
    if not hasattr(stmt, "as_conditional"):
        bodies = [[_with(stmt, choice, value)] for value in (choice.body, choice.orelse)]
        stmt.as_conditional = gast.copy_location(gast.If(choice.test, *bodies), choice)
    for each in (stmt.as_conditional, *stmt.as_conditional.body, *stmt.as_conditional.orelse):
        frame.live.put_in_place(each, stmt)
    return stmt.as_conditional


def _evaluated_first(node: Any, names: bool = False) -> gast.IfExp | None:
    """The conditional expression in this statement whose test is evaluated before anything but names and constants.

    names  are there some before the node, which its test must not change?
    """
    for child in _operands(node):
        if isinstance(child, gast.IfExp):
            may_change = any(isinstance(n, (gast.Call, gast.NamedExpr)) for n in gast.walk(child.test))
            return None if names and may_change else child
        if not _is_name(child):
            return _evaluated_first(child, names)
        names = True
    return None


def _is_name(node: Any) -> bool:
    """Is this a constant, a name, or the name of an attribute or a method?"""
    return isinstance(node, (gast.Name, gast.Constant)) or isinstance(node, gast.Attribute) and _is_name(node.value)


def _operands(node: Any) -> list[Any]:
    """The parts of a statement or an expression in the order in which they are evaluated, as far as that is known."""
    if isinstance(node, gast.Assign):
        return [node.value, *([] if isinstance(node.targets[0], gast.Name) else _operands(node.targets[0]))]
    if isinstance(node, gast.AugAssign):
        return [*([node.target] if isinstance(node.target, gast.Name) else _operands(node.target)), node.value]
    if isinstance(node, _WITH_VALUE):
        return [node.value]
    if isinstance(node, gast.Call):
        return [node.func, *node.args, *(k.value for k in node.keywords)]
    if isinstance(node, (gast.Attribute, gast.Starred, gast.Subscript)):
        return [node.value, *([node.slice] if isinstance(node, gast.Subscript) else [])]
    if isinstance(node, gast.BinOp):
        return [node.left, node.right]
    if isinstance(node, gast.UnaryOp):
        return [node.operand]
    if isinstance(node, gast.Compare):
        return [node.left, *node.comparators[:1]]
    return list(node.elts) if isinstance(node, (gast.Tuple, gast.List)) else []


def _with(node: Any, part: Any, other: Any) -> Any:
    """A copy of a tree with `other` in the place of `part`; what does not lead there is shared."""
    if node is part:
        return other
    if isinstance(node, list):
        return [_with(each, part, other) for each in node]
    if not isinstance(node, gast.AST) or all(each is not part for each in gast.walk(node)):
        return node
    new = copy.copy(node)
    for name, value in gast.iter_fields(node):
        setattr(new, name, _with(value, part, other))
    return new
