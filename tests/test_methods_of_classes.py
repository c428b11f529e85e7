"""A method of a builtin class is called with its object as the first argument: `map(str.strip, lines)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sct import SctError, value_and_grad
from tests.oracle import same_value


def stripped(x, text):
    s = 0.0
    for line in filter(None, map(str.strip, text.split(";"))):
        s += x ** len(line)
    return s


def upper(x, text):
    words = list(map(str.upper, text.split(";")))
    return x * sum(len(w) for w in words if w.startswith("A"))


def sorted_without_case(x, text):
    return x ** len(sorted(text.split(";"), key=str.lower)[0])


def counted(x, text):
    return x**2 * str.count(text, "b") * len(str.join(text, ["a", "b"])) * sum(map(str.isdigit, text))


def appended(x, text):
    xs = [x, 2 * x]
    list.append(xs, x * x * len(text))
    return sum(xs) * list.pop(xs)


def of_a_dict(x, text):
    d = {"a": x}
    return dict.get(d, "b", x) * dict.get(d, "a") + tuple.count((x, x * x, x), x) * x


@pytest.mark.parametrize("f", [stripped, upper, sorted_without_case, counted, appended, of_a_dict])
def test_values_and_gradients(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for text in ("a1; b;;cc2", "Abb 1;a;b", "b"):
        value, slope = derivative(0.3, text)
        assert same_value(value, f(0.3, text))
        assert slope == pytest.approx((f(0.3 + 1e-6, text) - f(0.3 - 1e-6, text)) / 2e-6, rel=1e-6, abs=1e-9)


def test_another_class_is_refused() -> None:
    with pytest.raises((TypeError, SctError)):
        value_and_grad(lambda x: x * len(str.strip(3)))(0.3)
