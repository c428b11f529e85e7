"""Sums over eigenvectors and singular vectors, whose derivatives hold also where values are equal.

    eigen_sum(ct, w, V)         =  V @ diag(ct) @ V.T
    singular_sum(ct, s, U, Vh)  =  U @ diag(ct) @ Vh

are the derivatives of functions of eigenvalues and singular values, which have the derivative `ct` by these. Such a
function has a derivative where values are equal if it is symmetric in them. Along dA, with P = V.T @ dA @ V,

    dw = diag(P),    d eigen_sum = V @ (Q * P + diag(d ct)) @ V.T,    Q[i, j] = (ct[j] - ct[i]) / (w[j] - w[i])

holds for those vectors of equal values of which P is diagonal: the quotients of equal values are not needed there. In
reverse mode, which comes to the direction last, the result is nan where such a quotient is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor, TypeMismatch
from sct.ops.linalg.linalg import total
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectra import (
    T,
    adjoint,
    columns,
    diagonal_of,
    is_single,
    matrix_product,
    on_diagonal,
    rows,
    total_size,
)
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import abs_, add, conj_of, div, mul, neg, sub
from sct.ops.scalar.comparison import eq, gt
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.elementary import sqrt
from sct.ops.scalar.selection import logical_and, where
from sct.ops.type_rules import number, promote, scalar_or_array

__all__ = ["eigen_sum", "eigenvalue_tangents", "hermitian_part", "singular_sum", "singular_value_tangents"]


# -- vectors of equal values --------------------------------------------------------------------------------------


turn: Op = op("turn", type=lambda a, first=False: Tensor("array", number(a).dtype, number(a).shape), raises="value",
              run=lambda a, first=False: np.linalg.eigh(a)[1], emit="numpy.linalg.eigh(_0)[1]", complex=True,
              defaults={"first": False}, cost="dear", nondiff="it is the identity where values are apart",
              samples=lambda: [((np.diag([1.0, 3.0]),), {}), ((np.stack([np.eye(3), np.eye(3)]),), {})])
"""The vectors of a matrix of blocks, one for each value, in the order of the values.

first  of the tangents of values, which need no turn if there are no second derivatives
"""


def along(w: Operand, p: Operand, first: bool = False) -> tuple[Any, Any]:
    """How vectors of equal values turn for the Hermitian matrix p to be diagonal there, and which values are equal.

    w  ascends
    """
    near, rounding = (3e-4, 1e-6) if is_single(w) else (1e-8, 2e-15)
    is_above = gt(sub(columns(w), rows(w)), columns(add(mul(near, abs_(w)), mul(rounding, total_size(w)))))
    below = sum_(is_above, axis=-1)
    equal = eq(columns(below), rows(below))
    shift = sum_(where(is_above, mul(3.0, frobenius(p)), 0.0), axis=-1)
    return turn(add(where(equal, p, 0.0), on_diagonal(shift)), first=first), equal


def frobenius(p: Operand) -> Any:
    """The Frobenius norm of each matrix, as a matrix of one element."""
    squares = total(mul(abs_(p), abs_(p)))
    return columns(columns(sqrt(squares))) if number(p).rank > 2 else sqrt(squares)


def quotients(ct: Operand, w: Operand, equal: Operand) -> Any:
    """(ct[j] - ct[i]) / (w[j] - w[i]); of equal values 0, or nan if the function is not symmetric in them."""
    difference = sub(rows(ct), columns(ct))
    quotient = div(difference, where(equal, math.inf, sub(rows(w), columns(w))))
    rounding = mul(1e-2 if is_single(w) else 1e-6, total_size(ct))
    differs = gt(abs_(difference), columns(rounding) if number(ct).rank > 1 else rounding)
    return where(logical_and(equal, differs), math.nan, quotient)


def not_met(q: Operand, p: Operand, equal: Operand) -> Any:
    """q, and nan where values are equal and p is not 0, but on the diagonal."""
    beside = sub(p, on_diagonal(diagonal_of(p)))
    is_met = gt(abs_(beside), mul(1e-4 if is_single(q) else 1e-12, frobenius(p)))
    return where(logical_and(equal, is_met), math.nan, q)


# -- eigenvectors -------------------------------------------------------------------------------------------------


def eigen_response(ct: Operand, w: Operand, v: Operand, da: Operand, turns: bool, dct: Any = None) -> Any:
    """The tangent of a sum along da, which is also its cotangent by the matrix where da is that of the sum."""
    p = hermitian_part(matrix_product(adjoint(v), da, v))
    rotation, equal = along(w, p)
    if turns:
        v, p = matmul(v, rotation), matrix_product(adjoint(rotation), p, rotation)
    q = quotients(ct, w, equal)
    inner = mul(q if turns else not_met(q, p, equal), conj_of(p, p))
    inner = inner if dct is None else add(inner, on_diagonal(dct))
    return matrix_product(conj_of(v, v), inner, T(v))


def real_diagonal(p: Operand) -> Any:
    return real(diagonal_of(p)) if number(p).kind == "c" else diagonal_of(p)


def hermitian_part(p: Operand) -> Any:
    return mul(0.5, add(p, adjoint(p)))


def eigenvalue_tangents(w: Operand, v: Operand, da: Operand) -> Any:
    """The tangents of the eigenvalues of the Hermitian part of a matrix whose tangent is da."""
    p = matrix_product(adjoint(v), da, v)
    rotation, _ = along(w, hermitian_part(p), first=True)
    return real_diagonal(matrix_product(adjoint(rotation), p, rotation))


def eigen_sum_jvp(tangents: Sequence[Any], y: Operand, ct: Operand, w: Operand, v: Operand, a: Operand) -> Any:
    dct, _, _, da = tangents
    return eigen_sum(dct, w, v, a) if da is None else eigen_response(ct, w, v, da, True, dct)


def eigen_sum_vjp(c: Operand, y: Operand, ct: Operand, w: Operand, v: Operand, a: Operand) -> list[Any]:
    return [real_diagonal(matrix_product(adjoint(v), c, v)), None, None, eigen_response(ct, w, v, c, False)]


def type_sum(shape: tuple[Dim, ...], ct: Operand, *vectors: Operand) -> Tensor:
    if any(number(x).rank != len(shape) or len(shape) < 2 for x in vectors):
        raise TypeMismatch("matrices of vectors are needed")
    return scalar_or_array(promote([number(ct), number(vectors[0])], np.multiply), shape)


eigen_sum: Op = op(
    "eigen_sum", vjp=eigen_sum_vjp, jvp=eigen_sum_jvp, inactive=(1, 2), linear_in=(0,), complex=True,
    type=lambda ct, w, v, a: type_sum(number(v).shape, ct, v),
    run=lambda ct, w, v, a: np.einsum("...ik,...k,...jk->...ij", np.conj(v), ct, v),
    emit="numpy.einsum('...ik,...k,...jk->...ij', numpy.conj(_2), _0, _2)")
"""conj(V) @ diag(ct) @ V.T of the eigenvectors V of the Hermitian part of a"""


# -- singular vectors ---------------------------------------------------------------------------------------------


def singular_response(ct: Operand, s: Operand, u: Operand, vh: Operand, da: Operand, turns: bool,
                      dct: Any = None) -> Any:
    """The tangent of a sum along da, which is also its cotangent by the matrix where da is that of the sum."""
    p = matrix_product(adjoint(u), da, adjoint(vh))
    inner: Any = None
    if number(ct).rank:
        rotation, equal = along(neg(s), neg(hermitian_part(p)))
        if turns:
            back = adjoint(rotation)
            u, vh, p = matmul(u, rotation), matmul(back, vh), matrix_product(back, p, rotation)
        even, q = hermitian_part(p), quotients(ct, s, equal)
        inner = mul(q if turns else not_met(q, even, equal), even)
        inner = inner if dct is None else add(inner, on_diagonal(dct))
    sums = add(rows(ct), columns(ct)) if number(ct).rank else mul(2.0, ct)
    odd = mul(div(sums, add(rows(s), columns(s))), mul(0.5, sub(p, adjoint(p))))
    response = matrix_product(u, odd if inner is None else add(inner, odd), vh)
    return conj_of(add_outside(response, div(ct, s), u, vh, da), response)


def add_outside(response: Any, scale: Operand, u: Operand, vh: Operand, da: Operand) -> Any:
    """With the parts of da that leave the spaces of the vectors, of matrices that are not square."""
    m, n = number(da).shape[-2:]
    k = number(u).shape[-1]
    if m != k:
        right = matmul(da, adjoint(vh))
        response = add(response, matmul(mul(sub(right, matmul(u, matmul(adjoint(u), right))), rows(scale)), vh))
    if n != k:
        left = matmul(adjoint(u), da)
        response = add(response, matmul(mul(u, rows(scale)), sub(left, matmul(matmul(left, adjoint(vh)), vh))))
    return response


def singular_value_tangents(s: Operand, u: Operand, vh: Operand, da: Operand) -> Any:
    """The tangents of the singular values of a matrix."""
    p = matrix_product(adjoint(u), da, adjoint(vh))
    rotation, _ = along(neg(s), neg(hermitian_part(p)), first=True)
    return real_diagonal(matrix_product(adjoint(rotation), p, rotation))


def singular_sum_jvp(tangents: Sequence[Any], y: Operand, ct: Operand, s: Operand, u: Operand, vh: Operand,
                     a: Operand) -> Any:
    dct, *_, da = tangents
    return singular_sum(dct, s, u, vh, a) if da is None else singular_response(ct, s, u, vh, da, True, dct)


def singular_sum_vjp(c: Operand, y: Operand, ct: Operand, s: Operand, u: Operand, vh: Operand,
                     a: Operand) -> list[Any]:
    along_values = real_diagonal(matrix_product(adjoint(u), c, adjoint(vh)))
    return [along_values if number(ct).rank else sum_(along_values), None, None, None,
            singular_response(ct, s, u, vh, c, False)]


def of_scalar(f: Callable[..., Any], g: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ct, *xs: f(ct, *xs) if np.ndim(ct) else g(ct, *xs)


singular_sum: Op = op(
    "singular_sum", vjp=singular_sum_vjp, jvp=singular_sum_jvp, inactive=(1, 2, 3), linear_in=(0,), complex=True,
    type=lambda ct, s, u, vh, a: type_sum(number(a).shape, ct, u, vh),
    run=of_scalar(lambda ct, s, u, vh, a: np.conj(u * ct[..., None, :] @ vh),
                  lambda ct, s, u, vh, a: np.conj(ct * u @ vh)),
    emit=lambda ct, *xs: f"numpy.conj(_2 * _0{'[..., None, :]' if number(ct).rank else ''} @ _3)")
"""conj(U @ diag(ct) @ Vh) of the singular vectors of a matrix a; a number ct belongs to all values"""
