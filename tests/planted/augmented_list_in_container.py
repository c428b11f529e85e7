"""n03: `b.q += [...]` makes another list."""

import gast
import numpy as np

from tests.planted import Tables, code


class Box:
    def __init__(self, q: list[float]) -> None:
        self.q = q


def plant(tables: Tables) -> None:
    tables.read(gast.AugAssign, lambda node: gast.Assign([node.target], code("b.q + _v", _v=node.value), None))


def program(x: np.ndarray) -> float:
    a = [x[0], x[1]]
    b = Box(a)
    b.q += [x[2]]
    return sum(a)


args = (np.array([0.7, -0.3, 1.1]),)
