"""Differences of neighbours along an axis, and the trapezoidal rule.

The transpose of a difference is the negative difference of what is framed by zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim, slice_len
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import np_promote
from sct.ops.arrays.creation import strong, zeros_of
from sct.ops.arrays.indexing import add_at, index, join
from sct.ops.arrays.shape import dim, expand_dims, reshape_as
from sct.ops.linalg.products import bilinear
from sct.ops.reductions.reductions import aligned, sum_
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.type_rules import normalize, number, promote, scalar_or_array, size_dim

__all__ = ["diff", "ediff1d", "gradient", "trapezoid"]


# -- parts along an axis --------------------------------------------------------------------------


def part(x: Operand, axis: int, at: Any) -> Any:
    """x[..., at, ...]"""
    key, operands = join([*[slice(None)] * axis, at])
    return index(x, *operands, key=key)


def add_part(x: Operand, v: Operand, axis: int, at: Any) -> Any:
    """x with x[..., at, ...] += v"""
    key, operands = join([*[slice(None)] * axis, at])
    return add_at(x, v, *operands, key=key)


FIRST, LAST = slice(None, -1), slice(1, None)


# -- diff -----------------------------------------------------------------------------------------


def framed(a: Operand, ends: Sequence[Operand], axis: int) -> Dim:
    """The size of a between its ends; a number is one element."""
    size = number(a).shape[axis]
    for x in ends:
        size = size + (number(x).shape[axis] if number(x).rank else 1)
    return size


def type_diff(a: Operand, *ends: Operand, n: int = 1, axis: int = -1, prepend: bool = False,
              append: bool = False) -> Tensor:
    shape = list(number(a).shape)
    (k,) = normalize(axis, len(shape))
    if n < 0 or any(number(x).rank not in (0, len(shape)) for x in ends):
        raise TypeMismatch("diff: the order is negative, or `prepend` or `append` has another rank")
    shape[k] = framed(a, ends, k)
    for _ in range(n):
        shape[k] = slice_len(shape[k], Dim(1), None)
    return Tensor("array", np_promote([strong(number(x)) for x in (a, *ends)]), tuple(shape))


def frame(ends: Sequence[Any], prepend: bool, append: bool) -> dict[str, Any]:
    return {name: x for name, x in zip([*["prepend"] * prepend, *["append"] * append], ends)}


def run_diff(a: Any, *ends: Any, n: int = 1, axis: int = -1, prepend: bool = False, append: bool = False) -> Any:
    return np.diff(a, n, axis, **frame(ends, prepend, append))


def emit_diff(a: Operand, *ends: Operand, n: int = 1, axis: int = -1, prepend: bool = False,
              append: bool = False) -> str:
    keywords = [*["n=_n"] * (n != 1), *["axis=_axis"] * (axis != -1)]
    keywords += [f"{name}=_{k}" for k, name in enumerate(frame(ends, prepend, append), start=1)]
    return f"numpy.diff({', '.join(['_0', *keywords])})"


def bind_diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    ends = [x for x in (prepend, append) if x is not None]
    return [a, *ends], {"n": n, "axis": axis, "prepend": prepend is not None, "append": append is not None}


def diff_transposed(ct: Operand, a: Operand, *ends: Operand, n: int = 1, axis: int = -1, prepend: bool = False,
                    append: bool = False) -> list[Any]:
    (k,) = normalize(axis, number(a).rank)
    for _ in range(n):
        ct = between_zeros(ct, axis)
    ct = neg(ct) if n % 2 else ct
    if not ends:
        return [ct]
    before = size_of_end(ends[0], k) if prepend else None
    after = neg(size_of_end(ends[-1], k)) if append else None
    cts = [part(ct, k, slice(before, after))]
    for x, at in zip(ends, [*[slice(None, before)] * prepend, *[slice(after, None)] * append]):
        end_ct = part(ct, k, at)
        cts.append(end_ct if number(x).rank else sum_(end_ct))
    return cts


def between_zeros(x: Operand, axis: int) -> Any:
    """The differences of 0, x, 0"""
    (k,) = normalize(axis, number(x).rank)
    return diff(x, 0.0, 0.0, n=1, axis=-1 if k == number(x).rank - 1 else k, prepend=True, append=True)


def size_of_end(x: Operand, axis: int) -> Any:
    n = number(x).shape[axis].value if number(x).rank else 1
    return Lit(n) if n is not None else dim(x, axis=axis)


def diffs() -> list[samples.Sample]:
    x = samples.arrays((3, 4))
    cases: list[samples.Sample] = [((x,), {"n": n, "axis": axis}) for n in (0, 1, 2) for axis in (0, -1)]
    cases += [((samples.arrays(s),), {"n": n}) for s, n in (((5,), 3), ((1,), 1))]
    cases += [((samples.arrays((4,), dtype="f4"),), {})]
    v, w = samples.arrays((3, 2), seed=1), samples.arrays((3, 1), seed=2)
    cases += [((x, 0.5, 1.5), {"prepend": True, "append": True}), ((x, v), {"append": True, "n": 2})]
    return [*cases, ((x, v, w), {"prepend": True, "append": True}), ((x, 0.5), {"prepend": True, "axis": 0})]


diff: Op = op("diff", "numpy.diff", type=type_diff, run=run_diff, emit=emit_diff, bind=bind_diff, samples=diffs,
              defaults={"n": 1, "axis": -1, "prepend": False, "append": False}, linear=diff_transposed,
              alias=lambda a, *ends, n=1, **_: "same" if n == 0 else "none")


ediff1d = op("ediff1d", "numpy.ediff1d", run=np.ediff1d, bind=lambda ary: ([ary], {}),
             type=lambda a: Tensor("array", strong(number(a)), (slice_len(size_dim(number(a).shape), Dim(1), None),)),
             linear=lambda ct, a: [reshape_as(neg(between_zeros(ct, -1)), a)],
             samples=lambda: [((samples.arrays(s),), {}) for s in ((4,), (2, 3), (1,))])


# -- trapezoid ------------------------------------------------------------------------------------
# The points x are an array (spaced=True), or their distance is a number; linear in both operands.


def type_trapezoid(y: Operand, x: Operand, axis: int = -1, spaced: bool = False) -> Tensor:
    shape = number(y).shape
    (k,) = normalize(axis, len(shape))
    if spaced and number(x).rank not in (1, len(shape)) or not spaced and number(x).rank:
        raise TypeMismatch("trapezoid: the points are a vector or an array like the values, their distance a number")
    dtypes = {d if d[0] in "fc" else "f64" for d in promote([number(x), number(y)], np.multiply)}
    return scalar_or_array(dtypes, (*shape[:k], *shape[k + 1:]))


def run_trapezoid(y: Any, x: Any, axis: int = -1, spaced: bool = False) -> Any:
    return np.trapezoid(y, x, axis=axis) if spaced else np.trapezoid(y, dx=x, axis=axis)


def emit_trapezoid(y: Operand, x: Operand, axis: int = -1, spaced: bool = False) -> str:
    spacing = ["_1"] if spaced else [] if x == Lit(1.0) else ["dx=_1"]
    return f"numpy.trapezoid({', '.join(['_0', *spacing, *['axis=_axis'] * (axis != -1)])})"


def bind_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> tuple[list[Any], dict[str, Any]]:
    return [y, dx if x is None else x], {"axis": axis, "spaced": x is not None}


def trapezoid_transposed(ct: Operand, y: Operand, x: Operand, axis: int = -1, spaced: bool = False) -> list[Any]:
    """Half of each step goes to the values at its two ends."""
    rank = number(y).rank
    (k,) = normalize(axis, rank)
    share = mul(0.5, aligned(ct, y, axis, keepdims=False) if rank > 1 else ct)
    steps = x if not spaced else along(diff(x, axis=-1 if k == rank - 1 or number(x).rank == 1 else k), k, rank)
    weight = mul(share, steps)
    dy = add_part(add_part(zeros_for(y, weight), weight, k, LAST), weight, k, FIRST)
    heights = mul(share, add(part(y, k, LAST), part(y, k, FIRST)))
    if not spaced:
        return [dy, heights]
    others = tuple(j for j in range(rank) if j != k)
    if number(x).rank < rank:
        heights, k = sum_(heights, axis=others), 0
    return [dy, neg(between_zeros(heights, k))]


def zeros_for(x: Operand, summand: Operand) -> Any:
    """Zeros like x to which `summand` can be added, complex if it is."""
    becomes_complex = number(summand).kind == "c" != number(x).kind
    return zeros_of(x, dtype=strong(number(summand))) if becomes_complex else zeros_of(x)


def along(x: Operand, axis: int, rank: int) -> Any:
    """A vector as an array of this rank, along the axis."""
    after = tuple(range(1, rank - axis))
    return expand_dims(x, axis=after) if number(x).rank == 1 and after else x


def trapezoids() -> list[samples.Sample]:
    y, x = samples.arrays((3, 4)), np.array([0.0, 0.5, 1.5, 1.75])
    cases: list[samples.Sample] = [((y, 1.0), {"axis": k}) for k in (-1, 0)]
    cases += [((y, x), {"spaced": True}), ((y, x[:3]), {"spaced": True, "axis": 0}), ((x, x + 1.0), {"spaced": True})]
    cases += [((y, samples.arrays((3, 4), seed=1)), {"spaced": True, "axis": k}) for k in (-1, 0)]
    return [*cases, ((samples.arrays((4,)), 0.5), {}), ((samples.arrays((4,), dtype="f4"), np.float32(0.5)), {})]


trapezoid = bilinear("trapezoid", "numpy.trapezoid", type_trapezoid, trapezoid_transposed, run=run_trapezoid,
                     emit=emit_trapezoid, bind=bind_trapezoid, defaults={"axis": -1, "spaced": False},
                     samples=trapezoids)


# -- gradient: the results are one for each axis ------------------------------------------------------
# A step is a number, or a vector of the points.  Between points that are h apart the slope is s; at a
# point it is the mean of the two slopes beside it, each with the step of the other as weight.


def axes_of(f: Operand, axis: Any) -> tuple[int, ...]:
    """The axes in the order of the results."""
    rank = number(f).rank
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    normalize(tuple(axes), rank)
    return tuple(k % rank for k in axes)


def steps_of(hs: Sequence[Operand], count: int) -> list[Operand]:
    return list(hs) if len(hs) == count else list(hs) * count


def type_gradient(f: Operand, *hs: Operand, axis: Any = None, edge_order: int = 1) -> Any:
    if any(number(h).kind == "c" for h in hs):
        raise TypeMismatch("the points of numpy.gradient must be real")
    axes = axes_of(f, axis)
    uneven = any(number(h).rank for h in hs)
    if any(number(h).rank > 1 for h in hs) or len(hs) != len(axes) and (len(hs) != 1 or uneven):
        raise TypeMismatch("gradient takes one distance, or for each axis a distance or a vector of points")
    if edge_order != 1 and (uneven or edge_order != 2):
        raise TypeMismatch("gradient takes edge_order 1, or 2 where the steps are even")
    dtype = strong(number(f))
    t = Tensor("array", dtype if dtype[0] in "fc" else "f64", number(f).shape)
    return t if len(axes) == 1 else (t,) * len(axes)


def bind_gradient(f: Any, *hs: Any, axis: Any = None, edge_order: Any = 1) -> tuple[list[Any], dict[str, Any]]:
    return [f, *(hs or (1.0,))], {"axis": tuple(axis) if isinstance(axis, list) else axis, "edge_order": edge_order}


def gradient_vjp(cts: Any, ys: Any, f: Operand, *hs: Operand, axis: Any = None, edge_order: int = 1) -> list[Any]:
    axes = axes_of(f, axis)
    several = zip(axes, *((cts, ys) if len(axes) > 1 else ([cts], [ys])), steps_of(hs, len(axes)))
    df: Any = zeros_for(f, next(ct for ct in (cts if len(axes) > 1 else [cts]) if ct is not None))
    dhs: list[Any] = []
    for k, ct, y, h in several:
        if ct is None:
            dhs.append(None)
        elif number(h).rank:
            more, dh = uneven_back(ct, y, f, h, k)
            df, dhs = add(df, more), [*dhs, dh]
        else:
            df, dhs = spread_along(df, div(ct, h), k, edge_order), [*dhs, neg(div(sum_(mul(ct, y)), h))]
    if len(hs) == len(axes):
        return [df, *dhs]
    return [df, reduce(add, [d for d in dhs if d is not None])]


def spread_along(df: Operand, g: Operand, k: int, edge_order: int) -> Any:
    """df and the differences of g along the axis k: central ones, others at the edges."""
    inner = mul(0.5, part(g, k, slice(1, -1)))
    df = add_part(add_part(df, inner, k, slice(2, None)), neg(inner), k, slice(None, -2))
    weights = {1: (-1.0, 1.0), 2: (-1.5, 2.0, -0.5)}[edge_order]
    for end, step in ((0, 1), (-1, -1)):
        edge = part(g, k, end)
        for j, w in enumerate(weights):
            df = add_part(df, mul(w * step, edge), k, end + j * step)
    return df


def gradient_jvp(tangents: Sequence[Any], ys: Any, f: Operand, *hs: Operand, axis: Any = None,
                 edge_order: int = 1) -> Any:
    df, *dhs = tangents
    axes = axes_of(f, axis)
    slopes: list[Any] = [None] * len(axes)
    if df is not None:
        moved = gradient(df, *hs, axis=axis, edge_order=edge_order)
        slopes = list(moved) if len(axes) > 1 else [moved]
    steps = zip(ys if len(axes) > 1 else [ys], steps_of(hs, len(axes)), steps_of(dhs, len(axes)))
    for k, (y, h, dh) in enumerate(steps):
        if dh is not None and number(h).rank:
            more = uneven_along(dh, y, f, h, axes[k])
            slopes[k] = more if slopes[k] is None else add(slopes[k], more)
        elif dh is not None:
            less = div(mul(dh, y), h)
            slopes[k] = neg(less) if slopes[k] is None else sub(slopes[k], less)
    return slopes if len(axes) > 1 else slopes[0]


def slopes(f: Operand, x: Operand, k: int) -> tuple[Any, Any, Any]:
    """The steps h, the slopes s, and the sums of neighbouring steps."""
    rank = number(f).rank
    h = along(diff(x), k, rank)
    at = k if number(h).rank == rank else 0
    return h, div(diff(f, axis=-1 if k == rank - 1 else k), h), add(part(h, at, FIRST), part(h, at, LAST))


def own(h: Operand, f: Operand, k: int) -> int:
    """The axis of the steps that belongs to the axis k of f."""
    return k if number(h).rank == number(f).rank else 0


def uneven_back(ct: Operand, y: Operand, f: Operand, x: Operand, k: int) -> tuple[Any, Any]:
    """The cotangents of f and of the points."""
    h, s, both = slopes(f, x, k)
    at = own(h, f, k)
    share = div(part(ct, k, slice(1, -1)), both)
    ds = add_part(add_part(zeros_for(s, share), mul(share, part(h, at, LAST)), k, FIRST),
                  mul(share, part(h, at, FIRST)), k, LAST)
    ds = div(add_part(add_part(ds, part(ct, k, 0), k, 0), part(ct, k, -1), k, -1), h)
    inner = part(y, k, slice(1, -1))
    dh = add_part(neg(mul(ds, s)), mul(share, sub(part(s, k, LAST), inner)), k, FIRST)
    dh = add_part(dh, mul(share, sub(part(s, k, FIRST), inner)), k, LAST)
    others = tuple(j for j in range(number(f).rank) if j != k)
    return neg(between_zeros(ds, k)), neg(between_zeros(sum_(dh, axis=others) if others else dh, -1))


def uneven_along(dx: Operand, y: Operand, f: Operand, x: Operand, k: int) -> Any:
    """The tangent along one of the points."""
    h, s, both = slopes(f, x, k)
    at = own(h, f, k)
    dh = along(diff(dx), k, number(f).rank)
    ds = neg(div(mul(s, dh), h))
    inner = part(y, k, slice(1, -1))
    moved = [sub(part(s, k, LAST), inner), sub(part(s, k, FIRST), inner)]
    total = add(mul(moved[0], part(dh, at, FIRST)), mul(moved[1], part(dh, at, LAST)))
    total = add(total, add(mul(part(h, at, LAST), part(ds, k, FIRST)), mul(part(h, at, FIRST), part(ds, k, LAST))))
    inside = add_part(zeros_for(y, total), div(total, both), k, slice(1, -1))
    return add_part(add_part(inside, part(ds, k, 0), k, 0), part(ds, k, -1), k, -1)


def emit_gradient(f: Operand, *hs: Operand, axis: Any = None, edge_order: int = 1) -> str:
    texts = [] if hs == (Lit(1.0),) else list(placeholders(1 + len(hs), 1))
    texts += [*["axis=_axis"] * (axis is not None), *["edge_order=_edge_order"] * (edge_order != 1)]
    return f"numpy.gradient({', '.join(['_0', *texts])})"


def gradients() -> list[samples.Sample]:
    x = samples.arrays((3, 4))
    cases: list[samples.Sample] = [((x, 0.5), {"axis": k, "edge_order": e}) for k in (0, -1, None) for e in (1, 2)]
    cases += [((samples.arrays((5,)), 0.5), {"edge_order": e}) for e in (1, 2)]
    points = np.array([0.0, 0.5, 1.75, 2.0])
    cases += [((samples.arrays((4,)), points), {}), ((x, 0.5, points), {}), ((x, points[:3]), {"axis": 0})]
    return [*cases, ((x, 0.5, 2.0), {}), ((x, 0.5), {"axis": (1, 0)})]


gradient: Op = op("gradient", "numpy.gradient", type=type_gradient, emit=emit_gradient, bind=bind_gradient,
                  run=lambda f, *hs, axis=None, edge_order=1: np.gradient(f, *hs, axis=axis, edge_order=edge_order),
                  vjp=gradient_vjp, jvp=gradient_jvp, defaults={"axis": None, "edge_order": 1}, raises="value",
                  linear_in=(0,), samples=gradients, complex=True)
