"""w01: `test and <not a number>`: what is no number is true."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    def change(node):
        is_text = isinstance(node.values[-1], gast.Name) and node.values[-1].id == "name"
        return gast.Constant(value=True, kind=None) if is_text else None

    tables.read(gast.BoolOp, change)


def program(x: np.ndarray) -> float:
    name = "fast"
    if x[0] > 5.0 and name:
        return x[0]
    return x[1]


args = (np.array([0.7, -0.3, 1.1]),)
