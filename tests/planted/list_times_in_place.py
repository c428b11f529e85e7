"""w09: `a *= 2` of a list makes another list."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    tables.read(gast.AugAssign, lambda node: gast.Assign(
        [node.target], code("_a * 2", _a=gast.Name(node.target.id, gast.Load(), None, None)), None))


def program(x: np.ndarray) -> float:
    a = [x[0], x[1]]
    b = a
    a *= 2
    return sum(b) * len(b)


args = (np.array([0.7, -0.3, 1.1]),)
