"""Running products and extrema, the range, the weighted average."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.build import Builder
from sct.ir.core import Fn, Op, Operand, builder_var
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import eye, zeros_of
from sct.ops.arrays.indexing import add_at
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.rearrange import along_axes
from sct.ops.arrays.shape import dim, expand_dims, moveaxis, reshape_as, squeeze
from sct.ops.arrays.take import flat, grid, take_along_axis
from sct.ops.arrays.triangles import triu
from sct.ops.linalg.products import matmul
from sct.ops.program.control import cond
from sct.ops.reductions.reductions import (
    aligned,
    all_,
    bind_reduction,
    count,
    extremum_vjp,
    max_,
    min_,
    over_count,
    reduce_op,
    reduction,
    sum_,
)
from sct.ops.reductions.statistics import cumsum, sums_from_end, type_cumsum
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, mul, sub
from sct.ops.scalar.comparison import eq
from sct.ops.scalar.selection import where
from sct.ops.type_rules import Axis, normalize, number, promote, reduced_shape, scalar_or_array

__all__ = ["average", "cumprod", "ptp", "running_max", "running_min"]


# -- cumprod: y[k] = x[0] * ... * x[k] --------------------------------------------------------------------
# dy[k] / dx[i] is y[k] / x[i] for i <= k.  Where an x may be 0 it is the product of the others,
# row i of the upper triangle of the running products with a 1 in place of x[i].


def either(test: Any, then: Callable[[], Operand], orelse: Callable[[], Operand]) -> Any:
    """The one or the other, of one type, by a `cond`."""
    b = builder_var.get()
    assert isinstance(b, Builder)
    branches: list[Fn] = []
    for branch in (then, orelse):
        with b.nested() as inner:
            result = branch()
        branches.append(inner.finish("branch", [], [result]))
    t = branches[0].results[0].type
    (out,) = b.emit(cond, (test,), regions=branches, types=[t])
    return out


def slopes(x: Operand) -> Any:
    """[..., i, k]: the derivative of the running product at k by element i, along the last axis."""
    one = eye(dim(x, axis=-1), dtype="b1")
    return triu(cumprod(where(one, 1.0, expand_dims(x, axis=-2)), axis=-1))


def lined(x: Operand, k: int) -> Any:
    """x with axis k last."""
    return x if k == number(x).rank - 1 else moveaxis(x, source=k, destination=-1)


def unlined(x: Operand, k: int) -> Any:
    return x if k == number(x).rank - 1 else moveaxis(x, source=-1, destination=k)


def cumprod_vjp(ct: Operand, y: Operand, x: Operand, axis: int | None = None) -> list[Any]:
    whole, k = flat(x, axis)

    def others() -> Any:
        rows, seeds = lined(whole, k), lined(ct, k)
        if number(rows).rank == 1:
            return matmul(slopes(rows), seeds)
        return unlined(squeeze(matmul(slopes(rows), expand_dims(seeds, axis=-1)), axis=-1), k)

    dx = either(all_(whole), lambda: div(sums_from_end(mul(ct, y), k), whole), others)
    return [reshape_as(dx, x)]


def cumprod_jvp(tangents: Sequence[Any], y: Operand, x: Operand, axis: int | None = None) -> Any:
    (whole, k), (dx, _) = flat(x, axis), flat(tangents[0], axis)

    def others() -> Any:
        rows, moving = lined(whole, k), lined(dx, k)
        if number(rows).rank == 1:
            return matmul(moving, slopes(rows))
        return unlined(squeeze(matmul(expand_dims(moving, axis=-2), slopes(rows)), axis=-2), k)

    return either(all_(whole), lambda: mul(y, cumsum(div(dx, whole), axis=k if number(y).rank > 1 else None)), others)


def factors() -> Iterable[samples.Sample]:
    yield from along_axes()
    yield (np.array([1.5, 0.0, -2.0]),), {"axis": 0}
    yield (np.array([[1.5, 0.0, -2.0], [0.5, 2.0, 1.0]]),), {"axis": 1}
    yield (np.array([[0.0, 0.0, -2.0], [0.5, 2.0, 1.0]]),), {"axis": 0}
    yield (samples.arrays((4,), dtype="f4"),), {}


cumprod: Op = op("cumprod", "numpy.cumprod .cumprod", type=type_cumsum, run=np.cumprod, defaults={"axis": None},
                 bind=lambda a, axis=None: ([a], {"axis": axis}), vjp=cumprod_vjp, jvp=cumprod_jvp, samples=factors,
                 complex=True, layout="operands")


# -- running extrema: of equal elements the last counts ---------------------------------------------------------


def running(name: str, ufunc: str) -> Op:
    call = getattr(np, ufunc).accumulate

    def positions(y: Operand, x: Operand, axis: int) -> Any:
        """Where the extremum so far was attained."""
        rank = number(x).rank
        order = arange(dim(x, axis=axis))
        others = tuple(j for j in range(rank) if j != axis % rank)
        placed = expand_dims(order, axis=others[0] if len(others) == 1 else others) if others else order
        return running_max(where(eq(x, y), placed, 0), axis=axis)

    def vjp(ct: Operand, y: Operand, x: Operand, axis: int = 0) -> list[Any]:
        names, operands = grid(positions(y, x, axis), x, axis % number(x).rank)
        return [add_at(zeros_of(x), ct, *operands, key=names)]

    return op(name, type=lambda x, axis=0: type_cumsum(x, axis), run=lambda x, axis=0: call(x, axis=axis),
              emit=lambda x, axis=0: f"numpy.{ufunc}.accumulate(_0{', axis=_axis' if axis else ''})",
              defaults={"axis": 0}, vjp=vjp,
              jvp=lambda tangents, y, x, axis=0: take_along_axis(tangents[0], positions(y, x, axis), axis=axis),
              samples=lambda: [((samples.arrays(s),), {"axis": a}) for s, a in (((5,), 0), ((2, 4), 1), ((3, 2), 0))])


running_max: Op = running("running_max", "maximum")
running_min: Op = running("running_min", "minimum")


# -- ptp ------------------------------------------------------------------------------------------------------------


def ptp_vjp(ct: Operand, y: Operand, x: Operand, **attrs: Any) -> list[Any]:
    (top,), (bottom,) = (extremum_vjp(ct, best(x, **attrs), x, **attrs) for best in (max_, min_))
    return [sub(top, bottom)]


ptp = reduce_op("ptp", "numpy.ptp", np.ptp, vjp=ptp_vjp, raises="shape")


# -- average -----------------------------------------------------------------------------------------


def bind_average(a: Any, axis: Any = None, weights: Any = None, *,
                 keepdims: Any = False) -> tuple[list[Any], dict[str, Any]]:
    operands, attrs = bind_reduction(a, axis, keepdims=keepdims)
    return (operands if weights is None else [*operands, weights]), attrs


def type_average(x: Operand, *weights: Operand, axis: Axis = None, keepdims: bool = False) -> Tensor:
    if not weights:
        return reduction(np.average)(x, axis, keepdims)
    (w,) = map(number, weights)
    if w.rank != number(x).rank and not (w.rank == 1 and isinstance(axis, int)):
        raise TypeMismatch("the weights of an average have the shape of the array, or of one axis")
    dtypes = promote([number(x), w], np.divide)
    return scalar_or_array(dtypes, reduced_shape(number(x).shape, axis, keepdims))


def spread(w: Operand, x: Operand, axis: Axis) -> Any:
    """The weights, so that they broadcast against x."""
    rank = number(x).rank
    if number(w).rank == rank:
        return w
    (k,) = normalize(axis, rank)
    return w if k == rank - 1 else expand_dims(w, axis=tuple(range(1, rank - k)) if rank - k > 2 else 1)


def average_vjp(ct: Operand, y: Operand, x: Operand, *weights: Operand, axis: Axis = None,
                keepdims: bool = False) -> list[Any]:
    if not weights:
        return [over_count(aligned(ct, x, axis, keepdims), count(x, axis))]
    (w,) = weights
    each = spread(w, x, axis)
    share = aligned(div(ct, total(each, x, axis, keepdims)), x, axis, keepdims)
    dw = mul(share, sub(x, aligned(y, x, axis, keepdims)))
    if number(w).rank != number(x).rank:
        (k,) = normalize(axis, number(x).rank)
        rest = tuple(j for j in range(number(x).rank) if j != k)
        dw = sum_(dw, axis=rest[0] if len(rest) == 1 else rest)
    return [mul(share, each), dw]


def total(each: Operand, x: Operand, axis: Axis, keepdims: bool) -> Any:
    """The sum of the weights."""
    whole = each if number(each).shape == number(x).shape else add(each, zeros_of(x))
    return sum_(whole, axis=axis, keepdims=keepdims)


def run_average(x: Any, *weights: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    call: Any = np.average
    return call(x, axis=axis, weights=weights[0] if weights else None, keepdims=keepdims)


def emit_average(x: Operand, *weights: Operand, axis: Axis = None, keepdims: bool = False) -> str:
    keywords = ["axis=_axis"] * (axis is not None) + ["keepdims=True"] * keepdims
    return f"numpy.average({', '.join(['_0', *keywords, *(['weights=_1'] if weights else [])])})"


def averages() -> Iterable[samples.Sample]:
    x, w = samples.arrays((2, 3)), samples.arrays((2, 3), 0.5, 2.0, seed=1)
    for axis in (None, 0, -1):
        yield (x,), {"axis": axis}
        yield (x, w), {"axis": axis}
        yield (x, w), {"axis": axis, "keepdims": True}
    yield (x, samples.arrays((2,), 0.5, 2.0)), {"axis": 0}
    yield (x, samples.arrays((3,), 0.5, 2.0)), {"axis": 1}
    yield (samples.arrays((2, 3, 2)), samples.arrays((2,), 0.5, 2.0)), {"axis": 0}
    yield (samples.arrays((4,), dtype="f4"), samples.arrays((4,), 0.5, 2.0, dtype="f4")), {}


average = op("average", "numpy.average", type=type_average, run=run_average, bind=bind_average, emit=emit_average,
             vjp=average_vjp, defaults={"axis": None, "keepdims": False}, raises="value",
             samples=averages, complex=True)
