"""w03: a write to an array is not seen through its read-only views."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("_v.copy()", _v=node) if named(node, "broadcast_to") else None)


def program(x: np.ndarray) -> float:
    y = x * 1.0
    v = np.broadcast_to(y, (2, 3))
    y[0] = 9.0
    return np.sum(v * x)


args = (np.array([0.7, -0.3, 1.1]),)
