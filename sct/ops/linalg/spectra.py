"""What the rules of decompositions share: products of matrices, diagonals, and quotients by gaps between eigenvalues.

Vectors of eigenvalues that are equal are any basis of a space. So quotients by a gap that is 0 to rounding are nan;
they are 0 where no result reads such a vector, nor its eigenvalue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import NARROW, Tensor
from sct.ops import samples
from sct.ops.arrays.creation import eye, full
from sct.ops.arrays.rearrange import diag, diagonal
from sct.ops.arrays.shape import dim, expand_dims
from sct.ops.linalg.products import matmul, matrix_transpose
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import abs_, add, conj_of, mul, neg, sub
from sct.ops.scalar.comparison import gt
from sct.ops.scalar.selection import where
from sct.ops.type_rules import number, promote, scalar_or_array

__all__ = [
    "T", "adjoint", "columns", "diagonal_of", "gaps", "is_single", "matrix_product", "on_diagonal",
    "over_gaps", "plus", "rows", "total_size",
]

T = matrix_transpose


def matrix_product(*xs: Operand) -> Any:
    """The product of matrices, from the left."""
    product = xs[0]
    for x in xs[1:]:
        product = matmul(product, x)
    return product


def columns(s: Operand) -> Any:
    """s, a number of each row."""
    return expand_dims(s, axis=-1)


def rows(s: Operand) -> Any:
    """s, a number of each column."""
    return expand_dims(s, axis=-2) if number(s).rank > 1 else s


def diagonal_of(x: Operand) -> Any:
    """The diagonal of each matrix."""
    return diag(x, k=0) if number(x).rank == 2 else diagonal(x, offset=0, axis1=-2, axis2=-1)


def adjoint(x: Operand) -> Any:
    """The transpose of each matrix, or its conjugate transpose."""
    return T(conj_of(x, x))


def on_diagonal(s: Operand) -> Any:
    """The matrix with s on its diagonal."""
    return diag(s, k=0) if number(s).rank == 1 else mul(identity(s), columns(s))


def identity(s: Operand) -> Any:
    return eye(dim(s, axis=-1), dtype=number(s).dtype)


def plus(a: Any, b: Any) -> Any:
    """a + b, either of which may be None"""
    return b if a is None else a if b is None else add(a, b)


def is_single(s: Operand) -> bool:
    """Is this in single precision?"""
    return number(s).dtype in NARROW


def total_size(s: Operand) -> Any:
    """The sum of the absolute values of each vector."""
    return sum_(abs_(s), axis=-1, keepdims=True) if number(s).rank > 1 else sum_(abs_(s))


def gaps(s: Operand, between: Any = None) -> Any:
    """s[j] - s[i], or what is `between` these; infinity on the diagonal, and nan where they are equal to rounding"""
    diagonal = diag(full(math.inf, dim(s, axis=-1), dtype="f32" if is_single(s) else None), k=0)
    gap = add(diagonal, sub(rows(s), columns(s)))
    rounding = mul(5e-6 if is_single(s) else 1e-14, total_size(s))
    is_apart = gt(abs_(gap), columns(rounding) if number(s).rank > 1 else rounding)
    return where(is_apart, gap if between is None else add(diagonal, between), math.nan)


def type_over_gaps(x: Operand, y: Operand) -> Tensor:
    return scalar_or_array(promote([number(x), number(y)], np.divide), number(x).shape)


def run_over_gaps(x: Any, y: Any) -> Any:
    zeros = np.zeros(np.shape(x), np.result_type(x, y))
    return np.divide(x, y, out=zeros, where=x.any(axis=-2, keepdims=True))


def wider(x: Operand, y: Operand) -> str:
    """The placeholder of that operand whose dtype is the dtype of x / y."""
    return "_0" if type_over_gaps(x, y).dtype == number(x).dtype else "_1"


def over_gaps_vjp(ct: Operand, z: Operand, x: Operand, y: Operand) -> list[Any]:
    return [over_gaps(ct, y), neg(over_gaps(mul(ct, z), y))]


def over_gaps_jvp(tangents: Sequence[Any], z: Operand, x: Operand, y: Operand) -> Any:
    dx, dy = tangents
    return over_gaps(neg(mul(z, dy)) if dx is None else dx if dy is None else sub(dx, mul(z, dy)), y)


# A vector that nothing reads has the cotangent 0, even if others belong to its value as well and y is nan.
over_gaps: Op = op("over_gaps", type=type_over_gaps, run=run_over_gaps, vjp=over_gaps_vjp, jvp=over_gaps_jvp,
                   complex=True, samples=lambda: [((samples.arrays(s), samples.arrays(s, 1.0, 2.0)), {})
                                                  for s in ((3, 3), (2, 2, 2))],
                   emit=lambda x, y: f"numpy.divide(_0, _1, out=numpy.zeros_like({wider(x, y)}), where=_0.any(axis="
                                     f"{'0' if number(x).rank == 2 else '-2, keepdims=True'}))")
