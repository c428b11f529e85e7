"""Arrays from numbers, and from other arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor, TypeMismatch, dtype_name, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.creation import dtype_text, optional_dtype, strong
from sct.ops.arrays.indexing import index, join
from sct.ops.arrays.shape import dim
from sct.ops.registry import flatten_nest, op, placeholders
from sct.ops.scalar.arithmetic import add
from sct.ops.type_rules import normalize, number, numpy_dtype

__all__ = ["array", "asarray", "concatenate", "display_of", "stack"]

Nest = Any
"""An int, the position of an operand, or a tuple of nests: a display without its leaves."""


# -- array, asarray: `nest` says how the operands are nested -------------------------------------


def type_array(*parts: Operand, tree: Nest = 0, dtype: str | None = None) -> Tensor:
    outer = nest_shape(tree)
    types = [number(p) for p in parts]
    shape = types[0].shape if types else ()
    for t in types[1:]:
        if t.rank != len(shape):
            raise TypeMismatch("an array of arrays and numbers of different ranks")
        shape = tuple(map(equal_dims, shape, t.shape))
    if dtype is None and any(isinstance(p, Lit) and type(p.value) is int and not -2**63 <= p.value < 2**63
                             for p in parts):
        raise TypeMismatch("an int that has more than 64 bits makes an array of objects", "write it as a float")
    common = dtype or (np_promote([strong(t) for t in types]) if types else "f64")
    if common[0] != "c" and any(t.kind == "c" for t in types):
        raise TypeMismatch(f"complex numbers are put into an array of {numpy_dtype(common)}", "take their real part")
    return Tensor("array", common, (*outer, *shape))


def equal_dims(a: Dim, b: Dim) -> Dim:
    note_size_requirement(a == b)
    if a.value is not None and b.value is not None and a != b:
        raise TypeMismatch(f"an array of arrays of sizes {a} and {b}")
    return a


def np_promote(dtypes: Sequence[str]) -> str:
    """The dtype of an array that holds numbers of these dtypes."""
    return dtype_name(np.result_type(*map(numpy_dtype, dtypes)))


def nest_shape(tree: Nest) -> tuple[Dim, ...]:
    if isinstance(tree, int):
        return ()
    shapes = {nest_shape(part) for part in tree}
    if len(shapes) > 1:
        raise TypeMismatch("a nest of lists of different lengths")
    return (Dim(len(tree)), *(shapes.pop() if shapes else ()))


def nested(tree: Nest, leaves: Sequence[Any]) -> Any:
    return leaves[tree] if isinstance(tree, int) else [nested(part, leaves) for part in tree]


def run_array(*parts: Any, tree: Nest = 0, dtype: str | None = None) -> Any:
    return np.array(nested(tree, parts), dtype=None if dtype is None else numpy_dtype(dtype))


def run_asarray(*parts: Any, tree: Nest = 0, dtype: str | None = None) -> Any:
    return np.asarray(nested(tree, parts), dtype=None if dtype is None else numpy_dtype(dtype))


def display_of(tree: Nest) -> str:
    return f"_{tree}" if isinstance(tree, int) else f"[{', '.join(map(display_of, tree))}]"


def bind_array(object: Any, dtype: Any = None) -> tuple[list[Any], dict[str, Any]]:
    parts, tree = flatten_nest(object)
    return parts, {"tree": tree, "dtype": optional_dtype(dtype)}


def array_transposed(ct: Operand, *parts: Operand, tree: Nest = 0, dtype: str | None = None) -> list[Any]:
    cts: list[Any] = [ct] * len(parts)

    def visit(part: Nest, path: tuple[int, ...]) -> None:
        if not isinstance(part, int):
            for k, inner in enumerate(part):
                visit(inner, (*path, k))
        elif path:
            cts[part] = index(ct, *path, key=("i",) * len(path))

    visit(tree, ())
    return cts


def displays() -> list[samples.Sample]:
    x, y = samples.arrays((2,)), samples.arrays((2,), seed=1)
    return [((1.5, 2.5), {"tree": (0, 1)}), ((1.5, np.float32(2.5)), {"tree": ((0,), (1,))}),
            ((x, y), {"tree": (0, 1)}), ((x, y), {"tree": ((0,), (1,))}), ((x,), {"tree": 0}),
            ((1, 2, 3, 4.5), {"tree": ((0, 1), (2, 3))}), ((1.5,), {"tree": 0}), ((), {"tree": ()}),
            ((1.5,), {"tree": (0,), "dtype": "f32"})]


def display_op(name: str, run: Any, alias: Any, **fields: Any) -> Op:
    def emit(*_: Operand, tree: Nest = 0, dtype: str | None = None) -> str:
        return f"numpy.{name}({display_of(tree)}{'' if dtype is None else f', dtype={dtype_text(dtype)}'})"

    return op(name, f"numpy.{name}", type=type_array, run=run, bind=bind_array, emit=emit, linear=array_transposed,
              defaults={"tree": 0, "dtype": None}, alias=alias, samples=displays, **fields)


def same_array(*parts: Operand, tree: Nest = 0, dtype: str | None = None) -> str:
    kept = tree == 0 and number(parts[0]).is_array and dtype in (None, number(parts[0]).dtype)
    return "same" if kept else "none"


array = display_op("array", run_array, "none", allocates=True, layout="operands")
asarray = display_op("asarray", run_asarray, same_array)


# -- concatenate, stack ----------------------------------------------------------------------------


def type_concatenate(*xs: Operand, axis: int = 0) -> Tensor:
    types = [number(x) for x in xs]
    (k,) = normalize(axis, types[0].rank)
    note_size_requirement(True)
    shape = list(types[0].shape)
    for t in types[1:]:
        if t.rank != len(shape):
            raise TypeMismatch("all arrays to be concatenated must have the same rank")
        shape = [a + b if j == k else equal_dims(a, b) for j, (a, b) in enumerate(zip(shape, t.shape))]
    return Tensor("array", np_promote([strong(t) for t in types]), tuple(shape))


def concatenate_transposed(ct: Operand, *xs: Operand, axis: int = 0) -> list[Any]:
    """Each operand gets its slice."""
    (k,) = normalize(axis, number(ct).rank)
    cts = []
    start: Any = None
    for n, x in enumerate(xs):
        stop = None if n == len(xs) - 1 else end(start, x, k)
        key, operands = join([*[slice(None)] * k, slice(start, stop)])
        cts.append(index(ct, *operands, key=key))
        start = stop
    return cts


def end(start: Any, x: Operand, axis: int) -> Any:
    """Where the slice of x that begins at `start` ends."""
    size = number(x).shape[axis].value
    extent: Any = Lit(size) if size is not None else dim(x, axis=axis)
    if start is None:
        return extent
    if isinstance(start, Lit) and isinstance(extent, Lit):
        return Lit(start.value + extent.value)
    return add(start, extent)


def bind_arrays(arrays: Any, axis: Any = 0) -> tuple[list[Any], dict[str, Any]]:
    return list(arrays), {"axis": axis}


def emit_joined(name: str) -> Any:
    def emit(*xs: Operand, axis: int = 0) -> str:
        parts = ", ".join(placeholders(len(xs))) + ("," if len(xs) == 1 else "")
        return f"numpy.{name}(({parts}))" if axis == 0 else f"numpy.{name}(({parts}), axis=_axis)"

    return emit


def tuples() -> list[samples.Sample]:
    x, y, z = samples.arrays((2, 3)), samples.arrays((2, 3), seed=1), samples.arrays((2, 3), dtype="f4")
    v = samples.arrays((3,))
    several = [((x, y), {"axis": a}) for a in (0, 1, -1)]
    return [*several, ((x, y, z), {"axis": 0}), ((z,), {"axis": 1}), ((v, v), {"axis": 0})]


def ragged() -> list[samples.Sample]:
    return [*tuples(), ((samples.arrays((2, 3)), samples.arrays((4, 3)), samples.arrays((0, 3))), {"axis": 0})]


concatenate = op("concatenate", "numpy.concatenate", type=type_concatenate, linear=concatenate_transposed,
                 run=lambda *xs, axis=0: np.concatenate(xs, axis=axis), bind=bind_arrays, defaults={"axis": 0},
                 emit=emit_joined("concatenate"), raises="shape", samples=ragged, layout="operands")


def type_stack(*xs: Operand, axis: int = 0) -> Tensor:
    types = [number(x) for x in xs]
    note_size_requirement(True)
    shape = list(types[0].shape)
    for t in types[1:]:
        if t.rank != len(shape):
            raise TypeMismatch("all input arrays must have the same shape")
        shape = list(map(equal_dims, shape, t.shape))
    (k,) = normalize(axis, len(shape) + 1)
    shape.insert(k, Dim(len(xs)))
    return Tensor("array", np_promote([strong(t) for t in types]), tuple(shape))


def stack_transposed(ct: Operand, *xs: Operand, axis: int = 0) -> list[Any]:
    (k,) = normalize(axis, number(ct).rank)
    return [index(ct, n, key=(*("s000",) * k, "i")) for n in range(len(xs))]


stack = op("stack", "numpy.stack", type=type_stack, linear=stack_transposed,
           run=lambda *xs, axis=0: np.stack(xs, axis=axis), bind=bind_arrays, defaults={"axis": 0},
           emit=emit_joined("stack"), raises="shape",
           samples=lambda: [*tuples(), ((1.5, np.float64(2.5)), {"axis": 0})], layout="operands")
