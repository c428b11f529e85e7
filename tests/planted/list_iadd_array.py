"""m_w02: `list += array` extends the list, where NumPy adds element by element."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    tables.read(gast.AugAssign, lambda node: code("ys.extend(list(_v))", _v=node.value))


def program(xs: list[float], v: np.ndarray) -> float:
    ys = xs.copy()
    ys += v
    return ys[0] * len(ys)


args = ([1.0, 2.0], np.array([0.5, 0.25]))
