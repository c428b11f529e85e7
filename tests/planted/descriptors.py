"""w11: a data descriptor is passed over: the attribute is what the object holds under its name."""

import gast
import numpy as np

from tests.planted import Tables


class Doubled:
    def __get__(self, obj, cls=None):
        return obj._v * 2.0

    def __set__(self, obj, v):
        obj._v = v


class Has:
    v = Doubled()

    def __init__(self, v: float) -> None:
        self._v = v


def plant(tables: Tables) -> None:
    tables.read(gast.Attribute, lambda node: gast.Attribute(node.value, "_v", node.ctx) if node.attr == "v" else None)


def program(x: np.ndarray) -> float:
    h = Has(x[0])
    return h.v * x[1]


args = (np.array([0.7, -0.3, 1.1]),)
