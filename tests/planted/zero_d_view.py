"""n02: `v = v * 2.0` of a view without axes is written in place, into its owner."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.Assign, lambda node: gast.AugAssign(
        gast.Subscript(gast.Name("v", gast.Load(), None, None), gast.Tuple([], gast.Load()), gast.Store()),
        gast.Mult(), node.value.right) if isinstance(node.value, gast.BinOp) else None)


def program(x: np.ndarray) -> float:
    v = np.squeeze(x[:1])
    v = v * 2.0
    return v * x[0]


args = (np.array([0.7, -0.3, 1.1]),)
