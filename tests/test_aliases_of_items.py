"""A name of an item of a list, and the list: a write through one is seen through the other, or is refused.

The derivative is compiled for the path on which both are easy, and is called on the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import SctError, value_and_grad

X = np.array([0.3, 0.5, 0.9])


class Holder:
    def __init__(self, v: Any) -> None:
        self.v = v


# -- lists whose length depends on the path ----------------------------------------------------------------------


def written_in_the_list(x, n):
    b = x * 1.0
    xs = [b]
    if n % 2:
        xs.append(x * 2.0)
    xs[-1][0] = 4.0
    return np.sum(b * x)


def written_through_the_name(x, n):
    b = x * 1.0
    xs = [x * 2.0, b]
    if n % 2:
        xs.pop(0)
    b[0] = 4.0
    return np.sum(xs[0] * x)


def every_item_written(x, n):
    b = x * 1.0
    xs = [b]
    if n % 2:
        xs += [x * 2.0]
    for item in xs:
        item += 1.0
    return np.sum(b * x)


def an_object(x, n):
    b = Holder(x[0])
    xs = [b]
    if n % 2:
        xs.append(Holder(x[1]))
    xs[-1].v += 1.0
    return b.v * x[0]


def a_dict(x, n):
    b = {"v": x[0]}
    xs = [b]
    if n % 2:
        xs.append({"v": x[1]})
    xs[-1]["v"] += 1.0
    return b["v"] * x[0]


def a_list(x, n):
    b = [x[0]]
    xs = [b]
    if n % 2:
        xs.append([x[1]])
    xs[-1][0] += 1.0
    return b[0] * x[0]


def a_full_deque(x, n):
    b = x * 1.0
    xs = deque([np.sin(x), np.sin(x), b], maxlen=3)
    if n % 2:
        xs.append(np.cos(x))
        xs.popleft()
    xs[0] += 2.0
    return np.sum(b * x)


def another_name_on_each_path(x, n):
    a, b = x * 1.0, x * 2.0
    c = a if n % 2 else b
    xs = [a, b]
    if n > 1:
        xs.append(x * 3.0)
    xs[n % 2] += 1.0
    return np.sum(c * x)


def shortened_in_a_loop(x, n):
    b = x * 1.0
    xs = [x * 2.0, b]
    while len(xs) > 1 + n % 2:
        xs.pop(0)
    xs[0][0] = 4.0
    return np.sum(b * x)


# -- names that a loop binds to items ----------------------------------------------------------------------------


def written_after_the_loop(x, n):
    xs = [x * 1.0, x * 2.0]
    b = xs[0]
    for i in range(n):
        b = xs[i % 2]
    xs[1] *= 3.0
    return np.sum(b * x)


def written_through_the_name_in_the_loop(x, n):
    xs = [x * 1.0, x * 2.0]
    b = xs[0]
    for i in range(n):
        b = xs[i % 2]
        b += x
    return np.sum(b * x) + np.sum(xs[1] * xs[0])


def written_before_it_is_bound(x, n):
    xs = [x * 1.0, x * 2.0]
    b = xs[0]
    for i in range(n):
        xs[1] += x
        b = xs[i % 2]
    return np.sum(b * x)


def a_part_of_the_item(x, n):
    xs = [x * 1.0, x * 2.0]
    b = xs[0][1:]
    for i in range(n):
        xs[1] += x
        b = xs[i % 2][1:]
    return np.sum(b * x[1:])


def an_attribute(x, n):
    xs = [x * 1.0, x * 2.0]
    kept = Holder(xs[0])
    for i in range(n):
        kept.v = xs[i % 2]
    xs[1] += x
    return np.sum(kept.v * x)


def an_item_of_another_list(x, n):
    xs = [x * 1.0, x * 2.0]
    kept = [xs[0]]
    for i in range(n):
        kept[0] = xs[i % 2]
    xs[1] += x
    return np.sum(kept[0] * x)


@pytest.mark.parametrize("validate", ["0", "first"])
@pytest.mark.parametrize("f", [
    written_in_the_list, written_through_the_name, every_item_written, an_object, a_dict, a_list, a_full_deque,
    another_name_on_each_path, shortened_in_a_loop, written_after_the_loop, written_through_the_name_in_the_loop,
    written_before_it_is_bound, a_part_of_the_item, an_attribute, an_item_of_another_list], ids=lambda f: f.__name__)
def test_right_or_refused(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(f)
    try:
        for n in (1, 0, 3, 2, 4):
            agrees(f, X, n, derivative=derivative)
    except SctError as error:
        assert error.code in ("SCT301", "SCT307"), error


@pytest.mark.parametrize("f", [written_in_the_list, an_object, a_dict, every_item_written])
def test_right(f: Callable[..., Any]) -> None:
    for n in (0, 1, 2):
        agrees(f, X, n)
