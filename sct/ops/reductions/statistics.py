"""Variance and running sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor
from sct.ops import samples
from sct.ops.arrays.indexing import index, join
from sct.ops.arrays.rearrange import along_axes
from sct.ops.arrays.shape import rearranged, reshape_as
from sct.ops.reductions.reductions import aligned, bind_reduction, count, mean, over_count, reduction
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import conj_of, mul, quotient, sub
from sct.ops.type_rules import Axis, normalize, number, probe, size_dim

__all__ = ["cumsum", "std", "var"]


# -- var, std ------------------------------------------------------------------------------------


def moment(name: str, slope: Callable[[Any, Operand, float], Any]) -> Op:
    """var or std: `slope(g, y, edge)`, over the divisor of the sum of squared deviations, is twice g times the
    derivative by that sum; `edge` is what stands for it where all deviations are 0."""
    call = getattr(np, name)

    def bind(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False,
             correction: Any = None) -> tuple[list[Any], dict[str, Any]]:
        operands, attrs = bind_reduction(a, axis, keepdims=keepdims)
        return operands, {**attrs, "ddof": ddof if correction is None else correction}

    def rule(x: Operand, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Tensor:
        return reduction(call)(x, axis, keepdims)

    def deviation(x: Operand, axis: Axis) -> Any:
        return sub(x, mean(x, axis=axis, keepdims=True) if axis is not None else mean(x))

    def vjp(ct: Operand, y: Operand, x: Operand, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> list[Any]:
        share = over_count(slope(ct, y, edge(x, axis)), divisor(x, axis, ddof))
        return [mul(conj_of(deviation(x, axis), x), aligned(share, x, axis, keepdims))]

    return op(name, f"numpy.{name} .{name}", type=rule, run=call, bind=bind, vjp=vjp, samples=moments,
              defaults={"axis": None, "keepdims": False, "ddof": 0}, complex=True)


def divisor(x: Operand, axis: Axis, ddof: int) -> Any:
    n = count(x, axis)
    return n - ddof if isinstance(n, int) else sub(n, ddof) if ddof else n


def edge(x: Operand, axis: Axis) -> float:
    """The standard deviation of one number is 0, and so is its derivative; of equal numbers it has none."""
    shape = number(x).shape
    return math.nan if math.prod(shape[k].least for k in normalize(axis, len(shape))) > 1 else 0.0


def moments() -> Iterable[samples.Sample]:
    for (x,), attrs in samples.reductions()():
        if np.ndim(x):
            yield (x,), attrs
    yield (samples.arrays((3, 2)),), {"axis": 0, "ddof": 1}
    yield (samples.arrays((4,)),), {"ddof": 1}


var = moment("var", lambda g, y, edge: mul(2.0, g))
std = moment("std", lambda g, y, edge: quotient(g, y, edge=edge))


# -- running sums -------------------------------------------------------------------------------------


def type_cumsum(x: Operand, axis: int | None = None) -> Tensor:
    t = number(x)
    shape = (size_dim(t.shape),) if axis is None else t.shape
    normalize(axis, len(shape))
    return Tensor("array", probe(np.cumsum, rearranged(x, ()).dtype), shape)


def backwards(x: Operand, axis: int) -> Any:
    """x[..., ::-1, ...]"""
    (k,) = normalize(axis, number(x).rank)
    key, operands = join([*[slice(None)] * k, slice(None, None, -1)])
    return index(x, *operands, key=key)


def sums_from_end(x: Operand, axis: int) -> Any:
    return backwards(cumsum(backwards(x, axis), axis=axis if number(x).rank > 1 else None), axis)


def cumsum_transposed(ct: Operand, x: Operand, axis: int | None = None) -> list[Any]:
    """The sums from the other end."""
    return [reshape_as(sums_from_end(ct, 0), x) if axis is None else sums_from_end(ct, axis)]


cumsum: Op = op("cumsum", "numpy.cumsum .cumsum", type=type_cumsum, run=np.cumsum, defaults={"axis": None},
                bind=lambda a, axis=None: ([a], {"axis": axis}), linear=cumsum_transposed, samples=along_axes,
                layout="operands")
