"""Sorting, and what is told by order: median, quantile, unique.

What is sorted is permuted: the derivative puts each cotangent where its element came from.
Equal elements count in the order in which they stand (a stable sort).  Complex numbers are ordered by their real parts,
and by their imaginary parts where these are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import sym
from sct.ir.types import Tensor, TypeMismatch, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.creation import astype, zeros_of
from sct.ops.arrays.indexing import add_at, index, join, store
from sct.ops.arrays.shape import dim, expand_dims, moveaxis, rearranged, reshape_as
from sct.ops.arrays.take import POSITION, flat, grid, take_along_axis
from sct.ops.reductions.reductions import aligned, bind_reduction, lines, readings, sum_, unlines
from sct.ops.registry import op, sequence
from sct.ops.scalar.arithmetic import add, div, floordiv, int_, mul, quotient, sub
from sct.ops.scalar.elementary import ceil, floor
from sct.ops.type_rules import Axis, normalize, number, probe, reduced_shape, scalar_or_array, size_dim

__all__ = [
    "argpartition", "argsort", "median", "partition", "partition_order", "percentile", "positions", "quantile", "sort",
    "unique", "unique_index",
]


# -- argsort, sort ------------------------------------------------------------------------------------


def type_sort(x: Operand, axis: int | None = -1, kind: str | None = None) -> Tensor:
    shape = number(x).shape if axis is not None else (size_dim(number(x).shape),)
    normalize(axis, len(shape))
    return rearranged(x, shape)


def type_argsort(x: Operand, axis: int | None = -1, kind: str | None = None) -> Tensor:
    return Tensor("array", "i64", type_sort(x, axis, kind).shape)


def bind_sort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [a], {"axis": axis, "kind": "stable" if stable else kind}


def sorts() -> Iterable[samples.Sample]:
    for s, axis in (((5,), -1), ((3, 4), -1), ((3, 4), 0), ((2, 3), None), ((0,), -1), ((2, 3, 2), 1)):
        yield (samples.arrays(s),), {"axis": axis}
    yield (samples.arrays((4,), dtype="f4"),), {"axis": 0, "kind": "stable"}


argsort = op("argsort", "numpy.argsort .argsort", type=type_argsort, run=np.argsort, bind=bind_sort,
             defaults={"axis": -1, "kind": None}, nondiff=POSITION, cost="dear", complex=True,
             samples=sorts)


def stable_order(x: Operand, axis: int) -> Any:
    return argsort(x, axis=axis if axis != number(x).rank - 1 else -1, kind="stable")


def scatter(ct: Operand, order: Operand, x: Operand, axis: int) -> Any:
    """An array like x with ct at the positions `order` along the axis, each of them once."""
    names, operands = grid(order, x, axis)
    return store(zeros_of(x), ct, *operands, key=names)


def sort_back(ct: Operand, x: Operand, axis: int | None = -1, kind: str | None = None) -> list[Any]:
    whole, k = flat(x, axis)
    return [reshape_as(scatter(ct, stable_order(whole, k), whole, k), x)]


def sort_forward(dx: Operand, x: Operand, axis: int | None) -> Any:
    (whole, k), (moving, _) = flat(x, axis), flat(dx, axis)
    return take_along_axis(moving, stable_order(whole, k), axis=k)


sort = op("sort", "numpy.sort", type=type_sort, run=np.sort, bind=bind_sort, defaults={"axis": -1, "kind": None},
          vjp=lambda ct, y, x, **attrs: sort_back(ct, x, **attrs),
          jvp=lambda tangents, y, x, axis=-1, kind=None: sort_forward(tangents[0], x, axis), cost="dear",
          complex=True, samples=sorts, layout="operands")


# -- partition ------------------------------------------------------------------------------------------
# Which permutation `numpy.partition` makes is told by its result: the elements of equal rank
# in the order of x and in the order of the result are the same.


def bind_partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> tuple[list[Any], dict[str, Any]]:
    return [a], {"kth": tuple(kth) if isinstance(kth, list) else kth, "axis": axis}


def type_partition(x: Operand, kth: Any, axis: int | None = -1) -> Tensor:
    t = type_sort(x, axis)
    least = size_dim(t.shape).least if axis is None else t.shape[axis].least
    note_size_requirement(all(-least <= k < least for k in sequence(kth)))
    return t


def partitions() -> Iterable[samples.Sample]:
    for s, kth, axis in (((5,), 2, -1), ((3, 4), 1, -1), ((3, 4), 0, 0), ((2, 3), 2, None), ((5,), (1, 3), -1)):
        yield (samples.arrays(s),), {"kth": kth, "axis": axis}


partition_order = op("partition_order", type=lambda y, x, axis: Tensor("array", "i64", number(x).shape),
                     run=lambda y, x, axis: run_partition_order(y, x, axis), nondiff=POSITION,
                     emit="numpy.take_along_axis(numpy.argsort(_1, axis=_axis, kind='stable'), "
                          "numpy.argsort(numpy.argsort(_0, axis=_axis, kind='stable'), axis=_axis), axis=_axis)",
                     cost="dear", samples=lambda: [((np.partition(x, 1), x), {"axis": -1}) for x in (
                         samples.arrays((4,)), samples.arrays((2, 3)))])


def run_partition_order(y: Any, x: Any, axis: int) -> Any:
    ranks = np.argsort(np.argsort(y, axis=axis, kind="stable"), axis=axis)
    return np.take_along_axis(np.argsort(x, axis=axis, kind="stable"), ranks, axis=axis)


def partition_back(ct: Operand, y: Operand, x: Operand, kth: Any, axis: int | None = -1) -> list[Any]:
    whole, k = flat(x, axis)
    return [reshape_as(scatter(ct, partition_order(y, whole, axis=k), whole, k), x)]


def partition_forward(tangents: Sequence[Any], y: Operand, x: Operand, kth: Any, axis: int | None = -1) -> Any:
    (whole, k), (moving, _) = flat(x, axis), flat(tangents[0], axis)
    return take_along_axis(moving, partition_order(y, whole, axis=k), axis=k)


partition = op("partition", "numpy.partition", type=type_partition, bind=bind_partition, defaults={"axis": -1},
               run=lambda x, kth, axis=-1: np.partition(x, kth, axis), vjp=partition_back, jvp=partition_forward,
               emit=lambda x, kth, axis=-1: f"numpy.partition(_0, _kth{'' if axis == -1 else ', axis=_axis'})",
               cost="dear", raises="shape", samples=partitions)

argpartition = op("argpartition", "numpy.argpartition .argpartition", bind=bind_partition, defaults={"axis": -1},
                  type=lambda x, kth, axis=-1: Tensor("array", "i64", type_partition(x, kth, axis).shape),
                  nondiff=POSITION,
                  run=lambda x, kth, axis=-1: np.argpartition(x, kth, axis),
                  emit=lambda x, kth, axis=-1: f"numpy.argpartition(_0, _kth{'' if axis == -1 else ', axis=_axis'})",
                  cost="dear", raises="shape", samples=partitions)


# -- median ----------------------------------------------------------------------------------------------


def rows_of(x: Operand, axis: Axis) -> tuple[Any, int]:
    """x, and the one axis that is reduced; several are made one, the last."""
    gone = normalize(axis, number(x).rank)
    rows = x if len(gone) == 1 else lines(x, axis)
    return rows, gone[0] if len(gone) == 1 else number(rows).rank - 1


def middle(rows: Operand, k: int) -> Any:
    """The positions of the one or two elements in the middle of each row."""
    n = dim(rows, axis=k)
    ends = slice(floordiv(sub(n, 1), 2), add(floordiv(n, 2), 1))
    key, operands = join([*[slice(None)] * k, ends])
    return index(stable_order(rows, k), *operands, key=key)


def mean_share(a: Operand, rows: Operand, places: Operand, k: int) -> Any:
    """`a` over the number of elements in the middle; rows without elements have none."""
    n = dim(places, axis=k)
    return div(a, n) if number(rows).shape[k].least > 0 else quotient(a, n, edge=math.nan)


def median_back(ct: Operand, y: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> list[Any]:
    if not number(x).rank:
        return [ct]
    rows, k = rows_of(x, axis)
    places = middle(rows, k)
    share = mean_share(ct, rows, places, k)
    if rows is x:
        return [scatter(aligned(share, x, axis, keepdims) if number(ct).rank else share, places, x, k)]
    return [unlines(scatter(column(share, x, axis, keepdims), places, rows, k), x, axis)]


def column(ct: Operand, x: Operand, axis: Axis, keepdims: bool) -> Any:
    """A value for each line, to be broadcast along it."""
    ct = dropped(ct, x, axis) if keepdims else ct
    return expand_dims(ct, axis=-1) if number(ct).rank else ct


def dropped(ct: Operand, x: Operand, axis: Axis, lead: int = 0) -> Any:
    """`ct` without the axes of size 1 that a reduction kept, behind `lead` others."""
    gone = normalize(axis, number(x).rank)
    key = ("s000",) * lead + tuple("i" if k in gone else "s000" for k in range(number(x).rank))
    return index(ct, *[Lit(0)] * len(gone), key=key)


def median_forward(tangents: Sequence[Any], y: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> Any:
    if not number(x).rank:
        return tangents[0]
    rows, k = rows_of(x, axis)
    places = middle(rows, k)
    moving = take_along_axis(rows_of(tangents[0], axis)[0], places, axis=k)
    dy = mean_share(sum_(moving, axis=k), rows, places, k)
    return reshape_as(dy, y) if keepdims else dy


def type_median(x: Operand, axis: Axis = None, keepdims: bool = False) -> Tensor:
    dtypes = {probe(np.median, d) for d in readings(number(x))}
    note_size_requirement(True)
    return scalar_or_array(dtypes, reduced_shape(number(x).shape, axis, keepdims))


def medians() -> Iterable[samples.Sample]:
    x = samples.arrays((3, 4))
    for axis in (None, 0, 1, (0, 1), -1):
        yield (x,), {"axis": axis}
        yield (x,), {"axis": axis, "keepdims": True}
    yield (samples.arrays((5,)),), {}
    yield (samples.arrays(()),), {}
    yield (samples.arrays((4,), dtype="f4"),), {}
    yield (samples.arrays((2, 3, 2)),), {"axis": (0, 2)}


median = op("median", "numpy.median", type=type_median, run=np.median, bind=bind_reduction, vjp=median_back,
            jvp=median_forward, defaults={"axis": None, "keepdims": False}, cost="dear",
            samples=medians, raises="shape")


# -- quantile, percentile ----------------------------------------------------------------------------------
# The quantile of the numbers 0, 1, ..., n - 1 is the position h of that quantile of any n
# numbers in order, whatever the method: between the elements floor(h) and ceil(h).

GROWTH = {"linear": (1.0, 1.0), "weibull": (0.0, 0.0), "hazen": (0.5, 0.5), "median_unbiased": (1 / 3, 1 / 3),
          "normal_unbiased": (0.375, 0.375), "interpolated_inverted_cdf": (0.0, 1.0)}
"""alpha and beta of the methods for which h grows with q: by n + 1 - alpha - beta."""


def at(rows: Operand, place: Operand) -> tuple[Any, Any]:
    """The subscript of the lines that `place` is."""
    last = number(rows).rank - 1
    if number(place).rank == last:
        place = expand_dims(place, axis=-1) if last else place
    return grid(place, rows, last) if last else join([place])


def fronted(ct: Operand, x: Operand, q: Operand, axis: Axis, keepdims: bool) -> Any:
    """`ct` with the axis of q last, the axes of the lines before it."""
    if not number(q).rank:
        return column(ct, x, axis, keepdims)
    ct = dropped(ct, x, axis, lead=1) if keepdims else ct
    return moveaxis(ct, source=0, destination=-1) if number(ct).rank > 1 else ct


def quantile_op(name: str, scale: float) -> Op:
    call = getattr(np, name)

    def bind(a: Any, q: Any, axis: Any = None, *, method: Any = "linear",
             keepdims: Any = False) -> tuple[list[Any], dict[str, Any]]:
        operands, attrs = bind_reduction(a, axis, keepdims=keepdims)
        return [*operands, q], {**attrs, "method": method}

    def rule(x: Operand, q: Operand, axis: Axis = None, keepdims: bool = False, method: str = "linear") -> Tensor:
        if not number(x).rank:
            raise TypeMismatch(f"{name} of a number is not supported")
        if number(q).rank > 1:
            raise TypeMismatch(f"{name} at an array of more than one axis is not supported")
        dtypes = {probe(lambda v: call(v, 0.5 * scale, method=method), d) for d in readings(number(x))}
        inner = reduced_shape(number(x).shape, axis, keepdims)
        t = scalar_or_array(dtypes, (*number(q).shape, *inner))
        return t if not (number(q).is_array and not t.shape) else Tensor("np", t.dtype)

    def sites(x: Operand, q: Operand, axis: Axis, method: str) -> tuple[Any, ...]:
        """The lines; the positions of the elements below and above, a row for each q; the weight of that above."""
        rows = lines(x, axis)
        last = number(rows).rank - 1
        n = dim(rows, axis=last)
        h = positions(n, q, scale=scale, method=method)
        if number(h).rank:
            low, high = astype(floor(h), dtype="i64"), astype(ceil(h), dtype="i64")
        else:
            low = int_(h)
            high = int_(ceil(h))
        order = stable_order(rows, last)
        key = ("a" if number(h).rank else "i",) if last == 0 else ("e", "a" if number(h).rank else "i")
        return rows, index(order, low, key=key), index(order, high, key=key), sub(h, low)

    def vjp(ct: Operand, y: Operand, x: Operand, q: Operand, axis: Axis = None, keepdims: bool = False,
            method: str = "linear") -> list[Any]:
        rows, low, high, w = sites(x, q, axis, method)
        g = fronted(ct, x, q, axis, keepdims)
        dq = by_q(g, rows, low, high, q, method)
        (names, below), (_, above) = at(rows, low), at(rows, high)
        dx = add_at(zeros_of(rows), mul(g, sub(1.0, w)), *below, key=names)
        dx = add_at(dx, mul(g, w), *above, key=names)
        return [unlines(dx, x, axis), dq]

    def by_q(g: Operand, rows: Operand, low: Operand, high: Operand, q: Operand, method: str) -> Any:
        if isinstance(q, Lit) or method not in GROWTH:
            return None
        return mul(g, step(rows, low, high, q, method))

    def step(rows: Operand, low: Operand, high: Operand, q: Operand, method: str) -> Any:
        """The derivative by q."""
        (names, below), (_, above) = at(rows, low), at(rows, high)
        gap = sub(index(rows, *above, key=names), index(rows, *below, key=names))
        return mul(gap, slope(dim(rows, axis=number(rows).rank - 1), scale, method))

    return op(name, f"numpy.{name}", type=rule, bind=bind, vjp=vjp, raises="value", cost="dear",
              run=lambda x, q, **attrs: call(x, q, **attrs), samples=quantiles(scale),
              defaults={"axis": None, "keepdims": False, "method": "linear"})


def quantiles(scale: float) -> samples.Samples:
    def make() -> Iterable[samples.Sample]:
        x, qs = samples.arrays((3, 4)), np.array([0.21, 0.66]) * scale
        for axis in (None, 0, -1, (0, 1)):
            yield (x, Lit(0.3 * scale)), {"axis": axis}
            yield (x, 0.3 * scale), {"axis": axis, "keepdims": True}
            yield (x, qs), {"axis": axis}
        yield (x, qs), {"axis": 1, "keepdims": True}
        for method in ("lower", "higher", "nearest", "midpoint", "hazen", "weibull", "inverted_cdf"):
            yield (samples.arrays((5,)), Lit(0.4 * scale)), {"method": method}
        yield (samples.arrays((4,), dtype="f4"), Lit(0.5 * scale)), {}

    return make


def type_positions(n: Operand, q: Operand, scale: float = 1.0, method: str = "linear") -> Tensor:
    call: Any = np.quantile
    dtype = probe(lambda v: call(v, 0.5, method=method), "i64")
    return Tensor("array" if number(q).rank else "np", dtype, number(q).shape)


def run_positions(n: Any, q: Any, scale: float = 1.0, method: str = "linear") -> Any:
    call: Any = np.quantile if scale == 1.0 else np.percentile
    return call(np.arange(n), q, method=method)


def emit_positions(n: Operand, q: Operand, scale: float = 1.0, method: str = "linear") -> str:
    name = "quantile" if scale == 1.0 else "percentile"
    return f"numpy.{name}(numpy.arange(_0), _1{'' if method == 'linear' else ', method=_method'})"


def slope(n: Operand, scale: float, method: str) -> Any:
    """How fast the position grows with q."""
    alpha, beta = GROWTH[method]
    growth = sub(n, alpha + beta - 1.0)
    return growth if scale == 1.0 else div(growth, scale)


positions = op("positions", type=type_positions, run=run_positions, emit=emit_positions,
               partials=lambda h, n, q, scale=1.0, method="linear": [
                   None, slope(n, scale, method) if method in GROWTH else 0.0],
               defaults={"scale": 1.0, "method": "linear"},
               samples=lambda: [((4, Lit(0.3)), {}), ((4, np.array([0.2, 0.4])), {"method": "hazen"}),
                                ((4, Lit(30.0)), {"scale": 100.0})])
quantile, percentile = quantile_op("quantile", 1.0), quantile_op("percentile", 100.0)


# -- unique ------------------------------------------------------------------------------------------------


def type_unique(x: Operand) -> Tensor:
    return rearranged(x, [sym(f"_unique{getattr(x, 'id', 0)}")])


unique_index = op("unique_index", type=lambda x: Tensor("array", "i64", type_unique(x).shape), nondiff=POSITION,
                  run=lambda x: np.unique(x, return_index=True)[1], emit="numpy.unique(_0, return_index=True)[1]",
                  cost="dear", samples=lambda: [((np.array([2.0, 1.0, 2.0, 0.5]),), {})])


def unique_back(ct: Operand, x: Operand) -> list[Any]:
    """Of equal elements the first counts."""
    whole, _ = flat(x, None)
    return [reshape_as(store(zeros_of(whole), ct, unique_index(whole), key=("a",)), x)]


def unique_forward(dx: Operand, x: Operand) -> Any:
    return index(flat(dx, None)[0], unique_index(flat(x, None)[0]), key=("a",))


def bind_unique(ar: Any, return_index: Any = False, return_inverse: Any = False,
                return_counts: Any = False) -> tuple[list[Any], dict[str, Any]]:
    return [ar], {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}


def type_uniques(x: Operand, **flags: bool) -> Any:
    """The values, and what else is asked for: positions, or counts."""
    values = type_unique(x)
    if flags.get("return_inverse") and number(x).rank != 1:
        raise TypeMismatch("the inverse of unique is supported for vectors")
    each = Tensor("array", "i64", values.shape)
    more = [Tensor("array", "i64", number(x).shape) if k == "return_inverse" else each for k, v in flags.items() if v]
    return (values, *more) if more else values


def unique_vjp(cts: Any, ys: Any, x: Operand, **flags: bool) -> list[Any]:
    ct = cts[0] if isinstance(cts, (list, tuple)) else cts
    return [None] if ct is None else unique_back(ct, x)


def unique_jvp(tangents: Sequence[Any], ys: Any, x: Operand, **flags: bool) -> Any:
    dy = unique_forward(tangents[0], x)
    return (dy, *[None] * (len(ys) - 1)) if isinstance(ys, tuple) else dy


NO_FLAGS = {"return_index": False, "return_inverse": False, "return_counts": False}
unique = op("unique", "numpy.unique", type=type_uniques, run=np.unique, bind=bind_unique, defaults=NO_FLAGS,
            vjp=unique_vjp, jvp=unique_jvp,
            cost="dear", samples=lambda: [((samples.arrays(s),), flags) for s, flags in (
                ((4,), {}), ((2, 3), {}), ((4,), {"return_inverse": True}),
                ((4,), {"return_index": True, "return_counts": True}))])
