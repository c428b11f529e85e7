"""Linear algebra of square matrices: inverses, systems, determinants, Cholesky factors.

Matrices are the last two axes; the others are a batch, as in NumPy.

`det` and `slogdet` have the derivative d * inv(A).T; at a matrix that is singular to the
last bit `numpy.linalg.inv` raises.  `cholesky` reads one triangle of its operand, so
that alone has a derivative: its cotangent is of that triangle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Operand
from sct.ir.dims import Dim
from sct.ir.types import LONG, NARROW, REAL_OF, Tensor, TypeMismatch, broadcast_shapes
from sct.ops import samples
from sct.ops.arrays.shape import expand_dims, squeeze
from sct.ops.arrays.triangles import tril
from sct.ops.linalg.products import contracted, matmul, matrix_transpose, outer, vector_product
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, conj_of, mul, neg, sub
from sct.ops.type_rules import number, numpy_dtype, scalar_or_array

__all__ = [
    "as_matrices", "cholesky", "det", "half", "inv", "lapack", "result_class", "slogdet", "solve", "squares", "total"]


# -- what the rules share ----------------------------------------------------------------------


def lapack(*xs: Operand) -> set[str]:
    """The dtype of the results of `numpy.linalg` for these: single only if all are."""
    names = {number(x).dtype for x in xs}
    for name in names & {"f16", *LONG}:
        raise TypeMismatch(f"numpy.linalg does not take arrays of {numpy_dtype(name).type.__name__}")
    if any(number(x).kind == "c" for x in xs):
        return {"c64" if names.issubset(NARROW) else "c128"}
    return {"f32" if names == {"f32"} else "f64"}


def result_class(f: Callable[[Any], Any]) -> Any:
    """The class of the named tuple that a function of `numpy.linalg` returns, which has no public name."""
    return type(f(np.eye(1)))


def square(x: Operand) -> tuple[Dim, ...]:
    """The shape of x, whose last two sizes must be equal."""
    shape = number(x).shape
    if len(shape) < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(x)}")
    contracted(shape[-2], shape[-1])
    return shape


def of_square(shape: Callable[[tuple[Dim, ...]], tuple[Dim, ...]]) -> Callable[..., Tensor]:
    """The type of a function of square matrices, given the shape of its result."""

    def rule(a: Operand, **_: Any) -> Tensor:
        return scalar_or_array(lapack(a), shape(square(a)))

    return rule


def as_matrices(x: Operand) -> Any:
    """x, a number of each matrix, so that it broadcasts against the matrices."""
    return expand_dims(x, axis=(-2, -1)) if number(x).rank else x


def total(x: Operand) -> Any:
    """The sum of all elements of each matrix."""
    return sum_(x, axis=(-2, -1)) if number(x).rank > 2 else sum_(x)


def half(x: Operand) -> Any:
    """The lower triangle of x with half of its diagonal: half(x + x.T) + its transpose is x + x.T"""
    return mul(0.5, add(tril(x), tril(x, k=-1)))


def diagonally_dominant(shape: tuple[int, ...], dtype: str = "f8", seed: int = 0) -> Any:
    return (samples.arrays(shape, seed=seed) + 4.0 * np.eye(shape[-1])).astype(dtype)


def squares() -> list[samples.Sample]:
    shapes = ((3, 3), (1, 1), (2, 2), (4, 3, 3), (2, 2, 2), (0, 0), (0, 2, 2))
    matrices = [*map(diagonally_dominant, shapes), diagonally_dominant((3, 3), "f4"),
                diagonally_dominant((6, 6))[::2, ::2]]
    return [((a,), {}) for a in matrices]


# -- inv ----------------------------------------------------------------------------------------


def inv_vjp(ct: Operand, y: Operand, a: Operand) -> list[Any]:
    """-inv(A).T @ ct @ inv(A).T"""
    back = matrix_transpose(y)
    return [neg(matmul(matmul(back, ct), back))]


inv = op("inv", "numpy.linalg.inv", type=of_square(lambda s: (*s[:-2], s[-1], s[-2])), run=np.linalg.inv,
         vjp=inv_vjp, bind=lambda a: ([a], {}), raises="value", cost="dear", samples=squares, square=True, complex=True,
         layout="operands")


# -- solve --------------------------------------------------------------------------------------
# b is a vector if it has one axis, else its last two are matrices (NumPy 2).


def type_solve(a: Operand, b: Operand) -> Tensor:
    rows, columns = square(a)[-2:]
    shape = number(b).shape
    if not shape:
        raise TypeMismatch("the right-hand side of solve is a vector or a matrix")
    vector = len(shape) == 1
    contracted(rows, shape[-1 if vector else -2])
    batch = broadcast_shapes(number(a).shape[:-2], () if vector else shape[:-2])
    return scalar_or_array(lapack(a, b), (*batch, columns, *(() if vector else shape[-1:])))


def solve_each(a: Operand, v: Operand) -> Any:
    """Each matrix of a with its own vector of v."""
    if number(v).rank == 1:
        return solve(a, v)
    return squeeze(solve(a, expand_dims(v, axis=-1)), axis=-1)


def solve_vjp(ct: Operand, y: Operand, a: Operand, b: Operand) -> list[Any]:
    """db = solve(A.T, ct), dA = -db @ y.T"""
    back = matrix_transpose(a)
    if number(b).rank > 1:
        db = solve(back, ct)
        return [neg(matmul(db, matrix_transpose(y))), db]
    db = solve_each(back, ct)
    if number(db).rank == 1:
        return [neg(outer(db, y)), db]
    return [neg(mul(expand_dims(db, axis=-1), expand_dims(y, axis=-2))), db]


def solve_jvp(tangents: Sequence[Any], y: Operand, a: Operand, b: Operand) -> Any:
    """solve(A, db - dA @ y)"""
    da, db = tangents
    right = db
    if da is not None:
        change = matmul(da, y) if number(b).rank > 1 else vector_product(da, y)
        right = neg(change) if db is None else sub(db, change)
    return solve(a, right) if number(b).rank > 1 else solve_each(a, right)


def systems() -> list[samples.Sample]:
    shapes = (((3, 3), (3,)), ((3, 3), (3, 2)), ((4, 3, 3), (3,)), ((4, 3, 3), (4, 3, 2)), ((4, 3, 3), (3, 2)),
              ((3, 3), (4, 3, 2)), ((1, 3, 3), (4, 3, 2)), ((1, 1), (1,)), ((0, 0), (0,)), ((2, 2), (2, 0)))
    pairs = [(diagonally_dominant(p), samples.arrays(q, seed=1)) for p, q in shapes]
    single = diagonally_dominant((3, 3), "f4")
    pairs += [(single, samples.arrays((3,), dtype="f4")), (single, samples.arrays((3, 2)))]
    return [(pair, {}) for pair in pairs]


solve = op("solve", "numpy.linalg.solve", type=type_solve, run=np.linalg.solve, vjp=solve_vjp, jvp=solve_jvp,
           bind=lambda a, b: ([a, b], {}), linear_in=(1,), raises="value", cost="dear", samples=systems,
           square=True, complex=True, layout="operands")


# -- det, slogdet --------------------------------------------------------------------------------


def det_vjp(ct: Operand, y: Operand, a: Operand) -> list[Any]:
    """ct * det(A) * inv(A).T"""
    return [mul(as_matrices(mul(ct, y)), matrix_transpose(inv(a)))]


det = op("det", "numpy.linalg.det", type=of_square(lambda s: s[:-2]), run=np.linalg.det, vjp=det_vjp,
         bind=lambda a: ([a], {}), cost="dear", samples=squares, square=True, complex=True)


def type_slogdet(a: Operand) -> tuple[Tensor, Tensor]:
    (dtype,) = lapack(a)
    shape = square(a)[:-2]
    return scalar_or_array({dtype}, shape), scalar_or_array({REAL_OF.get(dtype, dtype)}, shape)


def slogdet_vjp(cts: Sequence[Any], ys: Sequence[Operand], a: Operand) -> list[Any]:
    """ct * inv(A).T; the sign is constant between the singular matrices, if the matrices are real."""
    ct = cts[1]
    if cts[0] is not None and number(a).kind == "c":
        raise TypeMismatch("the derivative of the sign of a complex determinant is not supported",
                           "use the determinant: np.linalg.det")
    return [None if ct is None else mul(as_matrices(ct), matrix_transpose(inv(a)))]


slogdet = op("slogdet", "numpy.linalg.slogdet", type=type_slogdet, run=np.linalg.slogdet, vjp=slogdet_vjp,
             bind=lambda a: ([a], {}), named=result_class(np.linalg.slogdet), cost="dear", samples=squares, square=True,
             complex=True)


# -- cholesky -------------------------------------------------------------------------------------


def cholesky_vjp(ct: Operand, y: Operand, a: Operand, upper: bool = False) -> list[Any]:
    """half(inv(L).T @ (M + M.H) @ inv(conj(L))) of M = half(L.T @ ct)"""
    factor, ct = (adjoint(y), adjoint(ct)) if upper else (y, ct)
    back = matrix_transpose(factor)
    m = half(matmul(back, ct))
    inner = solve(back, add(m, adjoint(m)))
    da = half(conj_of(solve(conj_of(back, a), matrix_transpose(inner)), a))
    return [adjoint(da) if upper else da]


def adjoint(x: Operand) -> Any:
    """The conjugate transpose of each matrix."""
    return matrix_transpose(conj_of(x, x))


def positive_definite() -> list[samples.Sample]:
    cases = []
    for (a,), _ in squares():
        spd = (a @ np.swapaxes(a, -1, -2)).astype(a.dtype)
        cases += [((spd,), {}), ((spd,), {"upper": True})]
    return cases


def run_cholesky(a: Any, upper: bool = False) -> Any:
    return np.linalg.cholesky(a, upper=upper)


cholesky = op("cholesky", "numpy.linalg.cholesky", type=of_square(lambda s: s), run=run_cholesky, vjp=cholesky_vjp,
              bind=lambda a, *, upper=False: ([a], {"upper": upper}), defaults={"upper": False},
              raises="value", cost="dear", samples=positive_definite, square=True, complex=True, layout="operands")
