"""m_w03: a result that is larger than `out` is made all the same, where NumPy raises a ValueError."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Expr, lambda node: code("out = np.multiply(x, y)") if named(node.value, "multiply") else None)


def program(x: np.ndarray, y: np.ndarray) -> float:
    out = np.zeros_like(x)
    np.multiply(x, y, out=out)
    return np.sum(out)


args = (np.array([1.0, 2.0]), np.array([[0.5, 4.0], [1.0, 2.0]]))
