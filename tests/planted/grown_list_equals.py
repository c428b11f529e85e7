"""w06: a list of unknown length is never equal to `[]`."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.Compare, lambda node: gast.Constant(value=False, kind=None)
                if isinstance(node.ops[0], gast.Eq) else None)


def program(x: np.ndarray) -> float:
    e = []
    for v in x:
        if v > 50.0:
            e.append(v)
    return x[0] if e == [] else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
