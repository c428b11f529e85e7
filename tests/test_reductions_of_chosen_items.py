"""`ufunc.reduce` with `where` and `initial`, and triangles of ones as masks."""

from __future__ import annotations

import numpy as np
from oracle import agrees_in_every_mode

X = np.array([0.7, 1.3, -0.4])


def reduced(x, n):
    y = np.outer(x, x)
    rows = np.add.reduce(y, where=y > 0.1, initial=n) ** 2
    return rows.sum() + np.maximum.reduce(x, where=x < 1, initial=-1.0) + np.multiply.reduce(x, initial=2.0)


def below_the_diagonal(x, n):
    y = np.outer(x, x)
    return np.sum(y[np.tri(len(x), dtype=bool)] ** 2) + np.sum(np.tri(3, 4, 1) @ np.ones(4) * x) * n + np.tri(2)[0, 0]


def test_as_in_python():
    for f in (reduced, below_the_diagonal):
        agrees_in_every_mode(f, [(X, 2), (X, 0)])
