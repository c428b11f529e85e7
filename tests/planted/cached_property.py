"""w11: a `cached_property` is computed anew at each read."""

import functools

import gast
import numpy as np

from tests.planted import Tables, code


class Lazy:
    def __init__(self, v: float) -> None:
        self.w = v

    @functools.cached_property
    def square(self) -> float:
        return self.w ** 2


def plant(tables: Tables) -> None:
    tables.read(gast.Attribute, lambda node: code("_o.w ** 2", _o=node.value) if node.attr == "square" else None)


def program(x: np.ndarray) -> float:
    o = Lazy(x[0])
    a = o.square
    o.w = x[1]
    return o.square * a


args = (np.array([0.7, -0.3, 1.1]),)
