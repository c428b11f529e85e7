"""List displays with stars: `[0.0, *xs]`, `[*path, step]`, whatever number of items follows a star."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import grad

XS = [0.1 * k % 0.7 for k in range(60)]


def kept(x: Any, n: int) -> Iterator[Any]:
    for i in range(n):
        if x * i > 1.0:
            yield x * i


def of_a_generator(x: Any, xs: Any) -> Any:
    items = [0.25, *kept(x, len(xs)), x * x]
    return sum(v ** 2 * k for k, v in enumerate(items))


def of_an_argument(x: Any, xs: Any) -> Any:
    items = [0.0, *xs]
    return sum(v * k * x ** 2 for k, v in enumerate(items))


def of_known_items(x: Any, xs: Any) -> Any:
    pair = [x, x * 2.0]
    items, words = [*pair, *pair, 1.0], [*"ab", *xs[:2], *range(3), *()]
    pair[0] = 5.0
    return sum(items) ** 2 * len(words) * items[0] + len([*{"a": x, "b": 2.0}])


def of_itself(x: Any, xs: Any) -> Any:
    path, first = [x], [0.0]
    for i in range(len(xs) // 3):
        first = path
        path = [*path, path[-1] * x + i]
    return sum(path) + len(first)


def of_iterators(x: Any, xs: Any) -> Any:
    scaled = [*map(lambda v: v * x, xs)]
    pairs = [*zip(xs, scaled)]
    return sum(a * b ** 2 for a, b in pairs) + np.sum(np.array([*np.array(xs) * x, x]) ** 2)


PROGRAMS = [of_a_generator, of_an_argument, of_known_items, of_itself, of_iterators]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (3, 60):
        agrees(f, 0.7, XS[:n])
    agrees_in_second_order(f, 0.7, XS)


def test_the_text_does_not_depend_on_the_number_of_items() -> None:
    sources = []
    for n in (40, 60):
        derivative = grad(of_an_argument)
        derivative(0.7, XS[:n])
        sources.append(derivative.source)
    assert sources[0] == sources[1]
