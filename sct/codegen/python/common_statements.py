"""Statements at the beginning or the end of all branches of a conditional stand before it or behind it.

    if c:                          if c:
        dy = f(x)                      dy = f(x)
        dx += dy         ->        else:
    else:                              dy = g(x)
        dy = g(x)                  dx += dy
        dx += dy

A conditional whose branches are equal is one of them; a path that exits counts as one of two branches. A statement
moves to the front only if it assigns no variable that the predicates read. Several paths that return the same
expression share one `return`:

    if c:                      if c:
        dx += y                    dx += y
        return dx      ->      return dx
    return dx

A variable that is rebound twice to the same one is rebound once.

A call whose results are returned as they are is returned itself, and so is a value without a name of its own:
`a, b = f(x); return a, b   ->   return f(x)`.
A `return` is left out where the statement that follows on this path, behind the conditionals that end there, is the
same `return`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from sct.codegen.python.print_expressions import conjunction, negated
from sct.codegen.python.unparse import Comment, is_empty
from sct.errors import Loc

__all__ = ["factor_branches", "return_directly", "return_once"]


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
        elif not (statements and _is_rebinding(s) and _text(s) == _text(statements[-1])):
            statements.append(s)
    return _rebound_before_exits(statements)


def _rebound_before_exits(block: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block, in which variables are rebound before an exit where they are behind it as well.

    if c: x = y; break      ->      x = y; if c: break
    x = y
    """
    for k, s in enumerate(block):
        if not (isinstance(s, ast.If) and not s.orelse and isinstance(s.body[-1], (ast.Break, ast.Continue))):
            continue
        rebound, read = s.body[:-1], {n.id for n in ast.walk(s.test) if isinstance(n, ast.Name)}
        behind = block[k + 1:k + 1 + len(rebound)]
        if rebound and len(behind) == len(rebound) and all(map(_is_rebinding, rebound)) \
                and all(_assigns_none_of(a, read) and _text(a) == _text(b) for a, b in zip(rebound, behind)):
            s.body = s.body[-1:]
            block[k:k + 1 + len(rebound)] = [*rebound, s]
    return block


def _is_rebinding(s: ast.stmt) -> bool:
    """Does the statement give a variable the value of another?"""
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.Name) and isinstance(s.targets[0], ast.Name)


def _factored(conditional: ast.If) -> Iterator[ast.stmt]:
    """The conditional, between the statements that all its branches begin and end with."""
    branches = list(_branches(conditional))
    nodes = [n for test in _tests(conditional) for n in ast.walk(test)]
    simple = all(isinstance(n, _SIMPLE) for n in nodes)
    if all(isinstance(n, (*_SIMPLE, *_ARITHMETIC)) for n in nodes) and \
            _equal([[s for s in branch if not isinstance(s, Comment)] for branch in branches]):
        alike = _equal(branches)
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


def _equal(branches: list[list[ast.stmt]]) -> bool:
    """Have the branches the same statements?  Their texts are made only if the kinds of the statements are the same."""
    return all(len({tuple(map(part, branch)) for branch in branches}) == 1 for part in (type, _text))


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


# -- returns ------------------------------------------------------------------------------------


def return_once(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of the body of a function, and of the functions in it, changed in place."""
    for s in body:
        if isinstance(s, ast.FunctionDef):
            s.body = return_once(s.body)
    if len(body) > 1 and isinstance(body[-1], ast.Return):
        body[:-1] = _without_return(body[:-1], ast.dump(body[-1]))
    return body


def return_directly(body: list[ast.stmt], callees: Collection[str], unnamed: Collection[str],
                    locs: dict[ast.stmt, Loc]) -> list[ast.stmt]:
    """The statements of a function that calls the functions `callees`, and of its blocks, changed in place.

    unnamed  the variables whose names say nothing
    """
    if any(isinstance(s, ast.FunctionDef) for s in body):
        return body
    for s in body:
        for field in ("body", "orelse"):
            if isinstance(inner := getattr(s, field, None), list):
                setattr(s, field, return_directly(inner, callees, unnamed, locs))
    match body[-2:]:
        case [ast.Assign([target], value) as assignment, ast.Return(ast.expr() as returned) as last]:
            names = _names(target)
            is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in callees
            is_tuple = isinstance(target, ast.Tuple)
            is_same = names == _names(returned) and is_tuple == isinstance(returned, ast.Tuple)
            is_plain = set(names) <= set(unnamed) and (not is_tuple or isinstance(value, ast.Tuple))
            if names and is_same and (is_call or is_plain):
                last.value = value
                locs.update({last: locs[assignment]} if assignment in locs else {})
                del body[-2]
    return body


def _names(tree: ast.expr) -> list[str]:
    """The names, each another, of which an expression or a target is the tuple; none if it is something else."""
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    names = [x.id for x in parts if isinstance(x, ast.Name)]
    return names if len(set(names)) == len(parts) else []


def _without_return(block: list[ast.stmt], after: str) -> list[ast.stmt]:
    """The statements of a block that the `return` that dumps as `after` follows."""
    if block and isinstance(block[-1], ast.Return) and ast.dump(block[-1]) == after:
        return _without_return(block[:-1], after)
    if not block or not isinstance(last := block[-1], ast.If):
        return block
    last.body, last.orelse = ([] if is_empty(inner) else inner
                              for inner in (_without_return(last.body, after), _without_return(last.orelse, after)))
    if not last.body and not last.orelse:
        if isinstance(_without_not(last.test), ast.Name):
            return _without_return(block[:-1], after)
        last.body = [ast.Pass()]  # the test may raise
    _normalize(last)
    return block


def _normalize(conditional: ast.If) -> None:
    """Give the conditional a body, and join it with the one that is all of its body."""
    if not conditional.body:
        conditional.body, conditional.orelse = conditional.orelse, []
        conditional.test = negated(conditional.test)
    inner = conditional.body[0]
    if len(conditional.body) == 1 and isinstance(inner, ast.If) and not inner.orelse and not conditional.orelse:
        conditional.test, conditional.body = conjunction(conditional.test, inner.test), inner.body


def _without_not(test: ast.expr) -> ast.expr:
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
