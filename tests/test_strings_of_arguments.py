"""Strings that are arguments: what is split, searched and compared is so at run time, for all strings at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import value_and_grad

X = np.array([0.7, 1.3])


def commands(x: Any, text: str) -> Any:
    stack = []
    for word in text.split():
        if word in ("+", "*"):
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if word == "+" else a * b)
        elif word.startswith("x"):
            stack.append(x[int(word[1:])])
        else:
            stack.append(float(word))
    return stack[-1]


def named_weights(x: Any, text: str) -> Any:
    total = 0.0
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, value = line.split("=", 1)
        total = total + float(value) * (x[0] if name.strip() == "mass" else x[1] * x[0])
    return total


def levels(x: Any, text: str) -> Any:
    first, _, rest = text.partition(":")
    y = x[0] * len(first)
    for part in rest.rsplit(","):
        y = y * x[1] if part.lower() == "up" else y + 1.0
    return y


def peeked(x: Any, text: str) -> Any:
    words, at, y = text.split(), 0, x[0]
    while (words[at] if at < len(words) else None) in ("a", "b"):
        y = y * x[1] if words[at] == "a" else y + x[0]
        at += 1
    return y * at


def characters(x: Any, text: str) -> Any:
    y = x[0]
    for c in text:
        if c == "(":
            y = y * x[1]
        elif c == ")":
            y = np.sin(y)
    return y + text.count("(") + len(text)


CASES: list[tuple[Callable[..., Any], list[str], int]] = [
    (commands, ["x0 x1 +", "x0 x1 * 2 + x0 *", "3", "x1 x1 * x0 * x0 +"], 1),
    (commands, ["x0 x1 +", "+", "x0 word +"], 1),
    (named_weights, ["mass = 2\ncharge=3.5\n\n# no\n", "", "mass=1\nmass=2\nspin=0.5", "mass"], 1),
    (levels, ["ab:up,down", "abc:", "a:up,UP,Up,x,y", "none"], 1),
    (peeked, ["a b a c", "", "b", "c a", "a a a a a a"], 1),
    (characters, ["(a)(b)", "", "((", "()()()()"], 1),
]


@pytest.mark.parametrize("f, texts, most", CASES, ids=lambda v: getattr(v, "__name__", None))
def test_strings(f: Callable[..., Any], texts: list[str], most: int) -> None:
    derivative = value_and_grad(f)
    for text in texts:
        agrees(f, X, text, derivative=derivative)
    assert len(derivative.sources) <= most
    agrees_in_second_order(f, X, texts[0])


def test_the_code_reads_like_the_function() -> None:
    derivative = value_and_grad(peeked)
    derivative(X, "a b")
    assert 'while (words[at] if at < len(words) else None) in ("a", "b"):' in derivative.source
    derivative = value_and_grad(commands)
    derivative(X, "x0 x1 +")
    assert "text.split()" in derivative.source
    assert "TypeError" not in derivative.source
