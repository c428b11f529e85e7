"""Norms of vectors and matrices, of every `ord`, and the condition number.

A norm has a slope: dy = sum(slope * dx).  That of a vector is 0 at 0; elements, rows or columns
that attain a maximum or a minimum share it evenly; of equal singular values one is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sct.ir.core import Operand
from sct.ir.types import REAL_OF, Tensor, TypeMismatch, in_words
from sct.ops import samples
from sct.ops.arrays.indexing import trailing
from sct.ops.arrays.shape import transpose
from sct.ops.linalg.decompositions import rectangular, svd
from sct.ops.linalg.linalg import diagonally_dominant, inv, inv_vjp, lapack
from sct.ops.linalg.products import outer
from sct.ops.linalg.spectra import columns, rows
from sct.ops.linalg.spectral_sums import singular_sum
from sct.ops.reductions.reductions import aligned, bind_reduction, reduction, sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import abs_, abs_slope, add, conj_of, div, mul, quotient, sub
from sct.ops.scalar.comparison import eq
from sct.ops.scalar.powers import pow_
from sct.ops.scalar.selection import where
from sct.ops.type_rules import Axis, normalize, number, scalar_or_array

__all__ = ["condition", "norm"]


# -- norms ----------------------------------------------------------------------------------------


def matrix_axes(x: Operand, ord: Any, axis: Axis) -> tuple[int, int] | None:
    """The axes of the matrices whose norm is taken; None: it is that of vectors."""
    rank = number(x).rank
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) != 2 or axis is None and ord is None:
        return None
    return axes[0] % rank, axes[1] % rank


def is_euclidean(x: Operand, ord: Any, axis: Axis) -> bool:
    return ord is None or ord == "fro" or ord == 2 and matrix_axes(x, ord, axis) is None


def type_norm(x: Operand, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Tensor:
    matrices = matrix_axes(x, ord, axis) is not None
    allowed = (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf) if matrices else (None,)
    vectors = not isinstance(ord, str) and len(normalize(axis, number(x).rank)) == 1
    if not (ord in allowed or not matrices and vectors):
        over = "all axes" if axis is None else f"axis={axis}"
        raise TypeMismatch(f"`np.linalg.norm` of {in_words(number(x))} over {over} has no ord={ord!r}",
                           hint="" if isinstance(ord, str) else "np.linalg.vector_norm takes any axes, and any number "
                                                                "as `ord`")
    return reduction(np.linalg.norm)(x, axis, keepdims)


def bind_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> tuple[list[Any], dict[str, Any]]:
    operands, attrs = bind_reduction(x, axis, keepdims=keepdims)
    return operands, {"ord": ord, **attrs}


def slope(y: Operand, x: Operand, ord: Any, axis: Axis, keepdims: bool) -> Any:
    """dy / dx of a norm that is not Euclidean; None where it is constant."""
    axes = matrix_axes(x, ord, axis)
    top = aligned(y, x, axis, keepdims)
    if axes is None:
        return vector_slope(top, x, ord, axis)
    if ord in (1, -1, math.inf, -math.inf):
        summed, compared = axes if abs(ord) == 1 else axes[::-1]
        return attaining(sum_(abs_(x), axis=summed, keepdims=True), top, x, compared)
    return spectral_slope(x, ord, axes)


def vector_slope(y: Operand, x: Operand, ord: Any, axis: Axis) -> Any:
    """d|x| * (|x| / y)**(p - 1)"""
    if ord == 0:
        return None
    if ord == 1:
        return abs_slope(x)
    if abs(ord) == math.inf:
        return attaining(abs_(x), y, x, normalize(axis, number(x).rank)[0])
    return mul(abs_slope(x), pow_(quotient(abs_(x), y, edge=0.0), ord - 1))


def attaining(values: Operand, y: Operand, x: Operand, axis: int) -> Any:
    """d|x| where the value is y, over the number of those"""
    attains = eq(values, y)
    return div(where(attains, abs_slope(x), 0.0), sum_(attains, axis=axis, keepdims=True))


def spectral_slope(x: Operand, ord: Any, axes: tuple[int, int]) -> Any:
    """U @ Vh, or the part of it that belongs to the largest or the smallest singular value"""
    rank = number(x).rank
    order = (*(k for k in range(rank) if k not in axes), *axes)
    moved = transpose(x, axes=order) if order != tuple(range(rank)) else x
    slope = singular_part(moved, None if ord == "nuc" else 0 if ord == 2 else -1)
    back = tuple(map(order.index, range(rank)))
    return transpose(slope, axes=back) if order != tuple(range(rank)) else slope


def singular_part(a: Operand, k: int | None) -> Any:
    """conj(u v.T) of the singular value k, or the sum of all"""
    u, s, vh = svd(a, full_matrices=False, compute_uv=True, any_phase=True)
    if k is None:
        return singular_sum(1.0, s, u, vh, a)
    column, row = (conj_of(x, a) for x in (trailing(u, k), trailing(vh, k, slice(None))))
    return outer(column, row) if number(row).rank == 1 else mul(columns(column), rows(row))


def norm_vjp(ct: Operand, y: Operand, x: Operand, ord: Any = None, axis: Axis = None,
             keepdims: bool = False) -> list[Any]:
    if is_euclidean(x, ord, axis):
        return [mul(conj_of(x, x), aligned(quotient(ct, y, edge=0.0), x, axis, keepdims))]
    along = slope(y, x, ord, axis, keepdims)
    return [None if along is None else mul(aligned(ct, x, axis, keepdims), along)]


def norms() -> Iterable[samples.Sample]:
    x = samples.arrays((2, 3))
    for axis in (None, 0, -1, (0, 1)):
        yield (x,), {"axis": axis}
        yield (x,), {"axis": axis, "keepdims": True}
    orders: tuple[float, ...] = (1, -1, 2, -2, 3, 0, 2.5, math.inf, -math.inf)
    for p in orders:
        yield (samples.arrays((3,)),), {"ord": p}
        yield (x,), {"ord": p, "axis": 1, "keepdims": p == 1}
    for a in rectangular()[1:4]:
        for kind in (1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
            yield (a,), {"ord": kind, "axis": (-2, -1)}
            yield (a,), {"ord": kind, "axis": (1, 0), "keepdims": True}
    yield (x,), {"ord": "fro"}
    yield (x,), {"ord": 2}
    yield (samples.arrays((2, 3, 2)),), {}
    yield (samples.arrays((3,), dtype="f4"),), {}
    yield (samples.arrays((3,), dtype="f4"),), {"ord": 3}


norm = op("norm", "numpy.linalg.norm", type=type_norm, run=np.linalg.norm, bind=bind_norm, vjp=norm_vjp, complex=True,
          defaults={"ord": None, "axis": None, "keepdims": False}, samples=norms)


# -- the condition number --------------------------------------------------------------------------


def type_cond(x: Operand, p: Any = None) -> Tensor:
    if number(x).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(x)}")
    (dtype,) = lapack(x)
    return scalar_or_array({REAL_OF.get(dtype, dtype)}, number(x).shape[:-2])


def spread_slope(y: Operand, x: Operand, p: Any) -> Any:
    """Of s[0] / s[-1], or of its inverse: (u v.T of the one - y * u v.T of the other) / the other"""
    first, last = (-1, 0) if p == -2 else (0, -1)
    s = svd(x, full_matrices=True, compute_uv=False)
    below = as_matrix(trailing(s, last))
    return div(sub(singular_part(x, first), mul(as_matrix(y), singular_part(x, last))), below)


def as_matrix(s: Operand) -> Any:
    return columns(columns(s)) if number(s).rank else s


def two_norms(x: Operand, p: Any) -> tuple[Any, Any, Any]:
    """The inverse of x, and the norms whose product is the condition number."""
    inverse = inv(x)
    return inverse, norm(x, ord=p, axis=(-2, -1), keepdims=False), norm(inverse, ord=p, axis=(-2, -1), keepdims=False)


def cond_vjp(ct: Operand, y: Operand, x: Operand, p: Any = None) -> list[Any]:
    if p in (None, 2, -2):
        return [mul(as_matrix(ct), spread_slope(y, x, p))]
    inverse, a, b = two_norms(x, p)
    (direct,) = norm_vjp(mul(ct, b), a, x, p, (-2, -1))
    (through,) = norm_vjp(mul(ct, a), b, inverse, p, (-2, -1))
    return [add(direct, *inv_vjp(through, inverse, x))]


def conditions() -> list[samples.Sample]:
    cases: list[samples.Sample] = [((a,), {"p": p}) for a in rectangular()[1:4] for p in (None, 2, -2)]
    square = [diagonally_dominant(s) for s in ((3, 3), (4, 2, 2))]
    return cases + [((a,), {"p": p}) for a in square for p in (None, 1, math.inf, "fro", "nuc")]


condition = op("condition", "numpy.linalg.cond", type=type_cond, run=np.linalg.cond, vjp=cond_vjp,
               bind=lambda x, p=None: ([x], {"p": p}), defaults={"p": None}, cost="dear", raises="value",
               samples=conditions, complex=True)
