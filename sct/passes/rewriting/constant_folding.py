"""Constant folding: the float that an operation on literals gives.

    math.sqrt(0.25)  ->  0.5

An op says where it may be folded (`Op.folds`). IEEE 754 rounds arithmetic and square roots alike on every machine, so
these are folded everywhere. The last digit of `math.exp` differs between libraries: it is folded in adjoint code alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sct.ir.core import Lit, Op, Operand

__all__ = ["fold_constant"]


def fold_constant(op: Op, args: Sequence[Operand], *, exact: bool = False) -> float | None:
    """The finite float that `op` gives of these literals, or None; with `exact`, only if every machine gives it."""
    if op.run is None or op.folds == "never" or exact and op.folds != "exact":
        return None
    numbers = [x.value for x in args if isinstance(x, Lit) and x.as_type is None and type(x.value) in (int, float)]
    if not args or len(numbers) < len(args):
        return None
    try:
        value = op.run(*numbers)
    except (ArithmeticError, ValueError):
        return None
    return value if type(value) is float and math.isfinite(value) else None
