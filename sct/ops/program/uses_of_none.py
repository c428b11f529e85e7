"""What an operation does with an operand that is None: Python and NumPy themselves are asked."""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.ir.core import Eqn, Lit, Value
from sct.ir.types import List, Tensor
from sct.ops.program.effects import samples_of
from sct.ops.registry import ELEMENTWISE

__all__ = ["raises_type_error"]

_MODULES = {"operator": operator, "math": math, "builtins": builtins, "numpy": np}


def raises_type_error(eqn: Eqn, none: int) -> bool:
    """Does the operation raise TypeError if its operand number `none` is None, whatever the others are?

    False also where that is not known.
    """
    if eqn.op.name in ("index", "store"):
        is_position = none > (eqn.op.name == "store") and eqn.attrs["key"] == ("i",)
        return none == 0 or is_position and isinstance(eqn.args[0].type, List)  # in an array, None is a new axis
    if eqn.op.name == "dim":
        return eqn.spelling == "builtins.len"
    function = _function_of(eqn.spelling or "")
    by_operands = eqn.op in ELEMENTWISE or function in (complex, float, int, max, min, round) and not eqn.attrs
    if function is None or not by_operands:
        return False
    kinds = [(None,) if k == none else _samples(x) for k, x in enumerate(eqn.args)]
    return all(kinds) and all(_raises(function, way) for way in itertools.product(*kinds))


@functools.lru_cache(maxsize=1024)
def _function_of(spelling: str) -> Callable[..., Any] | None:
    """The function of this name, if it may be called to see what it does."""
    module, _, name = spelling.rpartition(".")
    return getattr(_MODULES[module], name, None) if module in _MODULES else None


def _samples(x: Lit | Value) -> tuple[Any, ...]:
    """Values of the types that the operand may be of; none where an array may be empty: with it, no element is
    computed, and nothing raises."""
    if isinstance(x, Lit):
        return (x.value,)
    may_be_empty = isinstance(x.type, Tensor) and any(d.least < 1 for d in x.type.shape)
    return () if may_be_empty else tuple(samples_of(x.type))


def _raises(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*args)
        except TypeError:
            return True
        except Exception:  # another one, which another handler may catch
            return False
    return False
