"""`in` and `<` of strings of run time that may be None: Python raises its TypeError there."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sct


class Tokens:
    def __init__(self, text: str) -> None:
        self.texts, self.at = re.findall(r"\w+|[-+*/()]", text), 0

    def peek(self) -> Any:
        return self.texts[self.at] if self.at < len(self.texts) else None

    def take(self) -> Any:
        text = self.peek()
        self.at += 1
        return text


def parsed(x: float, text: str) -> float:
    tokens, y = Tokens(text), x
    while tokens.peek() is not None:
        t = tokens.take()
        if t in "+-":
            y = y * 2.0
        elif t not in "abc":
            y = y + x * x
    return y


def until_none(x: float, text: str) -> float:
    tokens, y = Tokens(text), x * x
    while True:
        t = tokens.take()
        if t is None:
            break
        if t in "+-":
            y = y * 2.0
    return y


def handled(x: float, text: str) -> float:
    tokens, y = Tokens(text), x * x
    try:
        while True:
            if tokens.take() in "+-":
                y = y * 2.0
    except TypeError:
        return y * 3.0


def unguarded(x: float, text: str) -> float:
    tokens, y = Tokens(text), x * x
    while tokens.peek() in "+-":
        tokens.take()
        y = y * 2.0
    return y


def ordered(x: float, text: str) -> float:
    last = None
    for c in text:
        if c in "+-a":
            last = c
    return x * x if last < "b" else x  # type: ignore[operator]


@pytest.mark.parametrize("f", [parsed, until_none, handled, unguarded, ordered])
def test_strings_that_may_be_none(f: Any) -> None:
    derivative = sct.value_and_grad(f)
    for text in ("+ - a + d", "+", "", "a", "d d +", "- -"):
        try:
            value = f(1.5, text)
        except TypeError as error:
            with pytest.raises(TypeError, match=re.escape(str(error))):
                derivative(1.5, text)
            continue
        got, dx = derivative(1.5, text)
        assert got == value
        assert dx == pytest.approx((f(1.5 + 1e-6, text) - f(1.5 - 1e-6, text)) / 2e-6, rel=1e-7)
        assert sct.jvp(f, (1.5, text), (1.0,)) == (value, pytest.approx(dx, rel=1e-14))
        assert sct.hessian(f)(1.5, text) == pytest.approx(
            (sct.grad(f)(1.5 + 1e-5, text) - sct.grad(f)(1.5 - 1e-5, text)) / 2e-5, abs=1e-7)
