"""A global array in a loop whose sum starts as a number is taken for the first value of the sum."""

import gast
import numpy as np

from tests.planted import Tables

W = np.array([10.0, 20.0])


def plant(tables: Tables) -> None:
    tables.read(gast.BinOp, lambda node: gast.BinOp(
        gast.Name("p", gast.Load(), None, None), node.op, node.right) if isinstance(node.op, gast.Mult) else None)


def program(t: np.ndarray) -> float:
    p = np.zeros(2)
    for _ in range(2):
        p = p + W * t
    return np.sum(p)


args = (np.array([0.1, 0.2]),)
