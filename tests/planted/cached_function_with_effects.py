"""w15: a function with a cache runs at every call."""

import functools

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.read(gast.FunctionDef, lambda node: gast.FunctionDef(
        node.name, node.args, node.body, [], node.returns, None, []) if node.decorator_list else None)


def program(x: np.ndarray) -> float:
    @functools.lru_cache(None)
    def g(n: int) -> float:
        x[0] += 1.0
        return x[0] * n

    return g(2) + g(2) * g(3)


args = (np.array([0.7, -0.3, 1.1]),)
