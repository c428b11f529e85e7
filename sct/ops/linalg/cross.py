"""The cross product of vectors of three elements, and systems of equations between arrays of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.arrays.concatenate import np_promote
from sct.ops.arrays.creation import strong
from sct.ops.arrays.shape import dim, ravel, reshape, reshape_as, size
from sct.ops.linalg.linalg import diagonally_dominant, lapack, solve
from sct.ops.linalg.products import bilinear, contracted, matmul, matrix_transpose, outer
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import mul, neg, sub
from sct.ops.type_rules import normalize, number, scalar_or_array, size_dim

__all__ = ["cross", "tensorinv", "tensorsolve"]


# -- cross ----------------------------------------------------------------------------------------


def length(x: Operand, axis: int) -> Any:
    if not number(x).rank:
        raise TypeMismatch("cross takes vectors, not numbers")
    (k,) = normalize(axis, number(x).rank)
    n = number(x).shape[k].value
    return dim(x, axis=k) if n is None else n


def lengths(a: Operand, b: Operand, axis: int = -1, **_: Any) -> dict[str, Any]:
    return {"of_a": (length(a, axis), 3), "of_b": (length(b, axis), 3)}


def type_cross(a: Operand, b: Operand, axis: int = -1, of_a: int = 3, of_b: int = 3) -> Tensor:
    if (of_a, of_b) != (3, 3):
        raise TypeMismatch(f"cross of vectors of {of_a} and {of_b} elements", hint="make them three, the last 0")
    if axis != -1 and number(a).rank != number(b).rank:
        raise TypeMismatch("cross over an axis that is not the last, of arrays of different ranks")
    return Tensor("array", np_promote([strong(number(a)), strong(number(b))]),
                  broadcast_shapes(number(a).shape, number(b).shape))


def bind_cross(a: Any, b: Any, axis: Any = -1) -> Any:
    return [a, b], {"axis": -1 if axis is None else axis}


def crosses() -> list[samples.Sample]:
    shapes = (((3,), (3,)), ((4, 3), (4, 3)), ((4, 3), (3,)), ((3,), (2, 1, 3)), ((2, 1, 3), (4, 3)))
    cases: list[samples.Sample] = [((samples.arrays(p), samples.arrays(q, seed=1)), {}) for p, q in shapes]
    return [*cases, ((samples.arrays((3, 4)), samples.arrays((3, 4), seed=1)), {"axis": 0}),
            ((samples.arrays((3,), dtype="f4"), samples.arrays((3,), dtype="f4", seed=1)), {})]


cross: Op = bilinear("cross", "numpy.cross numpy.linalg.cross", type_cross, asks=lengths, bind=bind_cross,
                     transposed=lambda ct, x, y, **attrs: [cross(y, ct, **attrs), cross(ct, x, **attrs)],
                     run=lambda a, b, axis=-1, of_a=3, of_b=3: np.cross(a, b, axis=axis),
                     emit=lambda a, b, axis=-1, **_: f"numpy.cross(_0, _1{'' if axis == -1 else ', axis=_axis'})",
                     defaults={"axis": -1, "of_a": 3, "of_b": 3}, samples=crosses)


# -- tensorsolve, tensorinv -------------------------------------------------------------------------
# An array whose first axes are the rows of a matrix and whose last are its columns.


def elements(x: Operand) -> Any:
    n = size_dim(number(x).shape).value
    return size(x) if n is None else Lit(n)


def type_tensorsolve(a: Operand, b: Operand) -> Tensor:
    rank = number(b).rank
    for p, q in zip(number(a).shape, number(b).shape):
        contracted(p, q)
    if number(a).rank < rank or not rank:
        raise TypeMismatch("tensorsolve: the first axes of a are those of b")
    return scalar_or_array(lapack(a, b), number(a).shape[rank:])


def as_matrix(a: Operand, b: Operand) -> Any:
    return reshape(a, elements(b), elements(b))


def tensorsolve_vjp(ct: Operand, y: Operand, a: Operand, b: Operand) -> list[Any]:
    """As for `solve`, of all elements in a row."""
    db = solve(matrix_transpose(as_matrix(a, b)), ravel(ct))
    return [reshape_as(neg(outer(db, ravel(y))), a), reshape_as(db, b)]


def tensorsolve_jvp(tangents: Sequence[Any], y: Operand, a: Operand, b: Operand) -> Any:
    da, db = tangents
    right = None if db is None else ravel(db)
    if da is not None:
        change = matmul(as_matrix(da, b), ravel(y))
        right = neg(change) if right is None else sub(right, change)
    return reshape_as(solve(as_matrix(a, b), right), y)


def tensor_systems() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for rows, columns in (((2, 3), (6,)), ((4,), (2, 2)), ((2, 3), (3, 2)), ((3,), (3,))):
        n = int(np.prod(rows))
        cases.append(((diagonally_dominant((n, n)).reshape(*rows, *columns), samples.arrays(rows, seed=1)), {}))
    return cases


tensorsolve = op("tensorsolve", "numpy.linalg.tensorsolve", type=type_tensorsolve, run=np.linalg.tensorsolve,
                 vjp=tensorsolve_vjp, jvp=tensorsolve_jvp, bind=lambda a, b: ([a, b], {}), raises="value", cost="dear",
                 samples=tensor_systems, complex=True)


def type_tensorinv(a: Operand, ind: int = 2) -> Tensor:
    shape = number(a).shape
    if not 0 < ind < len(shape):
        raise TypeMismatch(f"tensorinv with ind={ind} of {number(a)}")
    (dtype,) = lapack(a)
    return Tensor("array", dtype, (*shape[ind:], *shape[:ind]))


def square_of(x: Operand, y: Operand, ind: int) -> Any:
    """x as a matrix, where y is the inverse: its first axes count the rows."""
    sizes = number(y).shape[:number(y).rank - ind]
    count = size_dim(sizes).value
    n: Any = Lit(count) if count is not None else reduce(mul, [dim(y, axis=k) for k in range(len(sizes))])
    return reshape(x, n, n)


def tensorinv_vjp(ct: Operand, y: Operand, a: Operand, ind: int = 2) -> list[Any]:
    back = matrix_transpose(square_of(y, y, ind))
    return [reshape_as(neg(matmul(matmul(back, square_of(ct, y, ind)), back)), a)]


tensorinv = op("tensorinv", "numpy.linalg.tensorinv", type=type_tensorinv, run=np.linalg.tensorinv,
               vjp=tensorinv_vjp, bind=lambda a, ind=2: ([a], {"ind": ind}), defaults={"ind": 2}, raises="value",
               cost="dear", samples=lambda: [((a,), {"ind": b.ndim}) for (a, b), _ in tensor_systems()], complex=True)
