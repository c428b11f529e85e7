"""Statements at the beginning or the end of all branches of a conditional stand before it or behind it.

    if c:                          if c:
        dy = f(x)                      dy = f(x)
        dx += dy         ->        else:
    else:                              dy = g(x)
        dy = g(x)                  dx += dy
        dx += dy

A conditional whose branches are equal is one of them. A statement moves to the front only if it assigns no variable
that the predicates read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from sct.codegen.python.print_expressions import negated
from sct.codegen.python.unparse import Comment

__all__ = ["factor_branches"]


def factor_branches(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block, and of those in it, changed in place."""
    statements: list[ast.stmt] = []
    for s in body:
        for field in ("body", "orelse"):
            inner = getattr(s, field, None)
            if isinstance(inner, list) and inner and not (field == "orelse" and _is_elif(s)):
                inner[:] = factor_branches(inner)
        if isinstance(s, ast.If):
            last = s
            while _is_elif(last):
                last = last.orelse[0]  # type: ignore[assignment]
                last.body[:] = factor_branches(last.body)
                last.orelse[:] = last.orelse if _is_elif(last) else factor_branches(last.orelse)
            statements += _factored(s)
        else:
            statements.append(s)
    return statements


def _factored(conditional: ast.If) -> Iterator[ast.stmt]:
    """The conditional, between the statements that all its branches begin and end with."""
    branches = list(_branches(conditional))
    nodes = [n for test in _tests(conditional) for n in ast.walk(test)]
    simple = all(isinstance(n, _SIMPLE) for n in nodes)
    if all(isinstance(n, (*_SIMPLE, *_ARITHMETIC)) for n in nodes) and \
            len({tuple(_text(s) for s in branch if not isinstance(s, Comment)) for branch in branches}) == 1:
        alike = len({tuple(map(_text, branch)) for branch in branches}) == 1
        yield from (s for s in branches[0] if alike or not isinstance(s, Comment))
        return
    behind: list[ast.stmt] = []
    while all(branches) and _alike(tails := [branch[-1] for branch in branches]) and _leaves_some(branches):
        above = [branch[-2] for branch in branches if len(branch) > 1 and isinstance(branch[-2], Comment)]
        if above and not _alike(above):
            break
        for branch, tail in zip(branches, tails):
            branch[:] = [s for s in branch if s is not tail and s not in above]
        behind += [tails[0], *above[:1]]
    read = {n.id for test in _tests(conditional) for n in ast.walk(test) if isinstance(n, ast.Name)}
    while simple and all(branches) and _alike(heads := [branch[0] for branch in branches]) \
            and _leaves_some(branches) and _assigns_none_of(heads[0], read):
        for branch in branches:
            del branch[0]
        yield heads[0]
    yield _normalized(conditional)
    yield from reversed(behind)


def _branches(conditional: ast.If) -> Iterator[list[ast.stmt]]:
    yield conditional.body
    if _is_elif(conditional):
        yield from _branches(conditional.orelse[0])  # type: ignore[arg-type]
    else:
        yield conditional.orelse


def _tests(conditional: ast.If) -> Iterator[ast.expr]:
    yield conditional.test
    if _is_elif(conditional):
        yield from _tests(conditional.orelse[0])  # type: ignore[arg-type]


def _is_elif(s: ast.AST) -> bool:
    return isinstance(s, ast.If) and len(s.orelse) == 1 and isinstance(s.orelse[0], ast.If)


def _alike(statements: Sequence[ast.stmt]) -> bool:
    first, *others = statements
    return isinstance(first, (ast.Assign, ast.AugAssign, Comment)) and all(type(s) is type(first) for s in others) \
        and all(_text(s) == _text(first) for s in others)


def _text(s: ast.stmt) -> str:
    return s.text if isinstance(s, Comment) else ast.dump(s)


def _leaves_some(branches: list[list[ast.stmt]]) -> bool:
    """Has each branch but the last more than one statement, so that none becomes empty that cannot be left out?"""
    lengths = [sum(not isinstance(s, Comment) for s in branch) for branch in branches]
    return all(n > 1 for n in lengths) or len(lengths) == 2 and max(lengths) > 1


def _assigns_none_of(s: ast.stmt, names: set[str]) -> bool:
    targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AugAssign) else []
    stored = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return bool(targets) and names.isdisjoint(stored)


def _normalized(conditional: ast.If) -> ast.If:
    """The conditional with a body, and without branches that hold comments alone."""
    if not any(not isinstance(s, Comment) for s in conditional.orelse):
        conditional.orelse[:] = []
    if not any(not isinstance(s, Comment) for s in conditional.body):
        conditional.body[:], conditional.orelse[:] = conditional.orelse[:], []
        conditional.test = negated(conditional.test)
    return conditional


_SIMPLE = (ast.Name, ast.Load, ast.Constant, ast.UnaryOp, ast.unaryop, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop)
_ARITHMETIC = (ast.BinOp, ast.Add, ast.Sub, ast.Mult)
