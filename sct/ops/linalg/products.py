"""Products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from string import ascii_letters
from typing import Any

import numpy as np

from sct.ir.core import Elements, Eqn, Op, Operand, builder_var
from sct.ir.dims import Dim
from sct.ir.types import Tensor, TypeMismatch, broadcast_shapes, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.shape import expand_dims, ravel, reshape_as, squeeze, swapaxes, transpose
from sct.ops.linalg.einsum import Labels, contract, nothing
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, conj_of, mul
from sct.ops.type_rules import number, promote, scalar_or_array, size_dim

__all__ = [
    "PRODUCTS", "bilinear", "contracted", "dot", "inner", "matmul", "matrices", "matrix_transpose", "outer", "product",
    "vdot", "vecdot", "vector_product",
]


def product(x: Operand, y: Operand, shape: Sequence[Dim]) -> Tensor:
    return scalar_or_array(promote([number(x), number(y)], np.multiply), tuple(shape))


def contracted(a: Dim, b: Dim) -> None:
    """The axes that are summed over must have one size."""
    note_size_requirement(a == b)
    if a.value is not None and b.value is not None and a != b:
        raise TypeMismatch(f"shapes not aligned: sizes {a} and {b}")


PRODUCTS: set[Op] = set()
"""Ops that are linear in each of their two operands, or in its conjugate."""


def bilinear(name: str, calls: str, rule: Callable[..., Tensor], transposed: Callable[..., list[Any]],
             **fields: Any) -> Op:
    """A product: linear in each operand, or in its conjugate."""

    def vjp(ct: Operand, z: Operand, x: Operand, y: Operand, **attrs: Any) -> list[Any]:
        return transposed(ct, x, y, **attrs)

    def jvp(tangents: Sequence[Any], z: Operand, x: Operand, y: Operand, **attrs: Any) -> Any:
        dx, dy = tangents
        if dx is None:
            return entry(x, dy, **attrs)
        return entry(dx, y, **attrs) if dy is None else add(entry(dx, y, **attrs), entry(x, dy, **attrs))

    entry = op(name, calls, type=rule, vjp=vjp, jvp=jvp, raises="shape", cost="dear",
               **{"complex": True, "linear_in": "each", **fields})
    PRODUCTS.add(entry)
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
    eqns: Sequence[Eqn] = getattr(builder_var.get(), "eqns", ())
    before, cts = len(eqns), _transposed(ct, x, y)
    new = {v for eqn in eqns[before:] for v in eqn.outs}
    for v, operand in zip(cts, (x, y)):
        if v in new:
            v.type = with_sizes_of(v.type, number(operand))
    return cts


def with_sizes_of(ct: Tensor, t: Tensor) -> Tensor:
    """The type of the cotangent of an operand of type `t`: matrices are not broadcast, so their axes are as long.

    A size of the cotangent may have another name, if it is none of the arguments.
    """
    n = min(ct.rank, t.rank, 2)
    sizes = [c if c.is_of_arguments or c.value is not None else d for c, d in zip(ct.shape[-n:], t.shape[-n:])]
    return replace(ct, shape=(*ct.shape[:-n], *sizes)) if n else ct


def _transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    m, n = number(x).rank, number(y).rank
    if m == n == 1:
        return [mul(ct, y), mul(ct, x)]
    if n == 1:
        dx = outer(ct, y) if m == 2 else mul(expand_dims(ct, axis=-1), y)
        return [dx, vector_product(matrix_transpose(x), ct)]
    if m == 1:
        dy = outer(x, ct) if n == 2 else mul(expand_dims(x, axis=-1), expand_dims(ct, axis=-2))
        return [vector_product(y, ct), dy]
    return [matmul(ct, matrix_transpose(y)), matmul(matrix_transpose(x), ct)]


def vector_product(a: Operand, v: Operand) -> Any:
    """Each matrix of a times each vector of v."""
    if number(v).rank == 1:
        return matmul(a, v)
    return squeeze(matmul(a, expand_dims(v, axis=-1)), axis=-1)


def matrices(*pairs: tuple[tuple[int, ...], tuple[int, ...]]) -> samples.Samples:
    def make() -> list[samples.Sample]:
        operands = [(samples.arrays(p), samples.arrays(q, seed=1)) for p, q in pairs]
        p, q = pairs[0]
        single = samples.arrays(p, dtype="f4")
        operands += [(single, samples.arrays(q, dtype="f4")), (single, samples.arrays(q))]
        return [(pair, {}) for pair in operands]

    return make


def product_elements(e: Elements, at: Sequence[Any], x: Operand, y: Operand) -> Any:
    """Sums over the last axis of x and the last but one of y; the axes before these are broadcast."""
    m, n = number(x).rank, number(y).rank
    end = len(at) - (n > 1)
    batch, row, column = at[:end - (m > 1)], at[end - (m > 1):end], at[end:]

    def leading(z: Operand) -> list[Any]:
        sizes = number(z).shape[:-2]
        return [0 if d.value == 1 else i for d, i in zip(sizes, batch[len(batch) - len(sizes):])]

    return e.total(add, nothing(x, y), [e.size(x, m - 1)],
                   lambda k: mul(e.read(x, [*leading(x), *row, k]), e.read(y, [*leading(y), k, *column])))


def outer_elements(e: Elements, at: Sequence[Any], x: Operand, y: Operand) -> Any:
    assert number(x).rank == number(y).rank == 1
    return mul(e.read(x, at[:1]), e.read(y, at[1:]))


PLAIN = [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 0), (0, 3)), ((0, 2), (2,))]
BATCHED = [((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 2)), ((1, 2, 3), (5, 3, 2)), ((5, 2, 3), (3,)),
           ((3,), (5, 3, 2)), ((4, 1, 2, 3), (5, 3, 2))]

matmul = bilinear("matmul", "operator.matmul numpy.matmul numpy.linalg.matmul", type_matmul, matmul_transposed,
                  run=np.matmul, emit="_0 @ _1", samples=matrices(*PLAIN, *BATCHED), layout="operands",
                  elements=product_elements)


def type_vecdot(x: Operand, y: Operand, axis: int = -1) -> Tensor:
    if not number(x).rank or not number(y).rank or axis != -1 and number(x).rank != number(y).rank:
        raise TypeMismatch("vecdot takes arrays; over an axis that is not the last, of one rank")
    a, b = number(x).shape, number(y).shape
    contracted(a[axis], b[axis])
    shape = list(broadcast_shapes(a, b))
    del shape[axis]
    return product(x, y, shape)


def vecdot_transposed(ct: Operand, x: Operand, y: Operand, axis: int = -1) -> list[Any]:
    share = expand_dims(ct, axis=axis) if number(ct).rank else ct
    return [conj_of(mul(share, y), x), mul(share, conj_of(x, x))]


def pairs_along() -> list[samples.Sample]:
    pair = samples.arrays((4, 3)), samples.arrays((4, 3), seed=1)
    return [*matrices(((3,), (3,)), ((4, 3), (3,)), ((4, 3), (2, 1, 3)))(), (pair, {}), (pair, {"axis": 0})]


def run_vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    return np.linalg.vecdot(x, y, axis=axis)  # type: ignore[call-overload]


vecdot = bilinear("vecdot", "numpy.vecdot numpy.linalg.vecdot", type_vecdot, vecdot_transposed, samples=pairs_along,
                  run=run_vecdot, defaults={"axis": -1}, bind=lambda x1, x2, axis=-1: ([x1, x2], {"axis": axis}))


# -- dot, inner: the sum over one axis of each ----------------------------------------------------


def labelled(x: Operand, y: Operand, axis: int) -> tuple[Labels, Labels, Labels]:
    """Labels of x, y and their product, over the last axis of x and this one of y."""
    m, n = number(x).rank, number(y).rank
    first, second = list(ascii_letters[:m]), list(ascii_letters[m:m + n])
    second[axis] = first[-1]
    return first, second, [*first[:-1], *(label for label in second if label != first[-1])]


def summed_over(axis: Callable[[int], int]) -> tuple[Callable[..., Tensor], Callable[..., list[Any]]]:
    """The type rule and the transpose of the product over this axis of an array of rank n."""

    def rule(x: Operand, y: Operand) -> Tensor:
        a, b = number(x).shape, number(y).shape
        if not a or not b:
            return product(x, y, a or b)
        k = axis(len(b))
        contracted(a[-1], b[k])
        return product(x, y, (*a[:-1], *b[:k], *b[k + 1:]))

    def transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
        if not number(x).rank or not number(y).rank:
            return [mul(ct, y), mul(ct, x)]
        of_x, of_y, of_ct = labelled(x, y, axis(number(y).rank))
        return [contract([(ct, of_ct), (y, of_y)], of_x), contract([(x, of_x), (ct, of_ct)], of_y)]

    return rule, transposed


type_dot, dot_general = summed_over(lambda n: max(n - 2, 0))
type_inner, inner_general = summed_over(lambda n: n - 1)


def dot_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    plain = number(x).rank and number(y).rank in (1, 2)
    return matmul_transposed(ct, x, y) if plain else dot_general(ct, x, y)


dot = bilinear("dot", "numpy.dot .dot", type_dot, dot_transposed, run=np.dot,
               samples=matrices(*PLAIN, ((), (3,)), ((2, 3), ()), ((), ()), ((4, 2, 3), (3,)), ((4, 2, 3), (3, 2)),
                                ((2, 3), (4, 3, 5)), ((3,), (4, 3, 2)), ((4, 2, 3), (2, 3, 4))), layout="C",
               elements=product_elements)


def inner_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    """inner(x, y) is x @ y.T"""
    ranks = number(x).rank, number(y).rank
    if ranks == (1, 1):
        return [mul(ct, y), mul(ct, x)]
    if ranks == (2, 1):
        return [outer(ct, y), matmul(transpose(x), ct)]
    if ranks == (1, 2):
        return [matmul(transpose(y), ct), outer(ct, x)]
    if ranks == (2, 2):
        return [matmul(ct, y), matmul(transpose(ct), x)]
    return inner_general(ct, x, y)


inner = bilinear("inner", "numpy.inner", type_inner, inner_transposed, run=np.inner,
                 samples=matrices(((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (4, 3)), ((), (3,)),
                                  ((2, 3), ()), ((2, 4, 3), (5, 3)), ((2, 4, 3), (5, 2, 3))))


# -- vdot, outer: of all elements, in a row --------------------------------------------------------


def row(x: Operand) -> Any:
    return ravel(x) if number(x).rank > 1 else x


def type_vdot(x: Operand, y: Operand) -> Tensor:
    contracted(size_dim(number(x).shape), size_dim(number(y).shape))
    return product(x, y, ())


def vdot_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    dx, dy = conj_of(mul(ct, y), x), mul(ct, conj_of(x, x))
    return [dx, dy] if number(x).shape == number(y).shape else [reshape_as(dx, x), reshape_as(dy, y)]


vdot = bilinear("vdot", "numpy.vdot", type_vdot, vdot_transposed, run=np.vdot,
                samples=matrices(((3,), (3,)), ((2, 3), (2, 3)), ((), ()), ((2, 3), (6,)), ((4, 3), (3, 4))))


def type_outer(x: Operand, y: Operand) -> Tensor:
    note_size_requirement(True)
    return product(x, y, (size_dim(number(x).shape), size_dim(number(y).shape)))


def outer_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    """ct @ y and x @ ct; a number is a vector of one element."""
    dx = matmul(ct, row(y)) if number(y).rank else mul(squeeze(ct, axis=1), y)
    dy = matmul(row(x), ct) if number(x).rank else mul(squeeze(ct, axis=0), x)
    return [reshape_as(dx, x) if number(x).rank else sum_(dx), reshape_as(dy, y) if number(y).rank else sum_(dy)]


outer = bilinear("outer", "numpy.outer numpy.linalg.outer", type_outer, outer_transposed, run=np.outer,
                 bind=lambda a, b: ([a, b], {}),
                 samples=matrices(((3,), (4,)), ((), (3,)), ((3,), ()), ((0,), (2,)), ((2, 3), (4,)), ((2,), (3, 2))),
                 layout="C", elements=outer_elements)
