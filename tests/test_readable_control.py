"""Control flow in emitted code reads as one writes it: bools, returns, exits; and traps, which stay as they are."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from sct import grad
from sct.codegen.python.repeated_returns import return_once


def derivative(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """The source of the gradient in the floats among the arguments, which is compared with differences."""
    argnums = tuple(k for k, x in enumerate(args) if isinstance(x, float))
    compiled = grad(function, argnums)
    gradient = compiled(*args)
    for k, d in zip(argnums, gradient):
        low, high = ([*args[:k], args[k] + step, *args[k + 1:]] for step in (-1e-6, 1e-6))
        assert d == pytest.approx((function(*high) - function(*low)) / 2e-6, rel=1e-5, abs=1e-7)
    return compiled.source, gradient


# -- bools ------------------------------------------------------------------------------------


def settled(x: float, n: int) -> float:
    converged = False
    k = 0
    while not converged and k < n:
        step = 0.5 * (x - 2.0 / x)
        x = x - step
        converged = abs(step) < 1e-3
        k += 1
    return x


def unless_negative(x: float, y: float, flag: bool) -> float:
    first = True if x < 0.0 else flag
    second = y > 0.0 if first else True
    third = y if second else False
    return x * y * (first + 2 * second) * third


def test_a_choice_between_a_bool_and_another_is_and_or_or() -> None:
    assert "while not converged and k < n:" in derivative(settled, 3.0, 9)[0]
    for flag in (False, True):
        for x in (-1.5, 1.5):
            for y in (-0.7, 0.7):
                text, _ = derivative(unless_negative, x, y, flag)
    assert "True if" not in text and "else True" not in text and "y if second else False" in text


# -- returns ----------------------------------------------------------------------------------

RETURNS = {
    "one branch": ("if c:\n    x = 1\n    return x\nreturn x", "if c:\n    x = 1\nreturn x"),
    "both": ("if c:\n    x = 1\n    return x\nelse:\n    return x\nreturn x", "if c:\n    x = 1\nreturn x"),
    "nested": ("if a:\n    if b:\n        x = 1\n        return 0\n    return x\nreturn x",
               "if a and b:\n    x = 1\n    return 0\nreturn x"),
    "only the negative": ("if a:\n    return x\nelse:\n    x = 1\nreturn x", "if not a:\n    x = 1\nreturn x"),
    "a test that may raise": ("if a[0]:\n    return x\nreturn x", "if a[0]:\n    pass\nreturn x"),
    "another value": ("if a:\n    x = 1\n    return y\nreturn x",) * 2,
    "a loop": ("for a in b:\n    return x\nreturn x",) * 2,
    "another statement between": ("if a:\n    return x\nx = 2\nreturn x",) * 2,
    "an exception": ("try:\n    return x\nexcept ValueError:\n    pass\nreturn x",) * 2,
}


@pytest.mark.parametrize("name", RETURNS)
def test_equal_returns_are_one(name: str) -> None:
    before, after = RETURNS[name]
    (function,) = ast.parse(f"def f():\n{textwrap.indent(before, '    ')}").body
    assert isinstance(function, ast.FunctionDef)
    assert ast.unparse(ast.Module(return_once(function.body), [])) == after
