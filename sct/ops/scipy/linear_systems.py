"""`scipy.linalg`: systems of equations, by matrices, triangles and factors, and equations for matrices.

A solver that reads one triangle of its matrix has a derivative by that triangle alone, as finite differences do.  The
adjoint of each equation is the transposed equation, solved by the same function.  SciPy does not transpose complex
matrices in `solve`, so their transpose is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import BOOL, REAL_OF, Tensor, Type, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.triangles import tril, triu
from sct.ops.linalg.decompositions import triangle
from sct.ops.linalg.linalg import diagonally_dominant, half, lapack, square
from sct.ops.linalg.products import contracted, matmul, outer
from sct.ops.linalg.spectra import T, adjoint, diagonal_of, matrix_product, on_diagonal, plus
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, conj_of, mul, neg, sub
from sct.ops.scalar.selection import where
from sct.ops.type_rules import number

__all__ = [
    "cho_solve", "has_full_rank", "lu_solve", "root_of", "solve_continuous_lyapunov", "solve_sylvester",
    "solve_triangular"]

# -- what the entries share -------------------------------------------------------------------------------------


def linalg(name: str) -> Any:
    """The function of SciPy, which is imported here."""
    return getattr(import_module("scipy.linalg"), name)


def runs(name: str) -> Callable[..., Any]:
    return lambda *xs, **attrs: linalg(name)(*xs, **attrs)


def not_overwritten(**flags: Any) -> None:
    """`overwrite_a=True` allows SciPy to destroy an argument."""
    for name, value in flags.items():
        if value is not False and not (isinstance(value, Lit) and not value.value):
            raise TypeMismatch(f"`{name}` is not supported")


def matrix(x: Operand) -> Tensor:
    """The type of one square matrix."""
    square(x)
    if number(x).rank != 2:
        raise TypeMismatch("functions of scipy.linalg are supported for one matrix, not for stacks of matrices",
                           hint="call it in a loop")
    return number(x)


def type_system(a: Operand, b: Operand) -> Tensor:
    rows = matrix(a).shape[0]
    shape = number(b).shape
    if len(shape) not in (1, 2):
        raise TypeMismatch("the right-hand side is a vector or a matrix")
    contracted(rows, shape[0])
    (dtype,) = lapack(a, b)
    return Tensor("array", dtype, shape)


def product_with(db: Operand, x: Operand) -> Any:
    """db @ x.T, of vectors or of matrices"""
    return outer(db, x) if number(x).rank == 1 else matmul(db, T(x))


def systems(make: Callable[[Any], Any] = lambda a: a) -> list[tuple[Any, Any]]:
    """Matrices and right-hand sides."""
    pairs = [(make(diagonally_dominant((n, n))), samples.arrays(s, seed=1)) for n, s in (
        (3, (3,)), (3, (3, 2)), (1, (1,)), (2, (2, 1)))]
    single = make(diagonally_dominant((3, 3), "f4"))
    return [*pairs, (single, samples.arrays((3,), dtype="f4")), (single, samples.arrays((3, 2)))]


def definite(a: Any) -> Any:
    return (a @ a.T).astype(a.dtype)


# -- solve ---------------------------------------------------------------------------------------------------------

STRUCTURES = {None: "general", "gen": "general", "general": "general", "sym": "symmetric", "symmetric": "symmetric",
              "her": "hermitian", "hermitian": "hermitian", "pos": "hermitian", "positive definite": "hermitian",
              "upper triangular": "upper", "lower triangular": "lower"}


def bind_solve(a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False,
               check_finite: Any = True, assume_a: Any = None,
               transposed: Any = False) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a, overwrite_b=overwrite_b)
    return [a, b], {"lower": lower, "check_finite": check_finite, "assume_a": assume_a, "transposed": transposed}


def type_solve(a: Operand, b: Operand, assume_a: str | None = None, transposed: bool = False, **_: Any) -> Tensor:
    if assume_a not in STRUCTURES:
        raise TypeMismatch(f"`assume_a={assume_a!r}` is not supported")
    if transposed and "c" in (number(a).kind, number(b).kind):
        raise TypeMismatch("SciPy does not solve transposed systems of complex numbers",
                           hint="transpose the matrix: A.T")
    return type_system(a, b)


def solve_vjp(ct: Operand, y: Operand, a: Operand, b: Operand, assume_a: str | None = None, lower: bool = False,
              transposed: bool = False, **flags: Any) -> list[Any]:
    """db = solve(A.T, ct), dA = -db @ y.T"""
    if number(a).shape[0].value == 1:  # SciPy divides by the only element
        assume_a = None
    structure = STRUCTURES[assume_a]
    is_symmetric = structure in ("symmetric", "hermitian")
    if "c" in (number(a).kind, number(ct).kind):
        flipped = {"upper": "lower triangular", "lower": "upper triangular"}.get(structure, assume_a)
        back = a if structure == "symmetric" else conj_of(a, a) if is_symmetric else T(a)
        db = scipy_solve(back, ct, assume_a=flipped, lower=lower, **flags)
    else:
        db = scipy_solve(a, ct, assume_a=assume_a, lower=lower, transposed=transposed == is_symmetric, **flags)
    da = neg(product_with(y, db) if transposed and not is_symmetric else product_with(db, y))
    if is_symmetric and (structure == "hermitian" or number(a).kind != "c"):
        da = triangle(mul(0.5, add(da, adjoint(da))), "L" if lower else "U")
    elif is_symmetric:
        both = add(da, T(da))
        da = sub(tril(both) if lower else triu(both), on_diagonal(diagonal_of(da)))
    return [{"upper": triu, "lower": tril}.get(structure, lambda x: x)(da), db]


def solve_samples() -> list[samples.Sample]:
    cases: list[samples.Sample] = [(pair, attrs) for pair in systems() for attrs in ({}, {"transposed": True})]
    cases += [(pair, {"assume_a": kind, "lower": lower}) for pair in systems(definite)
             for kind in ("pos", "sym") for lower in (True, False)]
    return cases + [(pair, {"assume_a": kind}) for pair in systems()[:2] for kind in ("upper triangular", "gen")]


scipy_solve: Op = op("scipy_solve", "scipy.linalg.solve", type=type_solve, run=runs("solve"), bind=bind_solve,
                     vjp=solve_vjp, linear_in=(1,), raises="value", cost="dear", samples=solve_samples, square=True,
                     complex=True,
                     defaults={"lower": False, "check_finite": True, "assume_a": None, "transposed": False})


def transposes(trans: Any) -> bool:
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise TypeMismatch(f"`trans={trans!r}` is not supported")
    return trans not in (0, "N")


def conjugates(trans: Any, a: Operand) -> bool:
    return trans in (2, "C") and number(a).kind == "c"


def bind_triangular(a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False,
                    overwrite_b: Any = False, check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_b=overwrite_b)
    return [a, b], {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal, "check_finite": check_finite}


def triangular_vjp(ct: Operand, y: Operand, a: Operand, b: Operand, trans: Any = 0, lower: bool = False,
                   unit_diagonal: bool = False, check_finite: bool = True) -> list[Any]:
    if conjugates(trans, a):
        da, db = triangular_vjp(ct, y, conj_of(a, a), b, 1, lower, unit_diagonal, check_finite)
        return [conj_of(da, da), db]
    back = 0 if transposes(trans) else 1
    db = solve_triangular(a, ct, trans=back, lower=lower, unit_diagonal=unit_diagonal, check_finite=check_finite)
    da = product_with(y, db) if transposes(trans) else product_with(db, y)
    return [neg(tril(da, k=-1 if unit_diagonal else 0) if lower else triu(da, k=1 if unit_diagonal else 0)), db]


solve_triangular: Op = op(
    "solve_triangular", "scipy.linalg.solve_triangular", type=lambda a, b, **_: type_system(a, b), raises="value",
    run=runs("solve_triangular"), bind=bind_triangular, vjp=triangular_vjp, linear_in=(1,), cost="dear", square=True,
    complex=True,
    defaults={"trans": 0, "lower": False, "unit_diagonal": False, "check_finite": True},
    samples=lambda: [(pair, {"lower": lower, "trans": trans, "unit_diagonal": unit})
                     for pair in systems() for lower in (True, False) for trans in (0, "T") for unit in (True, False)])

# -- Cholesky -------------------------------------------------------------------------------------------------------


def factor_back(ct: Operand, factor: Operand, lower: bool) -> Any:
    """The cotangent of the triangle of A, from that of its factor: half(inv(L).T @ (M + M.H) @ inv(conj(L)))."""
    if not lower:
        return adjoint(factor_back(adjoint(ct), adjoint(factor), True))
    m = half(matmul(T(factor), ct))
    inner = solve_triangular(factor, add(m, adjoint(m)), trans=1, lower=True)
    back = solve_triangular(conj_of(factor, factor), T(inner), trans=1, lower=True)
    return half(conj_of(back, back))


def cholesky_vjp(ct: Operand, y: Operand, a: Operand, lower: bool = False, **_: Any) -> list[Any]:
    return [factor_back(ct, y, lower)]


def bind_factor(a: Any, lower: Any = False, overwrite_a: Any = False,
                check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a)
    return [a], {"lower": lower, "check_finite": check_finite}


def type_factor(a: Operand, **_: Any) -> Tensor:
    (dtype,) = lapack(a)
    return Tensor("array", dtype, matrix(a).shape)


def definite_samples() -> list[samples.Sample]:
    return [((definite(diagonally_dominant((n, n), dtype)),), {"lower": lower})
            for n, dtype in ((3, "f8"), (1, "f8"), (2, "f4")) for lower in (True, False)]


op("scipy_cholesky", "scipy.linalg.cholesky", type=type_factor, run=runs("cholesky"), bind=bind_factor, square=True,
   vjp=cholesky_vjp, defaults={"lower": False, "check_finite": True}, raises="value", cost="dear",
   samples=definite_samples, complex=True)


def cho_factor_vjp(cts: Sequence[Any], ys: Sequence[Operand], a: Operand, lower: bool = False, **_: Any) -> list[Any]:
    """The other triangle of the factor is that of A."""
    ct, c = cts[0], ys[0]
    inside, beside = (tril, triu(ct, k=1)) if lower else (triu, tril(ct, k=-1))
    return [add(factor_back(inside(ct), inside(c), lower), beside)]


op("cho_factor", "scipy.linalg.cho_factor", type=lambda a, **_: (type_factor(a), BOOL), run=runs("cho_factor"),
   bind=bind_factor, vjp=cho_factor_vjp, defaults={"lower": False, "check_finite": True}, raises="value",
   cost="dear", samples=definite_samples, square=True, complex=True)


def bind_cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False,
                   check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_b=overwrite_b)
    c, lower = c_and_lower
    return [c, lower, b], {"check_finite": check_finite}


def cho_solve_vjp(ct: Operand, y: Operand, c: Operand, lower: Operand, b: Operand,
                  check_finite: bool = True) -> list[Any]:
    """dA = -db @ y.T is Hermitian where A is; d(L @ L.H) = dL @ L.H + L @ dL.H"""
    back = conj_of(c, c)
    db = cho_solve(back, lower, ct, check_finite=check_finite)
    da = neg(product_with(db, y))
    both = add(da, adjoint(da))
    if isinstance(lower, Lit):
        return [tril(matmul(both, tril(back))) if lower.value else triu(matmul(triu(back), both)), None, db]
    return [where(lower, tril(matmul(both, tril(back))), triu(matmul(triu(back), both))), None, db]


cho_solve: Op = op(
    "cho_solve", "scipy.linalg.cho_solve", type=lambda c, lower, b, **_: type_system(c, b), bind=bind_cho_solve,
    run=lambda c, lower, b, **attrs: linalg("cho_solve")((c, lower), b, **attrs), inactive=(1,), vjp=cho_solve_vjp,
    emit=lambda c, lower, b, check_finite=True:
        f"scipy.linalg.cho_solve((_0, _1), _2{'' if check_finite else ', check_finite=False'})",
    linear_in=(2,), defaults={"check_finite": True}, raises="value", cost="dear", complex=True,
    samples=lambda: [((a, Lit(lower), b), {}) for a, b in systems() for lower in (True, False)])

# -- LU ----------------------------------------------------------------------------------------------------------------


def lu_back(dl: Any, du: Any, p: Operand, low: Operand, up: Operand) -> Any:
    """P @ inv(L).T @ (the parts of L.T @ dL below and of dU @ U.T above the diagonal) @ inv(U).T"""
    inner = plus(None if dl is None else tril(matmul(T(low), dl), k=-1),
                None if du is None else triu(matmul(du, T(up))))
    inner = solve_triangular(low, inner, trans=1, lower=True, unit_diagonal=True)
    return matmul(p, T(solve_triangular(up, T(inner))))


def bind_lu(a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True,
            p_indices: Any = False) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a, permute_l=permute_l, p_indices=p_indices)
    return [a], {"check_finite": check_finite}


def real_type(t: Tensor) -> Tensor:
    """Permutations are real, of the precision of the matrix, but that of one element."""
    if all(size.value == 1 for size in t.shape):
        return t
    return Tensor(t.carrier, REAL_OF.get(t.dtype, t.dtype), t.shape)


def general() -> list[samples.Sample]:
    return [((a,), {}) for a in (diagonally_dominant((3, 3))[[1, 0, 2]], diagonally_dominant((1, 1)),
                                 diagonally_dominant((2, 2), "f4"))]


lu = op("lu", "scipy.linalg.lu", type=lambda a, **_: (real_type(type_factor(a)), *[type_factor(a)] * 2),
        run=runs("lu"), bind=bind_lu,
        vjp=lambda cts, ys, a, **_: [None if cts[1] is cts[2] is None else lu_back(*cts[1:], *ys)],
        defaults={"check_finite": True}, raises="value", cost="dear", samples=general, square=True, complex=True)


def type_lu_factor(a: Operand, **_: Any) -> tuple[Tensor, Tensor]:
    return type_factor(a), Tensor("array", "i32", matrix(a).shape[:1])


def lu_factor_vjp(cts: Sequence[Any], ys: Sequence[Operand], a: Operand, **_: Any) -> list[Any]:
    p, low, up = lu(a)
    return [lu_back(tril(cts[0], k=-1), triu(cts[0]), p, low, up)]


def bind_matrix(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_a=overwrite_a)
    return [a], {"check_finite": check_finite}


op("lu_factor", "scipy.linalg.lu_factor", type=type_lu_factor, run=runs("lu_factor"), bind=bind_matrix,
   vjp=lu_factor_vjp, defaults={"check_finite": True}, raises="value", cost="dear", samples=general, square=True,
   complex=True)


def bind_lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False,
                  check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    not_overwritten(overwrite_b=overwrite_b)
    factors, pivots = lu_and_piv
    return [factors, pivots, b], {"trans": trans, "check_finite": check_finite}


def lu_solve_vjp(ct: Operand, y: Operand, f: Operand, pivots: Operand, b: Operand, trans: Any = 0,
                 check_finite: bool = True) -> list[Any]:
    """With v = inv(U).T @ ct and w = inv(L).T @ v: dL = -w @ (U @ y).T, dU = -v @ y.T; transposed, of b and db."""
    if conjugates(trans, f):
        df, _, db = lu_solve_vjp(ct, y, conj_of(f, f), pivots, b, 1, check_finite)
        return [conj_of(df, df), None, db]
    db = lu_solve(f, pivots, ct, trans=0 if transposes(trans) else 1, check_finite=check_finite)
    right, left = (b, db) if transposes(trans) else (ct, y)
    v = solve_triangular(f, right, trans=1)
    w = solve_triangular(f, v, trans=1, lower=True, unit_diagonal=True)
    below = tril(product_with(w, matmul(triu(f), left)), k=-1)
    return [neg(add(below, triu(product_with(v, left)))), None, db]


def emit_lu_solve(f: Operand, pivots: Operand, b: Operand, trans: Any = 0, check_finite: bool = True) -> str:
    options = ("" if trans == 0 else ", trans=_trans") + ("" if check_finite else ", check_finite=False")
    return f"scipy.linalg.lu_solve((_0, _1), _2{options})"


lu_solve: Op = op(
    "lu_solve", "scipy.linalg.lu_solve", type=lambda f, pivots, b, **_: type_system(f, b), bind=bind_lu_solve,
    run=lambda f, pivots, b, **attrs: linalg("lu_solve")((f, pivots), b, **attrs), inactive=(1,), vjp=lu_solve_vjp,
    emit=emit_lu_solve, linear_in=(2,), defaults={"trans": 0, "check_finite": True}, raises="value", cost="dear",
    complex=True, samples=lambda: [((a, np.array([*range(1, len(a)), len(a) - 1], "i4"), b), {"trans": trans})
                     for a, b in systems() for trans in (0, 1)])

# -- equations for matrices -------------------------------------------------------------------------------------------


def type_equation(*xs: Operand, shape: Callable[..., tuple[Any, ...]]) -> Type:
    (dtype,) = lapack(*xs)
    return Tensor("array", dtype, shape(*xs))


def type_sylvester(a: Operand, b: Operand, q: Operand) -> Type:
    kinds = number(a).kind, number(b).kind, number(q).kind
    if "c" in kinds and (kinds[0], kinds[1]) != ("c", "c"):
        raise TypeMismatch("SciPy does not solve it for a real matrix among complex numbers, in real Schur form",
                           hint="make both matrices complex: A.astype(complex)")
    return type_equation(a, b, q, shape=lambda a, b, q: (matrix(a).shape[0], matrix(b).shape[0]))


def sylvester_vjp(ct: Operand, x: Operand, a: Operand, b: Operand, q: Operand) -> list[Any]:
    """A @ X + X @ B = Q"""
    dq = solve_sylvester(T(a), T(b), ct)
    return [neg(matmul(dq, T(x))), neg(matmul(T(x), dq)), dq]


solve_sylvester: Op = op(
    "solve_sylvester", "scipy.linalg.solve_sylvester", raises="value", cost="dear", run=runs("solve_sylvester"),
    type=type_sylvester, bind=lambda a, b, q: ([a, b, q], {}), vjp=sylvester_vjp, complex=True,
    samples=lambda: [((diagonally_dominant((3, 3)), diagonally_dominant((2, 2), seed=1), samples.arrays((3, 2))), {})])


root_of: Op = op(
    "root_of", type=lambda x, a: type_equation(a, shape=lambda a: matrix(a).shape), run=lambda x, a: x, emit="_0",
    alias="same", cost="never", inactive=(0,), vjp=lambda ct, x, _, a: [None, solve_sylvester(T(x), T(x), ct)],
    jvp=lambda tangents, x, _, a: solve_sylvester(x, x, tangents[1]), complex=True)
"""The first operand, as the root `X` of the matrix in the second: `X @ dX + dX @ X = dA`."""


def matrix_equation(name: str, vjp: Callable[..., list[Any]], scale: float) -> Op:
    """An equation for X of A and Q."""
    return op(name, f"scipy.linalg.{name}", run=runs(name), bind=lambda a, q: ([a, q], {}), vjp=vjp, raises="value",
              type=lambda a, q: type_equation(a, q, shape=lambda a, q: matrix(a).shape), cost="dear", square=True,
              samples=lambda: [((scale * diagonally_dominant((n, n)), samples.arrays((n, n), seed=1)), {})
                               for n in (3, 1)])


def continuous_vjp(ct: Operand, x: Operand, a: Operand, q: Operand) -> list[Any]:
    """A @ X + X @ A.T = Q"""
    dq = solve_continuous_lyapunov(T(a), ct)
    return [neg(add(matmul(dq, T(x)), matmul(T(dq), x))), dq]


def discrete_vjp(ct: Operand, x: Operand, a: Operand, q: Operand) -> list[Any]:
    """X = A @ X @ A.T + Q"""
    dq = solve_discrete_lyapunov(T(a), ct)
    return [add(matrix_product(dq, a, T(x)), matrix_product(T(dq), a, x)), dq]


solve_continuous_lyapunov: Op = matrix_equation("solve_continuous_lyapunov", continuous_vjp, 1.0)
solve_discrete_lyapunov: Op = matrix_equation("solve_discrete_lyapunov", discrete_vjp, 0.1)


def riccati_vjp(ct: Operand, x: Operand, a: Operand, b: Operand, q: Operand, r: Operand) -> list[Any]:
    """A.T @ X + X @ A - X @ B @ K + Q = 0, where K = inv(R) @ B.T @ X; S solves the equation of the closed loop."""
    gain = scipy_solve(r, matmul(T(b), x))
    s = solve_continuous_lyapunov(sub(a, matmul(b, gain)), mul(0.5, add(ct, T(ct))))
    xs = mul(2.0, matmul(x, s))
    return [neg(xs), matmul(xs, T(gain)), neg(s), neg(matrix_product(gain, s, T(gain)))]


op("solve_continuous_are", "scipy.linalg.solve_continuous_are", run=runs("solve_continuous_are"), raises="value",
   type=lambda a, b, q, r: type_equation(a, b, q, r, shape=lambda a, *_: matrix(a).shape), vjp=riccati_vjp,
   bind=lambda a, b, q, r: ([a, b, q, r], {}), cost="dear", square=True,
   samples=lambda: [(tuple(np.array([[v]]) for v in (0.3, 1.2, 0.7, 1.5)), {})])


def discrete_riccati_vjp(ct: Operand, x: Operand, a: Operand, b: Operand, q: Operand, r: Operand) -> list[Any]:
    """X = A.T @ X @ (A - B @ K) + Q, where K = inv(R + B.T @ X @ B) @ B.T @ X @ A; S is as for continuous time."""
    xb = matmul(x, b)
    gain = scipy_solve(add(r, matmul(T(b), xb)), matmul(T(xb), a))
    closed = sub(a, matmul(b, gain))
    s = solve_discrete_lyapunov(closed, mul(0.5, add(ct, T(ct))))
    da = mul(2.0, matrix_product(x, closed, s))
    return [da, neg(matmul(da, T(gain))), s, matrix_product(gain, s, T(gain))]


op("solve_discrete_are", "scipy.linalg.solve_discrete_are", run=runs("solve_discrete_are"), raises="value",
   type=lambda a, b, q, r: type_equation(a, b, q, r, shape=lambda a, *_: matrix(a).shape), vjp=discrete_riccati_vjp,
   bind=lambda a, b, q, r: ([a, b, q, r], {}), cost="dear", square=True)


# -- rank --------------------------------------------------------------------------------------------------------


has_full_rank = op(
    "has_full_rank", type=lambda a, b, *cond: BOOL, nondiff="a rank is constant between its jumps", cost="dear",
    run=lambda a, b, *cond: bool(linalg("lstsq")(a, b, *cond)[2] == np.shape(a)[1]), complex=True,
    emit=lambda a, b, *cond: f"scipy.linalg.lstsq(_0, _1{', _2' * len(cond)})[2] == _0.shape[1]",
    samples=lambda: [((a, samples.arrays((4,))), {}) for a in (
        samples.arrays((4, 2)), np.outer(np.arange(4.0), [1.0, 2.0]))])
