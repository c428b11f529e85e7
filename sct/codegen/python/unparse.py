"""Syntax trees -> source: the one place that decides how Python text looks.

This is astor's generator with other constants, f-strings, comments and long lines.

Invariant: the text is the same on every version of Python, and parses back to the same tree.

>>> unparse(ast.parse("x = (a+b)*c"))
'x = (a + b) * c\\n'
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # astor asks `ast` for node classes of old Pythons
    from astor.code_gen import SourceGenerator, set_precedence
    from astor.op_util import Precedence

from sct.codegen.python.long_lines import WIDTH, broken
from sct.errors import Loc

__all__ = ["Comment", "WIDTH", "begins_statement", "comment", "is_empty", "logical_lines", "same_tree",
           "statements_in", "unparse", "user_line"]


class Comment(ast.stmt):
    """A line `# text`, which is not part of the program."""

    text: str


def comment(text: str) -> Comment:
    node = Comment()
    node.text = text
    return node


def is_empty(block: Sequence[ast.stmt]) -> bool:
    """Does the block have no statements but comments?"""
    return all(isinstance(s, Comment) for s in block)


class _Generator(SourceGenerator):  # type: ignore[misc]
    """astor's generator with this package's style."""

    def visit_Comment(self, node: Comment) -> None:
        for line in node.text.splitlines():
            self.newline()
            self.write(f"# {line}".rstrip())

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        number = isinstance(value, (int, float, complex)) and not isinstance(value, bool)
        if number and getattr(node, "_pp", Precedence.Comma) >= Precedence.highest:
            self.write(f"({value!r})")
        elif isinstance(value, (str, bytes)):
            self.write(_string(value))
        else:
            self.write("..." if value is Ellipsis else repr(value))

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            self.statement(node, f'"""{node.value.value}"""')
        else:
            super().visit_Expr(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """An f-string; a call of `format` where Pythons before 3.12 do not read its quotes or backslashes."""
        text = "".join(_formatted(node))
        expressions = list(_expressions(node))
        quotes = [q for q in _QUOTES if q not in text and not text.endswith(q[0])]
        if quotes and not any("\\" in e for e in expressions):
            self.write("f" + quotes[0] + text + quotes[0])
        else:
            self.write(_string("".join(_formatted(node, with_expressions=False))), f".format({', '.join(expressions)})")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        set_precedence(Precedence.highest, node.value)
        super().visit_Attribute(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        set_precedence(Precedence.highest, node.value)
        super().visit_Subscript(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """A binary operator; as formatters write it, the power of simple operands has no spaces."""
        if not (isinstance(node.op, ast.Pow) and _is_simple(node.left, True) and _is_simple(node.right, True)):
            super().visit_BinOp(node)
            return
        with self.delimit(node, node.op):
            set_precedence(Precedence.Pow + 1, node.left)
            set_precedence(Precedence.PowRHS, node.right)
            self.write(node.left, "**", node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """A unary operator; as formatters write it, a power after it has parentheses."""
        if isinstance(node.operand, ast.BinOp) and isinstance(node.operand.op, ast.Pow):
            with self.delimit(node, node.op):
                set_precedence(Precedence.Comma, node.operand)
                self.write("not " if isinstance(node.op, ast.Not) else _SIGNS[type(node.op)], "(", node.operand, ")")
        else:
            super().visit_UnaryOp(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        """A slice; as formatters write it, its colons have spaces where a bound is no name or number."""
        space = "" if all(b is None or _is_simple(b, False) for b in (node.lower, node.upper, node.step)) else " "
        set_precedence(node, node.lower, node.upper, node.step)
        self.conditional_write(node.lower, space if node.lower is not None else "")
        self.write(":")
        self.conditional_write(space, node.upper)
        if node.step is not None:
            self.write(space if node.upper is not None else "", ":", space, node.step)

    def visit_Call(self, node: ast.Call) -> None:
        set_precedence(Precedence.highest, node.func)
        super().visit_Call(node)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        set_precedence(Precedence.Comma, node.elt, *(g.iter for g in node.generators))
        super().visit_ListComp(node)

    def visit_For(self, node: ast.For, is_async: bool = False) -> None:
        set_precedence(Precedence.Comma, node.iter)
        super().visit_For(node)

    def visit_FunctionDef(self, node: ast.FunctionDef, is_async: bool = False) -> None:
        self.newline(extra=1 if self.indentation else 2)
        for decorator in node.decorator_list:
            self.write("@", decorator)
            self.newline()
        self.write("def ", node.name, "(")
        self.visit_arguments(node.args)
        self.write(")", ":")
        self.body(node.body)
        self.newline(extra=1 if self.indentation else 2)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        """A tuple; as formatters write it, one of a single item has parentheses."""
        if len(node.elts) == 1 and isinstance(node.ctx, ast.Load):
            set_precedence(Precedence.Comma, *node.elts)
            self.write("(", node.elts[0], ",", ")")
        else:
            super().visit_Tuple(node)


def unparse(tree: ast.AST) -> str:
    """The source of a module or expression, which ends in one line break."""
    return "\n".join(logical_lines(tree)) + "\n"


def logical_lines(tree: ast.AST) -> list[str]:
    """The source of a module or expression: the text of each logical line, broken if it is too long."""
    generator = _Generator("    ")
    generator.visit(tree)
    lines = [_wrapped(line) for line in _lines(generator.result)]
    while lines and not lines[0]:
        del lines[0]
    return lines


def statements_in(body: Iterable[ast.stmt]) -> list[Any]:
    """The statements and the handlers of exceptions in the body of a function, in the order of the text."""
    inner: list[Any] = []

    def visit(block: Iterable[ast.stmt]) -> None:
        for s in block:
            if not isinstance(s, Comment):
                inner.append(s)
                for field in ("body", "handlers", "orelse", "finalbody"):
                    visit(getattr(s, field, ()))

    visit(body)
    return inner


def begins_statement(line: str) -> bool:
    """Does a statement, or the handler of an exception, begin with this logical line?"""
    text = line.lstrip()
    return text[:1] not in ("", "#", "@") and text not in ("else:", "finally:")


_SIGNS: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


def _is_simple(node: ast.expr, attributes: bool) -> bool:
    """Is this a name or a number, or if `attributes` an attribute of names, perhaps with a sign?"""
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return _is_simple(node.operand, attributes)
    if attributes and isinstance(node, ast.Attribute):
        return _is_simple(node.value, attributes)
    return isinstance(node, (ast.Name, ast.Constant))


def _string(value: str | bytes) -> str:
    """The literal of a string, in double quotes as formatters write it."""
    text = repr(value)
    prefix, body = ("b", text[1:]) if isinstance(value, bytes) else ("", text)
    if body[0] == "'" and '"' not in body:
        return f'{prefix}"{body[1:-1]}"'
    return text


# -- f-strings ------------------------------------------------------------------------


_QUOTES = ('"', "'", '"""', "'''")


def _formatted(node: ast.JoinedStr, with_expressions: bool = True) -> Iterator[str]:
    """The text between the quotes of an f-string, or of the template of `format`, which has no expressions."""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text = str(part.value).replace("{", "{{").replace("}", "}}")
            yield _escaped(text) if with_expressions else text
        elif isinstance(part, ast.FormattedValue):
            inner = _expression(part.value) if with_expressions else ""
            spec = (
                "".join(_formatted(part.format_spec, with_expressions))
                if isinstance(part.format_spec, ast.JoinedStr)
                else ""
            )
            conversion = f"!{chr(part.conversion)}" if part.conversion != -1 else ""
            yield "{" + (" " if inner[:1] == "{" else "") + inner + conversion + (f":{spec}" if spec else "") + "}"


def _expressions(node: ast.JoinedStr) -> Iterator[str]:
    """The expressions of an f-string, those of a specification after the value that it formats."""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            yield _expression(part.value)
            if isinstance(part.format_spec, ast.JoinedStr):
                yield from _expressions(part.format_spec)


def _expression(node: ast.expr) -> str:
    """The source of an expression on one line, as f-strings hold it before Python 3.12."""
    generator = _Generator("    ")
    generator.visit(node)
    return "".join(generator.result).strip()


def _escaped(text: str) -> str:
    return repr(text + '"')[1:-2].replace("\\'", "'")  # the '"' makes repr choose "'" and leave '"' alone


# -- long lines -----------------------------------------------------------------------


def _lines(tokens: list[str]) -> Iterator[list[str]]:
    """The tokens of each line, the indentation first."""
    line: list[str] = [""]
    for token in tokens:
        if token and not token.strip("\n"):
            yield line
            yield from ([""] for _ in token[1:])
            line = []
        else:
            line.append(token)
    yield line


def _wrapped(line: list[str]) -> str:
    """A line, broken if it is too long."""
    text = "".join(line)
    if len(text) <= WIDTH or text.lstrip().startswith("#"):
        return text
    indent = line[0] if not line[0].strip() else ""
    return "\n".join(broken([t for k, t in enumerate(line) if t and (k or not indent)], indent))


def same_tree(a: Any, b: Any) -> bool:
    """Are two trees equal but for comments and positions?"""
    return _dump(a) == _dump(b)


def _dump(tree: Any) -> str:
    for node in ast.walk(tree):
        if hasattr(node, "body") and isinstance(node.body, list):
            node.body = [s for s in node.body if not isinstance(s, Comment)]
    return ast.dump(tree)


def user_line(loc: Loc) -> str:
    """The line of the user's source without its comment; "" for the head of a block and where there is no source."""
    return _shortened(linecache.getline(loc.file, loc.line))


@functools.lru_cache(4096)
def _shortened(line: str) -> str:
    text = re.sub(r"\s+#[^\"']*$", "", line.strip())
    return "" if text.endswith(":") else textwrap.shorten(text, _MAX_COMMENT, placeholder=" ...")

_MAX_COMMENT = 72
