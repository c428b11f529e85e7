"""Numbers that are not 0, as the function would have raised.

    y = 1.0 / (a * b)  ->  a * b, a and b are not 0 after it
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Operand, Value, builder_var
from sct.ir.types import Tensor
from sct.ops.scalar.arithmetic import div, floordiv, mod, mul
from sct.ops.scalar.elementary import log

__all__ = ["known_nonzero"]


def known_nonzero(eqn: Eqn) -> Iterator[Value]:
    """The Python numbers that are not 0 once `eqn`, an equation of the user's, has run: at 0 it raises."""
    out = eqn.outs[0].type if eqn.outs else None
    if eqn.primal and isinstance(out, Tensor) and out.carrier == "py" and eqn.op in (div, floordiv, mod, log):
        yield from _factors(eqn.args[0 if eqn.op is log else 1])


def _factors(x: Operand) -> Iterator[Value]:
    if isinstance(x, Value):
        yield x
        eqn = cast(Builder, builder_var.get()).defs.get(x)
        for y in eqn.args if eqn is not None and eqn.op is mul else ():
            yield from _factors(y)
