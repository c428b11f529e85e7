"""A loop that starts from a global array does not carry it: each trip begins with it."""

import gast
import numpy as np

from tests.planted import Tables

X0 = np.array([0.2, 0.5, 0.3])


def plant(tables: Tables) -> None:
    tables.read(gast.BinOp, lambda node: gast.BinOp(
        gast.Name("X0", gast.Load(), None, None), node.op, node.right) if isinstance(node.op, gast.Mult) else None)


def program(a: float) -> float:
    x = X0
    for _ in range(3):
        x = x * a + 1.0
    return np.sum(x)


args = (1.3,)
