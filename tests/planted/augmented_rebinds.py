"""w16: `y += g()`, where `g` binds `y` anew: the new object is added to."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    tables.read(gast.AugAssign, lambda node: gast.Assign(
        [node.target], code("_g + y", _g=node.value), None))


def program(x: np.ndarray) -> float:
    y = x * 1.0
    z = y

    def g() -> float:
        nonlocal y
        y = y * 2.0
        return 1.0

    y += g()
    return np.sum(y * x) + np.sum(z)


args = (np.array([0.7, -0.3, 1.1]),)
