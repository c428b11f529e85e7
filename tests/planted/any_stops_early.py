"""w07: `any` asks every item, also those after the first that is true."""

import gast
import numpy as np

from tests.planted import Tables, code, named


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("any(_l)", _l=gast.ListComp(node.args[0].elt, node.args[0].generators))
                if named(node, "any") else None)


def program(x: np.ndarray) -> float:
    n = 0

    def tick(v: float) -> bool:
        nonlocal n
        n += 1
        return v > 0.0

    any(tick(v) for v in x)
    return x[0] * n


args = (np.array([0.7, -0.3, 1.1]),)
