"""`np.mgrid` and `np.ogrid`, coordinates of grids, and `np.ix_`, in differentiated functions."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import agrees_in_every_mode

from sct import value_and_grad

X = np.array([0.3, 0.7, 1.1])


def of_ints(x):
    i, j = np.mgrid[0:4, 0:3]
    return np.sum((i * x[0] - j * x[1]) ** 2)


def open_grid(x):
    i, j, k = np.ogrid[0:4, 0:3, 1:3]
    return np.sum((i * x[0] - j * x[1]) ** 2 * k)


def of_numbers_of_points(x):
    grid = np.mgrid[-1.0:1.0:5j, 0.0:2.0:4j]
    return np.sum(grid[0] * x[0] + grid[1] ** 2 * x[1] ** 2)


def of_sizes(x):
    n = len(x)
    grid = np.mgrid[0:n, 0:n] - 1.5
    return np.sum(np.mgrid[:n] * x ** 2) + np.sum(grid[0] * x * grid[1])


def with_steps(x):
    grid = np.mgrid[0.0:4.0:0.5, 1.0:3.0]
    return np.sum(np.exp(-x[0] * grid[0] - x[1] * grid[1]))


def of_one_axis(x):
    (i,) = np.ogrid[0:3,]
    return np.sum(np.mgrid[0:4,][0] * x[0] ** 2) + np.sum(i) * x[1]


@pytest.mark.parametrize("f", [of_ints, open_grid, of_numbers_of_points, of_sizes, with_steps, of_one_axis])
def test_agrees(f) -> None:
    agrees_in_every_mode(f, [(X,), (np.array([0.5, 0.2, 0.9, 1.4]),)])


@pytest.mark.parametrize("mask", ((1, 0, 1, 1), (0, 0, 0, 0), (0, 1, 0, 0), (1, 1, 1, 1)))
def test_rows_and_columns_of_masks(mask) -> None:
    mask, x = np.array(mask, bool), [0.3, 0.7, 1.1, 0.4]

    def submatrix(x, mask, at):
        a = np.outer(x, x)
        b = a[np.ix_(mask, mask)] + np.eye(4)[mask][:, mask]
        return np.sum(a[np.ix_(mask, at)]) + np.sum(np.linalg.solve(b, np.array(x)[mask]) ** 2)

    def written(x, mask, at):
        a = np.outer(x, x)
        a[np.ix_(mask, at)] = 0.5
        a[np.ix_(at, mask)] += np.array(x)[mask]
        return np.sum(a ** 3)

    for f in (submatrix, written):
        agrees_in_every_mode(f, [(x, mask, np.array([0, 2])), (x, ~mask, [1, 3, 2])])


def test_rows_and_columns_of_a_mask_are_told_in_few_lines() -> None:
    """The size of what a mask takes is one, wherever it is taken: nothing is broadcast."""
    def f(x, mask):
        v = x[mask]
        return v @ np.outer(x, x)[np.ix_(mask, mask)] @ v

    derivative = value_and_grad(f)
    derivative(X, np.array([True, False, True]))
    assert "shape" not in derivative.source and derivative.source.count("\n") < 25
