"""A ufunc at the places that a mask selects: `np.divide(x, y, out=z, where=y != 0)`.

    w = masked_ufunc(m, x, y, name="divide")    elsewhere w is not defined
    z[...] = np.where(m, w, z)

The derivative is that of the ufunc, and exactly 0 where the mask is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, broadcast_shapes
from sct.ops import samples
from sct.ops.registry import BY_CALL, op, placeholders
from sct.ops.scalar.arithmetic import mul
from sct.ops.scalar.selection import where
from sct.ops.type_rules import number

__all__ = ["masked_ufunc"]


def base_of(name: str) -> Op:
    return BY_CALL[f"numpy.{name}"]


def type_masked(mask: Operand, *xs: Operand, name: str) -> Tensor:
    base = base_of(name)
    t = base.type(*xs, spelling=f"numpy.{name}") if base.spelled else base.type(*xs)
    assert isinstance(t, Tensor)
    return Tensor("array", t.dtype, broadcast_shapes(number(mask).shape, t.shape))


def run_masked(mask: Any, *xs: Any, name: str) -> Any:
    call: Any = getattr(np, name)
    return np.asarray(call(*xs, out=None, where=mask))


def back(ct: Operand, y: Operand, mask: Operand, *xs: Operand, name: str) -> list[Any]:
    base = base_of(name)
    if base.partials is not None:
        cts = [None if p is None else mul(ct, p) for p in base.partials(y, *xs)]
    elif base.linear is not None:
        cts = base.linear(ct, *xs)
    else:
        cts = base.vjp(ct, y, *xs) if base.vjp is not None else [None] * len(xs)
    return [None, *(None if g is None else where(mask, g, 0.0) for g in cts)]


def emit(mask: Operand, *xs: Operand, name: str) -> str:
    return f"numpy.{name}({', '.join(placeholders(1 + len(xs), 1))}, out=None, where=_0)"


def masked() -> Iterable[samples.Sample]:
    """With all places selected: the others are not defined."""
    x, y = samples.arrays((3,), 0.5, 2.0), samples.arrays((2, 3), 0.5, 2.0, seed=1)
    yield (np.ones((2, 3), bool), x, y), {"name": "divide"}
    yield (np.ones(3, bool), x), {"name": "log"}
    yield (np.ones(3, bool), x), {"name": "sqrt"}
    yield (np.ones(3, bool), x, 1.5), {"name": "maximum"}


masked_ufunc = op("masked_ufunc", type=type_masked, run=run_masked, emit=emit, vjp=back, inactive=(0,),
                  cost="never", raises="value", samples=masked)
