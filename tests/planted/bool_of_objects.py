"""n10: whatever `__bool__` gives is a truth value, where Python raises a TypeError."""

import gast
import numpy as np

from tests.planted import Tables, code


class Int:
    def __bool__(self) -> bool:
        return 1  # type: ignore[return-value]


def plant(tables: Tables) -> None:
    tables.read(gast.IfExp, lambda node: code("_a if bool(_t.__bool__()) else _b", _a=node.body, _t=node.test,
                                              _b=node.orelse))


def program(x: np.ndarray) -> float:
    return x[0] if Int() else x[1]


args = (np.array([0.7, -0.3, 1.1]),)
