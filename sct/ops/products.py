"""Products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Dim, Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.arithmetic import add, mul
from sct.ops.reductions import sum_
from sct.ops.registry import op
from sct.ops.shape import expand_dims, squeeze, swapaxes, transpose
from sct.ops.types import number, promote, scalar_or_array

__all__ = ["dot", "inner", "matmul", "outer", "vdot"]


def product(x: Operand, y: Operand, shape: Sequence[Dim]) -> Tensor:
    return scalar_or_array(promote([number(x), number(y)], np.multiply), tuple(shape))


def contracted(a: Dim, b: Dim) -> None:
    """The axes that are summed over must have one size."""
    if a.value is not None and b.value is not None and a != b:
        raise TypeMismatch(f"shapes not aligned: sizes {a} and {b}")


def bilinear(name: str, calls: str, rule: Callable[..., Tensor], transposed: Callable[..., list[Any]],
             **fields: Any) -> Op:
    """A product: linear in each operand."""

    def jvp(tangents: Sequence[Any], z: Operand, x: Operand, y: Operand) -> Any:
        dx, dy = tangents
        if dx is None:
            return entry(x, dy)
        return entry(dx, y) if dy is None else add(entry(dx, y), entry(x, dy))

    entry = op(name, calls, type=rule, vjp=lambda ct, z, x, y: transposed(ct, x, y), jvp=jvp, raises="shape",
               cost="dear", **fields)
    return entry


# -- matmul ------------------------------------------------------------------------------------


def type_matmul(x: Operand, y: Operand) -> Tensor:
    a, b = number(x).shape, number(y).shape
    if not a or not b:
        raise TypeMismatch("matmul takes arrays of at least one axis")
    contracted(a[-1], b[-2] if len(b) > 1 else b[-1])
    batch = broadcast_shapes(a[:-2], b[:-2])
    return product(x, y, (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())))


def matrix_transpose(x: Operand) -> Any:
    return transpose(x) if number(x).rank == 2 else swapaxes(x, a=-1, b=-2)


def matmul_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    """ct @ y.T and x.T @ ct; a vector is a matrix of one row (x) or one column (y)."""
    m, n = number(x).rank, number(y).rank
    if m == n == 1:
        return [mul(ct, y), mul(ct, x)]
    if n == 1:
        dx = mul(expand_dims(ct, axis=-1), y)
        return [dx, vector_product(matrix_transpose(x), ct)]
    if m == 1:
        dy = mul(expand_dims(x, axis=-1), ct if n == 2 else expand_dims(ct, axis=-2))
        return [vector_product(y, ct), dy]
    return [matmul(ct, matrix_transpose(y)), matmul(matrix_transpose(x), ct)]


def vector_product(a: Operand, v: Operand) -> Any:
    """Each matrix of a times each vector of v."""
    if number(v).rank == 1:
        return matmul(a, v)
    return squeeze(matmul(a, expand_dims(v, axis=-1)), axis=-1)


def matrices(*pairs: tuple[tuple[int, ...], tuple[int, ...]]) -> samples.Samples:
    def make() -> list[samples.Sample]:
        made = [(samples.arrays(p), samples.arrays(q, seed=1)) for p, q in pairs]
        p, q = pairs[0]
        single = samples.arrays(p, dtype="f4")
        made += [(single, samples.arrays(q, dtype="f4")), (single, samples.arrays(q))]
        return [(pair, {}) for pair in made]

    return make


PLAIN = [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 0), (0, 3)), ((0, 2), (2,))]
BATCHED = [((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 2)), ((1, 2, 3), (5, 3, 2)), ((5, 2, 3), (3,)),
           ((3,), (5, 3, 2)), ((4, 1, 2, 3), (5, 3, 2))]

matmul = bilinear("matmul", "operator.matmul numpy.matmul", type_matmul, matmul_transposed, run=np.matmul,
                  emit="_0 @ _1", samples=matrices(*PLAIN, *BATCHED))


# -- dot, inner, vdot, outer ---------------------------------------------------------------------


def type_dot(x: Operand, y: Operand) -> Tensor:
    m, n = number(x).rank, number(y).rank
    if not m or not n:
        return product(x, y, number(x).shape or number(y).shape)
    if n > 2:
        raise TypeMismatch("dot by an array of more than two axes is not supported: use matmul or einsum")
    shape = number(x).shape
    contracted(shape[-1], number(y).shape[0])
    return product(x, y, (*shape[:-1], *number(y).shape[1:]))


def dot_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    if not number(x).rank or not number(y).rank:
        return [mul(ct, y), mul(ct, x)]
    return matmul_transposed(ct, x, y)


dot = bilinear("dot", "numpy.dot .dot", type_dot, dot_transposed, run=np.dot,
               samples=matrices(*PLAIN, ((), (3,)), ((2, 3), ()), ((), ()), ((4, 2, 3), (3,)), ((4, 2, 3), (3, 2))))


def type_inner(x: Operand, y: Operand) -> Tensor:
    a, b = number(x).shape, number(y).shape
    if len(a) > 2 or len(b) > 2:
        raise TypeMismatch("inner of arrays of more than two axes is not supported")
    if not a or not b:
        return product(x, y, a or b)
    contracted(a[-1], b[-1])
    return product(x, y, (*a[:-1], *b[:-1]))


def inner_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    """inner(x, y) is x @ y.T"""
    if number(x).rank == 2 and number(y).rank == 1:
        return [mul(expand_dims(ct, axis=-1), y), matmul(transpose(x), ct)]
    if number(x).rank == 1 and number(y).rank == 2:
        return [matmul(transpose(y), ct), mul(expand_dims(ct, axis=-1), x)]
    if number(x).rank == 2 and number(y).rank == 2:
        return [matmul(ct, y), matmul(transpose(ct), x)]
    return [mul(ct, y), mul(ct, x)]


inner = bilinear("inner", "numpy.inner", type_inner, inner_transposed, run=np.inner,
                 samples=matrices(((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (4, 3)), ((), (3,)),
                                  ((2, 3), ())))


def type_vdot(x: Operand, y: Operand) -> Tensor:
    if number(x).rank != number(y).rank:
        raise TypeMismatch("vdot of arrays of different ranks is not supported")
    for a, b in zip(number(x).shape, number(y).shape):
        contracted(a, b)
    return product(x, y, ())


vdot = bilinear("vdot", "numpy.vdot", type_vdot, lambda ct, x, y: [mul(ct, y), mul(ct, x)], run=np.vdot,
                samples=matrices(((3,), (3,)), ((2, 3), (2, 3)), ((), ())))


def type_outer(x: Operand, y: Operand) -> Tensor:
    a, b = number(x).shape, number(y).shape
    if len(a) > 1 or len(b) > 1:
        raise TypeMismatch("outer of arrays of more than one axis is not supported: flatten them")
    return product(x, y, (*(a or (Dim(1),)), *(b or (Dim(1),))))


def outer_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    """ct @ y and x @ ct; a number is a vector of one element."""
    dx = matmul(ct, y) if number(y).rank else mul(squeeze(ct, axis=1), y)
    dy = matmul(x, ct) if number(x).rank else mul(squeeze(ct, axis=0), x)
    return [dx if number(x).rank else sum_(dx), dy if number(y).rank else sum_(dy)]


outer = bilinear("outer", "numpy.outer", type_outer, outer_transposed, run=np.outer,
                 samples=matrices(((3,), (4,)), ((), (3,)), ((3,), ()), ((0,), (2,))))
