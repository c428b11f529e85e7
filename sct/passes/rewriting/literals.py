"""Arithmetic on literals: numbers that rules combine, and operations on literals that are replaced by their value.

    math.sqrt(0.25)  ->  0.5

An op says where it may be folded (`Op.folds`). IEEE 754 rounds arithmetic and square roots alike on every machine, so
these are folded everywhere. The last digit of `math.exp` differs between libraries: it is folded in adjoint code alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any

from sct.ir.core import Lit, Op, Operand

__all__ = ["fold_constant", "is_number", "number", "over", "plus", "times"]


def number(x: Operand) -> Any:
    """The value of a literal number, or None."""
    return x.value if type(x) is Lit and x.as_type is None and type(x.value) in (int, float) else None


def is_number(x: Operand) -> bool:
    return number(x) is not None


def fold_constant(op: Op, args: Sequence[Operand], *, exact: bool = False) -> float | None:
    """The finite float that `op` gives of these literals, or None; with `exact`, only if every machine gives it."""
    if op.folds == "never" or exact and op.folds != "exact" or op.run is None or not args or not all(
            map(is_number, args)):
        return None
    try:
        value = op.run(*map(number, args))
    except (ArithmeticError, ValueError):
        return None
    return value if type(value) is float and math.isfinite(value) else None


def times(c: float, d: float) -> float:
    return _short(c * d, c, d, _DECIMAL.multiply)


def plus(c: float, d: float) -> float:
    return _short(c + d, c, d, _DECIMAL.add)


def over(c: float, d: float) -> float:
    return _short(c / d, c, d, _DECIMAL.divide)


_DECIMAL = Context(prec=40)


def _short(result: float, c: float, d: float, exact: Callable[[Decimal, Decimal], Decimal]) -> float:
    """The rounded result, or the exact result for the two literals as decimal fractions if that is shorter to write:
    0.1 * 3.0 is 0.3, and 1.0 - 0.8 is 0.2."""
    if isinstance(result, int) or len(repr(result)) <= _SHORT or not math.isfinite(result):
        return result
    return min(result, float(exact(Decimal(repr(c)), Decimal(repr(d)))), key=lambda x: len(repr(x)))


_SHORT = 6
