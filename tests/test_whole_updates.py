"""Updates of whole arrays that are read again: the value keeps its bits, whatever the layout, and no copy is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import SctError, value_and_grad

X = np.random.default_rng(3).normal(size=(5, 4, 3))
LAYOUTS = {"C": X, "F": np.asfortranarray(X), "transposed": X.transpose(1, 2, 0), "strided": X[::2]}


def normalized(x):
    w = np.exp(x)
    w /= w.sum(axis=1, keepdims=True)
    return np.sum(w * x) / 3.0


def twice(x):
    w = np.sin(x)
    w *= np.arange(1.0, 1.0 + x.shape[2])
    w /= 1.0 + np.sum(w)
    return np.sum(w) + np.sum(w * x)


def of_two_arrays(x):
    w = np.exp(x)
    w *= np.ascontiguousarray(np.cos(x))  # which of the two decides the layout of a product?
    return np.sum(w) + np.sum(w / x)


def through_a_view(x):
    w = np.exp(x)
    v = w[1]
    w /= w.sum(axis=0)
    v *= 2.0
    return np.sum(w * x) + np.sum(v)


def in_a_loop(x):
    w = np.tanh(x)
    for k in range(3):
        w *= w.mean(axis=0, keepdims=True)
        w[k] += 1.0
    return np.sum(w)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", [normalized, twice, of_two_arrays, through_a_view, in_a_loop])
def test_values_and_gradients(f, layout):
    agrees(f, LAYOUTS[layout])


def test_no_copy():
    derivative = value_and_grad(normalized)
    derivative(X[0])
    assert "copy" not in derivative.source and "[...]" not in derivative.source


SQUARE = np.arange(1.0, 10.0).reshape(3, 3) + 5.0 * np.eye(3)


@pytest.mark.parametrize("made", [
    np.zeros_like, lambda x: np.full_like(x, 2.0), lambda x: np.ones_like(x) * x, lambda x: np.where(x > 2.3, x, 0.0),
    lambda x: np.array(x), np.linalg.inv, lambda x: np.linalg.solve(x, x + 1.0), lambda x: np.sort(x, axis=0),
    lambda x: np.cumsum(x, axis=0), lambda x: np.roll(x, 1, axis=1), lambda x: np.pad(x, 1),
    lambda x: np.tile(x, (2, 1)),
    lambda x: np.eye(3) - x, lambda x: np.stack([x[0], x[:, 1]]), lambda x: np.linalg.cholesky(x @ x.T),
    lambda x: np.take(x, [0, 2], axis=1)])
def test_a_write_through_a_reshape(made: Callable[[Any], Any]) -> None:
    """Whether the reshape is a view or a copy depends on how the argument lies in memory."""
    def f(x):
        y = made(x)
        v = y.reshape(-1)
        v += x[0, 0]
        return np.sum(y**2) + np.sum(v)

    derivative = value_and_grad(f)
    for x in (SQUARE, np.asfortranarray(SQUARE), np.repeat(SQUARE, 2, axis=1)[:, ::2], SQUARE.T, SQUARE + 0.5):
        try:
            derivative(x)
        except SctError as refusal:
            assert not x.flags.c_contiguous and "its order in memory" in str(refusal)
        else:
            agrees(f, x, derivative=derivative)


def test_out_of_a_new_array_like_another() -> None:
    def f(a, b):
        c = a @ b
        d = np.empty_like(c)
        np.dot(a, b, out=d)
        return np.sum(d**2)

    agrees(f, SQUARE, SQUARE + 1.0)
    agrees(f, SQUARE.T, SQUARE + 1.0)


def transposed_convolution(x, k, s):
    out = np.zeros(((x.shape[0] - 1) * s + 2, (x.shape[1] - 1) * s + 2))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i * s:i * s + 2, j * s:j * s + 2] += x[i, j] * k
    return np.sum(np.tanh(out))


def test_what_is_written_in_place_is_not_broadcast():
    """The cotangent of a part is left where it is: its size, known at run time only, is that of the part."""
    derivative = value_and_grad(transposed_convolution)
    for k in (np.array([[1.0, 2.0], [0.5, -0.3]]), np.array([[0.7]]), np.array([[0.7, 0.2]]), np.array([[0.7], [0.2]])):
        for s in (1, 2):
            agrees(transposed_convolution, SQUARE / 9.0, k, s, derivative=derivative)
            agrees(lambda k, x, s: transposed_convolution(x, k, s), k, SQUARE / 9.0, s)
    derivative(SQUARE, np.ones((2, 2)), 2)
    assert "axis=tuple" not in derivative.source and "dout[" in derivative.source
