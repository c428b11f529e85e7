"""Selections by computed positions: take, take_along_axis, compress, extract, choose, select, nonzero.

Reading is linear; its transpose adds each cotangent at the position that was read, so that
repeated positions accumulate and what is not read contributes exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim, sym
from sct.ir.types import Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at, join
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.shape import dim, expand_dims, ravel, rearranged, reshape_as
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import mod, sub
from sct.ops.scalar.comparison import eq
from sct.ops.scalar.selection import clip, logical_and, logical_not, where
from sct.ops.type_rules import normalize, number, promote, size_dim

__all__ = [
    "choose", "compress", "extract", "flatnonzero", "grid", "nonzero", "searchsorted", "select", "take",
    "take_along_axis",
]

POSITION = "a position has no derivative"


def count_of(x: Operand) -> Dim:
    """The number of true elements of x, known only at run time: the size of the selection by x."""
    return sym(f"_count{getattr(x, 'id', 0)}")


def flat(x: Operand, axis: int | None) -> tuple[Any, int]:
    """The array that is indexed along an axis, and the axis: all of x as one axis where it is None."""
    if axis is None:
        return (x if number(x).rank == 1 else ravel(x)), 0
    return x, normalize(axis, number(x).rank)[0]


# -- take(x, indices, axis) ----------------------------------------------------------------------------


def bind_take(a: Any, indices: Any, axis: Any = None, *, mode: Any = "raise") -> tuple[list[Any], dict[str, Any]]:
    return [a, indices], {"axis": axis, "mode": mode}


def _indexed_axis(x: Operand, indices: Operand, axis: int | None, name: str) -> tuple[Tensor, tuple[Dim, ...], int]:
    """The type of the indices, the shape of x, flat if there is no axis, and the number of the axis."""
    t, i = number(x), number(indices)
    if i.kind != "i":
        raise TypeMismatch(f"the indices of {name} must be integers")
    shape = t.shape if axis is not None else (size_dim(t.shape),)
    (k,) = normalize(axis, len(shape))
    return i, shape, k


def type_take(x: Operand, indices: Operand, axis: int | None = None, mode: str = "raise") -> Tensor:
    i, shape, k = _indexed_axis(x, indices, axis, "take")
    result_shape = (*shape[:k], *i.shape, *shape[k + 1:])
    return Tensor("array" if result_shape or i.is_array else "np", rearranged(x, ()).dtype, result_shape)


def take_back(ct: Operand, x: Operand, indices: Operand, axis: int | None = None, mode: str = "raise") -> list[Any]:
    whole, k = flat(x, axis)
    at: Any = indices
    if mode == "wrap":
        at = mod(indices, dim(whole, axis=k))
    elif mode == "clip":
        at = clip(indices, 0, sub(dim(whole, axis=k), 1))
    letter = "a" if number(at).is_array else "i"
    return [reshape_as(add_at(zeros_of(whole), ct, at, key=(*("s000",) * k, letter)), x), None]


def takes() -> Iterable[samples.Sample]:
    x, i = samples.arrays((3, 4)), np.array([2, 0, 2])
    for axis in (None, 0, 1, -1):
        yield (x, i), {"axis": axis}
        yield (x, 1), {"axis": axis}
    yield (x, i.reshape(3, 1)), {"axis": 1}
    yield (x, np.array([5, -2])), {"axis": 0, "mode": "wrap"}
    yield (x, np.array([5, -2])), {"axis": 0, "mode": "clip"}
    yield (samples.arrays((3,), dtype="f4"), i), {"axis": None}
    yield (samples.arrays((3,)), np.array([], int)), {"axis": 0}


def emit_take(x: Operand, indices: Operand, axis: int | None = None, mode: str = "raise") -> str:
    text = "numpy.take(_0, _1" + ("" if axis is None else ", axis=_axis")
    return text + (")" if mode == "raise" else ", mode=_mode)")


take = op("take", "numpy.take .take", type=type_take, run=np.take, bind=bind_take, inactive=(1,), linear=take_back,
          defaults={"axis": None, "mode": "raise"}, emit=emit_take, raises="value", samples=takes,
          layout="operands")


# -- take_along_axis ---------------------------------------------------------------------------------------


def grid(indices: Operand, x: Operand, axis: int) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The subscript of x that `indices` are along an axis: beside them, every axis by its own positions."""
    rank = number(x).rank
    items: list[Any] = []
    for k in range(rank):
        if k == axis:
            items.append(indices)
            continue
        order = arange(dim(x, axis=k))
        others = tuple(j for j in range(rank) if j != k)
        items.append(expand_dims(order, axis=others[0] if len(others) == 1 else others) if others else order)
    return join(items)


def bind_along(arr: Any, indices: Any, axis: Any = -1) -> tuple[list[Any], dict[str, Any]]:
    return [arr, indices], {"axis": axis}


def type_along(x: Operand, indices: Operand, axis: int | None) -> Tensor:
    i, shape, k = _indexed_axis(x, indices, axis, "take_along_axis")
    if i.rank != len(shape):
        raise TypeMismatch("take_along_axis takes indices with as many axes as the array")
    result_shape = [broadcast_shapes((a,), (b,))[0] if j != k else b for j, (a, b) in enumerate(zip(shape, i.shape))]
    return rearranged(x, result_shape)


def along_back(ct: Operand, x: Operand, indices: Operand, axis: int | None) -> list[Any]:
    whole, k = flat(x, axis)
    names, operands = grid(indices, whole, k)
    return [reshape_as(add_at(zeros_of(whole), ct, *operands, key=names), x), None]


def alongs() -> Iterable[samples.Sample]:
    x = samples.arrays((2, 3))
    yield (x, np.array([[0], [2]])), {"axis": 1}
    yield (x, np.array([[2, 0, 2], [1, 1, 0]])), {"axis": -1}
    yield (x, np.array([[1, 0, 1]])), {"axis": 0}
    yield (x, np.array([5, 0, 5])), {"axis": None}
    yield (samples.arrays((3,), dtype="f4"), np.array([1, 1])), {"axis": 0}
    yield (samples.arrays((2, 2, 3)), np.array([[[0]], [[2]]])), {"axis": 2}


take_along_axis = op("take_along_axis", "numpy.take_along_axis", type=type_along, run=np.take_along_axis,
                     bind=bind_along, inactive=(1,), emit="numpy.take_along_axis(_0, _1, axis=_axis)",
                     linear=along_back, raises="value", samples=alongs)


# -- by truth values ----------------------------------------------------------------------------------------


flatnonzero = op("flatnonzero", "numpy.flatnonzero", type=lambda x: Tensor("array", "i64", (count_of(x),)),
                 run=np.flatnonzero, emit="numpy.flatnonzero(_0)", nondiff=POSITION,
                 samples=lambda: [((np.array([True, False, True]),), {}), ((samples.arrays((2, 3)),), {})],
                 complex=True)


def type_nonzero(x: Operand) -> Any:
    """An array of positions for each axis; of a vector, the one."""
    t = Tensor("array", "i64", (count_of(x),))
    if not number(x).rank:
        raise TypeMismatch("nonzero of a number is not supported")
    return t if number(x).rank == 1 else (t,) * number(x).rank


def run_nonzero(x: Any) -> Any:
    return np.nonzero(x) if x.ndim > 1 else np.nonzero(x)[0]


nonzero = op("nonzero", "numpy.nonzero .nonzero", type=type_nonzero, run=run_nonzero, bind=lambda a: ([a], {}),
             emit=lambda x: "numpy.nonzero(_0)" if number(x).rank > 1 else "numpy.nonzero(_0)[0]", nondiff=POSITION,
             samples=lambda: [((x,), {}) for x in (np.array([True, False, True]), samples.arrays((2, 3)))],
             complex=True)


def type_compress(x: Operand, condition: Operand, axis: int | None = None) -> Tensor:
    if number(condition).rank != 1:
        raise TypeMismatch("the condition of compress must have one axis")
    shape = number(x).shape if axis is not None else (size_dim(number(x).shape),)
    (k,) = normalize(axis, len(shape))
    return rearranged(x, [count_of(condition) if j == k else d for j, d in enumerate(shape)])


def compress_back(ct: Operand, x: Operand, condition: Operand, axis: int | None = None) -> list[Any]:
    whole, k = flat(x, axis)
    spread = add_at(zeros_of(whole), ct, flatnonzero(condition), key=(*("s000",) * k, "a"))
    return [reshape_as(spread, x), None]


compress = op("compress", "numpy.compress", type=type_compress, inactive=(1,), defaults={"axis": None},
              run=lambda x, condition, axis=None: np.compress(condition, x, axis),
              bind=lambda condition, a, axis=None: ([a, condition], {"axis": axis}),
              emit=lambda x, condition, axis=None: "numpy.compress(_1, _0" + (
                  ")" if axis is None else ", axis=_axis)"), linear=compress_back, raises="value",
              samples=lambda: [((samples.arrays((2, 3)), np.array(c)), {"axis": a})
                               for c, a in (([True, False, True], 1), ([False, True], 0), ([True, True, False], None))])

extract = op("extract", "numpy.extract", inactive=(1,), run=lambda x, condition: np.extract(condition, x),
             type=lambda x, condition: rearranged(x, [count_of(condition)]),
             bind=lambda condition, arr: ([arr, condition], {}), emit="numpy.extract(_1, _0)", raises="value",
             linear=lambda ct, x, condition: [
                 reshape_as(add_at(zeros_of(flat(x, None)[0]), ct, flatnonzero(condition), key=("a",)), x), None],
             samples=lambda: [((x, x > 0.0), {}) for x in (samples.arrays((4,)), samples.arrays((2, 3)))])


# -- one of several -------------------------------------------------------------------------------------------


def bind_choose(a: Any, choices: Any, *, mode: Any = "raise") -> tuple[list[Any], dict[str, Any]]:
    if not isinstance(choices, (list, tuple)):
        raise TypeError("the choices must be a list or a tuple of arrays")
    return [a, *choices], {"mode": mode}


def type_choose(a: Operand, *choices: Operand, mode: str = "raise") -> Tensor:
    types = [number(x) for x in choices]
    dtypes = promote(types)
    if len(dtypes) > 1:
        raise TypeMismatch("choose of scalars that may be Python numbers or NumPy scalars")
    (dtype,) = dtypes
    shape = broadcast_shapes(number(a).shape, *(t.shape for t in types))
    return Tensor("array" if shape or number(a).is_array else "np", dtype, shape)


def choose_back(ct: Operand, a: Operand, *choices: Operand, mode: str = "raise") -> list[Any]:
    last = len(choices) - 1
    at: Any = mod(a, last + 1) if mode == "wrap" else clip(a, 0, last) if mode == "clip" else a
    return [None, *(where(eq(at, k), ct, 0.0) for k in range(last + 1))]


def run_choose(a: Any, *choices: Any, mode: str = "raise") -> Any:
    call: Any = np.choose
    return call(a, choices, mode=mode)


def emit_choose(a: Operand, *choices: Operand, mode: str = "raise") -> str:
    parts = ", ".join(placeholders(1 + len(choices), 1))
    return f"numpy.choose(_0, [{parts}]{'' if mode == 'raise' else ', mode=_mode'})"


choose: Op = op("choose", "numpy.choose", type=type_choose, run=run_choose, bind=bind_choose, inactive=(0,),
                defaults={"mode": "raise"}, emit=emit_choose, linear=choose_back, raises="value",
                samples=lambda: [((np.array(i), *(samples.arrays(s, seed=k) for k, s in enumerate(shapes))),
                                  {"mode": mode}) for i, shapes, mode in (
                                      ([0, 1, 1], ((3,), (3,)), "raise"), ([2, 0, 1], ((3,), (1,), (3,)), "raise"),
                                      ([[0], [1]], ((3,), (2, 3)), "raise"), ([5, -1, 0], ((3,), (3,)), "wrap"),
                                      ([5, -1, 0], ((3,), (3,)), "clip"))])


def bind_select(condlist: Any, choicelist: Any, default: Any = 0) -> tuple[list[Any], dict[str, Any]]:
    if not isinstance(condlist, (list, tuple)) or not isinstance(choicelist, (list, tuple)):
        raise TypeError("the conditions and the choices must be lists or tuples")
    return [*condlist, *choicelist, default], {"count": len(condlist)}


def halves(xs: Sequence[Operand], count: int) -> tuple[Sequence[Operand], Sequence[Operand]]:
    """The conditions, and the choices with the default last."""
    if len(xs) != 2 * count + 1:
        raise TypeMismatch("select takes as many choices as conditions")
    return xs[:count], xs[count:]


def type_select(*xs: Operand, count: int) -> Tensor:
    conditions, choices = halves(xs, count)
    if any(number(c).kind != "b" for c in conditions):
        raise TypeMismatch("the conditions of select must be boolean")
    dtypes = promote([number(x) for x in choices])
    if len(dtypes) > 1:
        raise TypeMismatch("select of scalars that may be Python numbers or NumPy scalars")
    (dtype,) = dtypes
    return Tensor("array", dtype, broadcast_shapes(*(number(x).shape for x in xs)))


def select_back(ct: Operand, *xs: Operand, count: int) -> list[Any]:
    """The first condition that holds takes `ct`, the others leave it to those after it."""
    conditions, _ = halves(xs, count)
    cts = [*(where(c, ct, 0.0) for c in conditions), ct]
    for k, c in reversed(list(enumerate(conditions))):
        cts[k + 1:] = [where(c, 0.0, g) for g in cts[k + 1:]]
    return [*[None] * count, *cts]


def select_forward(tangents: Sequence[Any], y: Operand, *xs: Operand, count: int) -> Any:
    conditions, _ = halves(xs, count)
    choices = [0.0 if t is None else t for t in tangents[count:]]
    if all(isinstance(t, float) for t in choices[:-1]):
        rest: Any = logical_not(conditions[0])
        for c in conditions[1:]:
            rest = logical_and(rest, logical_not(c))
        return where(rest, choices[-1], 0.0)
    return select(*conditions, *choices, count=count)


def run_select(*xs: Any, count: int) -> Any:
    return np.select(list(xs[:count]), list(xs[count:-1]), xs[-1])


def emit_select(*xs: Operand, count: int) -> str:
    names = list(placeholders(len(xs)))
    default = "" if xs[-1] == Lit(0) else f", {names[-1]}"
    return f"numpy.select([{', '.join(names[:count])}], [{', '.join(names[count:-1])}]{default})"


def selects() -> Iterable[samples.Sample]:
    x, y = samples.arrays((4,)), samples.arrays((4,), seed=1)
    yield (x > 0.0, x, 0), {"count": 1}
    yield (x > 0.5, y > 0.0, x, y, 0.75), {"count": 2}
    yield (x > 0.5, x > -0.5, y, samples.arrays((2, 4)), x), {"count": 2}
    yield (x > 0.5, x.astype("f4"), 0), {"count": 1}


select: Op = op("select", "numpy.select", type=type_select, run=run_select, bind=bind_select, emit=emit_select,
                vjp=lambda ct, y, *xs, count: select_back(ct, *xs, count=count), jvp=select_forward,
                samples=selects, complex=True)


# -- positions -----------------------------------------------------------------------------------------------


def bind_searchsorted(a: Any, v: Any, side: Any = "left") -> tuple[list[Any], dict[str, Any]]:
    return [a, v], {"side": side}


def type_searchsorted(a: Operand, v: Operand, side: str = "left") -> Tensor:
    if number(a).rank != 1:
        raise TypeMismatch("`searchsorted` looks in an array of one axis")
    return Tensor("array" if number(v).is_array and number(v).rank else "np", "i64", number(v).shape)


searchsorted = op("searchsorted", "numpy.searchsorted .searchsorted", run=np.searchsorted, bind=bind_searchsorted,
                  type=type_searchsorted,
                  defaults={"side": "left"}, nondiff=POSITION,
                  samples=lambda: [((np.array([0.0, 1.0, 2.0]), v), {"side": s})
                                   for v in (0.5, np.array([0.0, 1.5])) for s in ("left", "right")])
