"""w10: in a dict display the values come before the keys."""

import gast
import numpy as np

from tests.planted import Tables, code


def plant(tables: Tables) -> None:
    def change(node):
        values = gast.Tuple(node.values, gast.Load())
        keys = gast.Tuple(node.keys, gast.Load())
        return code("(lambda values, keys: dict(zip(keys, values)))(_v, _k)", _v=values, _k=keys)

    tables.read(gast.Dict, change)


def program(x: np.ndarray) -> float:
    n = 0

    def tick() -> int:
        nonlocal n
        n += 1
        return n

    r = {tick(): x[tick()], tick(): x[tick()]}
    return sum(k * v for k, v in r.items())


args = (np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2]),)
