"""Syntax trees -> source: the one place that decides how Python text looks.

This is astor's generator with other constants, f-strings, comments and long lines.

Invariant: the text is the same on every version of Python, and parses back to the same tree.

>>> unparse(ast.parse("x = (a+b)*c"))
'x = (a + b) * c\\n'
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # astor asks `ast` for node classes of old Pythons
    from astor.code_gen import SourceGenerator, set_precedence
    from astor.op_util import Precedence

__all__ = ["WIDTH", "Comment", "comment", "same_tree", "unparse"]

WIDTH = 88


class Comment(ast.stmt):
    """A line `# text`, which is not part of the program."""

    text: str


def comment(text: str) -> Comment:
    node = Comment()
    node.text = text
    return node


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
        else:
            self.write("..." if value is Ellipsis else _string(value) if isinstance(value, str) else repr(value))

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            self.statement(node, f'"""{node.value.value}"""')
        else:
            super().visit_Expr(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.write("f" + _quoted("".join(_formatted(node))))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        set_precedence(Precedence.highest, node.value)
        super().visit_Attribute(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        set_precedence(Precedence.highest, node.value)
        super().visit_Subscript(node)

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

    def visit_Return(self, node: ast.Return) -> None:
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 1:
            set_precedence(Precedence.Comma, *node.value.elts)
            self.statement(node, "return ", "(", node.value.elts[0], ",)")
        else:
            super().visit_Return(node)


def unparse(tree: ast.AST) -> str:
    """The source of a module or expression, which ends in one line break."""
    generator = _Generator("    ")
    generator.visit(tree)
    lines = ["".join(_wrapped(line)) for line in _lines(generator.result)]
    return "\n".join(lines).strip("\n") + "\n"


def _string(value: str) -> str:
    """The literal of a string, in double quotes as formatters write it."""
    text = repr(value)
    if text[0] == "'" and '"' not in value:
        return f'"{text[1:-1]}"'
    return text


# -- f-strings ------------------------------------------------------------------------


def _formatted(node: ast.JoinedStr) -> Iterator[str]:
    for part in node.values:
        if isinstance(part, ast.Constant):
            yield _escaped(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            inner = unparse(part.value).strip()
            spec = "".join(_formatted(part.format_spec)) if isinstance(part.format_spec, ast.JoinedStr) else ""
            conversion = f"!{chr(part.conversion)}" if part.conversion != -1 else ""
            yield "{" + (" " if inner[0] == "{" else "") + inner + conversion + (f":{spec}" if spec else "") + "}"


def _escaped(text: str) -> str:
    text = repr(text + '"')[1:-2]  # the '"' makes repr choose "'" and leave '"' alone
    return text.replace("\\'", "'").replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    return next(q + text + q for q in ('"', "'", '"""', "'''") if q not in text and not text.endswith(q[0]))


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


def _wrapped(line: list[str]) -> Iterator[str]:
    """A line, broken at commas and operators of the outermost brackets that suffice if it is too long."""
    if sum(map(len, line)) <= WIDTH or "# " in "".join(line)[:2 + len(line[0])]:
        yield from line
        return
    indent, tokens = line[0] if not line[0].strip() else "", [t for t in line if t]
    if tokens and tokens[0] == indent:
        del tokens[0]
    yield indent
    yield _filled(_bracketed(tokens), len(indent), indent + "    ")


def _bracketed(tokens: list[str]) -> list[str]:
    """The tokens, with parentheses around a right-hand side or predicate that can be broken only outside brackets."""
    start = next((k + 1 for k, t in enumerate(tokens) if t in _ASSIGNS or t in ("if ", "elif ", "while ", "return")), 0)
    if start and tokens[start - 1] == " = " and ", " in tokens[:start] and len("".join(tokens[:start])) > WIDTH - 16:
        return ["(", *tokens[:start - 1], ")", *tokens[start - 1:]]
    if not start or not any(depth == 0 and _breaks(t) for t, depth in _depths(tokens[start:])):
        return tokens
    end = len(tokens) - (tokens[-1] == ":")
    if tokens[start - 1] == "return":
        start += 1
    return [*tokens[:start], "(", *tokens[start:end], ")", *tokens[end:]]


def _filled(tokens: list[str], column: int, indent: str) -> str:
    """The text of the tokens from `column` on, with a line break before each outermost piece that does not fit."""
    text = "".join(tokens)
    pieces = _pieces(tokens) if column + len(text.rstrip()) > WIDTH else []
    if len(pieces) < 2:
        return text
    lines, start = [""], column
    for k, piece in enumerate(pieces):
        if k and column + len("".join(piece).rstrip()) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
            column = len(indent)
            piece = [piece[0].lstrip(), *piece[1:]]
        first, *more = _filled(piece, column, indent + "    ").split("\n")
        lines[-1] += first
        lines += more
        column = len(lines[-1]) + (start if len(lines) == 1 else 0)
    return "\n".join(lines)


def _pieces(tokens: list[str]) -> list[list[str]]:
    """The tokens, split behind commas and before operators at the outermost level of brackets that has any."""
    depths = [depth for _, depth in _depths(tokens)]
    level = min((d for t, d in zip(tokens, depths) if d > 0 and _breaks(t)), default=0)
    pieces: list[list[str]] = [[]]
    for token, depth in zip(tokens, depths):
        breaks = level and depth == level and _breaks(token)
        if breaks and token != ", " and pieces[-1]:
            pieces.append([])
        pieces[-1].append(token)
        if breaks and token == ", ":
            pieces.append([])
    return [piece for piece in pieces if piece]


_ASSIGNS = {" = ", *(f" {op}= " for op in ("+", "-", "*", "/", "//", "%", "@", "**"))}
_OPERATORS = {" + ", " - ", " * ", " / ", " // ", " % ", " @ ", " and ", " or ", " if ", " else ", " == ", " < ", " > ",
              " <= ", " >= ", " != ", " & ", " | "}


def _breaks(token: str) -> bool:
    return token == ", " or token in _OPERATORS


def _depths(tokens: list[str]) -> Iterator[tuple[str, int]]:
    """Each token with the number of open brackets around it; brackets are separate tokens."""
    depth = 0
    for token in tokens:
        depth -= token in _CLOSING
        yield token, depth
        depth += token in _OPENING


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def same_tree(a: Any, b: Any) -> bool:
    """Are two trees equal but for comments and positions?"""
    return _dump(a) == _dump(b)


def _dump(tree: Any) -> str:
    for node in ast.walk(tree):
        if hasattr(node, "body") and isinstance(node.body, list):
            node.body = [s for s in node.body if not isinstance(s, Comment)]
    return ast.dump(tree)
