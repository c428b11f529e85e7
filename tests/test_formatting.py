"""Emitted code is a fixed point of `ruff format`, so that a user's formatter does not change golden files."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from sct.codegen.python.unparse import same_tree, unparse

GOLDEN = Path(__file__).parent / "golden"
LONG = ", ".join(f"argument_{k}" for k in range(12))
SUM = " + ".join(f"coefficient_{k} * power_{k}" for k in range(6))

LINES = [
    "x = b'a' + b\"it's\" + 'a' + '\"' + -(a ** 2)",
    "x = a ** 2 + a.b ** c - f(a) ** 2 + x[0] ** 2 + 2.0 ** -n + (a + b) ** 2 - -a ** 2",
    "y = x[a:b] + x[a + 1:] + x[:n - 1] + x[a:b + 1:2] + x[::2] + x[-1:] + x[f(a):, None] + x[a:b:-c]",
    f"x = {SUM}",
    f"x[i] += {SUM}",
    f"return_value = function({SUM})",
    f"x = function({LONG})",
    f"x = function(one_argument_with_a_name, other_argument=value_of_it, third=1.0) + another_function({SUM})",
    "x = function(first_argument, second_argument) * (third_argument - fourth_argument * fifth_argument)",
    "x = np.where(first_argument >= second_argument, np.where(a == b, 0.5 * dz, dz_of_the_first), 0.0)",
    f"x = [{LONG}]",
    f"x = {{'a': [{LONG}], 'b': ({LONG})}}",
    f"{LONG} = tape.pop()",
    f"x, y, z = function_backward({LONG})",
    f"x = {LONG}",
    f"x = [v + w for v, w in zip(first_argument_{'of_it' * 4}, second_argument_{'of_it' * 5}, third)]",
    "x = first_value_of_the_two + 1.0 if the_condition_that_decides > 0.0 else second_value_of_the_two",
    "x[index_of_the_first_axis + 1:another_index - 2, third_index] = y[index_of_the_first_axis, third_index]",
    "if " + " and ".join(f"some_condition_{k} < limit" for k in range(9)) + ":\n    pass",
    f"while function({LONG}):\n    pass",
    f"for x, y in zip({LONG}):\n    pass",
    f"for {LONG} in tape:\n    pass",
    f"for {LONG} in zip(tape, another_tape):\n    pass",
    f"for k, ({LONG}) in enumerate(tape[:n]):\n    pass",
    f"def f({LONG}):\n    return {LONG}",
    f"def f({', '.join(f'argument_{k}=None' for k in range(12))}):\n    return {SUM}",
    f"def f():\n    return [{SUM}, ({LONG})]",
    f"def f():\n    return (function({LONG}),)",
    f"x = (function({LONG}),)",
    f"x = function(({SUM},), 3)",
    "x = (a,)",
    "for x in (a,):\n    y = (x,) + f((x,), y)",
    f"def f():\n    def g():\n        tape.append(({LONG}))\n\n    return g",
]


def formatted(*paths: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--diff", *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True)


def fstring(*values: str) -> ast.JoinedStr:
    """An f-string of these expressions, whatever quotes and backslashes are in them."""
    width = ast.FormattedValue(ast.Name("width", ast.Load()), -1)
    spec = ast.JoinedStr([ast.Constant(">"), width])
    parts = [ast.FormattedValue(ast.parse(value, mode="eval").body, ord("r"), spec) for value in values]
    return ast.JoinedStr([ast.Constant('{it\'s} \\ "\n'), *parts])


@pytest.mark.parametrize(
    "values",
    [
        ["(0.25 if width < 10 else 0.5) * (width + 1) * (width + 2) * (width + 3) * (width + 4)"],
        ["{'a': 1}['a']", "'b'"],
        ["'\\n'"],
        ["'it\\'s \"'", "'\"'"],
    ],
)
def test_expressions_of_an_fstring_stay_on_its_line(values: list[str]) -> None:
    text = unparse(ast.Expression(fstring(*values)))
    expected = '{it\'s} \\ "\n' + "".join(f"{eval(value, {'width': 12})!r:>12}" for value in values)
    assert eval(text, {"width": 12}) == expected
    assert text.count("\n") == 1, text
    assert text.startswith("f") or any("\\" in value for value in values)


def test_golden_files_are_formatted() -> None:
    run = formatted(GOLDEN)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("line", LINES)
def test_lines_are_formatted(line: str, tmp_path: Path) -> None:
    tree = ast.parse(line)
    path = tmp_path / "line.py"
    path.write_text(unparse(tree))
    assert same_tree(ast.parse(path.read_text()), ast.parse(line))
    run = formatted(path)
    assert run.returncode == 0, run.stdout + run.stderr


WITHOUT_OLD_NODES = """
import ast

for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis"):
    vars(ast).pop(name, None)
vars(ast).pop("__getattr__", None)

import sct


def f(x: float, n: int) -> float:
    for i in range(n):
        print(f"{x!r:>8} {i}", "text", None)
        x = x ** 2 - 1.0
    return x


derivative = sct.grad(f)
assert derivative(0.5, 3) == 1.3125
assert 'print(f"{x!r:>8} {i}", "text", None)' in derivative.source, derivative.source
"""


def test_node_classes_that_python_3_14_has_removed_are_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(WITHOUT_OLD_NODES)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
