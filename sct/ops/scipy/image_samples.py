"""Images read between their elements, of `scipy.ndimage`: `map_coordinates` of order 0 and 1; coefficients of splines.

Of order 1, y is the mean of the 2**d elements around a point, each with the product of its distances from the opposite
one along each axis.  The derivative by a coordinate is a mean of differences.  At an element it is that on its right.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import stack
from sct.ops.arrays.creation import as_dtype, zeros_of
from sct.ops.arrays.indexing import add_at, index
from sct.ops.arrays.shape import dim
from sct.ops.linalg.products import contracted
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, mul, sub
from sct.ops.scalar.comparison import ge, le
from sct.ops.scalar.selection import clip, logical_and, where
from sct.ops.scipy.cosine_transforms import scaled_at
from sct.ops.type_rules import normalize, number

__all__ = ["map_coordinates", "spline_filter1d"]


def type_map_coordinates(x: Operand, at: Operand, order: int = 3, mode: str = "constant", cval: float = 0.0) -> Tensor:
    t, c = number(x), number(at)
    if t.kind != "f" or c.kind != "f" or not t.rank or c.rank < 2:
        raise TypeMismatch("map_coordinates takes an image and arrays of coordinates, of real numbers",
                           hint="convert with astype(float); read one point as `[[y], [x]]`")
    if type(order) is not int or order not in (0, 1):
        raise TypeMismatch(f"map_coordinates of order {order!r} is not differentiated", hint="use order=1")
    if mode not in ("constant", "nearest"):
        raise TypeMismatch(f"map_coordinates with mode={mode!r} is not supported",
                           hint="use mode='nearest' or mode='constant'")
    contracted(Dim(t.rank), c.shape[0])
    return Tensor("array", t.dtype, c.shape[1:])


def map_coordinates_vjp(ct: Operand, y: Operand, x: Operand, at: Operand, order: int = 3, mode: str = "constant",
                        cval: float = 0.0) -> list[Any]:
    rank = number(x).rank
    points = [index(at, Lit(k), key=("i",)) for k in range(rank)]
    last = [sub(dim(x, axis=k), 1) for k in range(rank)]
    inside = [logical_and(ge(c, 0.0), le(c, n)) for c, n in zip(points, last)]
    if mode == "constant":
        ct = where(functools.reduce(logical_and, inside), ct, 0.0)
    points = [clip(c, 0, n) for c, n in zip(points, last)]
    if order == 0:
        nearest = [clip(as_dtype(add(c, 0.5), "i64"), 0, n) for c, n in zip(points, last)]
        return [add_at(zeros_of(x), ct, *nearest, key=("a",) * rank), None]
    left = [clip(as_dtype(c, "i64"), 0, sub(dim(x, axis=k), 2)) for k, c in enumerate(points)]
    ends = [(i, add(i, 1)) for i in left]
    far = [sub(c, i) for c, i in zip(points, left)]
    shares = [(sub(1.0, w), w) for w in far]
    dx = zeros_of(x)
    for corner in itertools.product((0, 1), repeat=rank):
        share = functools.reduce(mul, (shares[k][side] for k, side in enumerate(corner)), ct)
        dx = add_at(dx, share, *(ends[k][side] for k, side in enumerate(corner)), key=("a",) * rank)
    slopes = [slope_along(x, k, ends, shares) for k in range(rank)]
    moved = [mul(ct, s) for s in slopes]
    if mode == "nearest":
        moved = [where(within, m, 0.0) for within, m in zip(inside, moved)]
    return [dx, stack(*moved, axis=0)]


def slope_along(x: Operand, axis: int, ends: Sequence[Sequence[Any]], shares: Sequence[Sequence[Any]]) -> Any:
    """The derivative by the coordinate along an axis."""
    rank = len(ends)
    total = None
    for corner in itertools.product((0, 1), repeat=rank - 1):
        sides = [*corner[:axis], 0, *corner[axis:]]
        low = [ends[k][side] for k, side in enumerate(sides)]
        high = [*low[:axis], ends[axis][1], *low[axis + 1:]]
        step = sub(index(x, *high, key=("a",) * rank), index(x, *low, key=("a",) * rank))
        term = functools.reduce(mul, (shares[k][side] for k, side in enumerate(sides) if k != axis), step)
        total = term if total is None else add(total, term)
    return total


DEFAULTS = {"order": 3, "mode": "constant", "cval": 0.0}


def points_in() -> list[samples.Sample]:
    x = samples.arrays((4, 5))
    at = np.array([[0.3, 1.7, 2.9, 2.2], [0.6, 3.4, 1.1, 3.9]])
    beyond = np.array([[-0.3, 1.7, 4.9], [0.6, 5.4, 1.1]])
    cases: list[samples.Sample] = [((x, c), {"order": k, "mode": m}) for c in (at, beyond) for k in (0, 1)
                                  for m in ("constant", "nearest")]
    volume, inside = samples.arrays((3, 4, 3)), np.array([[[0.3]], [[1.7]], [[1.2]]])
    return [*cases, ((samples.arrays((5,)), at[1:]), {"order": 1}), ((volume, inside), {"order": 1, "cval": 2.0})]


map_coordinates: Op = op(
    "map_coordinates", type=type_map_coordinates, vjp=map_coordinates_vjp, raises="value", cost="dear", complex=False,
    run=lambda *xs, **options: import_module("scipy.ndimage").map_coordinates(*xs, **options),
    emit=lambda x, at, **options: "scipy.ndimage.map_coordinates(_0, _1, {})".format(
        ", ".join(f"{key}=_{key}" for key in DEFAULTS if options.get(key, DEFAULTS[key]) != DEFAULTS[key])),
    defaults=DEFAULTS, samples=points_in)
"""Of order 0 and 1."""


# -- coefficients of splines -------------------------------------------------------------------------------------------


def type_filter1d(x: Operand, order: int = 3, axis: int = -1) -> Tensor:
    t = number(x)
    if t.kind not in "fi" or not t.rank or type(order) is not int or not 2 <= order <= 5:
        raise TypeMismatch("spline_filter1d takes arrays of real numbers, and an order from 2 to 5")
    return Tensor("array", "f64", t.shape)


def filter1d_transposed(ct: Operand, x: Operand, order: int = 3, axis: int = -1) -> list[Any]:
    """The elements at the ends are the mirrors, and stand once for each of two of the others."""
    axes = normalize(axis, number(x).rank)
    back = spline_filter1d(scaled_at(ct, (0, -1), axes, 2.0), order=order, axis=axis)
    return [scaled_at(back, (0, -1), axes, 0.5)]


def bind_filter1d(input: Any, order: Any = 3, axis: Any = -1, output: Any = np.float64, mode: Any = "mirror"
                  ) -> tuple[list[Any], dict[str, Any]]:
    if output is not np.float64 or mode != "mirror":
        raise TypeError("`output` and other modes than 'mirror' are not supported")
    return [input], {"order": order, "axis": axis}


spline_filter1d: Op = op(
    "spline_filter1d", "scipy.ndimage.spline_filter1d", type=type_filter1d, linear=filter1d_transposed,
    bind=bind_filter1d, defaults={"order": 3, "axis": -1}, raises="value", cost="dear", complex=False,
    run=lambda x, **options: import_module("scipy.ndimage").spline_filter1d(x, **options),
    samples=lambda: [((samples.arrays(shape),), {"order": k, "axis": axis}) for shape, k, axis in (
        ((5,), 3, -1), ((4, 3), 2, 0), ((2, 5), 3, 1), ((1, 4), 3, 0))])
"""The coefficients of the spline that has these values, which goes on as in a mirror."""
