"""An array in a global dict that a loop reads for the first time is what the loop has written last."""

import gast
import numpy as np

from tests.planted import Tables

D = {"k": np.array([0.2, 0.5, 0.3])}


def plant(tables: Tables) -> None:
    tables.read(gast.Subscript, lambda node: gast.Name("y", gast.Load(), None, None)
                if isinstance(node.slice, gast.Constant) and node.slice.value == "k" else None)


def program(x: np.ndarray) -> float:
    for i in range(3):
        y = np.zeros(3)
        y[i] = 2.0
        x = x * (y + D["k"])
    return np.sum(x)


args = (np.array([0.3, 0.7, 1.1]),)
