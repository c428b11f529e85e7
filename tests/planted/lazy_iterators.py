"""w07: `map` is a list, which is not used up."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("list(_it)", _it=node) if named(node, "map") else None)


def program(x: np.ndarray) -> float:
    g = map(lambda v: v * v, x)
    return sum(g) + sum(g)


args = (np.array([0.7, -0.3, 1.1]),)
