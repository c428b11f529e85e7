"""`scipy.linalg`: functions of matrices, decompositions, and matrices made of vectors and blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import ANY_REAL, DOUBLE, FLOAT, REAL_OF, Tensor, Type, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate, np_promote
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import index, join, trailing
from sct.ops.arrays.shape import dim
from sct.ops.linalg import decompositions, least_squares, norms
from sct.ops.linalg import linalg as square_matrices
from sct.ops.linalg.decompositions import rectangular, symmetric, triangle
from sct.ops.linalg.linalg import diagonally_dominant, lapack
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectra import T, diagonal_of, gaps, matrix_product, on_diagonal, over_gaps, plus, rows
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import add, mul, neg, sub
from sct.ops.scipy.linear_systems import bind_matrix, definite, linalg, matrix, not_overwritten, runs
from sct.ops.type_rules import number

__all__ = ["expm", "expm_frechet"]

# -- twins of numpy.linalg -------------------------------------------------------------------------------------


def one_matrix(x: Operand) -> None:
    if number(x).rank != 2:
        raise TypeMismatch("functions of scipy.linalg are supported for one matrix, not for stacks of matrices",
                           hint="call it in a loop")


def dtype_of(*xs: Operand) -> str:
    (dtype,) = lapack(*xs)
    return dtype


def twin(name: str, like: Op, bind: Callable[..., Any], sampled: samples.Samples, **fields: Any) -> Op:
    """A function that is the one of NumPy for one matrix, to rounding: its rules are those."""

    def rule(a: Operand, check_finite: bool = True, **attrs: Any) -> Type | tuple[Type, ...]:
        one_matrix(a)
        return like.type(a, **attrs)

    def without_check(f: Callable[..., Any] | None) -> Any:
        return f and (lambda *xs, check_finite=True, **attrs: f(*xs, **attrs))

    return op(f"scipy_{name}", f"scipy.linalg.{name}", bind=bind, samples=sampled, **{
        "type": rule, "run": runs(name), "vjp": without_check(like.vjp), "jvp": without_check(like.jvp),
        "defaults": {**like.defaults, "check_finite": True}, "raises": "value", "cost": "dear",
        "complex": True, **fields})


def squares() -> list[samples.Sample]:
    return [((diagonally_dominant((n, n), dtype),), {}) for n, dtype in ((3, "f8"), (1, "f8"), (2, "f4"))]


def type_det(a: Operand, **_: Any) -> Tensor:
    """In double precision, always."""
    matrix(a)
    return Tensor("np", DOUBLE["c" if number(a).kind == "c" else "f"])


twin("inv", square_matrices.inv, bind_matrix, squares, square=True)
twin("det", square_matrices.det, bind_matrix, squares, type=type_det, square=True)
twin("svdvals", decompositions.svdvals, bind_matrix, lambda: [
    ((a,), {"wide": a.shape[0] < a.shape[1]}) for a in rectangular() if a.ndim == 2],
     asks=lambda a, **_: decompositions.is_wide(a), defaults={"wide": None, "check_finite": True},
     run=lambda a, wide=None, check_finite=True: linalg("svdvals")(a, check_finite=check_finite),
     emit=lambda a, wide=None, check_finite=True:
         f"scipy.linalg.svdvals(_0{'' if check_finite else ', check_finite=False'})")


def bind_norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False,
              check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    operands, attrs = norms.bind_norm(a, ord, axis, keepdims)
    return operands, {**attrs, "check_finite": check_finite}


def type_norm(a: Operand, ord: Any = None, axis: Any = None, keepdims: bool = False,
              check_finite: bool = True) -> Tensor:
    """BLAS gives Python's numbers, of arrays that are not empty; LAPACK too, of those in some layouts."""
    t = number(a)
    if axis is not None or keepdims or t.dtype not in ("f32", "f64", *REAL_OF) or not (
            t.rank == 1 and ord in (None, 2) or t.rank == 2 and ord in (1, math.inf)):
        return norms.type_norm(a, ord, axis, keepdims)
    return FLOAT if t.rank == 1 and t.shape[0].least > 0 else ANY_REAL


twin("norm", norms.norm, bind_norm, lambda: [
    s for s in norms.norms() if s[1].get("ord") != 0 and s[0][0].dtype == "f8"], type=type_norm)


def bind_svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, overwrite_a: Any = False,
             check_finite: Any = True, lapack_driver: Any = "gesdd") -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a)
    return [a], {"full_matrices": full_matrices, "compute_uv": compute_uv, "check_finite": check_finite,
                 "lapack_driver": lapack_driver}


SVD = {"full_matrices": True, "compute_uv": True, "check_finite": True, "lapack_driver": "gesdd"}


def emit_svd(a: Operand, wide: bool | None = None, **attrs: Any) -> str:
    keywords = [f", {k}=_{k}" for k, v in SVD.items() if attrs.get(k, v) != v]
    return f"scipy.linalg.svd(_0{''.join(keywords)})"


def of_svd(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs, check_finite=True, lapack_driver="gesdd", **attrs: f(*xs, **attrs)


def type_svd(a: Operand, lapack_driver: str = "gesdd", check_finite: bool = True, **attrs: Any) -> Any:
    one_matrix(a)
    if lapack_driver != "gesdd" and number(a).kind == "c":
        raise TypeMismatch(f"`lapack_driver={lapack_driver!r}` of a complex matrix is not supported",
                           hint="leave it out")
    return decompositions.type_svd(a, **attrs)


def svds() -> list[samples.Sample]:
    return [(args, attrs) for args, attrs in decompositions.svds() if args[0].ndim == 2]


op("scipy_svd", "scipy.linalg.svd", type=type_svd, bind=bind_svd, emit=emit_svd, samples=svds,
   asks=lambda a, **_: decompositions.is_wide(a), vjp=of_svd(decompositions.svd_vjp),
   jvp=of_svd(decompositions.svd_jvp), defaults={**SVD, "wide": None}, raises="value", cost="dear", complex=True,
   run=lambda a, wide=None, **attrs: linalg("svd")(a, **attrs))


def bind_pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False,
              check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(return_rank=return_rank)
    return [a], {"atol": atol, "rtol": rtol, "check_finite": check_finite}


def type_pinv(a: Operand, **_: Any) -> Tensor:
    one_matrix(a)
    return Tensor("array", dtype_of(a), number(a).shape[::-1])


op("scipy_pinv", "scipy.linalg.pinv", type=type_pinv, run=runs("pinv"), bind=bind_pinv, raises="value", cost="dear",
   vjp=lambda ct, p, a, atol=None, rtol=None, **_: least_squares.pinv_vjp(ct, p, a) if atol is rtol is None else [
       least_squares.truncated_pinv_vjp(ct, p, a)],
   defaults={"atol": None, "rtol": None, "check_finite": True}, complex=True,
   samples=lambda: [((a,), {}) for a in rectangular() if a.ndim == 2])

# -- qr --------------------------------------------------------------------------------------------------------

MODES = {"full": "complete", "economic": "reduced", "r": "r"}


def bind_qr(a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", pivoting: Any = False,
            check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a, pivoting=pivoting)
    return [a], {"mode": mode, "check_finite": check_finite}


def type_qr(a: Operand, mode: str = "full", wide: bool = False, **_: Any) -> Any:
    if mode not in MODES:
        raise TypeMismatch(f"`mode={mode!r}` of scipy.linalg.qr is not supported")
    one_matrix(a)
    if mode == "r":
        return (Tensor("array", dtype_of(a), number(a).shape),)
    return least_squares.type_qr(a, MODES[mode], wide)


def qr_vjp(cts: Any, ys: Any, a: Operand, mode: str = "full", wide: bool = False, **_: Any) -> list[Any]:
    if mode == "r":
        raise TypeMismatch("mode 'r' is not supported", hint="use mode='economic', and its second result")
    return least_squares.qr_vjp(cts, ys, a, MODES[mode], wide)


def emit_qr(a: Operand, mode: str = "full", wide: bool = False, check_finite: bool = True) -> str:
    options = ("" if mode == "full" else ", mode=_mode") + ("" if check_finite else ", check_finite=False")
    return f"scipy.linalg.qr(_0{options})"


def qrs() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for (a,), attrs in least_squares.qrs():
        mode = {"complete": "full", "reduced": "economic"}.get(attrs["mode"])
        if a.ndim == 2 and mode:
            cases.append(((a,), {"mode": mode, "wide": attrs["wide"]}))
    return cases


op("scipy_qr", "scipy.linalg.qr", type=type_qr, bind=bind_qr, emit=emit_qr, vjp=qr_vjp, samples=qrs, raises="value",
   asks=lambda a, **_: decompositions.is_wide(a), cost="dear",
   run=lambda a, wide=False, **attrs: linalg("qr")(a, **attrs),
   defaults={"mode": "full", "wide": False, "check_finite": True}, complex=True)

# -- eigenvalues of symmetric matrices, also of pairs: A @ V = B @ V @ diag(w), V.T @ B @ V = 1 ----------------


def bind_eigh(a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, overwrite_a: Any = False,
              overwrite_b: Any = False, type: Any = 1, check_finite: Any = True, subset_by_index: Any = None,
              subset_by_value: Any = None, driver: Any = None) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a, overwrite_b=overwrite_b)
    for name, value, default in (("type", type, 1), ("subset_by_value", subset_by_value, None),
                                 ("driver", driver, None)):
        if value is not default and getattr(value, "value", value) != default:
            raise TypeMismatch(f"`{name}` of eigh is not supported", hint=f"leave `{name}` out")
    operands = [a] if b is None or getattr(b, "value", b) is None else [a, b]
    subset = tuple(subset_by_index) if isinstance(subset_by_index, (list, tuple)) else subset_by_index
    return operands, {"lower": lower, "eigvals_only": eigvals_only, "check_finite": check_finite,
                      "subset_by_index": subset}


def type_eigh(a: Operand, b: Operand | None = None, eigvals_only: bool = False,
              subset_by_index: tuple[int, int] | None = None, **_: Any) -> Any:
    n = matrix(a).shape[0]
    if subset_by_index is not None:
        if b is not None:
            raise TypeMismatch("`subset_by_index` of a pair of matrices is not supported",
                               hint="take the slice of all of them: `w[lo:hi + 1]`, `v[:, lo:hi + 1]`")
        (dtype,) = lapack(a)
        size = Dim(subset_by_index[1] - subset_by_index[0] + 1)
        values = Tensor("array", REAL_OF.get(dtype, dtype), (size,))
        return values if eigvals_only else (values, Tensor("array", dtype, (n, size)))
    if b is not None:
        matrix(b)
        if "c" in (number(a).kind, number(b).kind):
            raise TypeMismatch("eigenvalues of a pair of complex matrices are not supported",
                               "use those of inv(L) @ A @ inv(L).conj().T, with L = np.linalg.cholesky(B)")
    (dtype,) = lapack(a) if b is None else lapack(a, b)
    w = Tensor("array", REAL_OF.get(dtype, dtype), (n,))
    return w if eigvals_only else (w, Tensor("array", dtype, (n, n)))


def eigh_vjp(cts: Any, ys: Any, a: Operand, b: Operand | None = None, lower: bool = True, eigvals_only: bool = False,
             subset_by_index: tuple[int, int] | None = None, **flags: Any) -> list[Any]:
    """V @ (diag(dw) + F * (V.T @ dV)) @ V.T for A; with w, and half of the diagonal of V.T @ dV, for B."""
    if subset_by_index is not None:
        cts, ys = among_all((cts, None) if eigvals_only else cts, (ys, None) if eigvals_only else ys, a, lower,
                            subset_by_index)
        return decompositions.eigh_vjp(cts, ys, a, "L" if lower else "U", any_phase=eigvals_only)
    if b is None:
        uplo = "L" if lower else "U"
        return decompositions.eigvalsh_vjp(cts, ys, a, uplo) if eigvals_only else decompositions.eigh_vjp(
            cts, ys, a, uplo)
    if eigvals_only:
        cts, ys = (cts, None), scipy_eigh(a, b, lower=lower, **flags)
    (dw, dv), (w, v) = cts, ys
    along: Any = None if dw is None else on_diagonal(dw)
    turn: Any = None if dv is None else matmul(T(v), dv)
    inner: Any = None if turn is None else over_gaps(plus(turn, along), gaps(w))
    db = None if inner is None else add(mul(inner, rows(w)), mul(0.5, on_diagonal(diagonal_of(turn))))
    return [back(v, plus(inner, along), lower),
            neg(back(v, plus(db, None if dw is None else on_diagonal(mul(w, dw))), lower))]


def among_all(cts: Any, ys: Any, a: Operand, lower: bool, subset: tuple[int, int]) -> tuple[Any, Any]:
    """Cotangents of some eigenvalues and vectors as those of all, and all, with these vectors as they are."""
    w, vectors = scipy_eigh(a, lower=lower)
    first, after = slice(None, subset[0]), slice(subset[1] + 1, None)

    def put(x: Any, whole: Operand) -> Any:
        return concatenate(trailing(whole, first), x, trailing(whole, after), axis=-1)

    every = (w, vectors if ys[1] is None else put(ys[1], vectors))
    return [None if ct is None else put(ct, zeros_of(whole)) for ct, whole in zip(cts, every)], every


def eigh_jvp(tangents: Any, ys: Any, a: Operand, b: Operand | None = None, lower: bool = True,
             eigvals_only: bool = False, subset_by_index: tuple[int, int] | None = None, **flags: Any) -> Any:
    """With P = V.T @ dA @ V and R = V.T @ dB @ V: dw = diag(P - R * w), dV = V @ (F * (P - R * w) - diag(R) / 2)"""
    uplo = "L" if lower else "U"
    if subset_by_index is not None:
        _, every = among_all((None, None), (ys, None) if eigvals_only else ys, a, lower, subset_by_index)
        moved = decompositions.eigh_jvp(tangents, every, a, uplo, any_phase=eigvals_only)
        some = [trailing(x, slice(subset_by_index[0], subset_by_index[1] + 1)) for x in moved]
        return some[0] if eigvals_only else some
    if b is None:
        return decompositions.eigvalsh_jvp(tangents, ys, a, uplo) if eigvals_only else decompositions.eigh_jvp(
            tangents, ys, a, uplo)
    w, v = scipy_eigh(a, b, lower=lower, **flags) if eigvals_only else ys
    p, r = (None if dx is None else matrix_product(T(v), symmetric(dx, uplo), v) for dx in tangents)
    inner = plus(p, None if r is None else neg(mul(r, rows(w))))
    dw = diagonal_of(inner)
    if eigvals_only:
        return dw
    turn = over_gaps(inner, gaps(w))
    return [dw, matmul(v, turn if r is None else sub(turn, mul(0.5, on_diagonal(diagonal_of(r)))))]


def back(v: Operand, inner: Operand, lower: bool) -> Any:
    product = matrix_product(v, inner, T(v))
    return triangle(mul(0.5, add(product, T(product))), "L" if lower else "U")


def symmetric_pairs() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for n, dtype in ((3, "f8"), (1, "f8"), (2, "f4")):
        s = diagonally_dominant((n, n), dtype, seed=2)
        s = np.ascontiguousarray((0.3 * (s + s.T) + np.diag([0.0, 3.1, 5.3][:n])).astype(dtype))
        cases += [((s,), {"lower": lower, "eigvals_only": True}) for lower in (True, False)]
        cases += [((s, definite(diagonally_dominant((n, n), dtype, seed=1))), {"lower": lower, "eigvals_only": only})
                 for lower, only in ((True, False), (False, True), (False, False))]
    return cases


scipy_eigh: Op = op("scipy_eigh", "scipy.linalg.eigh", type=type_eigh, run=runs("eigh"), bind=bind_eigh, vjp=eigh_vjp,
                    jvp=eigh_jvp, defaults={"lower": True, "eigvals_only": False, "check_finite": True,
                                            "subset_by_index": None}, raises="value", cost="dear",
                    samples=symmetric_pairs, square=True, complex=True)


def bind_eigvalsh(a: Any, b: Any = None, *, lower: Any = True, overwrite_a: Any = False, overwrite_b: Any = False,
                  check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    operands, attrs = bind_eigh(a, b, lower=lower, overwrite_a=overwrite_a, overwrite_b=overwrite_b,
                                check_finite=check_finite)
    del attrs["eigvals_only"], attrs["subset_by_index"]
    return operands, attrs


def eigvalsh_jvp(tangents: Any, y: Operand, a: Operand, b: Operand | None = None, lower: bool = True,
                 check_finite: bool = True) -> Any:
    return eigh_jvp(tangents, y, a, b, lower, True, check_finite=check_finite)


def eigvalsh_vjp(ct: Operand, y: Operand, a: Operand, b: Operand | None = None, lower: bool = True,
                 check_finite: bool = True) -> list[Any]:
    return eigh_vjp(ct, y, a, b, lower, True, check_finite=check_finite)


op("scipy_eigvalsh", "scipy.linalg.eigvalsh", type=lambda a, b=None, **_: type_eigh(a, b, eigvals_only=True),
   run=runs("eigvalsh"), bind=bind_eigvalsh, defaults={"lower": True, "check_finite": True}, raises="value",
   vjp=eigvalsh_vjp, jvp=eigvalsh_jvp, cost="dear", square=True, complex=True,
   samples=lambda: [(args, {"lower": attrs["lower"]}) for args, attrs in symmetric_pairs()])

# -- the exponential -------------------------------------------------------------------------------------------


def stacked(a: Operand, e: Operand) -> Any:
    """[[A, E], [0, A]]: its exponential has the derivative along E in the place of E."""
    return concatenate(concatenate(a, e, axis=1), concatenate(zeros_of(a), a, axis=1))


def corner(x: Operand, n: Operand, down: bool, right: bool) -> Any:
    key, operands = join([slice(n, None) if side else slice(None, n) for side in (down, right)])
    return index(x, *operands, key=key)


def frechet_vjp(ct: Operand, y: Operand, a: Operand, e: Operand) -> list[Any]:
    """The derivative is a corner of the exponential of a larger matrix."""
    large = stacked(a, e)
    seed = concatenate(concatenate(zeros_of(a), ct, axis=1), concatenate(zeros_of(a), zeros_of(a), axis=1))
    blocks, n = expm_frechet(T(large), seed), dim(a, axis=0)
    return [add(corner(blocks, n, False, False), corner(blocks, n, True, True)), corner(blocks, n, False, True)]


def type_frechet(a: Operand, e: Operand) -> Tensor:
    return Tensor("array", DOUBLE["c" if "c" in (number(a).kind, number(e).kind) else "f"], matrix(a).shape)


expm_frechet: Op = op(
    "expm_frechet", type=type_frechet, vjp=frechet_vjp, raises="value",
    run=lambda a, e: linalg("expm_frechet")(a, e, compute_expm=False), cost="dear", complex=True,
    emit="scipy.linalg.expm_frechet(_0, _1, compute_expm=False)", square=True,
    samples=lambda: [((samples.arrays((n, n)), samples.arrays((n, n), seed=1)), {}) for n in (3, 1)])


def type_expm(a: Operand) -> Tensor:
    return Tensor("array", dtype_of(a), matrix(a).shape)


expm: Op = op("expm", "scipy.linalg.expm", type=type_expm, run=runs("expm"), bind=lambda A: ([A], {}), cost="dear",
              vjp=lambda ct, y, a: [expm_frechet(T(a), ct)], jvp=lambda das, y, a: expm_frechet(a, das[0]),
              samples=lambda: [((samples.arrays((n, n), dtype=d),), {}) for n, d in ((3, "f8"), (1, "f8"), (2, "f4"))],
              raises="value", square=True, complex=True)

# -- of blocks and vectors -------------------------------------------------------------------------------------


def type_block_diag(*xs: Operand) -> Tensor:
    """A vector is a block of one row, and a number one of one element."""
    sizes: list[Dim] = [Dim(0), Dim(0)]
    for x in xs:
        if number(x).rank > 2:
            raise TypeMismatch("stacks of blocks are not supported", hint="call it in a loop")
        shape = (Dim(1), Dim(1), *number(x).shape)[-2:]
        sizes = [size + d for size, d in zip(sizes, shape)]
    if not any(number(x).kind in "fc" for x in xs):
        raise TypeMismatch("blocks of only integers are not supported")
    return Tensor("array", np_promote([number(x).dtype for x in xs]), tuple(sizes))


def blocks_of(ct: Operand, *xs: Operand) -> list[Any]:
    blocks: list[Any] = []
    r: Any = None
    c: Any = None
    for x in xs:
        rank = number(x).rank
        down = plus(r, dim(x, axis=0) if rank == 2 else Lit(1))
        right = plus(c, dim(x, axis=rank - 1) if rank else Lit(1))
        row, column = Lit(0) if r is None else r, Lit(0) if c is None else c
        key, operands = join([slice(r, down) if rank == 2 else row, slice(c, right) if rank else column])
        blocks.append(index(ct, *operands, key=key))
        r, c = down, right
    return blocks


op("block_diag", "scipy.linalg.block_diag", type=type_block_diag, run=runs("block_diag"), linear=blocks_of,
   bind=lambda *arrs: (list(arrs), {}),
   emit=lambda *xs: f"scipy.linalg.block_diag({', '.join(placeholders(len(xs)))})",
   samples=lambda: [((samples.arrays((2, 3)), samples.arrays((1, 2), seed=1)), {}),
                    ((samples.arrays((2, 2)), samples.arrays((3, 1), seed=1), samples.arrays((1, 1), seed=2)), {}),
                    ((0.5, samples.arrays((3,)), samples.arrays((2, 1)), 1.5), {})])
