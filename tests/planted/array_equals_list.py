"""w05: an array and a list are equal nowhere."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.Compare, lambda node: gast.Constant(value=False, kind=None))


def program(x: np.ndarray) -> float:
    return np.sum((x == [0.7, 0.0, 1.1]) * x ** 2)


args = (np.array([0.7, -0.3, 1.1]),)
