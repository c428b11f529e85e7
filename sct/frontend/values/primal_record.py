"""What the function that is differentiated does, as it was read: where that stands in the IR of its derivative.

    region f(x): y = sin(x); x1 = store(x, 0.0, at[0]); return y     value y; afterwards argument 0 holds x1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sct.ir import Operand, Value
from sct.ir.pytree import Tree

__all__ = ["NO_VALUE", "ArgumentPart", "PrimalRecord"]

ArgumentPart = tuple[Any, ...]
"""An argument, by its position or its name, then steps ("item", key) and ("attr", name)."""


NO_VALUE = "the function returned None: it has no derivative"
"""What is raised where the function returns None instead of a number."""


@dataclass(frozen=True)
class PrimalRecord:
    """The region of the function, and what its results mean.

    params     the params of the region, by which it is found
    value      how `outs` are arranged as what the function returns
    unwritten  the parts of the arguments that it leaves as they are
    written    others, and what they hold at its end, where that is known; of the rest nothing is said
    """

    params: tuple[Value, ...]
    outs: tuple[Operand, ...]
    value: Tree
    unwritten: tuple[ArgumentPart, ...]
    written: tuple[tuple[ArgumentPart, Operand], ...]


