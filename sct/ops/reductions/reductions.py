"""Reductions over axes, and the broadcasts that transpose them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Elements, Lit, Op, Operand
from sct.ir.types import ANY_REAL, ANY_SINGLE, Tensor, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.creation import eye, strong
from sct.ops.arrays.shape import (
    broadcast_elements,
    dim,
    expand_dims,
    moveaxis,
    ravel,
    reshape,
    reshape_as,
    shape_of,
    size,
    transpose,
)
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, mul, quotient
from sct.ops.scalar.comparison import TRUTH, eq
from sct.ops.scalar.selection import maximum, minimum, where
from sct.ops.type_rules import Axis, normalize, number, probe, reduced_shape, scalar_or_array

__all__ = [
    "all_", "any_", "argmax", "argmin", "expand_like", "max_", "mean", "min_", "others", "prod", "sum_",
    "unbroadcast_like",
]

REDUCED = {"axis": None, "keepdims": False}


def reduction(call: Callable[..., Any], of_something: bool = False) -> Callable[..., Tensor]:
    """The type of a reduction, which must be `of_something`; its dtype is asked of NumPy."""

    def rule(x: Operand, axis: Axis = None, keepdims: bool = False) -> Tensor:
        t = number(x)
        dtypes = {probe(call, d) for d in readings(t)}
        note_size_requirement(not of_something or all(t.shape[k].least > 0 for k in normalize(axis, t.rank)))
        return scalar_or_array(dtypes, reduced_shape(t.shape, axis, keepdims))

    return rule


def readings(t: Tensor) -> list[str]:
    """The dtypes that NumPy may see."""
    return ["f64", "f32"] if t in (ANY_REAL, ANY_SINGLE) else [strong(t)]


def bind_reduction(a: Any, axis: Any = None, *, keepdims: Any = False) -> tuple[list[Any], dict[str, Any]]:
    return [a], {"axis": tuple(axis) if isinstance(axis, (tuple, list)) else axis, "keepdims": keepdims}


def totalled(op_: Op, start: float | None) -> Callable[..., Any]:
    """The rule `elements` of the reduction by a binary op."""

    def elements(e: Elements, at: Sequence[Any], x: Operand, axis: Axis = None, keepdims: bool = False) -> Any:
        rank = number(x).rank
        gone = normalize(axis, rank)
        kept = [i for k, i in enumerate(at) if not keepdims or k not in gone]

        def term(*inner: Operand) -> Any:
            along, rest = iter(inner), iter(kept)
            return e.read(x, [next(along) if k in gone else next(rest) for k in range(rank)])

        first = None if start is None else Lit(int(start) if number(x).kind in "bi" else start)
        return e.total(op_, first, [e.size(x, k) for k in gone], term)

    return elements


def mean_elements(e: Elements, at: Sequence[Any], x: Operand, axis: Axis = None, keepdims: bool = False) -> Any:
    total = totalled(add, 0.0)(e, at, x, axis, keepdims)
    sizes = [e.size(x, k) for k in normalize(axis, number(x).rank)]
    return div(total, functools.reduce(mul, sizes))


def reduce_op(name: str, calls: str, call: Callable[..., Any], **fields: Any) -> Op:
    fields.setdefault("samples", samples.reductions())
    rule = reduction(call, fields.get("raises") == "shape")
    return op(name, calls, type=rule, run=call, bind=bind_reduction, defaults=REDUCED, **fields)


# -- broadcasting back --------------------------------------------------------------------------


def type_expand_like(ct: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> Tensor:
    t = number(x)
    if not t.is_array:
        return number(ct)
    normalize(axis, t.rank)
    if number(ct).is_scalar:
        single = number(ct).dtype == "c64"
        return Tensor("array", ("c64" if single else "c128") if becomes_complex(ct, x) else t.dtype, t.shape)
    return Tensor("array", number(ct).dtype, t.shape)


def becomes_complex(ct: Operand, x: Operand) -> bool:
    """Is this a complex number that is to fill an array like a real one?"""
    return number(ct).kind == "c" and number(ct).is_scalar and number(x).kind != "c"


def run_expand_like(ct: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    if not isinstance(x, np.ndarray):
        return ct
    if not isinstance(ct, np.ndarray):
        return np.full(x.shape, ct) if np.iscomplexobj(ct) and not np.iscomplexobj(x) else np.full_like(x, ct)
    aligned = ct if aligned_already(axis, keepdims) else np.expand_dims(ct, normalize(axis, x.ndim))
    return np.broadcast_to(aligned, x.shape)


def aligned_already(axis: Axis, keepdims: bool) -> bool:
    """Does the result of a reduction broadcast against its operand as it is?"""
    return axis is None or keepdims


def emit_expand_like(ct: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> str:
    t = number(x)
    if not t.is_array:
        return "_0"
    if becomes_complex(ct, x):
        return "numpy.full(_1.shape, _0)"
    if number(ct).is_scalar:
        return "numpy.ones_like(_1)" if ct == Lit(1.0) else "numpy.full_like(_1, _0)"
    gone = normalize(axis, t.rank)
    if aligned_already(axis, keepdims) or gone == tuple(range(len(gone))):
        return "numpy.broadcast_to(_0, _1.shape)"
    return f"numpy.broadcast_to(numpy.expand_dims(_0, {gone[0] if len(gone) == 1 else gone}), _1.shape)"


def expand_like_elements(e: Elements, at: Sequence[Any], ct: Operand, x: Operand, axis: Axis = None,
                         keepdims: bool = False) -> Operand:
    if number(ct).is_scalar:
        return ct
    gone = () if aligned_already(axis, keepdims) else normalize(axis, len(at))
    return broadcast_elements(e, [i for k, i in enumerate(at) if k not in gone], ct)


def expand_like_transposed(ct: Operand, a: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> list[Any]:
    """Where only sizes of 1 are broadcast, un-broadcasting is the driver's."""
    return [ct if aligned_already(axis, keepdims) else sum_(ct, axis=axis), None]


def expansions() -> Iterable[samples.Sample]:
    for (x,), attrs in samples.reductions()():
        yield (np.sum(x, **attrs), x), attrs
    yield (1.5, samples.arrays((2, 3))), REDUCED


expand_like = op("expand_like", type=type_expand_like, run=run_expand_like, defaults=REDUCED, inactive=(1,),
                 shapes=(1,), emit=emit_expand_like, linear=expand_like_transposed, samples=expansions,
                 readonly=lambda ct, x, **_: number(ct).is_array, elements=expand_like_elements,
                 alias=lambda ct, x, **_: "view" if number(ct).is_array else "none")


def run_unbroadcast_like(ct: Any, x: Any) -> Any:
    return np.sum(ct, axis=tuple(k for k, n in enumerate(x.shape) if n == 1), keepdims=True)


def emit_unbroadcast_like(ct: Operand, x: Operand) -> str:
    if number(x).rank == 1:
        return "numpy.sum(_0, keepdims=True) if _1.size == 1 else _0"
    return "numpy.sum(_0, axis=tuple(k for k, n in enumerate(_1.shape) if n == 1), keepdims=True)"


unbroadcast_like = op("unbroadcast_like", run=run_unbroadcast_like, inactive=(1,), emit=emit_unbroadcast_like,
                      shapes=(1,), type=lambda ct, x: Tensor("array", number(ct).dtype, number(x).shape), alias="maybe",
                      linear=lambda ct, a, x: [expand_like(ct, a, axis=None, keepdims=True), None],
                      samples=lambda: [((samples.arrays((2, 3)), np.ones(s)), {})
                                       for s in ((2, 1), (1, 3), (1, 1), (2, 3))])


# -- sums and means -------------------------------------------------------------------------------

sum_ = reduce_op("sum", "numpy.sum .sum", np.sum, linear=lambda ct, x, **a: [expand_like(ct, x, **a)],
                 elements=totalled(add, 0.0))


def count(x: Operand, axis: Axis) -> Any:
    """How many elements are reduced to one, a literal where that is known."""
    shape = number(x).shape
    gone = normalize(axis, len(shape))
    factors = [n for k in gone if (n := shape[k].value) is not None]
    n_elements: Any = math.prod(factors) if factors or not gone else None
    unknown = [k for k in gone if shape[k].value is None]
    if n_elements is None and len(gone) == len(shape) > 1:
        return size(x)
    for k in unknown:
        n_elements = dim(x, axis=k) if n_elements is None else mul(n_elements, dim(x, axis=k))
    return n_elements


def over_count(a: Any, n: Any) -> Any:
    """a / n; of no elements the mean is nan, and nothing raises."""
    positive = n > 0 if isinstance(n, int) else n.dim is not None and n.dim.least > 0
    return div(a, n) if positive else quotient(a, n, edge=math.nan)


def mean_transposed(ct: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> list[Any]:
    return [expand_like(over_count(ct, count(x, axis)), x, axis=axis, keepdims=keepdims)]


mean = reduce_op("mean", "numpy.mean .mean", np.mean, linear=mean_transposed, elements=mean_elements)


# -- extrema: the cotangent is split evenly over ties ------------------------------------------------


def aligned(y: Operand, x: Operand, axis: Axis, keepdims: bool) -> Any:
    """The result of a reduction of x, so that it broadcasts against x."""
    if aligned_already(axis, keepdims):
        return y
    gone = normalize(axis, number(x).rank)
    return expand_dims(y, axis=gone[0] if len(gone) == 1 else gone)


def attained_by(y: Operand, x: Operand, axis: Axis = None, keepdims: bool = False, may_be_empty: bool = False
                ) -> tuple[Any, Any]:
    """Which elements of x attain its extremum y, and how many do: none does if y is nan."""
    attained = eq(x, aligned(y, x, axis, keepdims))
    times = sum_(attained, axis=axis, keepdims=keepdims)
    return attained, maximum(times, 1) if may_be_empty else times


def extremum_vjp(ct: Operand, y: Operand, x: Operand, axis: Axis = None, keepdims: bool = False,
                 may_be_empty: bool = False) -> list[Any]:
    attained, times = attained_by(y, x, axis, keepdims, may_be_empty)
    share = div(ct, times)
    return [where(attained, aligned(share, x, axis, keepdims), 0.0)]


max_ = reduce_op("max", "numpy.max numpy.amax .max", np.max, vjp=extremum_vjp, raises="shape", complex=True,
                 elements=totalled(maximum, None))
min_ = reduce_op("min", "numpy.min numpy.amin .min", np.min, vjp=extremum_vjp, raises="shape", complex=True,
                 elements=totalled(minimum, None))


# -- products ---------------------------------------------------------------------------------------
# `others(x)` holds, for each element, the product of the others along the last axis: the
# derivative of the product, zeros or not.  Its own derivative is made of `others` of a
# matrix in which row i has a 1 in place of element i.


def run_others(x: Any) -> Any:
    one = np.ones_like(x[..., :1])
    left = np.cumprod(np.concatenate((one, x[..., :-1]), axis=-1), axis=-1)
    right = np.cumprod(np.concatenate((one, x[..., :0:-1]), axis=-1), axis=-1)
    return left * right[..., ::-1]


def emit_others(x: Operand) -> str:
    at, along = ("", "") if number(x).rank == 1 else ("..., ", ", axis=-1")
    one = f"numpy.ones_like(_0[{at}:1])"
    left = f"numpy.cumprod(numpy.concatenate(({one}, _0[{at}:-1]){along}){along})"
    return f"{left} * numpy.cumprod(numpy.concatenate(({one}, _0[{at}:0:-1]){along}){along})[{at}::-1]"


def pair_products(x: Operand) -> Any:
    """[..., i, j]: the product of all but elements i and j; 0 on the diagonal."""
    diagonal = eye(dim(x, axis=-1), dtype="b1")
    rows = where(diagonal, 1.0, expand_dims(x, axis=-2))
    return where(diagonal, 0.0, others(rows))


def others_back(ct: Operand, y: Operand, x: Operand) -> list[Any]:
    return [sum_(mul(expand_dims(ct, axis=-1), pair_products(x)), axis=-2)]


def with_zeros() -> Iterable[samples.Sample]:
    yield (np.array([1.5, 0.0, -2.0]),), {}
    yield (np.array([0.0, 3.0, 0.0, 2.0]),), {}
    yield (samples.arrays((2, 3)),), {}
    yield (samples.arrays((2, 3), dtype="f4"),), {}
    yield (np.zeros((2, 0)),), {}


others = op("others", type=lambda x: number(x), run=run_others, emit=emit_others, vjp=others_back,
            cost="dear", samples=with_zeros, complex=True)


def lines(x: Operand, axis: Axis) -> Any:
    """x with the axes to be reduced as one, the last."""
    rank = number(x).rank
    gone = normalize(axis, rank)
    if len(gone) == rank:
        return ravel(x) if rank > 1 else x
    if len(gone) == 1:
        return x if gone[0] == rank - 1 else moveaxis(x, source=gone[0], destination=-1)
    moved = transpose(x, axes=last(gone, rank))
    return reshape(moved, *shape_of(moved)[:rank - len(gone)], -1)


def unlines(along: Operand, x: Operand, axis: Axis) -> Any:
    """The inverse of `lines`."""
    rank = number(x).rank
    gone = normalize(axis, rank)
    if len(gone) == rank:
        return reshape_as(along, x)
    if len(gone) == 1:
        return along if gone[0] == rank - 1 else moveaxis(along, source=-1, destination=gone[0])
    order = last(gone, rank)
    shape = shape_of(x)
    moved = reshape(along, *(shape[k] for k in order))
    return transpose(moved, axes=tuple(map(order.index, range(rank))))


def last(gone: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return (*(k for k in range(rank) if k not in gone), *gone)


def prod_slope(x: Operand, axis: Axis) -> Any:
    return unlines(others(lines(x, axis)), x, axis) if number(x).rank else 1.0


def prod_vjp(ct: Operand, y: Operand, x: Operand, axis: Axis = None, keepdims: bool = False) -> list[Any]:
    return [mul(aligned(ct, x, axis, keepdims), prod_slope(x, axis))]


prod = reduce_op("prod", "numpy.prod .prod", np.prod, vjp=prod_vjp, complex=True)


# -- truth and positions ------------------------------------------------------------------------------

any_ = reduce_op("any", "numpy.any .any", np.any, nondiff=TRUTH, complex=True)
all_ = reduce_op("all", "numpy.all .all", np.all, nondiff=TRUTH, complex=True)


def position(name: str, call: Callable[..., Any]) -> Op:
    return op(name, f"numpy.{name} .{name}", type=reduction(call, True), run=call, bind=bind_reduction,
              defaults=REDUCED, samples=samples.reductions_one, nondiff="a position has no derivative", raises="shape")


argmax = position("argmax", np.argmax)
argmin = position("argmin", np.argmin)
