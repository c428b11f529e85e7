"""Rearrangements of axes, and sizes.

They are linear; the transpose of each is its inverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Elements, Lit, Op, Operand
from sct.ir.dims import Dim, divided
from sct.ir.types import BOOL, INT, Seq, Tensor, TypeMismatch, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.creation import strong
from sct.ops.registry import display, op, placeholders, sequence
from sct.ops.type_rules import Axis, normalize, number, size_dim, size_of

__all__ = [
    "broadcast_elements", "broadcast_to", "dim", "expand_dims", "flatten", "has_dtype", "moveaxis", "range_length",
    "ravel", "reshape", "reshape_as", "reshape_like", "shape_of", "shapes_differ", "size", "squeeze", "swapaxes",
    "transpose",
]

SIZE = "a size has no derivative"


def rearranged(x: Operand, shape: Sequence[Dim]) -> Tensor:
    """An array with the elements of x; of NumPy's default dtype for a Python number."""
    t = number(x)
    return Tensor("array", strong(t), tuple(shape))


has_dtype: Op = op("has_dtype", type=lambda x, dtype: BOOL, nondiff="the dtype of an array has no derivative",
                   run=lambda x, dtype: bool(x.dtype == dtype), emit=lambda x, dtype: f"_0.dtype == {dtype!r}",
                   complex=True,
                   samples=lambda: [((samples.arrays((3,)),), {"dtype": d}) for d in ("float64", "int64")])


# -- sizes ------------------------------------------------------------------------------------


def type_dim(x: Operand, *_: Operand, axis: int = 0) -> Tensor:
    if not isinstance(x.type, Seq):
        normalize(axis, number(x).rank)
    return INT


def dim_dim(x: Operand, *_: Operand, axis: int = 0) -> Dim | None:
    return None if isinstance(x.type, Seq) else number(x).shape[axis]


def run_dim(x: Any, *_: Any, axis: int = 0) -> int:
    return int(np.shape(x)[axis]) if isinstance(x, (np.ndarray, np.generic)) else len(x)


# The length of a list; after it come other columns of the same list of tuples, which have that length too.
dim = op("dim", "builtins.len", type=type_dim, run=run_dim, defaults={"axis": 0}, dim=dim_dim, cost="free",
         shapes=(0,), bind=lambda x: ([x], {"axis": 0}), nondiff=SIZE,
         emit=lambda x, *_, axis=0: "len(_0)" if isinstance(x.type, Seq) else f"_0.shape[{axis}]",
         samples=lambda: [((np.ones((2, 3)),), {"axis": k}) for k in (0, 1, -1)], complex=True)

shapes_differ = op("shapes_differ", type=lambda *_: BOOL, run=lambda x, y: x.shape != y.shape, cost="free",
                   shapes=(0, 1), nondiff=SIZE, emit="_0.shape != _1.shape", complex=True,
                   samples=lambda: [((np.ones((2, 3)), np.ones((3, 2))), {}), ((np.ones(2), np.zeros(2)), {})])

range_length = op("range_length", type=lambda *bounds: INT, run=lambda *bounds: len(range(*bounds)), nondiff=SIZE,
                  raises="value", emit=lambda *bounds: f"len(range({', '.join(placeholders(len(bounds)))}))",
                  samples=lambda: [((n,), {}) for n in (3, 0, -2)] + [((1, 8, k), {}) for k in (1, 3, -2)])

size = op("size", "numpy.size .size", type=lambda x: INT, run=lambda x: int(np.size(x)), cost="free", shapes=(0,),
          dim=lambda x: size_dim(number(x).shape), bind=lambda a: ([a], {}), nondiff=SIZE,
          emit=lambda x: "_0.size" if number(x).carrier in ("np", "array") else "numpy.size(_0)",
          samples=lambda: [((np.ones((2, 3)),), {}), ((1.0,), {})], complex=True)


def shape_of(x: Operand) -> list[Any]:
    """The shape of x as operands: literals where it is known."""
    return [dim(x, axis=k) if d.value is None else Lit(d.value) for k, d in enumerate(number(x).shape)]


def reshape_as(ct: Operand, x: Operand) -> Any:
    """`ct`, which has the elements of x, in the shape of x."""
    if number(ct).is_array and number(ct).shape == number(x).shape:
        return ct
    sizes = [d.value for d in number(x).shape]
    return reshape_like(ct, x) if None in sizes else reshape(ct, *sizes)


# -- reshape ----------------------------------------------------------------------------------


def type_reshape(x: Operand, *sizes: Operand) -> Tensor:
    dims = [size_of(s) for s in sizes]
    free = [k for k, d in enumerate(dims) if d.value is not None and d.value < 0]
    if len(free) > 1:
        raise TypeMismatch("can only specify one unknown dimension")
    if free:
        others = [d for k, d in enumerate(dims) if k not in free]
        note_size_requirement(size_dim(others).least >= 1)
        dims[free[0]] = remaining(number(x).shape, others)
    note_size_requirement(size_dim(dims) == size_dim(number(x).shape))
    return rearranged(x, dims)


def remaining(shape: Sequence[Dim], sizes: Sequence[Dim]) -> Dim:
    """The size that -1 stands for in `x.reshape(..., -1, ...)`: that of x over that of the given dims."""
    left, gone = list(shape), list(sizes)
    for d in sizes:
        if d in left:
            left.remove(d)
            gone.remove(d)
    total, divisor = size_dim(left), size_dim(gone)
    return divided(total, divisor)


def bind_reshape(a: Any, *shape: Any) -> tuple[list[Any], dict[str, Any]]:
    return [a, *(sequence(shape[0]) if len(shape) == 1 else shape)], {}


def emit_reshape(x: Operand, *sizes: Operand) -> str:
    names = list(placeholders(1 + len(sizes), 1))
    if number(x).carrier in ("py", "any"):
        return f"numpy.reshape(_0, {display(names)})"
    return f"_0.reshape({', '.join(names) or '()'})"


def reshapes() -> Iterable[samples.Sample]:
    for x in (samples.arrays((2, 6)), samples.arrays((3, 4), dtype="f4"), samples.strided((6, 2), -2.0, 2.0)):
        for sizes in ((3, 4), (12,), (-1,), (2, -1), (2, 1, 6)):
            yield (x, *sizes), {}
    yield (samples.arrays((0, 3)), 3, 0), {}
    yield (samples.arrays((1,)),), {}
    yield (1.5, 1), {}


def back(ct: Operand, x: Operand, *sizes: Operand) -> list[Any]:
    return [reshape_as(ct, x), *[None] * len(sizes)]


reshape: Op = op("reshape", "numpy.reshape .reshape", type=type_reshape, run=lambda x, *n: np.reshape(x, n),
                 linear=back, bind=bind_reshape, emit=emit_reshape, inactive=tuple(range(1, 33)), alias="maybe",
                 raises="shape", samples=reshapes)


def emit_reshape_like(ct: Operand, x: Operand) -> str:
    return "_0.reshape(_1.shape)" if number(ct).carrier in ("np", "array") else "numpy.reshape(_0, _1.shape)"


reshape_like: Op = op("reshape_like", type=lambda ct, x: rearranged(ct, number(x).shape), inactive=(1,), alias="maybe",
                      shapes=(1,), run=lambda ct, x: np.reshape(ct, x.shape), emit=emit_reshape_like,
                      linear=lambda ct, a, x: [reshape_as(ct, a), None],
                      samples=lambda: [((samples.arrays((2, 6)), np.ones(s)), {}) for s in ((3, 4), (12,), (2, 2, 3))])


def flat(name: str, calls: str, alias: str) -> Op:
    return op(name, calls, type=lambda x: rearranged(x, [size_dim(number(x).shape)]), linear=back,
              run=lambda x: getattr(np.asarray(x), name)(), bind=lambda a: ([a], {}), alias=alias,
              emit=f"_0.{name}()" if name == "flatten" else "numpy.ravel(_0)", samples=samples.layouts,
              layout="C" if name == "flatten" else "unknown")


ravel = flat("ravel", "numpy.ravel .ravel", "maybe")
flatten = flat("flatten", ".flatten", "none")


# -- axes -------------------------------------------------------------------------------------


def permutation(rank: int, axes: Sequence[int] | None) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(rank))[::-1]
    order = tuple(a + rank if a < 0 else a for a in axes)
    if sorted(order) != list(range(rank)):
        raise TypeMismatch(f"axes {tuple(axes)} do not match an array of rank {rank}")
    return order


def type_transpose(x: Operand, axes: Sequence[int] | None = None) -> Tensor:
    shape = number(x).shape
    return rearranged(x, [shape[k] for k in permutation(len(shape), axes)])


def transpose_elements(e: Elements, at: Sequence[Any], x: Operand, axes: Sequence[int] | None = None) -> Operand:
    order = permutation(len(at), axes)
    return e.read(x, [at[order.index(k)] for k in range(len(at))])


def transpose_back(ct: Operand, x: Operand, axes: Sequence[int] | None = None) -> list[Any]:
    if axes is None:
        return [transpose(ct)]
    order = permutation(number(x).rank, axes)
    return [transpose(ct, axes=tuple(order.index(k) for k in range(len(order))))]


def bind_transpose(a: Any, *args: Any, axes: Any = None) -> tuple[list[Any], dict[str, Any]]:
    if args:
        axes = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    return [a], {"axes": None if axes is None else tuple(axes)}


def orders() -> Iterable[samples.Sample]:
    x = samples.arrays((2, 3, 4))
    for axes in (None, (1, 0, 2), (2, 0, 1), (-1, 0, 1)):
        yield (x,), {"axes": axes}
    yield (samples.arrays((3,)),), {"axes": None}
    yield (samples.arrays((2, 3), dtype="f4"),), {"axes": None}


transpose = op("transpose", "numpy.transpose .transpose .T", type=type_transpose, run=np.transpose,
               linear=transpose_back, bind=bind_transpose, defaults={"axes": None}, alias="view", cost="free",
               elements=transpose_elements,
               samples=orders,
               emit=lambda x, axes=None: "numpy.transpose(_0, _axes)" if axes is not None else
               "_0.T" if number(x).carrier in ("np", "array") else "numpy.transpose(_0)")


def type_swapaxes(x: Operand, a: int, b: int) -> Tensor:
    shape = list(number(x).shape)
    (i,), (j,) = normalize(a, len(shape)), normalize(b, len(shape))
    shape[i], shape[j] = shape[j], shape[i]
    return rearranged(x, shape)


def swapaxes_elements(e: Elements, at: Sequence[Any], x: Operand, a: int, b: int) -> Operand:
    swapped = list(at)
    swapped[a], swapped[b] = swapped[b], swapped[a]
    return e.read(x, swapped)


swapaxes: Op = op("swapaxes", "numpy.swapaxes .swapaxes numpy.matrix_transpose numpy.linalg.matrix_transpose",
              type=type_swapaxes, run=lambda x, a, b: np.swapaxes(x, a, b), emit="numpy.swapaxes(_0, _a, _b)",
              bind=lambda a, axis1=-1, axis2=-2: ([a], {"a": axis1, "b": axis2}),
              linear=lambda ct, x, a, b: [swapaxes(ct, a=a, b=b)], alias="view", cost="free",
              elements=swapaxes_elements,
              samples=lambda: [((samples.arrays((2, 3, 4)),), {"a": a, "b": b}) for a, b in ((0, 1), (-1, 0), (1, 1))])


def moved(rank: int, source: Axis, destination: Axis) -> tuple[int, ...]:
    """The permutation that `moveaxis` makes."""
    pairs = sorted(zip(in_order(destination, rank), in_order(source, rank), strict=True))
    order = [k for k in range(rank) if k not in [s for _, s in pairs]]
    for to, axis in pairs:
        order.insert(to, axis)
    return tuple(order)


def in_order(axis: Axis, rank: int) -> list[int]:
    """The axes as nonnegative ints, in the order given."""
    normalize(axis, rank)
    return [k % rank for k in (axis if isinstance(axis, tuple) else (axis,)) if k is not None]


def type_moveaxis(x: Operand, source: Axis, destination: Axis) -> Tensor:
    shape = number(x).shape
    return rearranged(x, [shape[k] for k in moved(len(shape), source, destination)])


def bind_moveaxis(a: Any, source: Any, destination: Any) -> tuple[list[Any], dict[str, Any]]:
    return [a], {"source": tuple(source) if isinstance(source, list) else source,
                 "destination": tuple(destination) if isinstance(destination, list) else destination}


moveaxis: Op = op("moveaxis", "numpy.moveaxis", type=type_moveaxis, bind=bind_moveaxis,
                  run=lambda x, source, destination: np.moveaxis(x, source, destination),
                  emit="numpy.moveaxis(_0, _source, _destination)", alias="view", cost="free",
                  linear=lambda ct, x, source, destination: [moveaxis(ct, source=destination, destination=source)],
                  samples=lambda: [((samples.arrays((2, 3, 4)),), {"source": i, "destination": j})
                                   for i, j in ((0, 2), (-1, 0), (1, 1), ((0, 1), (-1, 0)))])


def type_expand_dims(x: Operand, axis: Axis) -> Tensor:
    shape = list(number(x).shape)
    count = len(axis) if isinstance(axis, tuple) else 1
    for k in normalize(axis, len(shape) + count):
        shape.insert(k, Dim(1))
    return rearranged(x, shape)


def emit_expand_dims(x: Operand, axis: Axis) -> str:
    """A subscript is faster than the call; a Python number has none."""
    rank = number(x).rank
    if not rank:
        return "numpy.expand_dims(_0, _axis)"
    count = len(axis) if isinstance(axis, tuple) else 1
    new = normalize(axis, rank + count)
    if not new:
        return "_0[...]"
    return f"_0[{', '.join('None' if k in new else ':' for k in range(max(new) + 1))}]"


def expand_dims_elements(e: Elements, at: Sequence[Any], x: Operand, axis: Axis) -> Operand:
    new = normalize(axis, len(at))
    return e.read(x, [i for k, i in enumerate(at) if k not in new])


expand_dims = op("expand_dims", "numpy.expand_dims", type=type_expand_dims, run=np.expand_dims,
                 bind=lambda a, axis: ([a], {"axis": axis}), emit=emit_expand_dims,
                 linear=lambda ct, x, axis: [squeeze(ct, axis=axis)], alias="view", cost="free",
                 elements=expand_dims_elements,
                 samples=lambda: [((samples.arrays(s),), {"axis": a})
                                  for s, a in (((2, 3), 0), ((2, 3), -1), ((3,), (0, 2)), ((0,), 1), ((2, 3), 1))])


def dropped(x: Operand, axis: Axis) -> tuple[int, ...]:
    """The axes that `squeeze` removes; all sizes must be known to be 1 or not."""
    shape = number(x).shape
    if axis is not None:
        return normalize(axis, len(shape))
    if any(d.value is None and not d.never_one for d in shape):
        raise TypeMismatch("squeeze of an array with sizes that may be 1: name the axis")
    return tuple(k for k, d in enumerate(shape) if d.value == 1)


def type_squeeze(x: Operand, axis: Axis = None) -> Tensor:
    shape, gone = number(x).shape, dropped(x, axis)
    note_size_requirement(all(shape[k].value == 1 for k in gone))
    if any(shape[k].never_one for k in gone):
        raise TypeMismatch("cannot select an axis to squeeze out which has size not equal to one")
    return rearranged(x, [d for k, d in enumerate(shape) if k not in gone])


def squeeze_elements(e: Elements, at: Sequence[Any], x: Operand, axis: Axis = None) -> Operand:
    gone, rest = dropped(x, axis), iter(at)
    return e.read(x, [0 if k in gone else next(rest) for k in range(number(x).rank)])


squeeze: Op = op("squeeze", "numpy.squeeze .squeeze", type=type_squeeze, run=np.squeeze, defaults={"axis": None},
             bind=lambda a, axis=None: ([a], {"axis": axis}), cost="free", raises="shape",
             alias=lambda x, axis=None: "view" if dropped(x, axis) else "same", elements=squeeze_elements,
             emit=lambda x, axis=None: "numpy.squeeze(_0)" if axis is None else "numpy.squeeze(_0, axis=_axis)",
             linear=lambda ct, x, axis=None: [expand_dims(ct, axis=dropped(x, axis)) if dropped(x, axis) else ct],
             samples=lambda: [((samples.arrays(s),), {"axis": a})
                              for s, a in (((1, 3), None), ((2, 1), -1), ((1, 3, 1), (0, -1)), ((1, 3, 1), 0),
                                           ((3,), None))])


# -- broadcasting -----------------------------------------------------------------------------


def bind_broadcast_to(array: Any, shape: Any) -> tuple[list[Any], dict[str, Any]]:
    return [array, *sequence(shape)], {}


def type_broadcast_to(x: Operand, *sizes: Operand) -> Tensor:
    dims, shape = [size_of(s) for s in sizes], number(x).shape
    note_size_requirement(len(shape) <= len(dims) and all(d.least >= 0 for d in dims)
                          and all(d.value == 1 or d == s for d, s in zip(shape[::-1], dims[::-1])))
    return rearranged(x, dims)


def broadcast_elements(e: Elements, at: Sequence[Any], x: Operand, *_: Operand) -> Operand:
    shape = number(x).shape
    return e.read(x, [0 if d.value == 1 else i for d, i in zip(shape, at[len(at) - len(shape):])])


broadcast_to = op("broadcast_to", "numpy.broadcast_to", type=type_broadcast_to,
                  run=lambda x, *n: np.broadcast_to(x, n), bind=bind_broadcast_to, inactive=tuple(range(1, 33)),
                  emit=lambda x, *n: f"numpy.broadcast_to(_0, {display(list(placeholders(1 + len(n), 1)))})",
                  linear=lambda ct, x, *n: [ct, *[None] * len(n)], alias="view", readonly=True, raises="shape",
                  elements=broadcast_elements,
                  samples=lambda: [((samples.arrays(s), *n), {})
                                   for s, n in (((3,), (2, 3)), ((2, 1), (2, 4)), ((), (3,)), ((1,), (0,)),
                                                ((2,), (2,)))])
