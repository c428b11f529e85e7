"""w13: `divmod` does not call `__divmod__`."""

import gast
import numpy as np

from tests.planted import Tables, code, named


class Number:
    def __init__(self, a: float) -> None:
        self.a = a

    def __divmod__(self, other: float) -> tuple[float, float]:
        return self.a, other

    def __floordiv__(self, other: float) -> float:
        return self.a + 100.0

    def __mod__(self, other: float) -> float:
        return self.a * other


def plant(tables: Tables) -> None:
    tables.read(gast.Call, lambda node: code("(_a // _b, _a % _b)", _a=node.args[0], _b=node.args[1])
                if named(node, "divmod") else None)


def program(x: np.ndarray) -> float:
    n = Number(x[0])
    return divmod(n, 2.0)[0]


args = (np.array([0.7, -0.3, 1.1]),)
