"""w14: `x.T is x` is true of a vector."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.Compare, lambda node: gast.Constant(value=True, kind=None)
                if isinstance(node.ops[0], gast.Is) else None)


def program(x: np.ndarray) -> float:
    return x[0] if x.T is x else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
