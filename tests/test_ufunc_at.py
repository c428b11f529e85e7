"""`np.maximum.at` and the like: a ufunc applied at positions, one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import agrees_in_every_mode

import sct
from sct import SctError

X = np.array([0.4, 1.3, 0.7, 2.1, 0.9])
I = np.array([0, 2, 2, 0, -1])
J = np.array([1, 0, 0, 1, 1])


def largest_of_groups(x):
    y = np.zeros(4)
    np.maximum.at(y, I, x * x)
    return np.sum(y * np.array([1.0, 2.0, 3.0, 4.0]))


def smallest_of_groups(x):
    y = np.full(4, 10.0)
    np.minimum.at(y, [0, 2, 2, 0, -1], np.sin(x))
    return np.sum(y * y)


def products(x):
    y = np.ones(4) + x[:4]
    np.multiply.at(y, I, x)
    return np.sum(y * y)


def quotients(x):
    y = x.copy()
    np.divide.at(y, I, 1.0 + x)
    return np.sum(y ** 2)


def one_value_for_all(x):
    y = x.copy()
    np.multiply.at(y, I, x[1])
    return np.sum(y * x)


def rows(x):
    y = np.outer(x, x)
    np.maximum.at(y, I, np.outer(x[::-1], x) + 0.1)
    return np.sum(y * y)


def pairs(x):
    y = np.zeros((4, 2))
    np.maximum.at(y, (I, J), x * x)
    return np.sum(y ** 2)


def in_a_loop(x):
    y = np.zeros(4)
    for k in range(3):
        np.maximum.at(y, I, x * (k + 1.0))
        y = y * 0.5 + np.sin(x[:4])
    return np.sum(y)


@pytest.mark.parametrize("f", [
    largest_of_groups, smallest_of_groups, products, quotients, one_value_for_all, rows, pairs, in_a_loop])
def test_agrees(f) -> None:
    agrees_in_every_mode(f, [(X,), (X[::-1].copy(),)])


def grouped(x, i):
    y = np.zeros(4)
    np.maximum.at(y, i, x)
    return np.sum(y)


def test_other_positions_at_the_next_call() -> None:
    gradient = sct.grad(grouped)
    np.testing.assert_array_equal(gradient(X, I), [0.0, 1.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(gradient(X, I[::-1].copy()), [1.0, 1.0, 0.0, 1.0, 0.0])
    np.testing.assert_array_equal(gradient(X[:2], I[:2]), [1.0, 1.0])
    np.testing.assert_array_equal(gradient(X[:0], I[:0]), [])


@pytest.mark.parametrize("i", [np.array([True, False, True, False]), np.zeros((2, 2), int)], ids=["mask", "matrix"])
def test_other_indices_are_refused(i) -> None:
    with pytest.raises(SctError, match="SCT205"):
        sct.grad(grouped)(X[0], i)
