"""n06: a list times a float is a value, where Python raises a TypeError."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    tables.read(gast.BinOp, lambda node: code("_l * int(_n)", _l=node.left, _n=node.right)
                if isinstance(node.right, gast.Constant) and node.right.value == 2.0 else None)


def program(x: np.ndarray) -> float:
    v = [x[0]]
    v = v * 2.0
    return x[0] * len(v)


args = (np.array([0.7, -0.3, 1.1]),)
