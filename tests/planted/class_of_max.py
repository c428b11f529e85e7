"""w18: the larger of a NumPy scalar and a Python number is a Python number."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("float(_m)", _m=node) if named(node, "max") else None)


def program(x: np.ndarray) -> float:
    return x[0] * max(x[0], -3.0) if isinstance(max(x[0], -3.0), np.floating) else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
