"""n05: a list of unknown length is never equal to a list of values."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.Compare, lambda node: gast.Constant(value=False, kind=None)
                if isinstance(node.ops[0], gast.Eq) else None)


def program(x: np.ndarray) -> float:
    v = []
    for a in x:
        v.append(a)
    return x[0] if v == [0.7, -0.3, 1.1] else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
