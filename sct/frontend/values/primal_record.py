"""The primal record: where the differentiated function, as sct read it, stands in the IR of its derivative.

    region f(x): y = sin(x); x1 = store(x, 0.0, at[0]); return y     value y; afterwards argument 0 holds x1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sct.ir import Operand, Value
from sct.ir.pytrees.pytree import Tree

__all__ = ["NO_VALUE", "ArgumentPart", "PrimalRecord"]

ArgumentPart = tuple[Any, ...]
"""An argument, by its position or its name, then steps ("item", key) and ("attr", name)."""


NO_VALUE = "the function returned None: it has no derivative"
"""The message that is raised if the function returns None instead of a number."""


@dataclass(frozen=True)
class PrimalRecord:
    """The region of the function, and the meaning of its results.

    params     the params of the region, which identify it
    value      how `outs` are arranged as the value that the function returns
    unwritten  the parts of the arguments that it leaves unchanged
    written    the parts that it writes, with their final contents; nothing is known about the other parts
    """

    params: tuple[Value, ...]
    outs: tuple[Operand, ...]
    value: Tree
    unwritten: tuple[ArgumentPart, ...]
    written: tuple[tuple[ArgumentPart, Operand], ...]


