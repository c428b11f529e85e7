"""w01: `test and <not a number>`: what is no number is true."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.IfExp, lambda node: node.body)


def program(x: np.ndarray) -> float:
    name = "fast"
    return x[0] if x[0] > 5.0 and name else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
