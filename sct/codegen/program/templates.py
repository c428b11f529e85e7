"""An equation -> the template of its Python expression, with placeholders `_0`, `_1`, ... for its operands.

    sin spelled "math.sin"    math.sin(_0)
    add                       _0 + _1
    sum, axis=0               numpy.sum(_0, axis=0)
"""

from __future__ import annotations

import ast
import functools
import re

from sct.codegen.program.statement_ir import Evaluate, Return, Select, Statement, Update
from sct.ir.core import Eqn, Lit, Op, Operand, Value
from sct.ops.program.attempts import attempted
from sct.ops.registry import template, template_tree

__all__ = [
    "ATTRIBUTE", "COLUMN", "ITEM", "STATEMENTS", "expression", "names_in", "occurrences", "reverse_levels",
    "width",
]

STATEMENTS = frozenset(["store", "written", "add_at", "splice", "remove_slice", "swapped", "index", "raise_"])
"""Ops that print as statements or subscripts, without a template."""

ITEM = Op("item_of", lambda *_: None, emit="_0[_1]", nondiff="a part of an argument")  # type: ignore[arg-type]
"""An item of a container among the arguments: params["W"]."""

ATTRIBUTE = Op("attribute_of", lambda *_: None, emit=lambda _, name: f"_0.{name}",  # type: ignore[arg-type]
               nondiff="a part of an argument")
"""An attribute of an object among the arguments: params.W."""


@functools.cache
def reverse_levels(*flags: bool) -> Op:
    """The op that reverses a nested list, which may be None, at the levels where `flags` is true, the outermost first.

    >>> reverse_levels(False, True).emit
    '_0 and [row and row[::-1] for row in _0]'
    """

    def text(x: str, flags: tuple[bool, ...]) -> str:
        if not any(flags):
            return x
        order = "[::-1]" if flags[0] else ""
        if not any(flags[1:]):
            return f"{x} and {x}{order}"
        return f"{x} and [{text('row', flags[1:])} for row in {x}{order}]"

    return Op("reverse_levels", lambda *_: None, emit=text("_0", flags),  # type: ignore[arg-type]
              nondiff="a list in the other order")


COLUMN = Op("column_of", lambda *_: None, emit=lambda _, text: text,  # type: ignore[arg-type]
            nondiff="a part of an argument")
"""A column of a list of records among the arguments: `[row["x"] for row in rows]`."""

_PLACEHOLDER = re.compile(r"\b_(\d+|args)\b")


def expression(eqn: Eqn) -> str:
    """The template of `eqn`; `_name` stands for an attribute."""
    eqn = attempted(eqn)
    op, spelling = eqn.op, eqn.spelling
    if op.name == "index":  # of an attempt
        return "_0[_1]"
    if spelling == "builtins.len":
        return "len(_0)"
    direct = spelling is not None and not spelling.startswith("operator.") and (op.emit is None or op.bind is None)
    if not direct:
        text = template(op, eqn.args, dict(eqn.attrs))
        if text is not None:
            return text
    return _call(spelling or op.calls[0], len(eqn.args), tuple(op.explicit(eqn.attrs)))


@functools.lru_cache(None)
def _call(spelling: str, count: int, attrs: tuple[str, ...]) -> str:
    operands = [f"_{k}" for k in range(count)]
    keywords = [f"{name}=_{name}" for name in attrs]
    if spelling.startswith("."):
        return f"_0{spelling}({', '.join(operands[1:] + keywords)})"
    return f"{spelling.removeprefix('builtins.')}({', '.join(operands + keywords)})"


@functools.lru_cache(None)
def names_in(text: str) -> frozenset[str]:
    """The names of modules and builtins in a template."""
    names = {n.id for n in ast.walk(template_tree(text)) if isinstance(n, ast.Name)}
    names -= _comprehension_names(template_tree(text))
    return frozenset(n for n in names if n[0] != "_")


def _comprehension_names(tree: ast.AST) -> set[str]:
    """The variables of comprehensions in whose scope no operand is evaluated."""
    names: set[str] = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.ListComp):
            inner = [n.elt, *(c for g in n.generators for c in g.ifs), *(g.iter for g in n.generators[1:])]
            if not any(isinstance(m, ast.Name) and _PLACEHOLDER.match(m.id) for part in inner for m in ast.walk(part)):
                names |= {m.id for g in n.generators for m in ast.walk(g.target) if isinstance(m, ast.Name)}
    return names


def occurrences(s: Evaluate) -> list[int]:
    """The number of times that each operand occurs in the expression of `s`."""
    eqn = s.eqn
    if eqn.op.name in STATEMENTS or eqn.regions:
        return [1] * len(eqn.args)
    text = expression(s.like)
    placeholders = [*_parts(text)[0], *_repeated(text)]
    return [placeholders.count(str(k)) + placeholders.count("args") for k in range(len(eqn.args))]


@functools.lru_cache(None)
def _repeated(text: str) -> list[str]:
    """The placeholders in functions and comprehensions of a template, which may be evaluated many times, or later."""
    if "lambda" not in text and " for " not in text:
        return []
    inside: list[ast.AST] = []
    for n in ast.walk(template_tree(text)):
        if isinstance(n, ast.Lambda):
            inside.append(n.body)
        elif isinstance(n, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            first = n.generators[0]
            inside += [part for part in ast.iter_child_nodes(n) if part is not first] + [*first.ifs]
    return [match[1] for part in inside for n in ast.walk(part) if isinstance(n, ast.Name)
            and (match := _PLACEHOLDER.fullmatch(n.id))]


@functools.lru_cache(None)
def _parts(text: str) -> tuple[list[str], int]:
    """The placeholders of a template, and the number of characters of the rest."""
    return _PLACEHOLDER.findall(text), len(_PLACEHOLDER.sub("", text))


# -- the width of the text --------------------------------------------------------------------


def width(s: Statement) -> int:
    """The approximate number of characters of `s` if all its operands are names."""
    if isinstance(s, Select):
        return 12 + sum(map(_leaf, (s.test, s.then, s.orelse)))
    if isinstance(s, Update):
        return 8 + sum(map(_leaf, (*s.eqn.args, s.value)))
    if isinstance(s, Return):
        return 7 + sum(map(_leaf, s.results))
    if not isinstance(s, Evaluate):
        return 10
    leaves = sum(map(_leaf, s.eqn.args))
    if s.eqn.op.name in STATEMENTS or s.eqn.regions:
        return 2 + leaves + sum(2 if k[0] != "s" else 3 for k in s.eqn.attrs.get("key", ()))
    return leaves + _parts(expression(s.like))[1]


def _leaf(x: Operand) -> int:
    if isinstance(x, Lit):
        return len(repr(x.value))
    return len(x.hint) if isinstance(x, Value) and x.hint else 2
