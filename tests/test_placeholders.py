"""Placeholders that move before a conditional: the program means what it meant, and is shorter."""

from __future__ import annotations

import ast
import itertools
import textwrap
from typing import Any

import pytest

from sct.codegen.python.placeholders import assign_placeholders_once

MOVES = {
    "two branches": """
        def f(a, b):
            if a:
                y = None
                z = None
            elif b:
                y = 1
                z = None
            else:
                y = 2
                z = 3
            return y, z
        """,
    "nested": """
        def f(a, b):
            if a:
                x = 1
                if b:
                    y = None
                else:
                    y = x
            else:
                x = None
                y = None
            return x, y
        """,
    "a branch that has nothing else": """
        def f(a, b):
            if a:
                x = None
                y = None
                z = None
            else:
                x, y = a, b
                z = 1
            return x, y, z
        """,
    "a loop around": """
        def f(a, b):
            out = []
            for k in range(3):
                if k == a:
                    x = None
                    y = None
                elif k == b:
                    y = None
                    x = k
                else:
                    x = y = k
                out.append((x, y))
            return out
        """,
    "a path that returns": """
        def f(a, b):
            if a:
                return 7
            elif b:
                x = None
            else:
                x = None
                y = 2
                if a < b + 3:
                    x = y
            return x
        """,
}
STAYS = {
    "the value from before is read in a branch": """
        def f(a, b):
            y = 5
            if a:
                y = None
            elif b:
                y = y + 1
            else:
                y = None
            return y
        """,
    "the value from before is read behind": """
        def f(a, b):
            y = 5
            if a:
                y = None
            elif b:
                y = None
            return y
        """,
    "the test reads it": """
        def f(a, b):
            y = a
            if y:
                y = None
            else:
                y = None
            return y
        """,
    "an update": """
        def f(a, b):
            y = 5
            if a:
                y = None
            elif b:
                y += 1
            else:
                y = None
            return y
        """,
    "the next iteration reads it": """
        def f(a, b):
            y, out = 5, []
            for k in range(4):
                out.append(y)
                if k == a:
                    continue
                elif k == b:
                    y = None
                else:
                    y = k
                    if k > 1:
                        y = None
            return out
        """,
    "a jump in a `try`": """
        def f(a, b):
            y, out = 5, []
            for k in range(4):
                out.append(y)
                if k == a:
                    try:
                        continue
                    finally:
                        out.append(0)
                elif k == b:
                    y = None
                else:
                    y = None
            return out
        """,
    "a loop that may not run": """
        def f(a, b):
            y = 5
            if a:
                y = None
            elif b:
                y = None
            else:
                for k in range(b):
                    y = None
            return y
        """,
    "a function reads it": """
        def f(a, b):
            y = 5
            def g():
                return y
            if a:
                z = g()
                y = None
            else:
                z = g()
                y = None
            return y, z
        """,
    "an exception ends in between": """
        def f(a, b):
            y = 5
            try:
                if a:
                    y = None
                else:
                    [0][b]
                    y = None
            except IndexError:
                pass
            return y
        """,
}


def run(tree: ast.Module, *args: int) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(tree), "<test>", "exec"), namespace)
    return namespace["f"](*args)


@pytest.mark.parametrize("name", [*MOVES, *STAYS])
def test_the_program_means_what_it_meant(name: str) -> None:
    text = textwrap.dedent({**MOVES, **STAYS}[name])
    tree = ast.parse(text)
    tree.body[:] = assign_placeholders_once(tree.body)
    for args in itertools.product(range(4), repeat=2):
        assert run(tree, *args) == run(ast.parse(text), *args)
    lines = len(ast.unparse(tree).splitlines())
    before = len(ast.unparse(ast.parse(text)).splitlines())
    assert lines < before if name in MOVES else lines == before


def test_a_loop_in_a_branch_may_jump_and_assign() -> None:
    text = textwrap.dedent("""
        def f(a, b):
            if a:
                x = None
                y = None
            else:
                y = None
                x = 0
                for k in range(4):
                    if k == b:
                        break
                    x = k
                    y = k
                    if k > 1:
                        y = None
            return x, y
        """)
    tree = ast.parse(text)
    tree.body[:] = assign_placeholders_once(tree.body)
    for args in itertools.product(range(5), repeat=2):
        assert run(tree, *args) == run(ast.parse(text), *args)
    assert ast.unparse(tree).count("y = None") == 2
