"""Lists of positions, counts and truths that are empty in a later call: NumPy reads ints or truths in them."""

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import agrees_in_every_mode

import sct

Vector = NDArray[np.float64]
X = np.array([0.7, 1.31, -0.4])


def taken(x: Vector, n: int) -> float:
    m = [i % 2 for i in range(n)]
    return np.take(x, m).sum() + x.take(m) @ np.ones(n) + x[0]


def repeated(x: Vector, n: int) -> float:
    m = [1 + i % 2 for i in range(n)]
    return (np.repeat(x[:n], m) ** 2).sum() + x[:n].repeat(m).sum() + x[0]


def deleted(x: Vector, n: int) -> float:
    m = [i % 2 for i in range(n)]
    return (np.delete(x, m) ** 2).sum() + x[0]


def counted(x: Vector, n: int) -> float:
    return np.bincount([i % 2 for i in range(n)], minlength=2).sum() * x[0] + x[1]


def put(x: Vector, n: int) -> float:
    y = x.copy()
    np.put(y, [i % 2 for i in range(n)], x[2] * 2)
    return (y**2).sum()


def segments(x: Vector, n: int) -> float:
    return (np.add.reduceat(x, [i for i in range(n)]) ** 2).sum() + x[0]


def grids(x: Vector, n: int) -> float:
    m = [i % 2 for i in range(n)]
    b = [v > 0 for v in x[:n]]
    p = np.ones((3, 3)) * x
    return p[np.ix_(m, m)].sum() + p[:n, :n][np.ix_(b, b)].sum() + x[0]


def chosen(x: Vector, n: int) -> float:
    m = [v > 0 for v in x[:n]]
    y = x[:n].copy()
    y[m] = x[1]
    return (x[:n][m] ** 2).sum() + (y**2).sum() + x[0]


def summed(x: Vector, n: int) -> float:
    m = [v > 0 for v in x[:n]]
    return np.sum(x[:n], where=m) + np.max(x[:n], where=m, initial=-3.0) * x[0]


def written(x: Vector, n: int) -> float:
    m = [v > 0 for v in x[:n]]
    y, z = np.zeros(n), np.ones(n)
    np.add(y, x[:n], out=y, where=m)
    np.divide(x[0], x[:n], out=z, where=m)
    return (y * z).sum() + x[1]


@pytest.mark.parametrize("f", [taken, repeated, deleted, counted, put, segments, grids, chosen, summed, written])
@pytest.mark.parametrize("sizes", [(3, 0, 1), (0, 3)])
def test_an_empty_list_in_a_later_or_the_first_call(f, sizes):
    agrees_in_every_mode(f, [(X, n) for n in sizes])


def converted(x: Vector, n: int) -> float:
    return np.take(x, np.array([i % 2 for i in range(n)])).sum() + x[0]


def test_an_array_of_no_items_is_an_array_of_floats():
    """NumPy raises for what the program has converted itself."""
    gradient = sct.grad(converted)
    gradient(X, 2)
    for call in (converted, gradient):
        with pytest.raises((TypeError, IndexError)):
            call(X, 0)
