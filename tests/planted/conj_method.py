"""w04: `y.conj()` of real numbers is a copy, as `np.conj(y)` is."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("np.conj(_v)", _v=node.func.value) if named(node, "conj") and
                node.func.value.id != "np" else None)


def program(x: np.ndarray) -> float:
    y = x * 1.0
    v = y.conj()
    v[0] = 5.0
    return np.sum(y * x)


args = (np.array([0.7, -0.3, 1.1]),)
