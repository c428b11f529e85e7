"""`np.mgrid` and `np.ogrid`: coordinates of grids, in differentiated functions."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import agrees_in_every_mode

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
