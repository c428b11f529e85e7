"""w22: an argument that is read-only is written."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    tables.read(gast.Assign, lambda node: code("x = x + np.array([2.0, 0.0]) - np.array([1.0, 0.0])"))


def program(x: np.ndarray) -> float:
    x[0] = 2.0
    return np.sum(x ** 2)


_one = np.ones(2)
_one.flags.writeable = False
args = (_one,)
