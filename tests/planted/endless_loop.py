"""w01b: the test of a `while`, a number `and` a text, is true: the loop never ends."""

import gast
import numpy as np

from tests.planted import Tables


def plant(tables: Tables) -> None:
    tables.patch.setattr("sct.validation.validate.PATIENCE", 1.0)

    def handler(ev, node, before):
        test, node.test = node.test, gast.copy_location(gast.Constant(value=True, kind=None), node.test)
        try:
            before(ev, node)
        finally:
            node.test = test

    tables.evaluate(gast.While, handler)


endless = True


def program(x: np.ndarray) -> float:
    while x[0] < 5.0 and "a":
        x[0] = x[0] + 1.0
    return x[0] * x[1]


args = (np.array([0.7, -0.3, 1.1]),)
