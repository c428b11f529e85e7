"""Of matrices that need not be square: qr, pinv, lstsq, rank and condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import applied
from sct.ir.types import REAL_OF, Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import index, join, store, trailing
from sct.ops.arrays.shape import dim
from sct.ops.arrays.triangles import tril
from sct.ops.linalg.decompositions import (
    factors,
    is_square,
    is_wide,
    rectangular,
    smaller,
    svd,
    symmetric,
    triangle,
)
from sct.ops.linalg.linalg import lapack, result_class, solve
from sct.ops.linalg.products import contracted, matmul, outer
from sct.ops.linalg.spectra import T, adjoint, columns, diagonal_of, matrix_product, on_diagonal, plus, rows
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import add, conj_of, div, mul, neg, sub
from sct.ops.scalar.comparison import gt, ne
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.selection import where
from sct.ops.type_rules import number, scalar_or_array

__all__ = ["lstsq", "matrix_rank", "pinv", "qr"]

# -- qr -------------------------------------------------------------------------------------------
# A wide matrix is [X, Y] = Q [U, V], where X = Q U is square and V = Q.T @ Y.


def type_qr(a: Operand, mode: str = "reduced", wide: bool = False) -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise TypeMismatch(f"qr with mode={mode!r} is not supported")
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    (dtype,) = lapack(a)
    *batch, m, n = number(a).shape
    k = m if mode == "complete" else smaller(a, wide)
    q, r = Tensor("array", dtype, (*batch, m, k)), Tensor("array", dtype, (*batch, k, n))
    return r if mode == "r" else (q, r)


def determined(a: Operand, mode: str, wide: bool) -> None:
    if mode == "complete" and not wide and not is_square(a):
        raise TypeMismatch("the columns of Q beyond those of the matrix are any basis of a space",
                           hint='use np.linalg.qr(..., mode="reduced")')


def split(x: Operand, like: Operand) -> tuple[Any, Any]:
    """The first columns of x, as many as it has rows, and the others."""
    size = dim(like, axis=-2)
    return trailing(x, slice(None, size)), trailing(x, slice(size, None))


def qr_vjp(cts: Any, ys: Any, a: Operand, mode: str = "reduced", wide: bool = False) -> list[Any]:
    determined(a, mode, wide)
    if mode == "r":
        cts, ys = (None, cts), qr(a, mode="reduced", wide=wide)
    (dq, dr), (q, r) = cts, ys
    if not wide:
        return [qr_back(dq, dr, q, r)]
    _, y = split(a, a)
    u, _ = split(r, a)
    du, dv = (None, None) if dr is None else split(dr, a)
    if dv is not None:
        dq = plus(dq, adjoint(matmul(dv, T(y))) if number(a).kind == "c" else matmul(y, T(dv)))
    dx = qr_back(dq, du, q, u)
    dy = matmul(conj_of(q, q), dv) if dv is not None else zeros_of(y)
    return [concatenate(dx, dy, axis=-1)]


def qr_back(dq: Any, dr: Any, q: Operand, r: Operand) -> Any:
    """(dQ + conj(Q) @ hermitian(R @ dR.T - dQ.T @ Q)) @ inv(R).T"""
    m: Any = None if dr is None else matmul(r, T(dr))
    if dq is not None:
        m = plus(m, neg(matmul(T(dq), q)))
    inner = plus(dq, matmul(conj_of(q, q), hermitian(m)))
    return T(solve(r, T(inner)))


def hermitian(m: Operand) -> Any:
    """The Hermitian matrix whose lower triangle is conj(m): the diagonal of R is real."""
    if number(m).kind != "c":
        return symmetric(m, "L")
    below = tril(m, k=-1)
    return add(add(conj_of(below, m), T(below)), on_diagonal(real(diagonal_of(m))))


def emit_qr(a: Operand, mode: str = "reduced", wide: bool = False) -> str:
    return "numpy.linalg.qr(_0)" if mode == "reduced" else "numpy.linalg.qr(_0, mode=_mode)"


def qrs() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for a in rectangular():
        wide = a.shape[-2] < a.shape[-1]
        cases += [((a,), {"mode": mode, "wide": wide}) for mode in ("reduced", "r", *["complete"] * wide)]
    return cases


qr: Op = op("qr", "numpy.linalg.qr", type=type_qr, run=lambda a, mode="reduced", wide=False: np.linalg.qr(a, mode),
            emit=emit_qr, bind=lambda a, mode="reduced": ([a], {"mode": mode}), asks=is_wide, vjp=qr_vjp,
            defaults={"mode": "reduced", "wide": False}, named=result_class(np.linalg.qr), raises="value", cost="dear",
            samples=qrs, complex=True)


def with_value(x: Any) -> tuple[Any, ...]:
    """An operand that may be left out."""
    return () if x is None else (x,)


# -- pinv -----------------------------------------------------------------------------------------


def type_pinv(a: Operand, *rcond: Operand, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    *batch, m, n = number(a).shape
    (dtype,) = lapack(a)
    if hermitian and number(a).kind == "c":
        raise TypeMismatch("`hermitian=True` of complex matrices is not supported", hint="leave it out")
    return Tensor("array", dtype, (*batch, n, m))


def pinv_vjp(ct: Operand, p: Operand, a: Operand, *rcond: Operand, **_: Any) -> list[Any]:
    """-P.T @ ct @ P.T, and what leaves the spaces of the rows and of the columns of A, which may be singular"""
    back, up = T(p), T(ct)
    da = neg(matrix_product(back, ct, back))
    turned = adjoint(p)
    left, right = matrix_product(up, p, turned), matrix_product(turned, p, up)
    da = add(da, conj_of(sub(left, matrix_product(a, p, left)), a))
    return [add(da, conj_of(sub(right, matrix_product(right, p, a)), a)), *[None] * len(rcond)]


def truncated_pinv_vjp(ct: Operand, p: Operand, a: Operand) -> Any:
    """The cotangent of a = U diag(s) V^H, where the pseudoinverse p = V diag(f) U^H leaves out singular values that
    need not be 0: f is 1 / s or 0.

    The formula of Daleckii and Krein for the singular value decomposition, which is its own transpose: of
    Q = U^H @ ct.T @ V the part Q + Q^H is multiplied by (f[i] - f[j]) / (s[i] - s[j]), and Q - Q^H by
    (f[i] + f[j]) / (s[i] + s[j]). What ct has outside of the spaces of U and V is divided by s ** 2. See V. Noferini,
    A formula for the Frechet derivative of a generalized matrix function, SIAM J. Matrix Anal. Appl. 38 (2017).
    """
    u, s, vh = svd(a, full_matrices=False, compute_uv=True, wide=None, any_phase=True)
    products = diagonal_of(matrix_product(vh, p, u))
    kept = gt(mul(real(products) if number(a).kind == "c" else products, s), 0.5)
    f = div(where(kept, 1.0, 0.0), where(kept, s, 1.0))
    one_kept = ne(columns(kept), rows(kept))
    of_both, larger = mul(columns(f), rows(f)), add(columns(f), rows(f))
    differences = where(one_kept, sub(rows(s), columns(s)), 1.0)
    sign = sub(where(rows(kept), 1.0, 0.0), where(columns(kept), 1.0, 0.0))
    even = where(one_kept, div(mul(sign, larger), differences), neg(of_both))
    odd = where(one_kept, div(larger, where(one_kept, add(rows(s), columns(s)), 1.0)), of_both)
    u.hint, s.hint, vh.hint, kept.hint, f.hint = "U", "s", "Vh", "kept", "inv_s"
    q = T(ct)
    left, right = matmul(q, adjoint(vh)), matmul(adjoint(u), q)
    inner = matmul(right, adjoint(vh))
    inside = mul(0.5, add(mul(even, add(inner, adjoint(inner))), mul(odd, sub(inner, adjoint(inner)))))
    squares = mul(f, f)
    left = mul(sub(left, matmul(u, inner)), rows(squares))
    right = mul(columns(squares), sub(right, matmul(inner, vh)))
    return conj_of(add(matmul(u, right), matmul(add(matmul(u, inside), left), vh)), a)


def pinv_of_either(ct: Operand, p: Operand, a: Operand, *rcond: Operand, rtol: float | None = None,
                   hermitian: bool = False) -> list[Any]:
    """Of a symmetric matrix, NumPy reads the lower triangle."""
    whole = symmetric(a, "L") if hermitian else a
    da = truncated_pinv_vjp(ct, p, whole) if rcond or rtol is not None else pinv_vjp(ct, p, whole)[0]
    return [triangle(mul(0.5, add(da, T(da))), "L") if hermitian else da, *[None] * len(rcond)]


def bind_pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None
              ) -> tuple[list[Any], dict[str, Any]]:
    return [a, *with_value(rcond)], {"rtol": rtol, "hermitian": hermitian}


def pseudoinverses() -> list[samples.Sample]:
    squares = [a for a in rectangular() if a.shape[-1] == a.shape[-2]]
    return [((a, *cut), {}) for a in rectangular() for cut in ((), (0.5,))] + [
        ((0.5 * (a + np.swapaxes(a, -1, -2)),), {"hermitian": True}) for a in squares]


pinv = op("pinv", "numpy.linalg.pinv", type=type_pinv, run=np.linalg.pinv, vjp=pinv_of_either, bind=bind_pinv,
          defaults={"rtol": None, "hermitian": False}, inactive=(1,), raises="value", cost="dear",
          samples=pseudoinverses, complex=True)


# -- lstsq ----------------------------------------------------------------------------------------


def type_lstsq(a: Operand, b: Operand, *rcond: Operand, wide: bool | None = None) -> tuple[Tensor, ...]:
    if number(a).rank != 2 or number(b).rank not in (1, 2):
        raise TypeMismatch("lstsq takes a matrix, and a vector or a matrix")
    (m, n), (rows, *columns) = number(a).shape, number(b).shape
    contracted(m, rows)
    (dtype,) = lapack(a, b)
    left, size = applied("residuals", m, n), REAL_OF.get(dtype, dtype)
    return (Tensor("array", dtype, (n, *columns)), Tensor("array", size, (left,)), Tensor("np", "i32"),
            Tensor("array", size, (smaller(a, wide),)))


def outer_product(x: Operand, y: Operand) -> Any:
    return outer(x, y) if number(x).rank == 1 else matmul(x, T(y))


def of_singular_values(ds: Operand, a: Operand, wide: bool | None) -> Any:
    """U @ diag(ds) @ Vh, which has a derivative where the singular values are apart"""
    u, _, vh = factors(a, wide)
    moved = matmul(mul(u, rows(ds)), vh)
    return conj_of(moved, moved)


def lstsq_vjp(cts: Sequence[Any], ys: Sequence[Operand], a: Operand, b: Operand, *rcond: Operand,
              wide: bool | None = None) -> list[Any]:
    """db = P.T @ ct of P = pinv(A); of A, what moves x, and what moves the spaces of its columns and rows

    The matrix may have a lower rank than its sizes: then both spaces move, of a square matrix too.
    """
    (ct, residuals, _, ds), x = cts, ys[0]
    da = None if ds is None else of_singular_values(ds, a, wide)
    db: Any = None
    rest = sub(b, matmul(a, x))
    if ct is not None:
        p = pinv(a, *rcond)
        db = matmul(T(p), ct)
        if rcond:
            da = plus(da, truncated_pinv_vjp(outer_product(ct, b), p, a))
        else:
            da = plus(da, neg(outer_product(db, x)))
            moved = add(outer_product(rest, matmul(conj_of(p, p), db)),
                        outer_product(matmul(adjoint(p), x), sub(ct, matmul(T(a), db))))
            da = add(da, conj_of(moved, moved))
    if residuals is not None and not wide and not is_square(a):
        if wide is None and number(b).rank == 2:
            raise TypeMismatch("the residuals of several right-hand sides are not differentiated if the sizes of the "
                               "matrix are known only at run time", hint="compute them from the solution")
        of_columns = sum_(residuals) if number(b).rank == 1 else of_full_rank(residuals, ys[1], rest)
        change = mul(2.0, mul(of_columns, conj_of(rest, rest)))
        da, db = plus(da, neg(outer_product(change, x))), plus(db, change)
    return [da, db, *[None] * len(rcond)]


def of_full_rank(ct: Operand, residuals: Operand, rest: Operand) -> Any:
    """The cotangents of the residuals of all columns: zeros for a matrix of lower rank, which has no residuals."""
    first, at = join([0])
    row = index(real(rest) if number(rest).kind == "c" else rest, *at, key=first)
    key, operands = join([slice(None, dim(residuals, axis=0))])
    return store(zeros_of(row), ct, *operands, key=key)


def least_squares() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for a in rectangular():
        if a.ndim == 2 and a.shape != (1, 1):
            m, n = a.shape
            cases += [((a, samples.arrays((m, *k), seed=1, dtype=a.dtype.str)), {"wide": m < n}) for k in ((), (2,))]
    return cases


lstsq = op("lstsq", "numpy.linalg.lstsq", type=type_lstsq, asks=lambda a, *_, **__: is_wide(a), vjp=lstsq_vjp,
           run=lambda a, b, rcond=None, wide=None: np.linalg.lstsq(a, b, rcond), inactive=(2,),
           bind=lambda a, b, rcond=None: ([a, b, *with_value(rcond)], {}), defaults={"wide": None},
           emit=lambda *args, wide=None: f"numpy.linalg.lstsq({', '.join(placeholders(len(args)))})",
           raises="value", cost="dear", samples=least_squares, complex=True)


# -- rank -----------------------------------------------------------------------------------------


def type_rank(a: Operand, tol: Any = None) -> Tensor:
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    return scalar_or_array({"i64"}, number(a).shape[:-2])


matrix_rank = op("matrix_rank", "numpy.linalg.matrix_rank", type=type_rank, run=np.linalg.matrix_rank, cost="dear",
                 bind=lambda A, tol=None: ([A], {"tol": tol}), defaults={"tol": None}, raises="value",
                 nondiff="a rank is constant between its jumps", samples=lambda: [((a,), {}) for a in rectangular()])
