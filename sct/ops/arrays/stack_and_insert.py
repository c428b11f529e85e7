"""Joining arrays whose axes are raised first (hstack, vstack, append, block), and meshgrid, insert, delete.

They are linear: every operand gets its part of the cotangent back, in its own shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim, sym
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate, equal_dims, nested, np_promote
from sct.ops.arrays.creation import strong, zeros_of
from sct.ops.arrays.indexing import index, join, store
from sct.ops.arrays.shape import dim, rearranged, reshape_as, size
from sct.ops.arrays.take import POSITION, flat
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import flatten_nest, op, placeholders
from sct.ops.scalar.arithmetic import add
from sct.ops.type_rules import normalize, number, size_dim, size_of

__all__ = [
    "array_append", "array_delete", "array_insert", "block", "column_stack", "dstack", "hstack", "kept_positions",
    "meshgrid", "vstack",
]

ONE = Dim(1)
Shape = tuple[Dim, ...]


# -- stacks: an operand is first given the shape `lift(shape)` -----------------------------------------------


def at_least(rank: int) -> Callable[[Shape], Shape]:
    """As `atleast_1d`, `atleast_2d` and `atleast_3d` do."""

    def lift(shape: Shape) -> Shape:
        if rank == 3 and 0 < len(shape) < 3:
            return (ONE, *shape, ONE) if len(shape) == 1 else (*shape, ONE)
        return (*[ONE] * (rank - len(shape)), *shape)

    return lift


def joined_type(xs: Sequence[Operand], shapes: Sequence[Shape], axis: int) -> Tensor:
    """The type of the concatenation of operands of these shapes."""
    joined = list(shapes[0])
    for shape in shapes[1:]:
        if len(shape) != len(joined):
            raise TypeMismatch("all arrays to be joined must have the same rank")
        joined = [a + b if k == axis else equal_dims(a, b) for k, (a, b) in enumerate(zip(joined, shape))]
    return Tensor("array", np_promote([strong(number(x)) for x in xs]), tuple(joined))


def parts_of(ct: Operand, xs: Sequence[Operand], shapes: Sequence[Shape], axis: int) -> list[Any]:
    """The slice of `ct` that each operand is, in its own shape."""
    cts = []
    start: Any = None
    for n, (x, shape) in enumerate(zip(xs, shapes)):
        stop = None if n == len(xs) - 1 else after(start, extent(x, shape, axis))
        thin = shape[axis] == ONE and (*shape[:axis], *shape[axis + 1:]) == number(x).shape
        key, operands = join([*[slice(None)] * axis, (start or Lit(0)) if thin else slice(start, stop)])
        part = index(ct, *operands, key=key)
        cts.append(part if thin else reshape_as(part, x) if number(x).rank else sum_(part))
        start = stop
    return cts


def after(start: Any, length: Any) -> Any:
    if start is None:
        return length
    are_literals = isinstance(start, Lit) and isinstance(length, Lit)
    return Lit(start.value + length.value) if are_literals else add(start, length)


def extent(x: Operand, shape: Shape, axis: int) -> Any:
    """The size along the axis, of an operand given this shape."""
    d = shape[axis]
    if d.value is not None:
        return Lit(d.value)
    axes = [k for k, own in enumerate(number(x).shape) if own == d]
    return dim(x, axis=axes[0]) if axes else size(x)


def stacked(name: str, lift: Callable[[Shape], Shape], axis: Callable[[int], int], shapes: Sequence[Any]) -> Op:
    call = getattr(np, name)

    def lifted(xs: Sequence[Operand]) -> tuple[list[Shape], int]:
        lifted_shapes = [lift(number(x).shape) for x in xs]
        return lifted_shapes, axis(len(lifted_shapes[0]))

    def emit(*xs: Operand) -> str:
        return f"numpy.{name}(({', '.join(placeholders(len(xs)))}{',' if len(xs) == 1 else ''}))"

    def bind(tup: Any, dtype: Any = None, casting: Any = "same_kind") -> tuple[list[Any], dict[str, Any]]:
        if (dtype, casting) != (None, "same_kind"):
            raise TypeMismatch(f"`dtype` and `casting` of numpy.{name} are not supported", "convert the arrays before")
        return list(tup), {}

    def stackings() -> Iterable[samples.Sample]:
        for group in shapes:
            yield tuple(samples.arrays(s, seed=k) for k, s in enumerate(group)), {}
        yield tuple(samples.arrays(s, seed=k, dtype="f4") for k, s in enumerate(shapes[0])), {}

    return op(name, f"numpy.{name}", type=lambda *xs: joined_type(xs, *lifted(xs)), run=lambda *xs: call(xs),
              bind=bind, emit=emit, raises="shape", samples=stackings,
              linear=lambda ct, *xs: parts_of(ct, xs, *lifted(xs)))


hstack = stacked("hstack", at_least(1), lambda rank: min(rank - 1, 1),
                 [((3,), (2,)), ((2, 3), (2, 1)), ((), (3,)), ((2, 3, 2), (2, 1, 2))])
vstack = stacked("vstack", at_least(2), lambda rank: 0, [((3,), (3,)), ((2, 3), (3,)), ((), ()), ((2, 3), (4, 3))])
dstack = stacked("dstack", at_least(3), lambda rank: 2, [((3,), (3,)), ((2, 3), (2, 3)), ((2, 3, 1), (2, 3, 2))])
column_stack = stacked("column_stack", lambda s: s if len(s) > 1 else (*s, ONE) if s else (ONE, ONE), lambda rank: 1,
                       [((3,), (3,)), ((3,), (3, 2)), ((2, 3), (2, 1))])


# -- append ---------------------------------------------------------------------------------------------------


def flatter(xs: Sequence[Operand], axis: int | None) -> tuple[list[Shape], int]:
    if axis is None:
        return [(size_dim(number(x).shape),) for x in xs], 0
    return [number(x).shape for x in xs], normalize(axis, number(xs[0]).rank)[0]


array_append = op("array_append", "numpy.append", defaults={"axis": None}, raises="shape",
                  type=lambda arr, values, axis=None: joined_type((arr, values), *flatter((arr, values), axis)),
                  run=lambda arr, values, axis=None: np.append(arr, values, axis),
                  bind=lambda arr, values, axis=None: ([arr, values], {"axis": axis}),
                  emit=lambda *_, axis=None: f"numpy.append(_0, _1{'' if axis is None else ', axis=_axis'})",
                  linear=lambda ct, arr, values, axis=None: parts_of(ct, (arr, values), *flatter((arr, values), axis)),
                  samples=lambda: [((samples.arrays(s), samples.arrays(r, seed=1)), {"axis": a}) for s, r, a in (
                      ((3,), (2,), None), ((2, 3), (2,), None), ((2, 3), (1, 3), 0), ((2, 3), (2, 2), -1),
                      ((3,), (), None))])


# -- block: nested lists, the innermost joined along the last axis ---------------------------------------------


def depth_of(tree: Any) -> int:
    return 0 if isinstance(tree, int) else 1 + depth_of(tree[0])


def block_rank(xs: Sequence[Operand], tree: Any) -> int:
    return max([depth_of(tree), *(number(x).rank for x in xs)])


def block_shape(xs: Sequence[Operand], tree: Any, rank: int) -> Shape:
    if isinstance(tree, int):
        shape = number(xs[tree]).shape
        return (*[ONE] * (rank - len(shape)), *shape)
    axis = rank - depth_of(tree)
    shapes = [block_shape(xs, part, rank) for part in tree]
    return joined_type(xs, shapes, axis).shape


def block_back(ct: Operand, *xs: Operand, tree: Any) -> list[Any]:
    rank = block_rank(xs, tree)
    cts: list[Any] = [None] * len(xs)

    def along(part: Any, axis: int) -> Any:
        """The size of a block along an axis."""
        if isinstance(part, int):
            return extent(xs[part], block_shape(xs, part, rank), axis)
        if rank - depth_of(part) != axis:
            return along(part[0], axis)
        total: Any = None
        for inner in part:
            total = after(total, along(inner, axis))
        return total

    def visit(part: Any, key: list[Any]) -> None:
        if isinstance(part, int):
            names, operands = join(key)
            block = index(ct, *operands, key=names)
            cts[part] = reshape_as(block, xs[part]) if number(xs[part]).rank else sum_(block)
            return
        axis = rank - depth_of(part)
        start: Any = None
        for n, inner in enumerate(part):
            stop = None if n == len(part) - 1 else after(start, along(inner, axis))
            visit(inner, [*key[:axis], slice(start, stop), *key[axis + 1:]])
            start = stop

    visit(tree, [slice(None)] * rank)
    return cts


def display(tree: Any) -> str:
    return f"_{tree}" if isinstance(tree, int) else f"[{', '.join(map(display, tree))}]"


def bind_block(arrays: Any) -> tuple[list[Any], dict[str, Any]]:
    parts, tree = flatten_nest(arrays)
    return parts, {"tree": tree}


def blocks() -> Iterable[samples.Sample]:
    parts = [samples.arrays(s, seed=k) for k, s in enumerate(((2, 2), (2, 3), (1, 2), (1, 3)))]
    yield tuple(parts), {"tree": ((0, 1), (2, 3))}
    yield tuple(parts[:2]), {"tree": (0, 1)}
    yield (parts[0], samples.arrays((2, 1)), samples.arrays((3,))), {"tree": ((0, 1), (2,))}
    yield (samples.arrays((3,)), samples.arrays((2,))), {"tree": (0, 1)}
    yield (samples.arrays((2, 2), dtype="f4"),), {"tree": ((0,),)}


block = op("block", "numpy.block", run=lambda *xs, tree: np.block(nested(tree, xs)), bind=bind_block,
           type=lambda *xs, tree: Tensor("array", np_promote([strong(number(x)) for x in xs]),
                                         block_shape(xs, tree, block_rank(xs, tree))),
           emit=lambda *xs, tree: f"numpy.block({display(tree)})", linear=block_back, raises="shape", samples=blocks)


# -- meshgrid -----------------------------------------------------------------------------------------------------


def order(count: int, indexing: str) -> list[int]:
    """Which operand varies along which axis."""
    axes = list(range(count))
    return axes if indexing == "ij" or count < 2 else [1, 0, *axes[2:]]


def type_meshgrid(*xs: Operand, indexing: str = "xy", sparse: bool = False) -> tuple[Tensor, ...]:
    if len(xs) < 2 or any(number(x).rank > 1 for x in xs):
        raise TypeMismatch("meshgrid takes two or more vectors")
    sizes = [number(x).shape[0] if number(x).rank else ONE for x in xs]
    axes = order(len(xs), indexing)
    shapes = [[ONE if sparse and axes[j] != k else sizes[axes[j]] for j in range(len(xs))] for k in range(len(xs))]
    return tuple(rearranged(x, shape) for x, shape in zip(xs, shapes))


def meshgrid_back(cts: Sequence[Any], ys: Any, *xs: Operand, indexing: str = "xy", sparse: bool = False) -> list[Any]:
    axes = order(len(xs), indexing)
    xs_cts: list[Any] = []
    for k, (ct, x) in enumerate(zip(cts, xs)):
        if ct is None:
            xs_cts.append(None)
            continue
        others = tuple(j for j in range(len(xs)) if axes[j] != k)
        summed = sum_(ct, axis=others[0] if len(others) == 1 else others)
        xs_cts.append(reshape_as(summed, x) if number(x).rank else sum_(ct))
    return xs_cts


def bind_meshgrid(*xi: Any, copy: Any = True, sparse: Any = False,
                  indexing: Any = "xy") -> tuple[list[Any], dict[str, Any]]:
    if copy is not True:
        raise TypeError("copy=False is not supported")
    return list(xi), {"indexing": indexing, "sparse": sparse}


meshgrid: Op = op("meshgrid", "numpy.meshgrid", type=type_meshgrid, bind=bind_meshgrid, vjp=meshgrid_back,
                  run=lambda *xs, **attrs: tuple(np.meshgrid(*xs, **attrs)),
                  defaults={"indexing": "xy", "sparse": False},
                  samples=lambda: [((samples.arrays((2,)), samples.arrays((3,), seed=1)), attrs) for attrs in (
                      {}, {"indexing": "ij"}, {"sparse": True})] + [
                          (tuple(samples.arrays((n,), seed=n) for n in (2, 3, 4)), {})], complex=True)


# -- insert(arr, i, values), delete(arr, i): i is an int, or, of delete, an array of ints --------------------------


def bind_insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(obj, (list, tuple, slice)):
        raise TypeError("only an int is supported as the position")
    return [arr, values, obj], {"axis": axis}


def inserted(x: Operand, values: Operand, axis: int | None) -> tuple[int, Dim]:
    """The axis, and how many elements are inserted along it."""
    rank = number(x).rank if axis is not None else 1
    (k,) = normalize(axis, rank)
    if rank == 1 and number(values).rank <= 1:
        return k, number(values).shape[0] if number(values).rank else ONE
    if number(values).rank >= rank:
        raise TypeMismatch("insert of several rows is not supported: use concatenate")
    return k, ONE


def type_insert(x: Operand, values: Operand, i: Operand, axis: int | None = None) -> Tensor:
    if number(i).rank or number(i).kind != "i":
        raise TypeMismatch("the position of insert must be an int")
    if isinstance(i, Lit) and i.value < 0:
        raise TypeMismatch("insert before a negative position is not supported")
    if number(values).kind == "c" and number(x).kind != "c":
        raise TypeMismatch("complex numbers are inserted into an array of real numbers", "use x.astype(complex)")
    k, count = inserted(x, values, axis)
    shape = number(x).shape if axis is not None else (size_dim(number(x).shape),)
    return rearranged(x, [d + count if j == k else d for j, d in enumerate(shape)])


def insert_back(ct: Operand, x: Operand, values: Operand, i: Operand, axis: int | None = None) -> list[Any]:
    k, count = inserted(x, values, axis)
    whole = number(ct).rank
    if number(values).rank and whole == 1:
        stop = after(i, extent(values, (count,), 0))
        part = index(ct, i, stop, key=("s110",))
        rest = concatenate(index(ct, i, key=("s010",)), index(ct, stop, key=("s100",)))
        return [reshape_as(rest, x), part, None]
    rest = array_delete(ct, i, axis=k if whole > 1 else None)
    return [reshape_as(rest, x), index(ct, i, key=(*("s000",) * k, "i")), None]


array_insert = op("array_insert", "numpy.insert", type=type_insert, bind=bind_insert, inactive=(2,),
                  defaults={"axis": None}, raises="value", linear=insert_back,
                  run=lambda x, values, i, axis=None: np.insert(x, i, values, axis),
                  emit=lambda *_, axis=None: f"numpy.insert(_0, _2, _1{'' if axis is None else ', axis=_axis'})",
                  samples=lambda: [((samples.arrays(s), v, i), {"axis": a}) for s, v, i, a in (
                      ((3,), 0.5, 1, None), ((3,), samples.arrays((2,), seed=1), 1, None), ((2, 3), 0.5, 1, None),
                      ((2, 3), samples.arrays((3,), seed=1), 1, 0), ((2, 3), 0.5, 0, 1))])


def type_delete(x: Operand, i: Operand, axis: int | None = None) -> Tensor:
    if number(i).kind != "i" and not (number(i).kind == "b" and number(i).rank == 1):
        raise TypeMismatch("the positions of delete must be integers, or a mask")
    shape = number(x).shape if axis is not None else (size_dim(number(x).shape),)
    (k,) = normalize(axis, len(shape))
    return rearranged(x, [*shape[:k], remaining(shape[k], i), *shape[k + 1:]])


def remaining(n: Dim, i: Operand) -> Dim:
    return sym(f"_kept{getattr(i, 'id', 0)}") if number(i).rank else n - 1


kept_positions = op("kept_positions", run=lambda n, i: np.delete(np.arange(n), i),
                    type=lambda n, i: Tensor("array", "i64", (remaining(size_of(n), i),)),
                    emit="numpy.delete(numpy.arange(_0), _1)", nondiff=POSITION,
                    samples=lambda: [((4, 1), {}), ((4, np.array([0, 2, 2])), {}),
                                     ((3, np.array([True, False, True])), {})])


def delete_back(ct: Operand, x: Operand, i: Operand, axis: int | None = None) -> list[Any]:
    whole, k = flat(x, axis)
    places = kept_positions(dim(whole, axis=k), i)
    return [reshape_as(store(zeros_of(whole), ct, places, key=(*("s000",) * k, "a")), x), None]


array_delete: Op = op("array_delete", "numpy.delete", type=type_delete, inactive=(1,), linear=delete_back,
                defaults={"axis": None}, bind=lambda arr, obj, axis=None: ([arr, obj], {"axis": axis}), raises="value",
                run=lambda x, i, axis=None: np.delete(x, i, axis),
                emit=lambda *_, axis=None: f"numpy.delete(_0, _1{'' if axis is None else ', axis=_axis'})",
                samples=lambda: [((samples.arrays(s), i), {"axis": a}) for s, i, a in (
                    ((4,), 1, None), ((2, 3), -1, 1), ((2, 3), 2, None), ((4,), np.array([0, 2]), None),
                    ((3, 2), np.array([1, 1]), 0), ((3, 2), np.array([True, False, True]), 0))])
