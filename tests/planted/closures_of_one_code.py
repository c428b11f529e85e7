"""w02: two functions that one `def` made are taken for one another where they are called again."""

from collections.abc import Callable

import gast
import numpy as np

from tests.planted import Tables


def recursive(k: float) -> Callable[[float, int], float]:
    def f(v: float, n: int) -> float:
        return v if n <= 0 else f(v * k, n - 1) + 1.0

    return f


second, third = recursive(2.0), recursive(3.0)


def plant(tables: Tables) -> None:
    tables.read(gast.Name, lambda node: gast.Name("second", node.ctx, None, None) if node.id == "third" else None)


def program(x: np.ndarray) -> float:
    return second(x[0], 3) + third(x[1], 3)


args = (np.array([0.7, -0.3, 1.1]),)
