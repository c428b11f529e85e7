"""Merges the `yield` statements of a block into one, so that the body of a loop over the generator stands there once:

    yield a                 for k in range(2):
    b = f(a)          ->        if k == 0:
    yield b                         item = a
                                else:
                                    b = f(a)
                                    item = b
                                yield item
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import gast

from sct.frontend.source.name_scopes import FUNCTIONS, children, own_nodes, yields

__all__ = ["COUNTER", "ITEM", "RANGE", "count_yields", "with_blocks", "with_merged_yields"]

COUNTER, ITEM, RANGE = "<k>", "<yielded>", "<range>"


def count_yields(node: Any) -> int:
    """The number of places where a function yields."""
    return sum(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in own_nodes(node.body))


@functools.lru_cache(maxsize=4096)
def with_merged_yields(node: Any) -> Any:
    """The generator function with fewer `yield` statements; None if there are none to merge."""
    body = _block(node.body)
    fewer = gast.FunctionDef(node.name, node.args, body, node.decorator_list, node.returns, node.type_comment)
    if count_yields(fewer) == count_yields(node):
        return None
    for stmt in body:
        for n in _new_nodes(stmt):
            gast.copy_location(n, node)
    return gast.copy_location(fewer, node)


def _new_nodes(stmt: Any) -> list[Any]:
    return [n for n in gast.walk(stmt) if not hasattr(n, "lineno")]


def _block(stmts: Sequence[Any]) -> list[Any]:
    """The statements, with each run of statements that yield one item at most as one that yields."""
    done: list[Any] = []
    steps: list[list[Any]] = []
    between: list[Any] = []
    for stmt in stmts:
        if not yields(stmt):
            between.append(stmt)
            if steps and _jumps(stmt):
                done += [*_merged(steps), *between]
                steps, between = [], []
        elif _is_step(stmt):
            if not steps:
                done += between
                between = []
            steps.append([*between, stmt])
            between = []
        else:
            done += [*_merged(steps), *between, _inside(stmt)]
            steps, between = [], []
    return [*done, *_merged(steps), *between]


def _inside(stmt: Any) -> Any:
    """The statement with its blocks merged."""
    return with_blocks(stmt, _block)


def with_blocks(stmt: Any, change: Callable[[Sequence[Any]], list[Any]]) -> Any:
    """The `if` or the loop with its blocks changed; another statement as it is."""
    if isinstance(stmt, gast.If):
        new: Any = gast.If(stmt.test, change(stmt.body), change(stmt.orelse))
    elif isinstance(stmt, gast.For):
        new = gast.For(stmt.target, stmt.iter, change(stmt.body), change(stmt.orelse), stmt.type_comment)
    elif isinstance(stmt, gast.While):
        new = gast.While(stmt.test, change(stmt.body), change(stmt.orelse))
    else:
        return stmt
    return gast.copy_location(new, stmt)


def _is_step(stmt: Any) -> bool:
    """Does the statement end with the only `yield` of each of its paths that yields?"""
    if isinstance(stmt, gast.If):
        return all(map(_ends_with_step, (stmt.body, stmt.orelse)))
    return isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Yield)


def _ends_with_step(stmts: Sequence[Any]) -> bool:
    if any(map(_jumps, stmts)):
        return False
    return not any(map(yields, stmts)) or _is_step(stmts[-1]) and not any(map(yields, stmts[:-1]))


def _jumps(stmt: Any) -> bool:
    """Does the statement leave, or go on with, the loop that it stands in?"""
    if isinstance(stmt, (gast.For, gast.While)):
        return any(map(_jumps, stmt.orelse))
    if isinstance(stmt, (*FUNCTIONS, gast.ClassDef)):
        return False
    return isinstance(stmt, (gast.Break, gast.Continue)) or any(map(_jumps, children(stmt)))


def _merged(steps: list[list[Any]]) -> list[Any]:
    """The steps as statements with one `yield`."""
    if not steps or len(steps) == 1 and not _always(steps[0][-1]):
        return [_inside(stmt) for step in steps for stmt in step]
    first = steps[0][0]
    give: Any = gast.Expr(gast.Yield(gast.Name(ITEM, gast.Load(), None, None)))
    if len(steps) == 1:
        merged = [_stepped(first), give] if isinstance(first, gast.If) else [first]
    else:
        merged = [_loop([[*step[:-1], _stepped(step[-1])] for step in steps], give)]
    for stmt in merged:
        for n in _new_nodes(stmt):
            gast.copy_location(n, first)
    return merged


def _loop(steps: list[list[Any]], give: Any) -> Any:
    """A loop that runs the next step in each iteration, and yields."""
    count = len(steps)
    choice = steps.pop()
    for k in reversed(range(count - 1)):
        test = gast.Compare(gast.Name(COUNTER, gast.Load(), None, None), [gast.Eq()], [gast.Constant(k, None)])
        choice = [gast.copy_location(gast.If(test, steps[k], choice), steps[k][-1])]
    over = gast.Call(gast.Name(RANGE, gast.Load(), None, None), [gast.Constant(count, None)], [])
    return gast.For(gast.Name(COUNTER, gast.Store(), None, None), over, [*choice, give], [], None)


def _always(stmt: Any) -> bool:
    """Does the step yield on every path?"""
    if isinstance(stmt, gast.If):
        return all(stmts and yields(stmts[-1]) and _always(stmts[-1]) for stmts in (stmt.body, stmt.orelse))
    return True


def _stepped(stmt: Any) -> Any:
    """The step with an assignment in place of each `yield`, and a `continue` on the paths without one."""
    if not isinstance(stmt, gast.If):
        value = stmt.value.value or gast.Constant(None, None)
        stepped: Any = gast.Assign([gast.Name(ITEM, gast.Store(), None, None)], value)
    else:
        stepped = gast.If(stmt.test, *map(_path, (stmt.body, stmt.orelse)))
    for n in _new_nodes(stepped):
        gast.copy_location(n, stmt)
    return gast.copy_location(stepped, stmt)


def _path(stmts: Sequence[Any]) -> list[Any]:
    if not stmts or not yields(stmts[-1]):
        return [*stmts, gast.Continue()]
    return [*stmts[:-1], _stepped(stmts[-1])]
