"""n07: `all` gives the class of its last item, and so the value another class."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("np.float64(_v)", _v=node) if named(node, "all") else None)


def program(x: np.ndarray) -> float:
    return 0.5 * all([x[0] > 0.5, 2.0])


args = (np.array([0.7, -0.3, 1.1]),)
