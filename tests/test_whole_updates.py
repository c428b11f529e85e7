"""Updates of whole arrays that are read again: the value keeps its bits, whatever the layout, and no copy is made."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import agrees

from sct import value_and_grad

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
