"""w03: the diagonal of a matrix is a copy."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("_v.copy()", _v=node) if named(node, "diagonal") else None)


def program(x: np.ndarray) -> float:
    m = x * 1.0
    d = np.diagonal(m)
    m[0, 0] = x[1, 1] * 3.0
    return np.sum(d)


args = (np.array([[0.7, -0.3], [1.1, 0.4]]),)
