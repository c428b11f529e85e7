"""w21: what a function puts into a mutable default is forgotten."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    def change(node):
        return code("seen = [_x]", _x=node.value.args[0]) if isinstance(node.value, gast.Call) else None

    tables.read(gast.Expr, change)


def program(x: np.ndarray, seen: list[float] = [0.5]) -> float:
    seen.append(x[0])
    return sum(seen)


args = (np.array([0.7, -0.3, 1.1]),)
