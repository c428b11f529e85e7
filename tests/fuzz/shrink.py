"""Making a failing program small: structural delta debugging on its tree.

    shrink(program, keeps) -> program        where keeps(program) tells whether it still fails so

Edits, tried largest first: remove runs of statements, replace a compound statement by its body,
replace an expression by a part of it or by a constant. An edit stays if the source gets shorter
and the program still fails in the same way; parameters that nothing reads go last.
"""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.program import Program

__all__ = ["shrink"]

Edit = Callable[[], None]


def shrink(program: Program, keeps: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """The smallest program that greedy edits reach within the time."""
    end = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < end:
        before = program.source
        program = one_pass(program, keeps, end)
        changed = program.source != before
    return drop_parameters(program, keeps)


def one_pass(program: Program, keeps: Callable[[Program], bool], end: float) -> Program:
    at = 0
    while time.monotonic() < end:
        source = edited(program.source, at)
        if source is None:
            break
        smaller = program.with_source(source)
        if len(source) < len(program.source) and compiles(source) and keeps(smaller):
            program = smaller
        else:
            at += 1
    return program


def compiles(source: str) -> bool:
    """Whether the source is a module that still has an `f`."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # 1.5[0] is a warning
        try:
            compile(source, "<shrunk>", "exec")
        except SyntaxError:
            return False
    return any(isinstance(n, ast.FunctionDef) and n.name == "f" for n in ast.parse(source).body)


def edited(source: str, at: int) -> str | None:
    """The source after the edit of this number; None where there are no more."""
    tree = ast.parse(source)
    for number, edit in enumerate(edits(tree)):
        if number == at:
            edit()
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return None


def edits(tree: ast.Module) -> Iterator[Edit]:
    blocks = [
        b for n in ast.walk(tree) for b in (getattr(n, "body", None), getattr(n, "orelse", None)) if isinstance(b, list)
    ]
    for size in (8, 4, 2, 1):
        for block in blocks:
            yield from (removal(block, k, size) for k in range(0, len(block), size) if size == 1 or size <= len(block))
    for block in blocks:
        yield from (
            hoist(block, k, part) for k, n in enumerate(block) for part in ("body", "orelse") if getattr(n, part, None)
        )
    for node in ast.walk(tree):
        yield from expression_edits(node)


def removal(block: list[ast.stmt], start: int, size: int) -> Edit:
    def edit() -> None:
        del block[start : start + size]
        if not block:
            block.append(ast.Pass())

    return edit


def hoist(block: list[ast.stmt], k: int, part: str) -> Edit:
    def edit() -> None:
        block[k : k + 1] = getattr(block[k], part)

    return edit


def expression_edits(node: ast.AST) -> Iterator[Edit]:
    """Every expression below the node, replaced by one of its parts or by a constant."""
    for name, value in ast.iter_fields(node):
        if name in ("target", "targets", "annotation", "func", "ops", "op", "ctx"):
            continue
        if isinstance(value, ast.expr):
            yield from (assign_field(node, name, new) for new in simpler(value))
        elif isinstance(value, list) and not isinstance(node, ast.JoinedStr):
            for k, item in enumerate(value):
                if isinstance(item, ast.expr):
                    yield from (assign_item(value, k, new) for new in simpler(item))
                elif isinstance(item, ast.keyword):
                    yield removal_of(value, k)


def simpler(e: ast.expr) -> Iterator[ast.expr]:
    if isinstance(e, ast.Constant):
        return
    yield ast.Constant(1.5)
    yield ast.Constant(2)
    yield from (
        c for c in ast.iter_child_nodes(e) if isinstance(c, ast.expr) and not isinstance(c, (ast.Slice, ast.Starred))
    )


def assign_field(node: ast.AST, name: str, new: ast.expr) -> Edit:
    return lambda: setattr(node, name, new)


def assign_item(items: list[ast.expr], k: int, new: ast.expr) -> Edit:
    def edit() -> None:
        items[k] = new

    return edit


def removal_of(items: list[ast.keyword], k: int) -> Edit:
    def edit() -> None:
        del items[k]

    return edit


def drop_parameters(program: Program, keeps: Callable[[Program], bool]) -> Program:
    """Without the parameters of f that nothing reads."""
    for at in reversed(range(len(program.points[0]))):
        tree = program.tree()
        f = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f")
        name = f.args.args[at].arg
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(f)) or program.wrt == (at,):
            continue
        del f.args.args[at]
        wrt = tuple(i - (i > at) for i in program.wrt if i != at)
        points = tuple(p[:at] + p[at + 1 :] for p in program.points)
        smaller = replace(program, source=ast.unparse(tree) + "\n", wrt=wrt, points=points)
        if keeps(smaller):
            program = smaller
    return program
