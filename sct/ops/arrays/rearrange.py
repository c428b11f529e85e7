"""Rearrangements of elements: rolls, repeats, diagonals.

They are linear.  What is read several times (`tile`) is summed in the transpose; what is
not read has derivative 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Elements, Lit, Op, Operand, Value
from sct.ir.dims import Dim, applied, sym
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at, join, store
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.shape import (
    dim,
    moveaxis,
    ravel,
    rearranged,
    reshape,
    reshape_as,
    shape_of,
    size,
    transpose,
)
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import display, op, placeholders, sequence
from sct.ops.scalar.arithmetic import add, mod, neg, sub
from sct.ops.type_rules import Axis, normalize, number, size_dim, size_of

__all__ = [
    "array_repeat", "atleast_1d", "atleast_2d", "atleast_3d", "diag", "diagflat", "diagonal", "flip", "fliplr",
    "flipud", "resize", "roll", "rollaxis", "rot90", "tile",
]

SIZES = tuple(range(1, 33))


def product_dim(n: Dim, k: Operand) -> Dim:
    """n * k as a size."""
    return size_dim((n, size_of(k)))


def text_of(name: str, *operands: str, **attrs: Any) -> str:
    """A call of NumPy with the attrs that are not None as keywords."""
    return f"numpy.{name}({', '.join([*operands, *(f'{k}=_{k}' for k, v in attrs.items() if v is not None)])})"


# -- reversals and turns ------------------------------------------------------------------------


def type_flip(x: Operand, axis: Axis = None) -> Tensor:
    normalize(axis, number(x).rank)
    return rearranged(x, number(x).shape)


def along_axes() -> list[samples.Sample]:
    return [((samples.arrays(s),), {"axis": a}) for s, a in (((2, 3), 0), ((2, 3), -1), ((2, 3), None), ((3,), 0),
                                                             ((0,), None), ((2, 1, 3), 1))]


def flip_elements(e: Elements, at: Sequence[Any], x: Operand, axis: Axis = None) -> Operand:
    turned = normalize(axis, len(at))
    return e.read(x, [sub(sub(e.size(x, k), 1), i) if k in turned else i for k, i in enumerate(at)])


flip: Op = op("flip", "numpy.flip", type=type_flip, run=np.flip, defaults={"axis": None}, alias="view", cost="free",
              bind=lambda m, axis=None: ([m], {"axis": axis}), linear=lambda ct, x, axis=None: [flip(ct, axis=axis)],
              elements=flip_elements, samples=along_axes)


def mirrored(name: str, axis: int) -> Op:
    """`fliplr` and `flipud`: `flip` along one axis."""
    call = getattr(np, name)
    entry: Op = op(name, f"numpy.{name}", type=lambda m: type_flip(m, axis), run=call, bind=lambda m: ([m], {}),
                   emit=f"numpy.{name}(_0)", alias="view", cost="free", linear=lambda ct, x: [entry(ct)],
                   samples=lambda: [((samples.arrays(s),), {}) for s in ((2, 3), (2, 3, 2), (3, 1))])
    return entry


fliplr, flipud = mirrored("fliplr", 1), mirrored("flipud", 0)


def type_rot90(m: Operand, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    shape = list(number(m).shape)
    (a,), (b,) = normalize(axes[0], len(shape)), normalize(axes[1], len(shape))
    if k % 2:
        shape[a], shape[b] = shape[b], shape[a]
    return rearranged(m, shape)


rot90: Op = op("rot90", "numpy.rot90", type=type_rot90, run=np.rot90, defaults={"k": 1, "axes": (0, 1)}, alias="view",
               bind=lambda m, k=1, axes=(0, 1): ([m], {"k": k, "axes": tuple(axes)}), cost="free",
               linear=lambda ct, m, k=1, axes=(0, 1): [rot90(ct, k=-k, axes=axes)],
               samples=lambda: [((samples.arrays(s),), {"k": k, "axes": axes})
                                for s, k, axes in (
                                    ((2, 3), 1, (0, 1)), ((2, 3), 2, (0, 1)), ((2, 3), -1, (0, 1)),
                                    ((2, 3, 4), 3, (1, 2)), ((2, 3, 4), 1, (-1, 0)), ((2, 3), 4, (1, 0)))])


def rolled_axes(rank: int, axis: int, start: int) -> tuple[int, ...]:
    """The permutation that `rollaxis` makes."""
    (k,) = normalize(axis, rank)
    to = start + rank if start < 0 else start
    order = [a for a in range(rank) if a != k]
    order.insert(to - 1 if k < to else to, k)
    return tuple(order)


def type_rollaxis(x: Operand, axis: int, start: int = 0) -> Tensor:
    shape = number(x).shape
    return rearranged(x, [shape[k] for k in rolled_axes(len(shape), axis, start)])


def rollaxis_back(ct: Operand, x: Operand, axis: int, start: int = 0) -> list[Any]:
    order = rolled_axes(number(x).rank, axis, start)
    return [transpose(ct, axes=tuple(map(order.index, range(len(order)))))]


rollaxis = op("rollaxis", "numpy.rollaxis", run=lambda x, axis, start=0: np.rollaxis(x, axis, start),
              type=type_rollaxis,
              bind=lambda a, axis, start=0: ([a], {"axis": axis, "start": start}), defaults={"start": 0}, alias="view",
              cost="free", linear=rollaxis_back,
              samples=lambda: [((samples.arrays((2, 3, 4)),), {"axis": a, "start": s})
                               for a, s in ((2, 0), (0, 2), (1, 3), (-1, 1), (1, -1), (1, 1))])


# -- roll(x, shift, axis): the shifts are operands ---------------------------------------------------


def bind_roll(a: Any, shift: Any, axis: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [a, *sequence(shift)], {"axis": tuple(axis) if isinstance(axis, list) else axis}


def run_roll(x: Any, *shifts: Any, axis: Axis = None) -> Any:
    return np.roll(x, shifts if len(shifts) > 1 else shifts[0], axis)


def type_roll(x: Operand, *shifts: Operand, axis: Axis = None) -> Tensor:
    for shift in shifts:
        size_of(shift)
    normalize(axis, number(x).rank)
    return rearranged(x, number(x).shape)


def rolls() -> Iterable[samples.Sample]:
    x = samples.arrays((3, 4))
    for shift, axis in ((1, None), (-2, 0), (5, -1)):
        yield (x, shift), {"axis": axis}
    yield (x, 1, -1), {"axis": (0, 1)}
    yield (samples.arrays((3,)), 1), {"axis": None}
    yield (samples.arrays((0,)), 1), {"axis": None}
    yield (samples.arrays((4,), dtype="f4"), -1), {"axis": 0}


roll: Op = op("roll", "numpy.roll", type=type_roll, run=run_roll, bind=bind_roll, inactive=SIZES,
              defaults={"axis": None}, samples=rolls, layout="operands",
              emit=lambda x, *s, axis=None: text_of(
                  "roll", "_0", display(list(placeholders(1 + len(s), 1))), axis=axis),
              linear=lambda ct, x, *s, axis=None: [roll(ct, *map(neg, s), axis=axis), *[None] * len(s)])


# -- tile, repeat ---------------------------------------------------------------------------------


def bind_tile(A: Any, reps: Any) -> tuple[list[Any], dict[str, Any]]:
    return [A, *sequence(reps)], {}


def tiled(x: Operand, reps: Sequence[Operand]) -> tuple[list[Any], list[Operand]]:
    """The shape of x and the repetitions, of one length."""
    shape, counts = shape_of(x), list(reps)
    return [Lit(1)] * (len(counts) - len(shape)) + shape, [Lit(1)] * (len(shape) - len(counts)) + counts


def type_tile(x: Operand, *reps: Operand) -> Tensor:
    rank = max(number(x).rank, len(reps))
    shape = [Dim(1)] * (rank - number(x).rank) + list(number(x).shape)
    counts = [Lit(1)] * (rank - len(reps)) + list(reps)
    return rearranged(x, [product_dim(n, k) for n, k in zip(shape, counts)])


def tile_back(ct: Operand, x: Operand, *reps: Operand) -> list[Any]:
    """Each repetition has an axis of its own before it is summed over."""
    sizes: list[Any] = []
    axes = []
    new = max(0, len(reps) - number(x).rank)
    for axis, (n, k) in enumerate(zip(*tiled(x, reps))):
        if k != Lit(1) or axis < new:
            axes.append(len(sizes))
            sizes.append(k)
        if axis >= new:
            sizes.append(n)
    parts = reshape(ct, *sizes) if axes else ct
    summed = sum_(parts, axis=axes[0] if len(axes) == 1 else tuple(axes)) if axes else parts
    return [reshape_as(summed, x) if number(x).rank else sum_(summed), *[None] * len(reps)]


def tiles() -> Iterable[samples.Sample]:
    for s, reps in (((3,), (2,)), ((3,), (2, 2)), ((2, 3), (2,)), ((2, 3), (1, 2)), ((2, 3), (3, 1, 2)), ((), (3,)),
                    ((3,), (0,)), ((0,), (2,))):
        yield (samples.arrays(s), *reps), {}
    yield (1.5, 3), {}
    yield (samples.arrays((3,), dtype="f4"), 2), {}


tile = op("tile", "numpy.tile", type=type_tile, run=lambda x, *n: np.tile(x, n), bind=bind_tile, inactive=SIZES,
          raises="shape",
          emit=lambda x, *n: f"numpy.tile(_0, {display(list(placeholders(1 + len(n), 1)))})", linear=tile_back,
          samples=tiles, layout="operands")


def type_repeat(x: Operand, n: Operand, axis: int | None = None) -> Tensor:
    """n is one number, or an array of one for each element."""
    if number(n).is_array and number(n).kind == "f":
        raise TypeMismatch("`repeats` must be integers")
    shape = number(x).shape if axis is not None else (size_dim(number(x).shape),)
    (k,) = normalize(axis, len(shape))
    length = sym(f"_repeats{n.id}") if isinstance(n, Value) and number(n).rank else product_dim(shape[k], n)
    return rearranged(x, [*shape[:k], length, *shape[k + 1:]])


def repeat_back(ct: Operand, x: Operand, n: Operand, axis: int | None = None) -> list[Any]:
    """The copies of an element stand in a row; if each has its own number of them, they are added where it stands."""
    rank = number(x).rank
    k = 0 if axis is None else normalize(axis, rank)[0]
    if not number(n).rank:
        whole = Lit(-1) if isinstance(n, Lit) and n.value else size(x)
        sizes = shape_of(x) if axis is not None else [whole]
        summed = sum_(reshape(ct, *sizes[:k + 1], n, *sizes[k + 1:]), axis=k + 1)
        return [reshape_as(summed, x) if rank else sum_(summed), None]
    line = ravel(x) if axis is None and rank != 1 else x
    owners = array_repeat(arange(dim(line, axis=k)), n)
    return [reshape_as(add_at(zeros_of(line), ct, owners, key=(*("s000",) * k, "a")), x), None]


def repeats() -> Iterable[samples.Sample]:
    for s, n, axis in (((3,), 2, None), ((2, 3), 2, None), ((2, 3), 2, 0), ((2, 3), 3, -1), ((3,), 0, 0), ((0,), 2, 0),
                       ((2, 1, 3), 2, 1)):
        yield (samples.arrays(s), n), {"axis": axis}
    for s, each, axis in (((3,), [2, 0, 1], None), ((2, 3), [1, 2], 0), ((2, 3), [1, 0, 2], -1),
                          ((2, 2), [1, 2, 0, 1], None)):
        yield (samples.arrays(s), np.array(each)), {"axis": axis}
    yield (samples.arrays((3,), dtype="f4"), 2), {"axis": 0}


array_repeat: Op = op("array_repeat", "numpy.repeat .repeat", type=type_repeat, run=np.repeat, inactive=(1,),
                      raises="shape",
                      bind=lambda a, repeats, axis=None: ([a, repeats], {"axis": axis}), defaults={"axis": None},
                      emit=lambda *_, axis=None: text_of("repeat", "_0", "_1", axis=axis), linear=repeat_back,
                      samples=repeats)


# -- at least so many axes ----------------------------------------------------------------------------


def raised(name: str, rank: int) -> Op:
    call = getattr(np, name)

    def shape(x: Operand) -> Sequence[Dim]:
        sizes, one = number(x).shape, Dim(1)
        if len(sizes) >= rank:
            return sizes
        if rank == 3 and sizes:
            return (one, *sizes, one) if len(sizes) == 1 else (*sizes, one)
        return (*[one] * (rank - len(sizes)), *sizes)

    return op(name, f"numpy.{name}", type=lambda x: rearranged(x, shape(x)), run=call, emit=f"numpy.{name}(_0)",
              alias=lambda x: "none" if not number(x).is_array else "same" if number(x).rank >= rank else "view",
              cost="free", linear=lambda ct, x: [reshape_as(ct, x) if number(x).rank else sum_(ct)],
              samples=lambda: [*samples.layouts(), ((1.5,), {})])


atleast_1d, atleast_2d, atleast_3d = (raised(f"atleast_{n}d", n) for n in (1, 2, 3))


# -- diagonals ----------------------------------------------------------------------------------------


def diagonal_dim(rows: Dim, columns: Dim, offset: int) -> Dim:
    if rows == columns and rows.least >= abs(offset):
        return rows - abs(offset)
    if rows.value is not None and columns.value is not None:
        return Dim(max(0, min(rows.value + min(offset, 0), columns.value - max(offset, 0))))
    return applied("diagonal", rows, columns, Dim(offset))


def type_diagonal(x: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    shape = number(x).shape
    (i,), (j,) = normalize(axis1, len(shape)), normalize(axis2, len(shape))
    rest = [d for k, d in enumerate(shape) if k not in (i, j)]
    return rearranged(x, [*rest, diagonal_dim(shape[i], shape[j], offset)])


def diagonal_back(ct: Operand, x: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> list[Any]:
    """Zeros with `ct` on the diagonal."""
    rank = number(x).rank
    (i,), (j,) = normalize(axis1, rank), normalize(axis2, rank)
    rows, columns = number(x).shape[i], number(x).shape[j]
    if rank == 2 and (i, j) == (0, 1) and rows == columns:
        return [diag(ct, k=offset)]
    order = arange(dim(ct, axis=-1))
    key: list[Any] = [slice(None)] * rank
    key[i] = add(order, -offset) if offset < 0 else order
    key[j] = add(order, offset) if offset > 0 else order
    while isinstance(key[-1], slice):
        key.pop()
    if rank > 2:
        ct = moveaxis(ct, source=-1, destination=min(i, j) if abs(i - j) == 1 else 0)
    names, operands = join(key)
    return [store(zeros_of(x), ct, *operands, key=names)]


def bind_diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> tuple[list[Any], dict[str, Any]]:
    return [a], {"offset": offset, "axis1": axis1, "axis2": axis2}


DIAGONAL = {"offset": 0, "axis1": 0, "axis2": 1}


def diagonals() -> list[samples.Sample]:
    return [((samples.arrays(s),), {"offset": k, "axis1": i, "axis2": j})
            for s, k, i, j in (((3, 3), 0, 0, 1), ((3, 3), 1, 0, 1), ((2, 3), 1, 0, 1), ((3, 2), -1, 0, 1),
                               ((3, 3), 1, 1, 0), ((2, 3, 3), 0, 1, 2), ((2, 3, 4), -1, -1, 0), ((2, 2, 3), 0, 0, 1))]


diagonal: Op = op("diagonal", "numpy.diagonal .diagonal", type=type_diagonal, run=np.diagonal, bind=bind_diagonal,
                  defaults=DIAGONAL, alias="view", readonly=True, cost="free", linear=diagonal_back, samples=diagonals)


def type_diag(v: Operand, k: int = 0) -> Tensor:
    shape = number(v).shape
    if len(shape) == 2:
        return type_diagonal(v, k)
    if len(shape) != 1:
        raise TypeMismatch("diag takes an array of one or two axes")
    return rearranged(v, [shape[0] + abs(k)] * 2)


def diag_back(ct: Operand, v: Operand, k: int = 0) -> list[Any]:
    return diagonal_back(ct, v, k) if number(v).rank == 2 else [diagonal(ct, offset=k)]


diag: Op = op("diag", "numpy.diag", type=type_diag, run=np.diag, bind=lambda v, k=0: ([v], {"k": k}),
              defaults={"k": 0}, alias=lambda v, k=0: "view" if number(v).rank == 2 else "none",
              readonly=lambda v, k=0: number(v).rank == 2, linear=diag_back,
              samples=lambda: [((samples.arrays(s),), {"k": k})
                               for s, k in (((3,), 0), ((2,), 1), ((2,), -2), ((3, 3), 0), ((2, 3), 1), ((3, 2), -1),
                                            ((0,), 0))])

diagflat: Op = op("diagflat", "numpy.diagflat", run=np.diagflat, bind=lambda v, k=0: ([v], {"k": k}),
                  type=lambda v, k=0: rearranged(v, [size_dim(number(v).shape) + abs(k)] * 2), defaults={"k": 0},
                  linear=lambda ct, v, k=0: [reshape_as(diagonal(ct, offset=k), v)],
                  samples=lambda: [((samples.arrays(s),), {"k": k}) for s, k in (((3,), 0), ((2, 2), 1), ((2,), -1))])


# -- resize -------------------------------------------------------------------------------------------


def resize_back(ct: Operand, x: Operand, *sizes: Operand) -> list[Any]:
    """Position k holds element k modulo the size of x."""
    whole = ravel(x) if number(x).rank != 1 else x
    owners = mod(arange(size(ct)), size(x))
    flat = ravel(ct) if number(ct).rank != 1 else ct
    return [reshape_as(add_at(zeros_of(whole), flat, owners, key=("a",)), x), *[None] * len(sizes)]


resize = op("resize", "numpy.resize", raises="shape",
            type=lambda x, *n: rearranged(x, [size_of(k) for k in n]), inactive=SIZES,
            run=lambda x, *n: np.resize(x, n), bind=lambda a, new_shape: ([a, *sequence(new_shape)], {}),
            emit=lambda x, *n: f"numpy.resize(_0, {display(list(placeholders(1 + len(n), 1)))})", linear=resize_back,
            samples=lambda: [((samples.arrays(s), *n), {}) for s, n in (((3,), (5,)), ((2, 3), (4,)), ((3,), (2, 4)),
                                                                        ((2, 2), (2, 2)))])
