"""Several paths that return the same expression share one `return`.

    if c:                      if c:
        dx += y                    dx += y
        return dx      ->      return dx
    return dx

A `return` is left out where the statement that follows on this path, behind the conditionals that end there, is the
same `return`.
"""

from __future__ import annotations

import ast

from sct.codegen.python.print_expressions import conjunction, negated
from sct.codegen.python.unparse import is_empty

__all__ = ["return_once"]


def return_once(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of the body of a function, and of the functions in it, changed in place."""
    for s in body:
        if isinstance(s, ast.FunctionDef):
            s.body = return_once(s.body)
    if len(body) > 1 and isinstance(body[-1], ast.Return):
        body[:-1] = _without_return(body[:-1], ast.dump(body[-1]))
    return body


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
