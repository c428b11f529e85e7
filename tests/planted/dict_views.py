"""w08: `d.values()` is a list of what the dict holds then."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("list(_it)", _it=node) if named(node, "values") else None)


def program(x: np.ndarray) -> float:
    d = {"a": x[0]}
    vs = d.values()
    d["b"] = x[1]
    return sum(vs)


args = (np.array([0.7, -0.3, 1.1]),)
