"""Every mutation of a source file: an operator, a constant, a condition, a dropped statement.

>>> [m.new for m in mutations("def f(a):\\n    if a < 1:\\n        return -a\\n    return a\\n", "f.py")]
['(True)', '(False)', 'a <= 1', '2']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Mutation", "mutations"]

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}
_TEXTS = ("__repr__", "__str__")


@dataclass(frozen=True)
class Mutation:
    """Replace the characters from `start` to `end` of a file by `new`.

    function  the first line of the innermost function around it, decorators included
    """

    file: str
    line: int
    function: int
    start: int
    end: int
    new: str

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def mutations(text: str, file: str) -> Iterator[Mutation]:
    """The mutations of the functions of a file, in the order of its text."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line.encode()))
    data = text.encode()

    def offset(line: int, column: int) -> int:
        return len(data[: lines[line - 1] + column].decode())

    for node, function in _nodes(ast.parse(text), None):
        for new in _variants(node):
            target = node.test if isinstance(node, (ast.If, ast.While, ast.IfExp)) else node
            assert target.end_lineno is not None and target.end_col_offset is not None
            yield Mutation(file, target.lineno, function, offset(target.lineno, target.col_offset),
                           offset(target.end_lineno, target.end_col_offset), new)


def _nodes(node: ast.AST, function: int | None) -> Iterator[tuple[ast.AST, int]]:
    """The statements and expressions in functions that mean something when the function runs."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            inner = function
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if child.name in _TEXTS:
                    continue
                inner = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            elif function is not None and isinstance(child, (ast.stmt, ast.expr)):
                yield child, function
            if not isinstance(child, (ast.Assert, ast.JoinedStr)):
                yield from _nodes(child, inner)


def _variants(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield from ("(True)", "(False)")
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        yield ast.unparse(ast.Compare(node.left, [_COMPARISONS[type(node.ops[0])]()], node.comparators))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield f"({ast.unparse(ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right))})"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield repr(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield repr(not node.value)
    elif isinstance(node, (ast.AugAssign, ast.Delete, ast.Continue, ast.Break)) or _is_effect(node):
        yield "pass"


def _is_effect(node: ast.AST) -> bool:
    """A call for its effect, or an assignment to a part of an object."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Assign) and all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in node.targets)
