"""Of arrays that the backward pass only compares, the result of the comparison is on the tape."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, hvp, value_and_grad


def shortest_paths(x):
    d = x.copy()
    for k in range(len(d)):
        d[:] = np.minimum(d, np.add.outer(d[:, k], d[k]))
    return np.sum(d * d)


def rectified(x):
    y = x
    for _ in range(4):
        y = np.maximum(y - 0.3, 0.1 * x)
    return np.sum(y * y * x)


def one_sided(x):
    y = x * 1.0
    for k in range(3):
        y = np.where(y > 0.2 * k, 0.5 * y, y + x)
    return np.sum(y * y)


def read_again(x):
    y = x
    for _ in range(3):
        y = np.minimum(y * y, y + x)
    return np.sum(y * y)


def while_it_grows(x):
    y = x
    while np.sum(y) < 20.0:
        y = np.maximum(1.2 * y, y + 0.1)
    return np.sum(y * y)


def of_growing_parts(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[:i] = np.minimum(0.9 * y[:i] + 0.1, y[1 : i + 1] * y[:i])
    return np.sum(y * y)


PROGRAMS = (shortest_paths, rectified, one_sided, read_again, while_it_grows, of_growing_parts)


def square(n: int) -> Any:
    return 0.2 + np.random.default_rng(n).random((n, n))


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f: Callable[..., Any]) -> None:
    agrees(f, square(3))
    df = value_and_grad(f)
    for n in (3, 5, 2):
        value, dx = df(square(n))
        direction, eps = square(n + 1)[:n, :n], 1e-7
        slope = (f(square(n) + eps * direction) - f(square(n) - eps * direction)) / (2.0 * eps)
        assert value == f(square(n))
        np.testing.assert_allclose(np.sum(dx * direction), slope, rtol=1e-5)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f: Callable[..., Any]) -> None:
    x, direction, eps = square(3), square(4)[:3, :3], 1e-6
    expected = (grad(f)(x + eps * direction) - grad(f)(x - eps * direction)) / (2.0 * eps)
    np.testing.assert_allclose(hvp(f, (x,), (direction,)), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("f", [shortest_paths, while_it_grows])
def test_masks_are_kept(f: Callable[..., Any]) -> None:
    df = grad(f)
    df(square(3))
    assert "mask = tape.pop()" in df.source and "copy" not in df.source.replace("x.copy()", "")
