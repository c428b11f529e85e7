"""Decompositions of matrices: eigh, svd, qr, and what is computed by them.

With A = V diag(w) V.T, dw is the diagonal of V.T dA V and dV = V (F * (V.T dA V)), where
F[i, j] = 1 / (w[j] - w[i]) off the diagonal.  So vectors of eigenvalues that are equal have no
derivative (it is nan), while symmetric functions of the eigenvalues have one, and so has a result
that reads none of these vectors.  The same holds for `svd`.

`eigh` reads one triangle of its operand: that alone has a derivative, as for `cholesky`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import Dim, applied
from sct.ir.types import REAL_OF, Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.shape import dim
from sct.ops.arrays.triangles import tril
from sct.ops.linalg.linalg import lapack, result_class, square, squares
from sct.ops.linalg.phases import with_free_phases, with_lapack_phases
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectra import (
    T,
    adjoint,
    columns,
    diagonal_of,
    gaps,
    matrix_product,
    on_diagonal,
    over_gaps,
    plus,
    rows,
)
from sct.ops.linalg.spectral_sums import (
    eigen_sum,
    eigenvalue_tangents,
    hermitian_part,
    singular_sum,
    singular_value_tangents,
)
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, conj_of, div, mul, sub
from sct.ops.scalar.comparison import lt
from sct.ops.scalar.complex_parts import imag
from sct.ops.type_rules import number

__all__ = [
    "eigh", "eigvalsh", "factors", "is_square", "is_wide", "rectangular", "smaller", "svd", "svdvals", "symmetric",
]


def is_wide(a: Operand, **_: Any) -> dict[str, Any]:
    """Has a matrix more columns than rows?"""
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    excess = (number(a).shape[-2] - number(a).shape[-1]).value
    return {"wide": (excess < 0 if excess is not None else lt(dim(a, axis=-2), dim(a, axis=-1)), False)}


def smaller(a: Operand, wide: bool | None) -> Dim:
    """The smaller of the sizes of a matrix."""
    m, n = number(a).shape[-2:]
    excess = (m - n).value
    if wide is None and excess is not None:
        wide = excess < 0
    return applied("min", m, n) if wide is None else m if wide else n


def rectangular() -> list[Any]:
    shapes = ((3, 3), (4, 2), (2, 4), (2, 4, 3), (2, 2, 3), (1, 1))
    return [*(spread(s) for s in shapes), spread((3, 2)).astype("f4")]


def spread(shape: tuple[int, ...]) -> Any:
    """Matrices whose singular values are apart."""
    a = samples.arrays(shape)
    for k in range(min(shape[-2:])):
        a[..., k, k] += 2.0 * (k + 1)
    return a


# -- eigh -----------------------------------------------------------------------------------------


def symmetric(x: Operand, uplo: str) -> Any:
    """The symmetric matrix with the triangle of x."""
    if uplo == "U":
        x = T(x)
    return add(tril(x), T(tril(x, k=-1)))


def doubled(x: Operand, uplo: str) -> Any:
    """A matrix whose Hermitian part is the matrix of which x has one triangle."""
    if uplo == "U":
        x = adjoint(x)
    return add(tril(x), tril(x, k=-1))


def triangle(x: Operand, uplo: str) -> Any:
    """The transpose of `symmetric`, of a symmetric or Hermitian x."""
    lower = add(tril(x), tril(x, k=-1))
    return T(conj_of(lower, x)) if uplo == "U" else lower


def type_eigh(a: Operand, UPLO: str = "L", any_phase: bool = False) -> tuple[Tensor, Tensor]:
    shape = square(a)
    (dtype,) = lapack(a)
    return Tensor("array", REAL_OF.get(dtype, dtype), shape[:-1]), Tensor("array", dtype, shape)


def eigh_vjp(cts: Sequence[Any], ys: Sequence[Operand], a: Operand, UPLO: str = "L",
             any_phase: bool = False) -> list[Any]:
    """conj(V) @ (diag(dw) + F * (V.T @ dV)) @ V.T, made Hermitian

    any_phase  the result does not depend on the phases of the vectors, which are free if they are complex
    """
    (dw, dv), (w, v) = cts, ys
    if dv is None:
        return [triangle(eigen_sum(dw, w, v, doubled(a, UPLO)), UPLO)]
    if number(v).kind == "c" and not any_phase:
        dv = with_free_phases([dv], [v], real_element(UPLO))
    read = matmul(T(v), dv)
    inner = over_gaps(read if dw is None else add(read, on_diagonal(dw)), gaps(w))
    of_values = mul(0.5, add(inner, T(conj_of(inner, a))))
    if dw is not None:
        of_values = add(of_values, on_diagonal(dw))
    return [triangle(matrix_product(conj_of(v, v), of_values, T(v)), UPLO)]


def eigh_jvp(tangents: Sequence[Any], ys: Sequence[Operand], a: Operand, UPLO: str = "L",
             any_phase: bool = False) -> list[Any]:
    (w, v), da = ys, doubled(tangents[0], UPLO)
    dw = eigenvalue_tangents(w, v, da)
    dv = matmul(v, over_gaps(hermitian_part(matrix_product(adjoint(v), da, v)), gaps(w)))
    if number(v).kind == "c" and not any_phase:
        (dv,) = with_lapack_phases([dv], [v], real_element(UPLO))
    return [dw, dv]


def real_element(uplo: str) -> int:
    """Which element of the vectors of a complex matrix LAPACK makes real."""
    return -1 if uplo == "U" else 0


def symmetric_matrices() -> list[samples.Sample]:
    cases = []
    for (a,), _ in squares():
        if a.size:
            n = a.shape[-1]
            s = (0.2 * (a + np.swapaxes(a, -1, -2)) + np.diag(np.arange(n))).astype(a.dtype)
            cases += [((s,), {"UPLO": "L"}), ((s,), {"UPLO": "U"})]
    return cases


def bind_eigh(a: Any, UPLO: Any = "L") -> tuple[list[Any], dict[str, Any]]:
    return [a], {"UPLO": UPLO}


eigh = op("eigh", "numpy.linalg.eigh", type=type_eigh, bind=bind_eigh, vjp=eigh_vjp, jvp=eigh_jvp,
          run=lambda a, UPLO="L", any_phase=False: np.linalg.eigh(a, UPLO),
          emit=lambda a, UPLO="L", any_phase=False: f"numpy.linalg.eigh(_0{'' if UPLO == 'L' else ', UPLO=_UPLO'})",
          defaults={"UPLO": "L", "any_phase": False}, named=result_class(np.linalg.eigh), raises="value",
          cost="dear", samples=symmetric_matrices, square=True, complex=True)


def eigvalsh_vjp(ct: Operand, y: Operand, a: Operand, UPLO: str = "L") -> list[Any]:
    return eigh_vjp([ct, None], eigh(a, UPLO=UPLO, any_phase=True), a, UPLO)


def eigvalsh_jvp(tangents: Sequence[Any], y: Operand, a: Operand, UPLO: str = "L") -> Any:
    w, v = eigh(a, UPLO=UPLO, any_phase=True)
    return eigenvalue_tangents(w, v, doubled(tangents[0], UPLO))


eigvalsh = op("eigvalsh", "numpy.linalg.eigvalsh", type=lambda a, UPLO="L": type_eigh(a)[0], run=np.linalg.eigvalsh,
              bind=bind_eigh, vjp=eigvalsh_vjp, jvp=eigvalsh_jvp, defaults={"UPLO": "L"}, raises="value", cost="dear",
              samples=symmetric_matrices, square=True, complex=True)


# -- svd ------------------------------------------------------------------------------------------
# The vectors beyond the singular values (full_matrices=True of a matrix that is not square) are any
# basis of a space: they have no derivative.


ANY_BASIS = TypeMismatch("the vectors beyond the singular values are any basis of a space",
                         hint="use np.linalg.svd(..., full_matrices=False)")


def type_svd(a: Operand, full_matrices: bool = True, compute_uv: bool = True,
             wide: bool | None = None, any_phase: bool = False) -> Any:
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    (dtype,) = lapack(a)
    *batch, m, n = number(a).shape
    k = smaller(a, wide)
    s = Tensor("array", REAL_OF.get(dtype, dtype), (*batch, k))
    if not compute_uv:
        return s
    p, q = (m, n) if full_matrices else (k, k)
    return Tensor("array", dtype, (*batch, m, p)), s, Tensor("array", dtype, (*batch, q, n))


def factors(a: Operand, wide: bool | None) -> tuple[Any, Any, Any]:
    u, s, vh = svd(a, full_matrices=False, compute_uv=True, wide=wide)
    return u, s, vh


def is_square(a: Operand) -> bool:
    return number(a).shape[-1] == number(a).shape[-2]


def svd_vjp(cts: Any, ys: Any, a: Operand, full_matrices: bool = True, compute_uv: bool = True,
            wide: bool | None = None, any_phase: bool = False) -> list[Any]:
    """U @ (diag(ds) + symmetric parts) @ Vh, and what leaves the spaces of U and of V

    any_phase  the result does not depend on the phases of the vectors, which are free if they are complex
    """
    if not compute_uv:
        return svdvals_vjp(cts, ys, a, wide=wide)
    du, ds, dvh = cts
    has_free_basis = full_matrices and not is_square(a)
    if du is None and dvh is None:
        return svdvals_vjp(ds, ys[1], a, wide) if has_free_basis else [singular_sum(ds, ys[1], ys[0], ys[2], a)]
    if has_free_basis:
        raise ANY_BASIS
    u, s, vh = ys
    v, dv = adjoint(vh), None if dvh is None else adjoint(dvh)
    if number(a).kind == "c" and not any_phase:
        du, dv = (with_free_phases([du, dv], [u, v], 0), dv) if is_really_wide(a, wide) else \
            (du, with_free_phases([dv, du], [v, u], 0))
    along: Any = None if ds is None else on_diagonal(ds)
    inner, between = along, gaps_of_squares(s)
    left = right = None
    if du is not None:
        read = matmul(T(u), du)
        inner = plus(inner, mul(turned(plus(read, along), between), rows(s)))
        if number(a).kind == "c":
            inner = add(inner, on_diagonal(div(mul(1j, imag(diagonal_of(read))), s)))
        left = None if wide or is_square(a) else outside(u, div(du, rows(s)))
    if dv is not None:
        inner = plus(inner, mul(columns(s), turned(plus(matmul(T(v), dv), along), between)))
        right = outside(v, div(dv, rows(s))) if wide is not False and not is_square(a) else None
    da = matrix_product(conj_of(u, u), inner, T(v))
    if left is not None:
        da = add(da, matmul(left, T(v)))
    return [da if right is None else add(da, conj_of(matmul(u, T(right)), u))]


def is_really_wide(a: Operand, wide: bool | None) -> bool:
    """Has a complex matrix more columns than rows?"""
    excess = (number(a).shape[-2] - number(a).shape[-1]).value
    if wide is None and excess is None:
        raise TypeMismatch("the shape of a complex matrix decides which element of its vectors is real")
    return excess < 0 if excess is not None else bool(wide)


def gaps_of_squares(s: Operand) -> Any:
    squares = mul(s, s)
    return gaps(s, sub(rows(squares), columns(squares)))


def turned(x: Operand, between: Operand) -> Any:
    """(x - x.T) / gaps, and 0 on the diagonal"""
    half = over_gaps(x, between)
    return add(half, adjoint(half))


def outside(u: Operand, x: Operand) -> Any:
    """The part of a cotangent x that is not in the space of u."""
    return sub(x, matmul(conj_of(u, u), matmul(T(u), x)))


def beyond(u: Operand, x: Operand) -> Any:
    """The part of x that is not in the space of u."""
    return sub(x, matmul(u, matmul(adjoint(u), x)))


def svd_jvp(tangents: Sequence[Any], ys: Any, a: Operand, full_matrices: bool = True, compute_uv: bool = True,
            wide: bool | None = None, any_phase: bool = False) -> Any:
    (da,) = tangents
    if not compute_uv:
        return svdvals_jvp(tangents, ys, a, wide)
    if full_matrices and not is_square(a):
        return ANY_BASIS, svdvals_jvp(tangents, ys[1], a, wide), ANY_BASIS
    u, s, vh = ys
    v = adjoint(vh)
    ds = singular_value_tangents(s, u, vh, da)
    inner = matrix_product(adjoint(u), da, v)
    scaled, scaled_left = mul(inner, rows(s)), mul(columns(s), inner)
    between = gaps_of_squares(s)
    du = matmul(u, over_gaps(add(scaled, adjoint(scaled)), between))
    dv = matmul(v, over_gaps(add(scaled_left, adjoint(scaled_left)), between))
    if not wide and not is_square(a):
        du = add(du, div(beyond(u, matmul(da, v)), rows(s)))
    if wide is not False and not is_square(a):
        dv = add(dv, div(beyond(v, matmul(adjoint(da), u)), rows(s)))
    if number(a).kind == "c":
        du = add(du, mul(u, rows(div(mul(1j, imag(diagonal_of(inner))), s))))
    if number(a).kind == "c" and not any_phase:
        du, dv = with_lapack_phases([du, dv], [u, v], 0) if is_really_wide(a, wide) else \
            reversed(with_lapack_phases([dv, du], [v, u], 0))
    return du, ds, adjoint(dv)


def svdvals_vjp(ct: Operand, y: Operand, a: Operand, wide: bool | None = None) -> list[Any]:
    u, s, vh = factors(a, wide)
    return [singular_sum(ct, s, u, vh, a)]


def svdvals_jvp(tangents: Sequence[Any], y: Operand, a: Operand, wide: bool | None = None) -> Any:
    u, s, vh = factors(a, wide)
    return singular_value_tangents(s, u, vh, tangents[0])


def run_svd(a: Any, full_matrices: bool = True, compute_uv: bool = True,
            wide: bool | None = None, any_phase: bool = False) -> Any:
    return np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)  # type: ignore[call-overload]


def emit_svd(a: Operand, full_matrices: bool = True, compute_uv: bool = True,
             wide: bool | None = None, any_phase: bool = False) -> str:
    return f"numpy.linalg.svd(_0{'' if full_matrices else ', full_matrices=False'}" \
           f"{'' if compute_uv else ', compute_uv=False'})"


def bind_svd(a: Any, full_matrices: Any = True, compute_uv: Any = True) -> tuple[list[Any], dict[str, Any]]:
    return [a], {"full_matrices": full_matrices, "compute_uv": compute_uv}


def svds() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for a in rectangular():
        wide = a.shape[-2] < a.shape[-1]
        attrs = [{"full_matrices": False, "wide": wide}, {"full_matrices": False}, {"compute_uv": False, "wide": wide}]
        cases += [((a,), options) for options in attrs]
    return [*cases, ((spread((3, 3)),), {})]


svd: Op = op("svd", "numpy.linalg.svd", type=type_svd, run=run_svd, emit=emit_svd, bind=bind_svd, asks=is_wide,
             defaults={"full_matrices": True, "compute_uv": True, "wide": None, "any_phase": False}, vjp=svd_vjp,
             jvp=svd_jvp, named=result_class(np.linalg.svd), raises="value", cost="dear", samples=svds, complex=True)


def type_svdvals(a: Operand, wide: bool | None = None) -> Tensor:
    t: Tensor = type_svd(a, compute_uv=False, wide=wide)
    return t


svdvals: Op = op("svdvals", "numpy.linalg.svdvals", type=type_svdvals, vjp=svdvals_vjp, jvp=svdvals_jvp,
                 run=lambda a, wide=None: np.linalg.svd(a, compute_uv=False), emit="numpy.linalg.svdvals(_0)",
                 bind=lambda x: ([x], {}), asks=is_wide, defaults={"wide": None}, raises="value", cost="dear",
                 complex=True, samples=lambda: [((a,), {"wide": a.shape[-2] < a.shape[-1]}) for a in rectangular()])
