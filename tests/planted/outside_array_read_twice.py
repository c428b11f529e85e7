"""A global array that is first read in a loop, twice: the second time it is what the loop carries."""

import gast
import numpy as np

from tests.planted import Tables

K = np.array([0.2, 0.5, 0.3])


def plant(tables: Tables) -> None:
    tables.read(gast.Subscript, lambda node: gast.Subscript(
        gast.Name("x", gast.Load(), None, None), node.slice, node.ctx) if node.slice.value == 1 else None)


def program(x: np.ndarray) -> float:
    for _ in range(2):
        x = x * K[0] * K[1]
    return np.sum(x)


args = (np.ones(3),)
