"""w12: objects of a dataclass are equal if their fields are, whatever its options say."""

import dataclasses

import gast
import numpy as np

from tests.planted import Tables, code


@dataclasses.dataclass(eq=False)
class Point:
    a: float


def plant(tables: Tables) -> None:
    tables.read(gast.Compare, lambda node: code("_l.a == _r.a", _l=node.left, _r=node.comparators[0])
                if isinstance(node.left, gast.Call) else None)


def program(x: np.ndarray) -> float:
    return x[0] if Point(x[0]) == Point(x[0]) else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
