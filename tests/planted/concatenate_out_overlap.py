"""w17: `np.concatenate(parts, out=y)` of parts of `y`: all is read before anything is written."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Expr, lambda node: code("y[...] = np.concatenate(_p)", _p=node.value.args[0])
                if named(node.value, "concatenate") else None)


def program(x: np.ndarray) -> float:
    y = x * 1.0
    np.concatenate([y[3:], y[:3]], out=y)
    return np.sum(y * x)


args = (np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2]),)
